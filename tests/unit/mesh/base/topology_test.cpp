// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <tuple>

#include "tests/support/test_program.h"

#include "backend/mesh/base/topology.h"

namespace topology_test {

using namespace divisi;
using namespace divisi::mesh;

namespace {

RoutingId id(int number) { return RoutingId(static_cast<std::uint16_t>(number)); }

Device router(int number) {
    Device device;
    device.id = id(number);
    device.name = "router-" + std::to_string(number);
    return device;
}

Device gateway(int number, const std::string& mic) {
    Device device = router(number);
    device.role = DeviceRole::gateway;
    device.mic = MicId(mic);
    return device;
}

/// A chunk takes 1 ms on a link in addition to the latency, so that all costs are whole milliseconds.
constexpr double one_chunk_per_ms = 1000.0 * (1 << 20);
Link link(int a, int b, int latency_ms = 1) { return {id(a), id(b), latency_ms * 1e-3, one_chunk_per_ms}; }

Path path(std::initializer_list<int> numbers) {
    Path result;
    for (const int number : numbers) result.push_back(id(number));
    return result;
}

Topology make(std::vector<Device> devices, std::vector<Link> links) {
    Topology topology;
    const auto set = topology.set(std::move(devices), std::move(links));
    if (!set) qFatal("%s", set.error().message().c_str());
    return topology;
}

/// A random mesh, and its properties found by enumerating every simple path.
struct Random {
    std::vector<Device> devices;
    std::vector<Link> links;
    Avoid avoid;

    /// Creates each possible link with a probability of about `density` in 16.
    Random(std::mt19937_64& rng, int count, std::uint64_t density) {
        const std::uint64_t slowest = rng() % 2 == 0 ? 3 : 20;  // many equal paths, or only a few
        for (int i = 1; i <= count; ++i) {
            devices.push_back(rng() % 8 == 0 ? gateway(i, "mic-" + std::to_string(i)) : router(i));
            devices.back().load = 1e-3 * static_cast<double>(rng() % slowest);
            devices.back().up = rng() % 32 != 0;
            if (rng() % 32 == 0) avoid.devices.insert(id(i));
        }
        for (int a = 1; a <= count; ++a)
            for (int b = a + 1; b <= count; ++b) {
                if (rng() % 16 >= (b == 2 ? 2 : density)) continue;
                links.push_back(link(b, a, static_cast<int>(rng() % slowest)));
                if (rng() % 8 == 0) links.back().loss = 0.5;
                links.back().up = rng() % 32 != 0;
                if (rng() % 32 == 0) avoid.links.insert({id(a), id(b)});
            }
        std::shuffle(devices.begin(), devices.end(), rng);
        std::shuffle(links.begin(), links.end(), rng);
    }

    struct Known {
        int cost_ms = 0;
        Path path;
        std::uint64_t parts = 0;  ///< one bit for each router and each link
    };

    const Device& device(RoutingId wanted) const {
        return *std::ranges::find_if(devices, [&](const Device& known) { return known.id == wanted; });
    }

    void extend(const Known& known, RoutingId to, const Avoid& avoiding, std::vector<Known>& found) const {
        const RoutingId here = known.path.back();
        if (here == to) {
            found.push_back(known);
            return;
        }
        for (std::size_t i = 0; i < links.size(); ++i) {
            const Link& link = links[i];
            if (!link.up || (link.a != here && link.b != here) || avoiding.links.contains({link.b, link.a})) continue;
            const Device& next = device(link.a == here ? link.b : link.a);
            if (!next.up || std::ranges::count(known.path, next.id) > 0) continue;
            Known longer = known;
            longer.path.push_back(next.id);
            longer.cost_ms += static_cast<int>(std::lround((1 + 1e3 * link.latency_s) * (link.loss > 0 ? 2 : 1)));
            longer.parts |= std::uint64_t{1} << (16 + i);
            if (next.id != to) {
                if (next.role != DeviceRole::router || avoiding.devices.contains(next.id)) continue;
                longer.cost_ms += static_cast<int>(std::lround(1e3 * next.load));
                longer.parts |= std::uint64_t{1} << next.id.value();
            }
            extend(longer, to, avoiding, found);
        }
    }

    /// Returns all simple paths, best first.
    std::vector<Known> paths(RoutingId from, RoutingId to, const Avoid& avoiding) const {
        std::vector<Known> found;
        if (device(from).up && device(to).up) extend({0, {from}, 0}, to, avoiding, found);
        std::ranges::sort(found, {}, [](const Known& known) { return std::pair(known.cost_ms, known.path); });
        return found;
    }
};

int shared(const Random::Known& a, const Random::Known& b) { return std::popcount(a.parts & b.parts); }

/// Returns the minimum number of devices and links that `first` shares with another path, and the lowest cost of such a
/// pair. If `first` is null, any two paths count.
std::pair<int, int> least(const std::vector<Random::Known>& all, const Random::Known* first) {
    std::pair<int, int> best{std::numeric_limits<int>::max(), 0};
    for (const auto& a : all)
        for (const auto& b : all)
            if (&a != &b && (first == nullptr || &a == first))
                best = std::min(best, {shared(a, b), a.cost_ms + b.cost_ms});
    return best;
}

const Random::Known* find(const std::vector<Random::Known>& all, const Path& path) {
    const auto at = std::ranges::find_if(all, [&](const Random::Known& known) { return known.path == path; });
    return at == all.end() ? nullptr : &*at;
}

/// Returns the devices of a path from its end. For each device: how many parts the path up to and including the device
/// shares with `primary`, the cost of this part of the path, and the id. The lowest of equally good backups is chosen.
auto from_its_end(const Topology& topology, const Path& primary, const Path& path) {
    std::vector<std::tuple<std::size_t, std::int64_t, RoutingId>> left;
    for (std::size_t at = path.size() - 2; at > 0; --at) {
        const Path before(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        const bool again = std::find(primary.begin() + 1, primary.end() - 1, path[at]) != primary.end() - 1;
        left.emplace_back(shared_parts(primary, before) + (again ? 1 : 0),
                          *path_cost(topology, before) + topology.transit_cost(*topology.index(path[at])), path[at]);
    }
    left.emplace_back(0, 0, path.front());
    return left;
}

/// Returns the backup of the best path: the one that shares the least with it, then the cheapest, then the first of
/// equal ones.
Path backup_among(const Topology& topology, const std::vector<Random::Known>& all) {
    const Random::Known& best = all.front();
    const Random::Known* backup = nullptr;
    const auto price = [&](const Random::Known& one) { return std::pair(shared(best, one), one.cost_ms); };
    const auto line = [&](const Random::Known& one) { return from_its_end(topology, best.path, one.path); };
    for (const Random::Known& one : std::span(all).subspan(1)) {
        const bool takes =
            !backup || price(one) < price(*backup) || (price(one) == price(*backup) && line(one) < line(*backup));
        if (takes) backup = &one;
    }
    return backup ? backup->path : Path();
}

struct Counts {
    int traps = 0, disjoint = 0, sharing = 0, alone = 0;
    QString text() const { return QString("%1 %2 %3 %4").arg(traps).arg(disjoint).arg(sharing).arg(alone); }
};

/// Returns where the searches from 1 to 2 differ from the enumeration of all simple paths; "" if they agree.
const char* difference(const Topology& topology, const Random& random, Counts& counts) {
    const auto all = random.paths(id(1), id(2), random.avoid);
    const auto best = shortest_path(topology, id(1), id(2), random.avoid);
    const auto paths = two_paths(topology, id(1), id(2), random.avoid);
    if (best.has_value() == all.empty() || paths.has_value() == all.empty()) return "whether there is a path";
    if (all.empty()) return "";
    if (*best != all.front().path) return "the best path";
    if (path_cost(topology, *best) != std::int64_t{1'000'000} * all.front().cost_ms) return "its cost";
    if (backup_of(topology, *best, random.avoid) != backup_among(topology, all)) return "its backup";
    if (paths->backup.empty() != (all.size() == 1)) return "whether there is a backup";
    counts.alone += all.size() == 1;
    if (all.size() == 1) return paths->primary == *best ? "" : "the only path";
    const auto *primary = find(all, paths->primary), *backup = find(all, paths->backup);
    if (primary == nullptr || backup == nullptr || primary == backup) return "what a path is";
    const auto any = least(all, nullptr), of_best = least(all, &all.front());
    const bool trap = of_best.first > any.first;
    if (std::pair(shared(*primary, *backup), primary->cost_ms + backup->cost_ms) != (trap ? any : of_best))
        return "how little two paths share, and their cost";
    if (!trap && paths->primary != *best) return "the primary path";
    if (primary->cost_ms > backup->cost_ms) return "which of them is primary";
    if (shared_parts(paths->primary, paths->backup) != static_cast<std::size_t>(shared(*primary, *backup)))
        return "what they share";
    counts.traps += trap;
    (any.first == 0 ? counts.disjoint : counts.sharing) += 1;
    return "";
}

}  // namespace

class TopologyTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void impossible_meshes_are_refused_data();
    void impossible_meshes_are_refused();
    void refused_mesh_changes_nothing();
    void cost_of_a_chunk_follows_the_figures();
    void devices_and_links_are_found();
    void gateway_never_forwards();
    void equal_paths_are_ordered_by_the_lowest_ids();
    void two_disjoint_paths_are_found_in_a_trap_topology();
    void load_of_devices_on_neither_path_does_not_count();
    void two_paths_share_only_the_unavoidable_link();
    void paths_match_the_enumeration();
    void sparse_trap_topologies_match_the_enumeration();
};

void TopologyTest::impossible_meshes_are_refused_data() {
    QTest::addColumn<std::vector<Device>>("devices");
    QTest::addColumn<std::vector<Link>>("links");
    const std::vector<Device> two{router(1), router(2)};
    Device loaded = router(1), unnamed = router(1), talker = router(1);
    loaded.load = -1;
    unnamed.role = DeviceRole(3);
    talker.name.assign(most_text_bytes + 1, 'x');
    Device lost = gateway(1, "m");
    lost.mic = MicId();
    Device owned = router(1);
    owned.mic = MicId("m");
    QTest::newRow("id 0") << std::vector{router(0)} << std::vector<Link>{};
    QTest::newRow("id twice") << std::vector{router(1), router(1)} << std::vector<Link>{};
    QTest::newRow("no such role") << std::vector{unnamed} << std::vector<Link>{};
    QTest::newRow("gateway without MIC") << std::vector{lost} << std::vector<Link>{};
    QTest::newRow("router with MIC") << std::vector{owned} << std::vector<Link>{};
    QTest::newRow("MIC twice") << std::vector{gateway(1, "m"), gateway(2, "m")} << std::vector<Link>{};
    QTest::newRow("load") << std::vector{loaded} << std::vector<Link>{};
    QTest::newRow("long name") << std::vector{talker} << std::vector<Link>{};
    QTest::newRow("unknown end") << two << std::vector{link(1, 3)};
    QTest::newRow("to itself") << two << std::vector{link(1, 1)};
    QTest::newRow("link twice") << two << std::vector{link(1, 2), link(2, 1)};
    const double nan = std::nan("");
    for (const auto& [latency, bytes, loss] : {std::array{-1.0, 1.0, 0.0},
                                               {0.0, 0.0, 0.0},
                                               {0.0, -1.0, 0.0},
                                               {0.0, 1.0, 1.0},
                                               {0.0, 1.0, -0.1},
                                               {nan, 1.0, 0.0},
                                               {0.0, nan, 0.0},
                                               {0.0, 1.0, nan},
                                               {0.0, INFINITY, 0.0},
                                               {INFINITY, 1.0, 0.0}})
        QTest::addRow("figures %g %g %g", latency, bytes, loss)
            << two << std::vector{Link{id(1), id(2), latency, bytes, loss}};
}

void TopologyTest::impossible_meshes_are_refused() {
    QFETCH(std::vector<Device>, devices);
    QFETCH(std::vector<Link>, links);
    Topology topology;
    QVERIFY(!topology.set(devices, links));
}

void TopologyTest::refused_mesh_changes_nothing() {
    Topology topology = make({router(1), router(2)}, {link(1, 2)});
    QVERIFY(!topology.set({router(3), router(4)}, {link(3, 5)}));
    QVERIFY(topology.device(id(1)) != nullptr);
    QVERIFY(topology.device(id(3)) == nullptr);
    QCOMPARE(topology.set_figures({id(2), id(1)}, {0, 0, 0}).error().code, ErrorCode::invalid_input);
    QCOMPARE(topology.set_load(id(1), -1).error().code, ErrorCode::invalid_input);
    QCOMPARE(topology.set_up(id(3), false).error().code, ErrorCode::not_found);
    QCOMPARE(topology.set_up({id(1), id(3)}, false).error().code, ErrorCode::not_found);
    QCOMPARE(path_cost(topology, path({1, 2})), std::optional<std::int64_t>(2'000'000));
}

void TopologyTest::cost_of_a_chunk_follows_the_figures() {
    Topology topology = make({router(1), router(2), router(3)}, {link(1, 2, 4), link(2, 3, 1)});
    QCOMPARE(path_cost(topology, path({1, 2, 3})), std::optional<std::int64_t>(7'000'000));
    QVERIFY(topology.set_figures({id(2), id(1)}, {0.004, one_chunk_per_ms, 0.5}));
    QVERIFY(topology.set_load(id(2), 0.01));
    QCOMPARE(path_cost(topology, path({1, 2, 3})), std::optional<std::int64_t>(22'000'000));
    QVERIFY(topology.set_load(id(1), 5));  // both compared paths begin here, so its load does not matter
    QCOMPARE(path_cost(topology, path({1, 2, 3})), std::optional<std::int64_t>(22'000'000));
    QCOMPARE(path_cost(topology, path({1, 3})), std::optional<std::int64_t>());
    QVERIFY(topology.set_figures({id(1), id(2)}, {1e300, 1e-300, 0.999}));
    QCOMPARE(path_cost(topology, path({1, 2})), std::optional<std::int64_t>(100'000'000'000'000));
}

void TopologyTest::devices_and_links_are_found() {
    Topology topology = make({gateway(9, "m"), router(2), router(5)}, {link(9, 2), link(9, 5)});
    QCOMPARE(topology.gateway_of(MicId("m"))->id, id(9));
    QVERIFY(topology.gateway_of(MicId("n")) == nullptr);
    QVERIFY(topology.neighbours(id(9)) == path({2, 5}));
    QVERIFY(topology.link(id(2), id(9)) == topology.link(id(9), id(2)));
    QVERIFY(topology.link(id(2), id(5)) == nullptr);
    QVERIFY(topology.set_up(id(2), false));
    QVERIFY(topology.neighbours(id(9)) == path({5}));
    QVERIFY(topology.set_up({id(9), id(5)}, false));
    QVERIFY(topology.neighbours(id(9)).empty());
    QVERIFY(topology.neighbours(id(4)).empty());
}

void TopologyTest::gateway_never_forwards() {
    const Topology topology = make({gateway(1, "a"), gateway(2, "b"), gateway(3, "c"), router(4), router(5)},
                                   {link(1, 2), link(2, 3), link(1, 4, 20), link(4, 5, 20), link(5, 3, 20)});
    QVERIFY(shortest_path(topology, id(1), id(3)) == path({1, 4, 5, 3}));
    QVERIFY(two_paths(topology, id(1), id(3))->backup.empty());
    QCOMPARE(path_cost(topology, path({1, 2, 3})), std::optional<std::int64_t>());
    QVERIFY(shortest_path(topology, id(1), id(1)) == path({1}));
    QVERIFY(!shortest_path(topology, id(1), id(7)));
}

void TopologyTest::equal_paths_are_ordered_by_the_lowest_ids() {
    const Topology topology =
        make({gateway(1, "a"), gateway(2, "b"), router(3), router(4), router(5)},
             {link(1, 5, 3), link(5, 2, 0), link(1, 4, 0), link(4, 2, 3), link(1, 3, 1), link(3, 4, 0)});
    QVERIFY(shortest_path(topology, id(1), id(2)) == path({1, 4, 2}));
    QVERIFY((*two_paths(topology, id(1), id(2)) == Paths{path({1, 4, 2}), path({1, 5, 2})}));
}

// The shortest path 1-3-4-2 uses one device of each of the only two disjoint paths.
void TopologyTest::two_disjoint_paths_are_found_in_a_trap_topology() {
    const Topology topology =
        make({gateway(1, "a"), gateway(2, "b"), router(3), router(4), router(5), router(6)},
             {link(1, 3), link(3, 4), link(4, 2), link(1, 5, 5), link(5, 4, 5), link(3, 6, 4), link(6, 2, 4)});
    QVERIFY(shortest_path(topology, id(1), id(2)) == path({1, 3, 4, 2}));
    QVERIFY((*two_paths(topology, id(1), id(2)) == Paths{path({1, 3, 6, 2}), path({1, 5, 4, 2})}));
}

// The shortest path is 1-3-4-5-2. There are two pairs of disjoint paths instead. One of them also avoids device 4, and
// thus its load.
void TopologyTest::load_of_devices_on_neither_path_does_not_count() {
    std::vector<Device> devices;
    for (int i = 1; i <= 8; ++i) devices.push_back(router(i));
    devices[3].load = 5e-3;
    const Topology topology =
        make(devices, {link(1, 3, 0), link(3, 4, 0), link(4, 5, 0), link(5, 2, 0), link(1, 7, 9), link(7, 5, 9),
                       link(3, 6, 9), link(6, 2, 9), link(4, 8, 7), link(8, 2, 7)});
    QVERIFY(shortest_path(topology, id(1), id(2)) == path({1, 3, 4, 5, 2}));
    QVERIFY((*two_paths(topology, id(1), id(2)) == Paths{path({1, 3, 6, 2}), path({1, 7, 5, 2})}));
}

void TopologyTest::two_paths_share_only_the_unavoidable_link() {
    const Topology topology =
        make({gateway(1, "a"), gateway(2, "b"), router(3), router(4), router(5), router(6), router(7), router(8)},
             {link(1, 3, 1), link(3, 5, 1), link(1, 4, 2), link(4, 5, 2), link(5, 6), link(6, 7, 2), link(7, 2, 2),
              link(6, 8, 1), link(8, 2, 1)});
    const auto paths = two_paths(topology, id(1), id(2));
    QVERIFY((*paths == Paths{path({1, 3, 5, 6, 8, 2}), path({1, 4, 5, 6, 7, 2})}));
    QCOMPARE(shared_parts(paths->primary, paths->backup), std::size_t{3});
    QVERIFY(shortest_path(topology, id(1), id(2), {{id(3)}, {{id(6), id(8)}}}) == paths->backup);
    QVERIFY(avoids(paths->backup, {{id(3), id(1), id(2)}, {{id(6), id(8)}}}));
    QVERIFY(!avoids(paths->primary, {{id(3)}, {}}));
    QVERIFY(!avoids(paths->primary, {{}, {{id(6), id(8)}}}));
}

void TopologyTest::paths_match_the_enumeration() {
    std::mt19937_64 rng(7);
    Counts counts;
    for (int round = 0; round < 2000; ++round) {
        const int count = rng() % 4 == 0 ? 2 + static_cast<int>(rng() % 5) : 7;
        const Random random(rng, count, 6 + 2 * (rng() % 3));
        const Topology topology = make(random.devices, random.links);
        const auto hops = next_hops(topology, id(1));
        const PathsFrom from(topology, id(1));
        for (const Device& device : topology.devices()) {
            const auto known = random.paths(id(1), device.id, {});
            QCOMPARE(from.to(device.id).has_value(), !known.empty());
            QVERIFY(from.to(device.id) == two_paths(topology, id(1), device.id));
            QVERIFY(known.empty() || shortest_path(topology, id(1), device.id) == known.front().path);
            const auto hop = hops[*topology.index(device.id)];
            QCOMPARE(hop.has_value(), !known.empty() && device.id != id(1));
            if (hop) QCOMPARE(*hop, known.front().path[1]);
        }
        QCOMPARE(difference(topology, random, counts), "");
    }
    QVERIFY2(counts.disjoint > 300 && counts.sharing > 100 && counts.alone > 100, qPrintable(counts.text()));
}

void TopologyTest::sparse_trap_topologies_match_the_enumeration() {
    std::mt19937_64 rng(8);
    Counts counts;
    for (int round = 0; round < 6000; ++round) {
        const Random random(rng, 11, 4);
        QCOMPARE(difference(make(random.devices, random.links), random, counts), "");
    }
    QVERIFY2(counts.traps > 30, qPrintable(counts.text()));
}

DIVISI_TEST(TopologyTest)

}  // namespace topology_test

#include "topology_test.moc"
