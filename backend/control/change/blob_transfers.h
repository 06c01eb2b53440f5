// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/network/mesh_devices.h"

namespace divisi::control::inline change {

/// Maximum number of transfers under way at once. On each link, every transfer may have RelayConfig::blob_window bytes
/// queued ahead of a tensor.
inline constexpr std::size_t most_transfers = 4;
/// Maximum number of unfinished transfers ordered by clients.
inline constexpr std::size_t most_waiting_transfers = 1000;
/// Maximum number of unfinished transfers ordered by the orchestrator. The limit allows copies of every snapshot of two
/// tasks with 256 stages.
inline constexpr std::size_t most_own_transfers = 512;
/// Maximum number of attempts for a transfer whose path fails for longer than its ends wait. Each attempt keeps the
/// pieces that have arrived.
inline constexpr int most_attempts = 3;

/// A state machine that orders transfers. `order` is the number that the listener chose for its order. The number
/// distinguishes two parts of one blob in transfer to the same node.
class TransferListener {
public:
    virtual ~TransferListener() = default;
    /// Called before brought() if the blob arrived: `size` is the number of bytes transferred, which for a part is less
    /// than the blob's size.
    virtual void arrived(const std::string& /*hash*/, const NodeId& /*to*/, std::uint64_t /*order*/, Bytes /*size*/) {}
    /// Called when the ordered blob or part is durable at the node, or with the error if the transfer failed. The
    /// listener may order and withdraw other transfers.
    virtual void brought(const std::string& hash, const NodeId& to, std::uint64_t order,
                         const std::optional<Error>& error) = 0;
};

/// Transfers blobs from one node to another. Between two MICs with gateways a blob goes through the mesh. The blob is
/// then a flow of the blob class between two ends that the gateways know during the transfer. Otherwise a blob goes
/// directly from one node to the other. Transfers are not part of the durable state: after a restart of the
/// orchestrator, each state machine again orders the transfers that it still needs. Transfers of clients and of the
/// orchestrator wait in one queue. The kind with fewer running transfers is served first, so each kind waits for at
/// most one transfer of the other kind.
class BlobTransfers {
public:
    BlobTransfers(OrchestratorContext& context, MeshDevices& devices) : context_(context), devices_(devices) {}

    void handle(const Received& received, const BringBlob& message);
    void handle(const Received& received, const BlobEndOpened& message);
    void handle(const Received& received, const BlobFetched& message);
    /// Orders a transfer from within the orchestrator. `who` is notified once of the result, never before this call
    /// returns. The order joins an existing transfer of the same blob to the same node, whatever its source. If both
    /// nodes are the same, the result says whether the node has the blob. With `values`, only the tensors of these
    /// values are needed from a snapshot; an order for the whole snapshot does not join such a transfer.
    ///
    /// Fails if the hash is not a blob's hash, or if a node is unknown, away or serves no files. Fails with
    /// `exhausted` if most_own_transfers are unfinished. `who` is not notified of these failures.
    Result<void> bring(const std::string& hash, const NodeId& from, const NodeId& to, TransferListener& who,
                       std::vector<std::string> values = {}, std::uint64_t order = 0);
    /// Cancels an order whose transfer has not begun. Returns whether an order was cancelled; `who` is then not
    /// notified of its end. A transfer under way continues to its end. If `who` ordered this transfer by the same
    /// number more than once, the other orders remain.
    bool withdraw(const std::string& hash, const NodeId& to, const TransferListener& who, std::uint64_t order = 0);
    /// Returns the blobs that nodes have received on the orchestrator's orders since the last call.
    std::vector<std::pair<std::string, NodeId>> take_brought() { return std::exchange(brought_, {}); }
    /// Returns the nodes that received copies of a blob, and forgets these copies. Call when nothing needs the blob any
    /// more.
    std::set<NodeId> forget_copies(const std::string& hash);
    /// Joins the ends of transfers once all gateways know them. Called after the devices were notified of changes.
    /// `ways_changed`: whether gateways or routers were added or removed; ends are then joined again.
    void poll(bool ways_changed);
    /// Handles a node that is away or gone: its ends of transfers no longer exist.
    void node_gone(const NodeId& node);
    void check_deadlines();
    std::optional<TimePoint> next_deadline() const;  ///< earliest deadline, in lived time

private:
    enum class Stage {
        waiting,
        opening,    ///< both nodes open their ends
        published,  ///< gateways are being notified of the ends
        under_way,
    };
    struct End {
        NodeId node;
        std::string endpoint;                     ///< endpoint of the end; known once the end is open
        std::optional<MeshDevices::Entry> entry;  ///< the gateway that this end was told to use
    };
    struct Client {
        PeerId peer{};
        std::uint64_t correlation = 0;
    };
    struct Listener {
        TransferListener* who = nullptr;
        std::uint64_t order = 0;
    };
    struct Transfer {
        std::string hash;
        End source, sink;
        std::optional<Client> client = {};     ///< the client that ordered the transfer and awaits the answer
        std::vector<Listener> listeners = {};  ///< state machines that ordered the transfer
        TimePoint asked{};                     ///< time of the order, in lived time
        TimePoint deadline{};                  ///< deadline for opening the ends, in lived time
        Stage stage = Stage::waiting;
        bool by_mesh = false;
        int attempts = 0;
        std::vector<std::string> values = {};  ///< values whose tensors are transferred; empty: the whole blob
    };
    using Transfers = std::map<std::uint64_t, Transfer>;

    Result<void> check(const BringBlob& message) const;
    Transfers::iterator find(const BringBlob& order, const std::vector<std::string>& values = {});
    std::size_t count(bool of_clients) const;
    void wait(Transfer transfer);
    std::uint64_t take_number();
    void say(const Transfer& transfer, Severity severity, std::string text);
    Transfers::iterator next_waiting();
    void start_next();
    void start(std::uint64_t number, Transfer& transfer);
    bool has_ends(const Transfer& transfer) const;
    void publish();
    void join(std::uint64_t number, End& here, const End& there);
    void close_ends(std::uint64_t number, const Transfer& transfer);
    void succeed(std::uint64_t number, Bytes size);
    void fail(std::uint64_t number, const Error& why);
    void begin_anew(std::uint64_t number, const Error& why);
    void end(std::uint64_t number, Message answer, const std::optional<Error>& error);

    OrchestratorContext& context_;
    MeshDevices& devices_;
    Transfers transfers_;  ///< transfers by number, in order of request
    std::uint64_t last_number_ = 0;
    std::vector<std::pair<std::string, NodeId>> brought_;
    std::map<std::string, std::set<NodeId>> copies_;  ///< nodes with copies of each blob, by hash
};

}  // namespace divisi::control::inline change
