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

#include "backend/control/core/desk.h"
#include "backend/control/network/mesh_devices.h"

namespace divisi::control::inline change {

/// Transfers at once: each may have RelayConfig::blob_window before a tensor on every link that it passes.
inline constexpr std::size_t most_transfers = 4;
/// Those that clients have asked for and that are not over.
inline constexpr std::size_t most_waiting_transfers = 1000;
/// Likewise of the orchestrator's own: a copy of every snapshot of two tasks with 256 stages.
inline constexpr std::size_t most_own_transfers = 512;
/// A transfer whose way fails for longer than its ends are patient begins anew so often; what has arrived is kept.
inline constexpr int most_attempts = 3;

/// A state machine that orders transfers of its own. `order` is the number that it gave with the order: two parts of
/// one blob may be on their way to one node.
class TransferListener {
public:
    virtual ~TransferListener() = default;
    /// Before brought(), where it is there: how many bytes that took, of a part less than the blob has.
    virtual void arrived(const std::string& /*hash*/, const NodeId& /*to*/, std::uint64_t /*order*/, Bytes /*size*/) {}
    /// The blob is at the node, whole or as the part that was ordered, and durable; or why it is not. May order and
    /// withdraw others.
    virtual void brought(const std::string& hash, const NodeId& to, std::uint64_t order,
                         const std::optional<Error>& error) = 0;
};

/// Blobs that one node gets from another. Between two MICs with gateways a blob goes through the mesh, as a flow of the
/// class of blobs between two ends that gateways know while the transfer goes on; elsewhere straight from node to node.
/// Nothing of it is in the durable state: after a restart of the orchestrator whoever wanted it asks again. Transfers
/// of clients and of the orchestrator itself wait in one queue: of the two kinds the one with fewer under way is next,
/// so that neither waits for longer than a transfer of the other takes.
class BlobTransfers {
public:
    BlobTransfers(Desk& desk, MeshDevices& devices) : desk_(desk), devices_(devices) {}

    void handle(const Received& received, const BringBlob& message);
    void handle(const Received& received, const BlobEndOpened& message);
    void handle(const Received& received, const BlobFetched& message);
    /// Orders a transfer from within the orchestrator: `who` hears once how it ended, never before this returns. It
    /// joins one of the same blob to the same node, wherever that comes from. Where both nodes are one, it says whether
    /// it has the blob. Refused, and then nothing is heard, where a client's order would be, and with `exhausted` where
    /// there are most_own_transfers. With `values` only their tensors are needed of a snapshot; whoever needs all of it
    /// does not join such an order.
    Result<void> bring(const std::string& hash, const NodeId& from, const NodeId& to, TransferListener& who,
                       std::vector<std::string> values = {}, std::uint64_t order = 0);
    /// Takes an order back that has not begun; whether it was one, of which then nothing is heard. What is under way
    /// goes on to its end, and so does what `who` ordered by this number more than once.
    bool withdraw(const std::string& hash, const NodeId& to, const TransferListener& who, std::uint64_t order = 0);
    /// What nodes have got by orders of the orchestrator since this was last asked.
    std::vector<std::pair<std::string, NodeId>> take_brought() { return std::exchange(brought_, {}); }
    /// The nodes that have got a blob so, which are forgotten: nobody needs it any more.
    std::set<NodeId> forget_copies(const std::string& hash);
    /// After the devices were told what has changed; whether gateways have come or gone.
    void look(bool ways_changed);
    /// A node is away or gone: it has given up its ends.
    void node_gone(const NodeId& node);
    void check_deadlines();
    std::optional<TimePoint> next_deadline() const;  ///< in lived time

private:
    enum class Stage {
        waiting,
        opening,    ///< its ends are opened
        published,  ///< gateways are told of them
        under_way,
    };
    struct End {
        NodeId node;
        std::string endpoint;                     ///< once it is open
        std::optional<MeshDevices::Entry> entry;  ///< that it was told
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
        std::optional<Client> client = {};     ///< who asked for it, and is answered
        std::vector<Listener> listeners = {};  ///< who ordered it
        TimePoint asked{};                     ///< in lived time
        TimePoint deadline{};                  ///< of opening, likewise
        Stage stage = Stage::waiting;
        bool by_mesh = false;
        int attempts = 0;
        std::vector<std::string> values = {};  ///< of which only the tensors are brought
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

    Desk& desk_;
    MeshDevices& devices_;
    Transfers transfers_;  ///< by number, in the order in which they were asked for
    std::uint64_t last_number_ = 0;
    std::vector<std::pair<std::string, NodeId>> brought_;
    std::map<std::string, std::set<NodeId>> copies_;  ///< by hash
};

}  // namespace divisi::control::inline change
