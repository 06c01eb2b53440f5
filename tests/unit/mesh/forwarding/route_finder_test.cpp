// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/route_finder.h"

#include "tests/support/test_program.h"
#include "tests/unit/mesh/relay_parts.h"

namespace route_finder_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

const RoutingId self(1), better(3), worse(4), last(2);
const Path first_path{self, better, last}, second_path{self, worse, last};

/// A route search at gateway 1, which has connections to both routers.
struct Gateway {
    explicit Gateway(double slower = 0.001) : context(context_of(1, slower)) {
        (void)neighbours.connect(better, context.now);
        (void)neighbours.connect(worse, context.now);
    }
    /// Reports a backlog of `queued` bytes behind a router.
    void load(RoutingId router, std::uint64_t queued, bool usable = true) {
        LoadAdvert advert;
        advert.sender = router.value();
        advert.sequence = ++sequence;
        advert.links = {{last.value(), usable, queued}};
        QVERIFY(routes.loads().take(router, advert, context.now));
    }
    Path primary() {
        routes.forget_paths();
        return routes.paths_for(flow).value_or(Paths()).primary;
    }

    RelayContext context;
    NeighbourLinks neighbours;
    RouteFinder routes{context, neighbours};
    RelayFlow flow = sample_flow(self);
    std::uint64_t sequence = 0;
};

}  // namespace

/// Tests which paths a gateway finds, given what it knows about its neighbours.
class RouteFinderTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void flow_gets_the_shorter_path_and_its_backup();
    void failed_neighbour_is_avoided();
    void neighbour_that_fails_often_is_used_only_without_alternative();
    void router_records_no_failures();
    void refused_link_is_avoided_until_it_is_retried();
    void receiver_without_room_pauses_the_flow();
    void router_without_room_is_avoided();
    void unknown_refuser_changes_nothing();
    void path_with_a_reported_broken_link_is_avoided();
    void long_queue_moves_new_flows_between_equal_paths();
};

void RouteFinderTest::flow_gets_the_shorter_path_and_its_backup() {
    Gateway at;
    const auto paths = at.routes.paths_for(at.flow);
    QVERIFY(paths && paths->primary == first_path && paths->backup == second_path);
    at.flow.key = with_other_path(at.flow.key);
    const auto other = at.routes.paths_for(at.flow);
    QVERIFY(other && other->primary == second_path && other->backup == first_path);
    QVERIFY(at.routes.reaches(self));
    QVERIFY(at.routes.reaches(last));
    QVERIFY(!at.routes.reaches(RoutingId(9)));
}

void RouteFinderTest::failed_neighbour_is_avoided() {
    Gateway at;
    QVERIFY(at.neighbours.try_fail(better));
    QVERIFY(at.primary() == second_path);
    QVERIFY(at.neighbours.try_fail(worse));
    QVERIFY(at.primary().empty());
    QVERIFY(!at.routes.reaches(last));
}

void RouteFinderTest::neighbour_that_fails_often_is_used_only_without_alternative() {
    Gateway at;
    for (int i = 0; i < 3; ++i) at.routes.record_failure(better);
    QCOMPARE(at.context.counters.ejections, std::uint64_t{1});
    QCOMPARE(at.context.actions.refused.size(), std::size_t{1});
    QCOMPARE(at.context.actions.refused[0].what,
             std::string("sr-3 fails repeatedly: flows avoid it for 5 s if another path exists"));
    QVERIFY(at.primary() == second_path);
    QVERIFY(at.neighbours.try_fail(worse));
    QVERIFY(at.primary() == first_path);
}

void RouteFinderTest::router_records_no_failures() {
    RelayContext context = context_of(3);
    const NeighbourLinks neighbours{};
    RouteFinder routes(context, neighbours);
    for (int i = 0; i < 9; ++i) routes.record_failure(last);
    QCOMPARE(context.counters.ejections, std::uint64_t{0});
    QVERIFY(routes.breakers().views().empty());
}

void RouteFinderTest::refused_link_is_avoided_until_it_is_retried() {
    Gateway at;
    at.routes.record_refusal(at.flow, {device_address(better), 0, routing_problem, no_route});
    QVERIFY(at.primary() == second_path);
    QVERIFY(!at.routes.end_avoidances());
    at.context.now += first_avoidance;
    QVERIFY(at.routes.end_avoidances());
    QVERIFY(at.primary() == first_path);
    QVERIFY(at.neighbours.try_fail(worse));
    at.routes.forget_paths();
    QVERIFY(!at.routes.reaches(last));  // nothing has passed the link yet
    at.routes.record_passage(first_path);
    QVERIFY(at.routes.reaches(last));
}

void RouteFinderTest::receiver_without_room_pauses_the_flow() {
    Gateway at;
    at.routes.record_refusal(at.flow, {device_address(last), 0, admission_failure, no_buffer});
    QVERIFY(at.flow.paused == at.context.now + 5s);
    QVERIFY(at.primary() == first_path);
}

void RouteFinderTest::router_without_room_is_avoided() {
    Gateway at;
    at.routes.record_refusal(at.flow, {device_address(better), 0, admission_failure, no_buffer});
    QVERIFY(!at.flow.paused);
    QVERIFY(at.primary() == second_path);
    at.context.now += 5s;
    QVERIFY(at.routes.end_avoidances());
    QVERIFY(at.primary() == first_path);
}

void RouteFinderTest::unknown_refuser_changes_nothing() {
    Gateway at;
    at.routes.record_refusal(at.flow, {device_address(RoutingId(9)), 0, routing_problem, no_route});
    QVERIFY(!at.flow.paused);
    QVERIFY(at.primary() == first_path);
}

void RouteFinderTest::path_with_a_reported_broken_link_is_avoided() {
    Gateway at;
    at.load(better, 0, false);
    QVERIFY(at.primary() == second_path);
    at.routes.loads().forget(better);
    QVERIFY(at.primary() == first_path);
}

void RouteFinderTest::long_queue_moves_new_flows_between_equal_paths() {
    Gateway at(0);
    const Paths paths = at.routes.paths_for(at.flow).value();
    QVERIFY(!at.routes.second_is_shorter(at.flow, paths));  // no router has reported
    at.load(better, 8u << 20);
    at.load(worse, 4u << 20);
    QVERIFY(at.routes.second_is_shorter(at.flow, paths));
    at.load(worse, (4u << 20) + 1);
    QVERIFY(!at.routes.second_is_shorter(at.flow, paths));
    at.load(worse, 0);
    at.context.policy.all.first_share = 50;  // the policy decides
    QVERIFY(!at.routes.second_is_shorter(at.flow, paths));
    Gateway unequal;
    unequal.load(better, 8u << 20);
    unequal.load(worse, 0);
    QVERIFY(!unequal.routes.second_is_shorter(unequal.flow, unequal.routes.paths_for(unequal.flow).value()));
}

DIVISI_TEST(RouteFinderTest)

}  // namespace route_finder_test

#include "route_finder_test.moc"
