// SPDX-License-Identifier: Apache-2.0
// Measures what programs compute after a device, a link or a place of the route table changes. These are the steps of
// Device::use_table without sockets, and the orchestrator's check of which gateways can reach each other.
#include "tests/bench/mesh/routes_bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "backend/control/types/mesh_types.h"
#include "backend/mesh/forwarding/relay.h"

namespace divisi::bench {
namespace {

using namespace mesh;
using Stopwatch = std::chrono::steady_clock;

constexpr int routers = 1000, flows = 200;
constexpr double limit_ms = 50;
constexpr std::int64_t far_away = std::numeric_limits<std::int64_t>::max() / 4;
/// Buffer that is large enough for all flows of a router at once, because this bench does not measure the admission of
/// flows.
constexpr std::uint64_t ample_buffer = std::uint64_t{4} << 30;

double ms_since(Stopwatch::time_point begin) {
    return std::chrono::duration<double, std::milli>(Stopwatch::now() - begin).count();
}

RoutingId id(int number) { return RoutingId(static_cast<std::uint16_t>(number)); }
RoutingId gateway_id(int number) { return id(routers + 1 + number); }
Sid sid(int number) { return Sid("task/stage-" + std::to_string(number) + "/0"); }

Link as_told(RoutingId a, RoutingId b) { return {a, b, control::table_latency_s, control::table_bytes_per_s}; }

/// The route table that the orchestrator sends: devices, links with the same figures for all, and places.
struct Table {
    std::vector<Device> devices;
    std::vector<Link> links;
    std::map<std::uint64_t, Place> places;
    int gateways = 0;

    /// Creates routers in rows and columns that are closed to rings, so that each router has four links. Each gateway
    /// has two routers as neighbours. The MIC of the first gateway has one instance; the other MICs have one instance
    /// per flow.
    explicit Table(int gateways) : gateways(gateways) {
        constexpr int width = 40;
        for (int i = 0; i < routers; ++i) {
            devices.emplace_back().id = id(i + 1);
            links.push_back(as_told(id(i + 1), id(i / width * width + (i + 1) % width + 1)));
            links.push_back(as_told(id(i + 1), id((i + width) % routers + 1)));
        }
        const int apart = routers / gateways;
        for (int i = 0; i < gateways; ++i) {
            Device& device = devices.emplace_back();
            device.id = gateway_id(i);
            device.role = DeviceRole::gateway;
            device.mic = MicId("mic-" + std::to_string(i));
            for (const int router : {i * apart + 1, (i * apart + 10) % routers + 1})
                links.push_back(as_told(device.id, id(router)));
        }
        for (int i = 0; i <= flows; ++i)
            places[frame::flow_id(sid(i))] = {TaskId("task"), sid(i), gateway_id(i == 0 ? 0 : 1 + i % (gateways - 1))};
    }
    /// Returns the table without one link, as after its failure.
    Table without(LinkKey broken) const {
        Table rest = *this;
        std::erase_if(rest.links, [&](const Link& one) { return link_key(one.a, one.b) == broken; });
        return rest;
    }
    Topology topology() const {
        Topology made;
        if (const auto set = made.set(devices, links); !set)
            std::fprintf(stderr, "%s\n", set.error().message().c_str());
        return made;
    }
};

/// The relay of one device.
class BusyRelay {
public:
    BusyRelay(const Table& table, RoutingId self, DeviceRole role) : self_(self) {
        RelayConfig config;
        config.self = self;
        config.role = role;
        config.buffer = ample_buffer;
        relay_.emplace(config);
        apply(table);
        for (const RoutingId neighbour : table.topology().neighbours(self)) step(relay::Up{neighbour});
    }
    /// Applies the table and returns the milliseconds. Includes the query that MeshPort makes on each beat: which
    /// gateways are reachable.
    double apply(const Table& table) {
        Table told = table;
        const auto begin = Stopwatch::now();
        step(relay::Table{told.topology(), std::move(told.places)});
        reached_ = 0;
        for (int i = 0; i < table.gateways && self_ > id(routers); ++i) reached_ += relay_->reaches(gateway_id(i));
        return ms_since(begin);
    }
    relay::Actions step(relay::Event event) { return relay_->step(std::move(event), now_ += one_step); }
    const Relay& relay() const { return *relay_; }
    int reached() const { return reached_; }

private:
    static constexpr Duration one_step = std::chrono::milliseconds(1);
    RoutingId self_;
    std::optional<Relay> relay_;
    TimePoint now_{std::chrono::hours(1)};
    int reached_ = 0;  ///< gateways reachable by the last table
};

/// The first gateway, which sends to all others, and the first of its two routers, which knows these flows.
struct Scene {
    explicit Scene(const Table& table)
        : gateway(table, gateway_id(0), DeviceRole::gateway), router(table, id(1), DeviceRole::router) {
        for (int i = 1; i <= flows; ++i) {
            frame::Chunk chunk;
            chunk.header.key.task = frame::flow_id(TaskId("task"));
            chunk.header.source = {frame::flow_id(sid(0)), 1};
            chunk.header.destination = {frame::flow_id(sid(i)), 1};
            for (const relay::SignalTo& signal : gateway.step(relay::Data{RoutingId(), std::move(chunk)}).signals)
                if (signal.to == id(1))
                    (void)router.step(relay::Signal{gateway_id(0), std::as_bytes(std::span<const char>(signal.bytes))});
        }
    }
    /// Returns a link in the middle of the longest path that is connected neither to the gateway nor to the router.
    LinkKey far_link() const {
        Path longest;
        for (const Relay::FlowView& flow : gateway.relay().flows())
            if (flow.path.size() > longest.size()) longest = flow.path;
        const std::size_t middle = longest.size() / 2;
        return longest.size() < 6 ? LinkKey() : link_key(longest[middle - 1], longest[middle]);
    }
    /// Checks that the router forwards each flow along the path that the gateway has chosen.
    bool agree() const {
        std::map<FlowKey, Path> chosen;
        for (const Relay::FlowView& flow : gateway.relay().flows())
            if (flow.path.size() > 1 && flow.path[1] == id(1))
                chosen[flow.key] = {flow.path.begin() + 1, flow.path.end()};
        std::map<FlowKey, Path> followed;
        for (const Relay::FlowView& flow : router.relay().flows())
            if (!flow.path.empty()) followed[flow.key] = flow.path;
        return !chosen.empty() && chosen == followed;
    }
    BusyRelay gateway, router;
};

/// The cost to every device, relaxed in rounds over all links until nothing changes. Shares no code with the code under
/// test.
struct BellmanFord {
    std::vector<std::int64_t> cost;

    BellmanFord(const Topology& topology, std::size_t root) : cost(topology.devices().size(), far_away) {
        std::vector<std::pair<std::size_t, std::size_t>> ends;
        for (const Link& one : topology.links()) ends.emplace_back(*topology.index(one.a), *topology.index(one.b));
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
    /// Relaxes one link. Gateways forward nothing.
    bool relax(const Topology& topology, std::size_t root, std::size_t from, std::size_t to, std::size_t link) {
        const bool passes = from == root || topology.devices()[from].role == DeviceRole::router;
        if (cost[from] == far_away || !passes) return false;
        const std::int64_t next =
            cost[from] + (from == root ? 0 : topology.transit_cost(from)) + topology.link_cost(link);
        if (next >= cost[to]) return false;
        cost[to] = next;
        return true;
    }
};

/// Checks that all flows of the gateway have paths as short as the baseline's. A path may be longer only if the
/// shortest path has no disjoint second path (see two_paths).
bool are_shortest(const Relay& gateway, const Topology& topology, const BellmanFord& baseline) {
    std::size_t count = 0;
    for (const Relay::FlowView& flow : gateway.flows()) {
        if (flow.path.size() < 3) return false;
        const auto cost = path_cost(topology, flow.path);
        const auto shortest = shortest_path(topology, flow.path.front(), flow.path.back());
        const std::int64_t known = baseline.cost[*topology.index(flow.path.back())];
        if (!cost || !shortest || path_cost(topology, *shortest) != known) return false;
        if (cost != known && shared_parts(*shortest, backup_of(topology, *shortest)) == 0) return false;
        ++count;
    }
    return count == flows;
}

/// Checks that the first gateway has next hops to exactly the devices that the baseline reaches.
bool are_reached(const std::vector<std::optional<RoutingId>>& hops, const BellmanFord& baseline, std::size_t root) {
    for (std::size_t i = 0; i < hops.size(); ++i)
        if (hops[i].has_value() != (i != root && baseline.cost[i] < far_away)) return false;
    return true;
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

struct Times {
    std::vector<double> gateway, router, orchestrator, baseline, pair;
    bool equal = true;
};

/// Measures the computation behind the questions to MeshDevices: the topology, and which devices each gateway reaches.
double ask_all(const Table& table, const BellmanFord& baseline, bool& equal) {
    const auto begin = Stopwatch::now();
    const Topology topology = table.topology();
    std::vector<std::vector<std::optional<RoutingId>>> hops;
    for (int i = 0; i < table.gateways; ++i) hops.push_back(next_hops(topology, gateway_id(i)));
    const double ms = ms_since(begin);
    equal = equal && are_reached(hops[0], baseline, *topology.index(gateway_id(0)));
    return ms;
}

/// Breaks and restores a link repeatedly.
Times change_links(const Table& whole, int runs) {
    Scene scene(whole);
    const LinkKey broken = scene.far_link();
    const Table rest = whole.without(broken);
    Times times;
    times.equal = scene.agree() && whole.links.size() == rest.links.size() + 1;
    for (int run = 0; run < runs; ++run) {
        const Table& table = run % 2 == 0 ? rest : whole;
        times.gateway.push_back(scene.gateway.apply(table));
        times.router.push_back(scene.router.apply(table));
        const Topology topology = table.topology();
        const auto begin = Stopwatch::now();
        const BellmanFord baseline(topology, *topology.index(gateway_id(0)));
        times.baseline.push_back(ms_since(begin));
        times.orchestrator.push_back(ask_all(table, baseline, times.equal));
        const auto pair_begin = Stopwatch::now();
        const auto pair = two_paths(topology, gateway_id(0), gateway_id(1 + run % (table.gateways - 1)));
        times.pair.push_back(ms_since(pair_begin));
        times.equal = times.equal && pair && scene.gateway.reached() == table.gateways &&
                      are_shortest(scene.gateway.relay(), topology, baseline);
    }
    return times;
}

bool print(const Table& table, const Times& times) {
    const double gateway = median(times.gateway), router = median(times.router);
    const double orchestrator = median(times.orchestrator), baseline = median(times.baseline);
    const std::string goal = " (goal: " + std::to_string(static_cast<int>(limit_ms)) + " ms)";
    std::printf("a link breaks or returns: %d routers, %d gateways, %zu links, median of %zu\n", routers,
                table.gateways, table.links.size(), times.gateway.size());
    std::printf("  a gateway with %d flows, two paths to each of %d others  %8.3f ms%s\n", flows, table.gateways - 1,
                gateway, goal.c_str());
    std::printf("  a router with these flows, which follow their headers     %8.3f ms%s\n", router, goal.c_str());
    std::printf("  the orchestrator: devices that each gateway reaches       %8.3f ms%s\n", orchestrator, goal.c_str());
    std::printf("  two paths of one pair, as the orchestrator shows them     %8.3f ms\n", median(times.pair));
    std::printf(
        "  Bellman-Ford from one gateway, costs alone                %8.3f ms, one gateway's table is %.1f of it\n",
        baseline, gateway / baseline);
    if (!times.equal) std::printf("the paths differ from those of Bellman-Ford\n");
    const bool within = gateway <= limit_ms && router <= limit_ms && orchestrator <= limit_ms;
    if (!within) std::printf("more than %d ms with %d gateways\n", static_cast<int>(limit_ms), table.gateways);
    return times.equal && within;
}

}  // namespace

int bench_routes(int runs) {
    if (runs < 1) return 1;
    bool good = true;
    for (const int gateways : {50, 200}) {
        const Table table(gateways);
        good = print(table, change_links(table, runs)) && good;
    }
    return good ? 0 : 1;
}

}  // namespace divisi::bench
