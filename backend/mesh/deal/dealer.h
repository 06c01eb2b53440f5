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
#include "backend/identity/credentials.h"
#include "backend/mesh/deal/balancing.h"
#include "backend/mesh/registry/registration.h"

namespace divisi::mesh::inline deal {

/// An instance that a gateway deals work to.
struct DealServer {
    std::uint64_t sid = 0;  ///< flow_id of its SID
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

/// Deals micro-batches among the instances that answer for a prefix (draft 002, 7.2 1). The dealer carries no tensors:
/// the chosen instance sends to the consumer.
///
/// A micro-batch stays with its instance as long as that instance is there; otherwise it is dealt again. New
/// micro-batches go to active instances, or to pending ones if none is active. Draining and faulted instances get work
/// only if there are no others. Work of a faulted instance goes to others, if there are any. A micro-batch that a
/// consumer no longer asks for has arrived. The dealer reads no clock and draws no random numbers of its own.
class Dealer {
public:
    /// Returns a random number, uniform over 64 bits.
    using Random = std::function<std::uint64_t()>;
    explicit Dealer(Random random) : random_(std::move(random)) {}

    void set_rule(Balancing rule) { rule_ = rule; }
    /// Replaces the servers. Unsent work of servers that are gone is dealt to others.
    std::vector<Order> set_servers(DealServers servers);
    /// Takes a consumer's demand; the header's destination is the prefix. Returns nothing if the demand is older than
    /// the last, or if nobody serves the prefix.
    std::vector<Order> take(const frame::FrameHeader& header, const frame::Demand& demand,
                            const identity::Credentials& sender);

    struct Counters {
        std::uint64_t unserved = 0;  ///< repeated demands with a micro-batch that nobody could take
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
        std::map<frame::DataPlace, std::uint64_t> dealt;  ///< server of each dealt micro-batch
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
    std::map<std::uint64_t, Server> servers_;  ///< by SID
    std::map<Key, Consumer> consumers_;
    Counters counters_;
};

/// Limit on the stages that request data through one gateway; most_demanded limits what the gateway must hold for each.
inline constexpr std::size_t most_dealt_consumers = 1024;

}  // namespace divisi::mesh::inline deal
