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

/// Gateways 1 and 2, linked with each other, and two ways between them: by router 3, and by routers 4 and 5.
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
    void a_gateway_goes_through_routers_to_the_gateway_it_is_linked_with();
    void without_such_a_link_nothing_is_steered();
    void a_router_takes_segments_from_its_neighbours();
    void a_path_that_stops_is_left_at_once_and_comes_back();
    void a_path_that_never_works_is_left_after_its_trial();
    void a_path_that_fails_again_is_left_for_longer();
    void who_is_away_is_looked_for_at_a_bounded_rate_and_found_soon_data();
    void who_is_away_is_looked_for_at_a_bounded_rate_and_found_soon();
    void the_best_path_that_never_works_is_tried_ever_more_rarely();
    void an_address_of_the_orchestrator_or_its_own_is_never_steered_to();
    void a_router_that_is_not_usable_is_gone_around();
    void who_has_no_address_is_no_segment();
    void a_table_without_the_gateway_ends_its_route();
    void changes_touch_what_differs_alone();
};

void SegmentRoutesTest::a_gateway_goes_through_routers_to_the_gateway_it_is_linked_with() {
    Mesh mesh;
    QVERIFY(mesh.table() == by({3}));
    QVERIFY(mesh.routes.path_to(id(2)) == (Path{id(1), id(3), id(2)}));
    QVERIFY(mesh.report_for(60) == by({3}));
}

void SegmentRoutesTest::without_such_a_link_nothing_is_steered() {
    Mesh mesh;
    QVERIFY(mesh.table(false) == Steering());
    QVERIFY(mesh.report_for(10) == Steering());
}

void SegmentRoutesTest::a_router_takes_segments_from_its_neighbours() {
    Mesh mesh;
    mesh.self = id(4);
    QVERIFY(mesh.table() == (Steering{{}, {address(1), address(5)}}));
}

void SegmentRoutesTest::a_path_that_stops_is_left_at_once_and_comes_back() {
    Mesh mesh;
    mesh.table();
    mesh.report();
    mesh.usable[id(2)] = false;
    QVERIFY(mesh.report() == by({4, 5}));
    mesh.usable[id(2)] = true;
    QVERIFY(mesh.report_for(29) == by({4, 5}));
    QVERIFY(mesh.report_for(3) == by({3}));
}

void SegmentRoutesTest::a_path_that_never_works_is_left_after_its_trial() {
    Mesh mesh;
    mesh.usable[id(2)] = false;
    QVERIFY(mesh.table() == by({3}));
    QVERIFY(mesh.report_for(4.5) == by({3}));
    QVERIFY(mesh.report() == by({4, 5}));
}

void SegmentRoutesTest::a_path_that_fails_again_is_left_for_longer() {
    Mesh mesh;
    mesh.table();
    for (const double seconds : {30, 60, 120}) {
        mesh.usable[id(2)] = false;
        while (mesh.report() == by({3})) QVERIFY(mesh.now_s < 1000);
        mesh.usable[id(2)] = true;
        QVERIFY(mesh.report_for(seconds - 1) == by({4, 5}));
        QVERIFY(mesh.report_for(2) == by({3}));
    }
    mesh.report_for(60);  // it holds
    mesh.usable[id(2)] = false;
    mesh.report();
    mesh.usable[id(2)] = true;
    QVERIFY(mesh.report_for(32) == by({3}));
}

void SegmentRoutesTest::who_is_away_is_looked_for_at_a_bounded_rate_and_found_soon_data() {
    QTest::addColumn<std::vector<int>>("way");
    QTest::addColumn<int>("away_s");
    for (const int away_s : {60, 1000, 3600, 3611, 3622}) {
        QTest::addRow("by the shorter way after %d s", away_s) << std::vector{3} << away_s;
        QTest::addRow("by the longer way after %d s", away_s) << std::vector{4, 5} << away_s;
    }
}

void SegmentRoutesTest::who_is_away_is_looked_for_at_a_bounded_rate_and_found_soon() {
    QFETCH(std::vector<int>, way);
    QFETCH(int, away_s);
    Mesh mesh;
    mesh.table();
    mesh.report_for(10);  // it was there
    mesh.usable[id(2)] = false;
    Steering last = mesh.report();
    int changes = 0;
    while (mesh.now_s < 10 + away_s) {
        const Steering before = std::exchange(last, mesh.report());
        changes += last == before ? 0 : 1;
    }
    QVERIFY2(changes >= 1 && changes <= away_s / 10, qPrintable(QString::number(changes)));
    // From now on that way leads there again.
    double found_s = 0;
    for (; last != by(way); found_s += 0.5) {
        QVERIFY2(found_s < 40, "no working path for 40 s");
        last = mesh.report();
    }
    mesh.usable[id(2)] = true;
    QVERIFY(mesh.report() == by(way));
}

void SegmentRoutesTest::the_best_path_that_never_works_is_tried_ever_more_rarely() {
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

void SegmentRoutesTest::an_address_of_the_orchestrator_or_its_own_is_never_steered_to() {
    for (const int number : {9, 1}) {
        Mesh mesh;
        mesh.claimed[2] = address(number);
        QVERIFY(mesh.table() == Steering());
        QVERIFY(mesh.report_for(10) == Steering());
        mesh.claimed.clear();
        QVERIFY(mesh.table() == by({3}));
    }
}

void SegmentRoutesTest::a_router_that_is_not_usable_is_gone_around() {
    Mesh mesh;
    mesh.table();
    mesh.usable[id(3)] = false;
    QVERIFY(mesh.report() == by({4, 5}));
    mesh.usable[id(4)] = false;  // where nothing is left, the best one is as good as any
    QVERIFY(mesh.report() == by({4, 5}) || mesh.report() == by({3}));
}

void SegmentRoutesTest::who_has_no_address_is_no_segment() {
    Mesh mesh;
    mesh.without_address = {3};
    QVERIFY(mesh.table() == by({4, 5}));
    mesh.without_address = {3, 5};
    QVERIFY(mesh.table() == Steering());
    mesh.without_address = {2};
    QVERIFY(mesh.table() == Steering());
}

void SegmentRoutesTest::a_table_without_the_gateway_ends_its_route() {
    Mesh mesh;
    mesh.table();
    QVERIFY(mesh.table(false) == Steering());
    QVERIFY(mesh.routes.path_to(id(2)).empty());
}

void SegmentRoutesTest::changes_touch_what_differs_alone() {
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
