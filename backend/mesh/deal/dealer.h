// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "backend/frame/demand.h"
#include "backend/frame/frame.h"
#include "backend/identity/role.h"
#include "backend/mesh/deal/balancing.h"
#include "backend/mesh/registry/registration.h"

namespace divisi::mesh::inline deal {

/// An instance to which a gateway assigns work.
struct DealServer {
    std::uint64_t sid = 0;  ///< flow_id of the server's SID
    std::string name;       ///< the SID
    double flops_per_s = 0;
    Health health = Health::active;
};
/// Servers by flow_id of the prefix that consumers ask for: "gpt-1/data" for "gpt-1/data/0".
using DealServers = std::map<std::uint64_t, std::vector<DealServer>>;

/// A frame of FrameKind::demand for one server. Lists everything that the server must send to this consumer, which is
/// the frame's source.
struct Order {
    frame::FrameHeader header;
    std::string payload;
    identity::Credentials sender;  ///< credentials of the consumer
};

/// Distributes micro-batches among the instances that answer for a prefix (draft 002, 7.2 1). Tensors do not pass the
/// dealer: the chosen instance sends them to the consumer. A micro-batch remains assigned to its instance while the
/// instance is present; otherwise it is assigned again. New micro-batches go to active instances, or to pending
/// instances if none is active. Draining and faulted instances get work only if there are no others. The work of a
/// faulted instance is assigned to other instances, if there are any. A micro-batch counts as arrived when its consumer
/// no longer asks for it. The dealer reads no clock, and the caller supplies the random numbers.
class Dealer {
public:
    /// Returns a random number, uniform over 64 bits.
    using Random = std::function<std::uint64_t()>;
    explicit Dealer(Random random) : random_(std::move(random)) {}

    void set_rule(Balancing rule) { rule_ = rule; }
    /// Replaces the servers. Unsent work of removed servers is assigned to other servers.
    std::vector<Order> set_servers(DealServers servers);
    /// Processes a consumer's demand; the header's destination is the prefix. Returns no orders if the demand is older
    /// than the last one, if no instance serves the prefix, or if there are too many consumers.
    std::vector<Order> take(const frame::FrameHeader& header, const frame::Demand& demand,
                            const identity::Credentials& sender);

    struct Counters {
        std::uint64_t unserved = 0;  ///< repeated demands with a micro-batch that no server could take
        std::uint64_t stale = 0;     ///< demands that arrived late
        std::uint64_t refused = 0;   ///< demands of consumers beyond most_dealt_consumers
    };
    const Counters& counters() const { return counters_; }
    struct ServerView {
        std::string name;
        std::uint64_t microbatches = 0, dealt_again = 0, outstanding = 0;
    };
    /// Returns the servers that are present.
    std::vector<ServerView> servers() const;

private:
    /// Task, prefix, and SID of the consumer.
    using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;
    struct Consumer {
        frame::FrameHeader header;  ///< header of the last demand
        identity::Credentials sender;
        frame::Demand demand;
        std::map<frame::DataPlace, std::uint64_t> dealt;  ///< server of each assigned micro-batch
    };
    struct Server {
        std::string name;
        std::uint64_t microbatches = 0, dealt_again = 0;
        std::uint64_t outstanding = 0, outstanding_bytes = 0;
    };

    bool is_news(const Consumer& consumer, const frame::FrameHeader& header, const frame::Demand& demand) const;
    void give_back(Consumer& consumer, const frame::DataPlace& place);
    void forget(Consumer& consumer);
    std::set<std::uint64_t> take_from_faulted(Consumer& consumer, std::uint64_t prefix);
    std::optional<std::uint64_t> choose_server(std::uint64_t prefix);
    std::vector<std::uint64_t> deal(Consumer& consumer, bool again);
    Order order(const Consumer& consumer, std::uint64_t server) const;

    Random random_;
    Balancing rule_ = Balancing::round_robin;
    std::uint64_t turn_ = 0;
    DealServers by_prefix_;
    std::map<std::uint64_t, Server> servers_;  ///< servers by SID
    std::map<Key, Consumer> consumers_;
    Counters counters_;
};

/// Limit on the stages that request data through one gateway; most_demanded limits the memory that the gateway needs
/// for each stage.
inline constexpr std::size_t most_dealt_consumers = 1024;

}  // namespace divisi::mesh::inline deal
