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

/// An instance among which a gateway deals.
struct DealServer {
    std::uint64_t sid = 0;  ///< flow_id of its SID
    std::string name;       ///< the SID
    double flops_per_s = 0;
    Health health = Health::active;
};
/// By flow_id of the prefix for which consumers ask: "gpt-1/data" of "gpt-1/data/0".
using DealServers = std::map<std::uint64_t, std::vector<DealServer>>;

/// A frame of FrameKind::demand for one server: all that it is to send to this consumer, with the consumer as source.
struct Order {
    frame::FrameHeader header;
    std::string payload;
    identity::Credentials sender;  ///< of the consumer
};

/// Deals micro-batches among the instances that answer for a prefix (draft 002, 7.2 1). It carries no tensor: who is
/// chosen sends to the consumer. A micro-batch stays with whom it was dealt to as long as that one is there, and is
/// dealt again when it goes. New ones go to active instances; to pending ones where no other lives, and to draining and
/// faulted ones only where they are all there is. What a faulted one had goes to others, where there are. What a
/// consumer no longer asks for, it has. Reads no clock and draws no number of its own.
class Dealer {
public:
    /// `random`: uniform over 64 bits.
    using Random = std::function<std::uint64_t()>;
    explicit Dealer(Random random) : random_(std::move(random)) {}

    void set_rule(Balancing rule) { rule_ = rule; }
    /// What those who have gone had not sent goes to others.
    std::vector<Order> set_servers(DealServers servers);
    /// What a consumer asks for; the header's destination is the prefix. Nothing where the demand is older than the
    /// last, or as long as nobody serves the prefix.
    std::vector<Order> take(const frame::FrameHeader& header, const frame::Demand& demand,
                            const identity::Credentials& sender);

    struct Counters {
        std::uint64_t unserved = 0;  ///< demands that were said again, and still nobody took work
        std::uint64_t stale = 0;     ///< demands that came late
        std::uint64_t refused = 0;   ///< of more consumers than most_dealt_consumers
    };
    const Counters& counters() const { return counters_; }
    struct ServerView {
        std::string name;
        std::uint64_t microbatches = 0, dealt_again = 0, outstanding = 0;
    };
    /// Those that are there.
    std::vector<ServerView> servers() const;

private:
    /// Task, prefix, SID of the consumer.
    using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;
    struct Consumer {
        frame::FrameHeader header;  ///< of the last demand
        identity::Credentials sender;
        frame::Demand demand;
        std::map<frame::DataPlace, std::uint64_t> dealt;  ///< to which server
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

/// Stages that ask through one gateway; what they can make it hold is bounded by most_demanded each.
inline constexpr std::size_t most_dealt_consumers = 1024;

}  // namespace divisi::mesh::inline deal
