// SPDX-License-Identifier: Apache-2.0

#include "backend/mesh/route/segment_routes.h"

#include "tests/support/test_program.h"

namespace segment_routes_test {

using namespace divisi;
using namespace divisi::mesh;

namespace {

RoutingId id(int number) { return RoutingId(static_cast<std::uint16_t>(number)); }
TimePoint at(double seconds) { return TimePoint(std::chrono::round<Duration>(std::chrono::duration<double>(seconds))); }
Ipv6 address(int number) {
    Ipv6 result;
    result.bytes[0] = 0xfd;
    result.bytes[15] = static_cast<std::uint8_t>(number);
    return result;
}

/// A fixture with the linked gateways 1 and 2, and two paths between them: through router 3, and through routers 4 and
/// 5.
struct Mesh {
    SegmentRoutes routes;
    RoutingId self = id(1);
    std::set<int> without_address;
    std::map<int, Ipv6> claimed;
    std::map<RoutingId, bool> usable{{id(2), true}, {id(3), true}, {id(4), true}};
    double now_s = 0;

    Topology topology(bool direct = true) const {
        std::vector<Device> devices(5);
        for (int i = 0; i < 5; ++i) {
            Device& device = devices[static_cast<std::size_t>(i)];
            device.id = id(i + 1);
            if (i >= 2) continue;
            device.role = DeviceRole::gateway;
            device.mic = MicId(std::to_string(i));
        }
        std::vector<Link> links;
        for (const auto& [a, b] : {std::pair(1, 3), {2, 3}, {1, 4}, {4, 5}, {2, 5}})
            links.push_back({id(a), id(b), 1e-3, 1e9});
        if (direct) links.push_back({id(1), id(2), 1e-3, 1e9});
        Topology result;
        if (auto set = result.set(devices, links); !set) qFatal("%s", set.error().message().c_str());
        return result;
    }
    Steering table(bool direct = true) {
        steering::Table table{self, topology(direct), {}, address(9)};
        for (int i = 1; i <= 5; ++i)
            if (!without_address.contains(i)) table.addresses[id(i)] = claimed.contains(i) ? claimed[i] : address(i);
        return routes.step(table, at(now_s));
    }
    Steering report() { return routes.step(steering::Neighbours{usable}, at(now_s += 0.5)); }
    Steering report_for(double seconds) {
        Steering last;
        for (const double until = now_s + seconds; now_s < until;) last = report();
        return last;
    }
};

Steering by(std::vector<int> routers) {
    SegmentRoute route{address(2), {}};
    for (const int router : routers) route.segments.push_back(address(router));
    return {{route}, {}};
}

}  // namespace

class SegmentRoutesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void gateway_steers_through_routers_to_its_linked_gateway();
    void nothing_is_steered_without_a_gateway_link();
    void router_takes_segments_from_its_neighbours();
    void failing_path_is_left_at_once_and_used_again_later();
    void path_that_never_works_is_left_after_its_trial();
    void path_that_fails_again_is_left_for_longer();
    void absent_gateway_is_probed_at_a_bounded_rate_data();
    void absent_gateway_is_probed_at_a_bounded_rate();
    void dead_best_path_is_tried_at_growing_intervals();
    void orchestrators_and_own_addresses_are_never_steered_to();
    void unusable_router_is_avoided();
    void device_without_an_address_is_not_a_segment();
    void removed_gateway_ends_its_route();
    void only_different_routes_are_changed();
};

void SegmentRoutesTest::gateway_steers_through_routers_to_its_linked_gateway() {
    Mesh mesh;
    QVERIFY(mesh.table() == by({3}));
    QVERIFY(mesh.routes.path_to(id(2)) == (Path{id(1), id(3), id(2)}));
    QVERIFY(mesh.report_for(60) == by({3}));
}

void SegmentRoutesTest::nothing_is_steered_without_a_gateway_link() {
    Mesh mesh;
    QVERIFY(mesh.table(false) == Steering());
    QVERIFY(mesh.report_for(10) == Steering());
}

void SegmentRoutesTest::router_takes_segments_from_its_neighbours() {
    Mesh mesh;
    mesh.self = id(4);
    QVERIFY(mesh.table() == (Steering{{}, {address(1), address(5)}}));
}

void SegmentRoutesTest::failing_path_is_left_at_once_and_used_again_later() {
    Mesh mesh;
    mesh.table();
    mesh.report();
    mesh.usable[id(2)] = false;
    QVERIFY(mesh.report() == by({4, 5}));
    mesh.usable[id(2)] = true;
    QVERIFY(mesh.report_for(29) == by({4, 5}));
    QVERIFY(mesh.report_for(3) == by({3}));
}

void SegmentRoutesTest::path_that_never_works_is_left_after_its_trial() {
    Mesh mesh;
    mesh.usable[id(2)] = false;
    QVERIFY(mesh.table() == by({3}));
    QVERIFY(mesh.report_for(4.5) == by({3}));
    QVERIFY(mesh.report() == by({4, 5}));
}

void SegmentRoutesTest::path_that_fails_again_is_left_for_longer() {
    Mesh mesh;
    mesh.table();
    for (const double seconds : {30, 60, 120}) {
        mesh.usable[id(2)] = false;
        while (mesh.report() == by({3})) QVERIFY(mesh.now_s < 1000);
        mesh.usable[id(2)] = true;
        QVERIFY(mesh.report_for(seconds - 1) == by({4, 5}));
        QVERIFY(mesh.report_for(2) == by({3}));
    }
    mesh.report_for(60);  // the path keeps working
    mesh.usable[id(2)] = false;
    mesh.report();
    mesh.usable[id(2)] = true;
    QVERIFY(mesh.report_for(32) == by({3}));
}

void SegmentRoutesTest::absent_gateway_is_probed_at_a_bounded_rate_data() {
    QTest::addColumn<std::vector<int>>("way");
    QTest::addColumn<int>("away_s");
    for (const int away_s : {60, 1000, 3600, 3611, 3622}) {
        QTest::addRow("by the shorter way after %d s", away_s) << std::vector{3} << away_s;
        QTest::addRow("by the longer way after %d s", away_s) << std::vector{4, 5} << away_s;
    }
}

void SegmentRoutesTest::absent_gateway_is_probed_at_a_bounded_rate() {
    QFETCH(std::vector<int>, way);
    QFETCH(int, away_s);
    Mesh mesh;
    mesh.table();
    mesh.report_for(10);  // the gateway was reachable before the change
    mesh.usable[id(2)] = false;
    Steering last = mesh.report();
    int changes = 0;
    while (mesh.now_s < 10 + away_s) {
        const Steering before = std::exchange(last, mesh.report());
        changes += last == before ? 0 : 1;
    }
    QVERIFY2(changes >= 1 && changes <= away_s / 10, qPrintable(QString::number(changes)));
    // The path works again from here on.
    double found_s = 0;
    for (; last != by(way); found_s += 0.5) {
        QVERIFY2(found_s < 40, "no working path for 40 s");
        last = mesh.report();
    }
    mesh.usable[id(2)] = true;
    QVERIFY(mesh.report() == by(way));
}

void SegmentRoutesTest::dead_best_path_is_tried_at_growing_intervals() {
    Mesh mesh;
    Steering last = mesh.table();
    int trials = 0;
    for (int report = 0; report < 2 * 3600; ++report) {
        mesh.usable[id(2)] = last == by({4, 5});
        const Steering now = mesh.report();
        trials += now == by({3}) && last != now ? 1 : 0;
        last = now;
    }
    QVERIFY2(trials >= 5 && trials <= 12, qPrintable(QString::number(trials)));
}

void SegmentRoutesTest::orchestrators_and_own_addresses_are_never_steered_to() {
    for (const int number : {9, 1}) {
        Mesh mesh;
        mesh.claimed[2] = address(number);
        QVERIFY(mesh.table() == Steering());
        QVERIFY(mesh.report_for(10) == Steering());
        mesh.claimed.clear();
        QVERIFY(mesh.table() == by({3}));
    }
}

void SegmentRoutesTest::unusable_router_is_avoided() {
    Mesh mesh;
    mesh.table();
    mesh.usable[id(3)] = false;
    QVERIFY(mesh.report() == by({4, 5}));
    mesh.usable[id(4)] = false;  // if no path is left, either path may be chosen
    QVERIFY(mesh.report() == by({4, 5}) || mesh.report() == by({3}));
}

void SegmentRoutesTest::device_without_an_address_is_not_a_segment() {
    Mesh mesh;
    mesh.without_address = {3};
    QVERIFY(mesh.table() == by({4, 5}));
    mesh.without_address = {3, 5};
    QVERIFY(mesh.table() == Steering());
    mesh.without_address = {2};
    QVERIFY(mesh.table() == Steering());
}

void SegmentRoutesTest::removed_gateway_ends_its_route() {
    Mesh mesh;
    mesh.table();
    QVERIFY(mesh.table(false) == Steering());
    QVERIFY(mesh.routes.path_to(id(2)).empty());
}

void SegmentRoutesTest::only_different_routes_are_changed() {
    const SegmentRoute a{address(1), {address(9)}}, b{address(2), {address(9)}}, c{address(3), {address(9)}};
    const SegmentRoute other{address(2), {address(8), address(9)}};
    QVERIFY(changes({a, b}, {a, b}) == RouteChanges());
    QVERIFY(changes({a, b}, {other, c}) == (RouteChanges{{a.destination}, {other}, {c}}));
    QVERIFY(changes({}, {a, c}) == (RouteChanges{{}, {}, {a, c}}));
    QVERIFY(changes({a, b, c}, {}) == (RouteChanges{{a.destination, b.destination, c.destination}, {}, {}}));
}

DIVISI_TEST(SegmentRoutesTest)

}  // namespace segment_routes_test

#include "segment_routes_test.moc"
