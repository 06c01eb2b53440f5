// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/deal/dealer.h"

#include <algorithm>
#include <set>

#include "backend/frame/crc32c.h"

namespace divisi::mesh::inline deal {
namespace {

/// Returns the bytes of a micro-batch. Returns 1 if the consumer does not know the size of its tensors yet, so that
/// all micro-batches count the same.
std::uint64_t counted_bytes(const frame::Demand& demand) { return std::max<std::uint64_t>(demand.microbatch_bytes, 1); }

/// Returns the priority of a health state for new work, lowest first; the balancing rule chooses among equals.
int rank(Health health) {
    switch (health) {
        case Health::active: return 0;
        case Health::pending: return 1;
        case Health::draining: return 2;
        case Health::faulted: return 3;
    }
    return 3;
}
int best_rank(const std::vector<DealServer>& servers) {
    int best = rank(Health::faulted);
    for (const DealServer& one : servers) best = std::min(best, rank(one.health));
    return best;
}

}  // namespace

std::vector<Order> Dealer::set_servers(DealServers servers) {
    by_prefix_ = std::move(servers);
    std::map<std::uint64_t, Server> now;
    for (const auto& [prefix, all] : by_prefix_)
        for (const DealServer& one : all) {
            const auto known = servers_.find(one.sid);
            now[one.sid] = known == servers_.end() ? Server{one.name} : known->second;
        }
    servers_ = std::move(now);
    std::vector<Order> orders;
    for (auto consumer = consumers_.begin(); consumer != consumers_.end();) {
        if (!by_prefix_.contains(std::get<1>(consumer->first))) {
            consumer = consumers_.erase(consumer);
            continue;
        }
        Consumer& waiting = consumer->second;
        const auto gone = std::erase_if(waiting.dealt, [&](const auto& one) { return !servers_.contains(one.second); });
        const std::set<std::uint64_t> faulted = take_from_faulted(waiting, std::get<1>(consumer->first));
        for (const std::uint64_t server : deal(waiting, gone > 0 || !faulted.empty()))
            orders.push_back(order(waiting, server));
        // the order tells the server that it has no micro-batches left to send
        for (const std::uint64_t server : faulted) orders.push_back(order(waiting, server));
        ++consumer;
    }
    return orders;
}

/// Takes all micro-batches back from faulted servers, unless all servers are faulted. Returns the servers that had
/// micro-batches.
std::set<std::uint64_t> Dealer::take_from_faulted(Consumer& consumer, std::uint64_t prefix) {
    const std::vector<DealServer>& servers = by_prefix_.at(prefix);
    if (best_rank(servers) == rank(Health::faulted)) return {};
    std::set<std::uint64_t> faulted, had;
    for (const DealServer& one : servers)
        if (one.health == Health::faulted) faulted.insert(one.sid);
    for (const auto& [place, server] : std::map(consumer.dealt)) {
        if (!faulted.contains(server)) continue;
        had.insert(server);
        give_back(consumer, place);
    }
    return had;
}

/// Returns whether a demand is newer than the last. Sequence numbers restart with a later process of the consumer, and
/// with a later generation of its task.
bool Dealer::is_news(const Consumer& consumer, const frame::FrameHeader& header, const frame::Demand& demand) const {
    const auto age = [](const frame::FrameHeader& one) {
        return std::pair(one.key.generation, one.source.incarnation);
    };
    if (age(header) != age(consumer.header)) return age(header) > age(consumer.header);
    return demand.sequence > consumer.demand.sequence;
}

std::vector<Order> Dealer::take(const frame::FrameHeader& header, const frame::Demand& demand,
                                const identity::Credentials& sender) {
    const Key key{header.key.task, header.destination.sid, header.source.sid};
    if (!consumers_.contains(key) && consumers_.size() >= most_dealt_consumers) {
        ++counters_.refused;
        return {};
    }
    Consumer& consumer = consumers_[key];
    if (!is_news(consumer, header, demand)) {
        ++counters_.stale;
        return {};
    }
    const bool other = consumer.header.source.incarnation != header.source.incarnation ||
                       consumer.header.key.generation != header.key.generation;
    if (other) forget(consumer);
    const bool same = !other && consumer.demand.places == demand.places;

    std::set<std::uint64_t> concerned;
    const std::set<frame::DataPlace> wanted(demand.places.begin(), demand.places.end());
    for (const auto& [place, server] : std::map(consumer.dealt)) {
        if (wanted.contains(place)) {
            if (same) concerned.insert(server);  // the consumer asks again: an order may have been lost
            continue;
        }
        concerned.insert(server);
        give_back(consumer, place);
    }
    for (const auto& [place, server] : consumer.dealt)
        if (const auto it = servers_.find(server); it != servers_.end())
            it->second.outstanding_bytes += counted_bytes(demand) - counted_bytes(consumer.demand);
    consumer.header = header;
    consumer.sender = sender;
    consumer.demand = demand;
    for (const std::uint64_t server : deal(consumer, false)) concerned.insert(server);
    const bool waits =
        std::ranges::any_of(demand.places, [&](const auto& one) { return !consumer.dealt.contains(one); });
    if (same && waits) ++counters_.unserved;
    std::vector<Order> orders;
    for (const std::uint64_t server : concerned) orders.push_back(order(consumer, server));
    return orders;
}

void Dealer::give_back(Consumer& consumer, const frame::DataPlace& place) {
    const auto dealt = consumer.dealt.extract(place);
    const auto server = servers_.find(dealt.mapped());
    if (server == servers_.end()) return;
    --server->second.outstanding;
    server->second.outstanding_bytes -= counted_bytes(consumer.demand);
}

void Dealer::forget(Consumer& consumer) {
    while (!consumer.dealt.empty()) give_back(consumer, frame::DataPlace(consumer.dealt.begin()->first));
}

std::optional<std::uint64_t> Dealer::choose_server(std::uint64_t prefix) {
    const auto known = by_prefix_.find(prefix);
    if (known == by_prefix_.end()) return std::nullopt;
    const int best = best_rank(known->second);
    std::vector<std::uint64_t> servers;
    std::vector<Candidate> candidates;
    for (const DealServer& one : known->second) {
        if (rank(one.health) != best) continue;
        servers.push_back(one.sid);
        candidates.push_back({servers_.at(one.sid).outstanding_bytes, one.flops_per_s});
    }
    const std::uint64_t number = rule_ == Balancing::round_robin ? turn_++ : random_();
    const auto chosen = choose(rule_, candidates, number);
    if (!chosen) return std::nullopt;
    return servers[*chosen];
}

/// Assigns the requested micro-batches that have no server yet; returns the servers that got micro-batches.
std::vector<std::uint64_t> Dealer::deal(Consumer& consumer, bool again) {
    std::set<std::uint64_t> chosen;
    for (const frame::DataPlace& place : consumer.demand.places) {
        if (consumer.dealt.contains(place)) continue;
        const auto sid = choose_server(consumer.header.destination.sid);
        if (!sid) break;
        consumer.dealt[place] = *sid;
        Server& server = servers_.at(*sid);
        ++server.microbatches;
        server.dealt_again += again ? 1 : 0;
        ++server.outstanding;
        server.outstanding_bytes += counted_bytes(consumer.demand);
        chosen.insert(*sid);
    }
    return {chosen.begin(), chosen.end()};
}

Order Dealer::order(const Consumer& consumer, std::uint64_t server) const {
    frame::Demand part{consumer.demand.sequence, consumer.demand.microbatch_bytes, {}};
    for (const auto& [place, sid] : consumer.dealt)
        if (sid == server) part.places.push_back(place);
    Order order{consumer.header, frame::encode_demand(part), consumer.sender};
    order.header.destination = {server, 0};
    order.header.total_bytes = order.payload.size();
    order.header.payload_bytes = static_cast<std::uint32_t>(order.payload.size());
    order.header.payload_crc = frame::crc32c(std::as_bytes(std::span(order.payload)));
    return order;
}

std::vector<Dealer::ServerView> Dealer::servers() const {
    std::vector<ServerView> views;
    for (const auto& [sid, server] : servers_)
        views.push_back({server.name, server.microbatches, server.dealt_again, server.outstanding});
    return views;
}

}  // namespace divisi::mesh::inline deal
