// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/mesh/routes_bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "backend/mesh/relay.h"
#include "backend/mesh/route_table.h"

namespace divisi::bench {
namespace {

using namespace mesh;
using Stopwatch = std::chrono::steady_clock;

constexpr int routers = 1000, gateways = 50, flows = 200;
constexpr double limit_ms = 50;
constexpr std::int64_t far_away = std::numeric_limits<std::int64_t>::max() / 4;

double ms_since(Stopwatch::time_point begin) {
    return std::chrono::duration<double, std::milli>(Stopwatch::now() - begin).count();
}

RoutingId id(int number) { return RoutingId(static_cast<std::uint16_t>(number)); }

/// Rows and columns that close to rings: four links a router, all of them with other figures.
std::pair<std::vector<Device>, std::vector<Link>> torus() {
    constexpr int width = 40;
    std::mt19937_64 rng(1);
    std::vector<Device> devices(routers);
    std::vector<LinkKey> ends;
    for (int i = 0; i < routers; ++i) {
        devices[static_cast<std::size_t>(i)].id = id(i + 1);
        devices[static_cast<std::size_t>(i)].load = 1e-6 * static_cast<double>(rng() % 1000);
        ends.push_back(link_key(id(i + 1), id(i / width * width + (i + 1) % width + 1)));
        ends.push_back(link_key(id(i + 1), id((i + width) % routers + 1)));
    }
    std::vector<Link> links;
    for (const auto& [a, b] : ends)
        links.push_back({a, b, 1e-6 * static_cast<double>(1 + rng() % 5000), 1e9 + static_cast<double>(rng() % 1000)});
    return {std::move(devices), std::move(links)};
}

Topology topology_of(std::vector<Device> devices, std::vector<Link> links) {
    Topology topology;
    if (const auto set = topology.set(std::move(devices), std::move(links)); !set)
        std::fprintf(stderr, "%s\n", set.error().message().c_str());
    return topology;
}

/// What a gateway does with a new table: for each of its flows, to 49 other gateways, the two paths and what follows.
class BusyGateway {
public:
    BusyGateway() {
        auto [devices, links] = torus();
        for (int i = 0; i < gateways; ++i) {
            Device device;
            device.id = id(routers + 1 + i);
            device.role = DeviceRole::gateway;
            device.mic = MicId("mic-" + std::to_string(i));
            devices.push_back(device);
            for (const int router : {i * 20 + 1, (i * 20 + 10) % routers + 1})
                links.push_back({device.id, id(router), 1e-4, 1e9});
        }
        devices_ = std::move(devices);
        links_ = std::move(links);
        for (int i = 0; i <= flows; ++i) {
            const Sid sid("task/stage-" + std::to_string(i) + "/0");
            const int gateway = i == 0 ? 0 : 1 + i % (gateways - 1);
            places_[frame::flow_id(sid)] = {TaskId("task"), sid, id(routers + 1 + gateway)};
        }
        RelayConfig config;
        config.self = id(routers + 1);
        config.role = DeviceRole::gateway;
        relay_.emplace(config);
        (void)table();
        for (const RoutingId router : {id(1), id(11)}) (void)relay_->step(relay::Up{router}, now_);
        for (int i = 1; i <= flows; ++i) {
            frame::Chunk chunk;
            chunk.header.key.task = frame::flow_id(TaskId("task"));
            chunk.header.source = {frame::flow_id(Sid("task/stage-0/0")), 1};
            chunk.header.destination = {frame::flow_id(Sid("task/stage-" + std::to_string(i) + "/0")), 1};
            (void)relay_->step(relay::Data{RoutingId(), std::move(chunk)}, now_);
        }
    }
    double table() {
        links_[routers].latency_s += 1e-4;
        relay::Table table{topology_of(devices_, links_), places_};
        const auto begin = Stopwatch::now();
        (void)relay_->step(std::move(table), now_);
        return ms_since(begin);
    }
    std::size_t flows_with_a_path() const {
        return static_cast<std::size_t>(
            std::ranges::count_if(relay_->flows(), [](const auto& flow) { return flow.path.size() > 2; }));
    }

private:
    std::vector<Device> devices_;
    std::vector<Link> links_;
    std::map<std::uint64_t, Place> places_;
    std::optional<Relay> relay_;
    TimePoint now_{std::chrono::hours(1)};
};

/// The cost to every router and its first hop, by rounds over all links until nothing changes.
struct BellmanFord {
    std::vector<std::int64_t> cost;
    std::vector<std::size_t> first_hop;

    BellmanFord(const Topology& topology, std::size_t root)
        : cost(topology.devices().size(), far_away), first_hop(cost.size(), root) {
        std::vector<std::pair<std::size_t, std::size_t>> ends;
        for (const Link& link : topology.links()) ends.emplace_back(*topology.index(link.a), *topology.index(link.b));
        cost[root] = 0;
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t i = 0; i < ends.size(); ++i) {
                changed |= relax(topology, root, ends[i].first, ends[i].second, i);
                changed |= relax(topology, root, ends[i].second, ends[i].first, i);
            }
        }
    }

private:
    bool relax(const Topology& topology, std::size_t root, std::size_t from, std::size_t to, std::size_t link) {
        if (cost[from] == far_away) return false;
        const std::int64_t next =
            cost[from] + (from == root ? 0 : topology.transit_cost(from)) + topology.link_cost(link);
        if (next >= cost[to]) return false;
        cost[to] = next;
        first_hop[to] = from == root ? to : first_hop[from];
        return true;
    }
};

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

/// Whether both know equally short ways; the table's hops are those of shortest_path().
bool agree(const RouteTable& table, const BellmanFord& baseline) {
    const auto& devices = table.topology().devices();
    for (std::size_t i = 1; i < devices.size(); ++i) {
        const auto path = shortest_path(table.topology(), devices[0].id, devices[i].id);
        if (!path || path_cost(table.topology(), *path) != baseline.cost[i]) return false;
        if (table.next_hop(devices[i].id) != (*path)[1]) return false;
    }
    return true;
}

}  // namespace

int bench_routes(int runs) {
    if (runs < 1) return 1;
    RouteTable table(id(1));
    auto [devices, links] = torus();
    table.set_topology(topology_of(std::move(devices), std::move(links)));
    const Link changed = table.topology().links()[routers];
    std::vector<double> table_ms, baseline_ms, pair_ms;
    bool equal = true;
    BusyGateway gateway;
    std::vector<double> gateway_ms;
    for (int run = 0; run < runs; ++run) {
        const auto begin = Stopwatch::now();
        const auto done = table.change([&](Topology& topology) {
            return topology.set_figures({changed.a, changed.b}, {1e-3 * (1 + run % 7), 1e9, 0});
        });
        table_ms.push_back(ms_since(begin));
        const auto baseline_begin = Stopwatch::now();
        const BellmanFord baseline(table.topology(), 0);
        baseline_ms.push_back(ms_since(baseline_begin));
        gateway_ms.push_back(gateway.table());
        const auto pair_begin = Stopwatch::now();
        const auto pair = two_paths(table.topology(), id(1), id(2 + 37 * run % (routers - 1)));
        pair_ms.push_back(ms_since(pair_begin));
        equal = equal && done.ok() && pair.has_value() && (run > 2 || agree(table, baseline));
    }
    const double ours = median(table_ms), theirs = median(baseline_ms);
    std::printf("one change of a route table, %d routers, %zu links, median of %d\n", routers,
                table.topology().links().size(), runs);
    std::printf("  next hops to all of them   %8.3f ms (goal: %.0f ms)\n", ours, limit_ms);
    std::printf("  Bellman-Ford               %8.3f ms, %.1f times as long\n", theirs, theirs / ours);
    std::printf("  two paths for one flow     %8.3f ms\n", median(pair_ms));
    const double whole = median(gateway_ms);
    std::printf("  a gateway with %zu flows    %8.3f ms (goal: %.0f ms), to %d other gateways\n",
                gateway.flows_with_a_path(), whole, limit_ms, gateways - 1);
    equal = equal && gateway.flows_with_a_path() == flows;
    if (!equal) std::printf("the two disagree\n");
    return equal && ours <= limit_ms && whole <= limit_ms ? 0 : 1;
}

}  // namespace divisi::bench
