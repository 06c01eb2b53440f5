// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/breaker.h"

#include "tests/support/test_program.h"
#include "tests/unit/mesh/relay_network.h"

namespace breaker_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

const FlowKey flow{1, 2, 3}, other{1, 2, 4};
TimePoint at(Duration time) { return TimePoint(time); }

/// Returns a breaker that opened at this time for the first time.
Breaker opened(TimePoint now) {
    Breaker breaker;
    while (!breaker.failed(now)) {}
    return breaker;
}

const std::string a = "task/stage-0/0", b = "task/stage-1/0", c = "task/stage-2/0";

/// A fixture with the paths 1 - 3 - 2, the shorter one, and 1 - 4 - 2.
struct TwoWays : RelayNetwork {
    TwoWays() {
        gateway(1, "mic-1");
        gateway(2, "mic-2");
        for (const std::uint16_t id : {3, 4}) router(id);
        link(1, 3);
        link(3, 2);
        link(1, 4, 1ms);
        link(4, 2, 1ms);
        place(a, 1);
        place(b, 2);
        place(c, 2);
        install();
    }
    /// Breaks the link to the better router for a short time.
    void flap() {
        disconnect(1, 3);
        run_for(100ms);
        connect(RoutingId(1), RoutingId(3));
        run_for(400ms);
    }
    std::uint64_t by(std::uint16_t router) { return carried[link_key(RoutingId(1), RoutingId(router))]; }
    /// Sends chunks and returns how many of them the better router got.
    std::uint64_t sent_by_better(const std::string& to, int count) {
        const std::uint64_t before = by(3);
        for (int i = 0; i < count; ++i) send(a, to, ++number_, 1'000);
        run_for(1s);
        return (by(3) - before) / 1'000;
    }

private:
    std::int64_t number_ = 0;
};

}  // namespace

/// Tests that a neighbour which fails repeatedly is avoided, tried, and used again.
class BreakerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void breaker_opens_at_the_third_failure_in_the_window();
    void policy_sets_the_number_of_failures();
    void policy_sets_the_window_and_the_pause();
    void single_flow_tries_the_path_and_closes_the_breaker();
    void failed_trial_doubles_the_pause_up_to_a_bound();
    void long_success_resets_the_pause();
    void ended_flow_makes_room_for_another_trial();
    void flapping_router_is_avoided_tried_and_used_again();
    void only_path_is_used_despite_failures();
};

void BreakerTest::breaker_opens_at_the_third_failure_in_the_window() {
    Breaker slow;
    for (int i = 0; i < 20; ++i) QVERIFY(!slow.failed(at(i * 15s)));
    QVERIFY(slow.admits(flow));
    Breaker breaker;
    QVERIFY(!breaker.failed(at(0s)));
    QVERIFY(!breaker.failed(at(10s)));
    QVERIFY(breaker.failed(at(29s)));
    QCOMPARE(breaker.until(), at(34s));
    QVERIFY(!breaker.admits(flow));
    QVERIFY(!breaker.tick(at(33'999ms)));
    QVERIFY(breaker.tick(at(34s)));
    QVERIFY(!breaker.tick(at(35s)));
    QVERIFY(breaker.tick(at(64s)));  // nothing was sent, and nothing failed
    QVERIFY(breaker.admits(flow) && breaker.admits(other));
}

void BreakerTest::policy_sets_the_number_of_failures() {
    TwoWays net;
    QCOMPARE(net.sent_by_better(b, 10), std::uint64_t{10});
    relay::Policy five;
    five.breaker.failures = 5;
    net.step(RoutingId(1), five);
    for (int i = 0; i < 4; ++i) net.flap();
    QVERIFY(net.at(1).breakers().empty());
    relay::Policy two;
    two.breaker.failures = 2;
    net.step(RoutingId(1), two);  // earlier failures count, too
    net.flap();
    QCOMPARE(net.at(1).breakers().size(), std::size_t{1});
}

void BreakerTest::policy_sets_the_window_and_the_pause() {
    Breaker breaker;
    BreakerConfig config;
    config.window = 4s;
    config.shortest = 60s;
    breaker.set(config);
    QVERIFY(!breaker.failed(at(0s)));
    QVERIFY(!breaker.failed(at(3s)));
    QVERIFY(!breaker.failed(at(6s)));  // the first failure is too long ago
    QVERIFY(breaker.failed(at(6500ms)));
    QCOMPARE(breaker.until(), at(66'500ms));
    breaker.set({});  // an open breaker stays open until the same time
    QCOMPARE(breaker.until(), at(66'500ms));
}

void BreakerTest::single_flow_tries_the_path_and_closes_the_breaker() {
    Breaker breaker = opened(at(0s));
    QVERIFY(breaker.tick(at(5s)));
    QVERIFY(breaker.admits(flow));
    QVERIFY(!breaker.admits(other));
    QVERIFY(breaker.admits(flow));
    QVERIFY(!breaker.succeeded(flow, at(5s)));
    QVERIFY(!breaker.succeeded(other, at(5s)));
    QVERIFY(!breaker.succeeded(flow, at(5s)));
    QVERIFY(!breaker.admits(other));
    QVERIFY(breaker.succeeded(flow, at(6s)));
    QVERIFY(breaker.admits(other));
    QVERIFY(breaker.state() == Breaker::State::closed);
}

void BreakerTest::failed_trial_doubles_the_pause_up_to_a_bound() {
    TimePoint now = at(0s);
    Breaker breaker = opened(now);
    for (const Duration pause : {5s, 10s, 20s, 40s, 80s, 160s, 300s, 300s}) {
        QCOMPARE(breaker.until() - now, pause);
        now = breaker.until();
        QVERIFY(breaker.tick(now));
        QVERIFY(breaker.admits(flow));
        QVERIFY(!breaker.succeeded(flow, now));
        QVERIFY(breaker.failed(now));  // during a trial, one failure opens the breaker again
    }
}

void BreakerTest::long_success_resets_the_pause() {
    for (const auto& [well, pause] : {std::pair<Duration, Duration>{29s, 10s}, {30s, 5s}}) {
        Breaker breaker = opened(at(0s));
        QVERIFY(breaker.tick(at(5s)));
        QVERIFY(breaker.admits(flow));
        for (int i = 0; i < 3; ++i) (void)breaker.succeeded(flow, at(5s));
        const TimePoint again = at(5s) + well;
        while (!breaker.failed(again)) {}
        QCOMPARE(breaker.until() - again, pause);
    }
}

void BreakerTest::ended_flow_makes_room_for_another_trial() {
    Breaker breaker = opened(at(0s));
    QVERIFY(breaker.tick(at(5s)));
    QVERIFY(breaker.admits(flow));
    breaker.let_go(other);
    QVERIFY(!breaker.admits(other));
    breaker.let_go(flow);
    QVERIFY(breaker.admits(other));
    QVERIFY(!breaker.admits(flow));
}

void BreakerTest::flapping_router_is_avoided_tried_and_used_again() {
    TwoWays net;
    QCOMPARE(net.sent_by_better(b, 10), std::uint64_t{10});
    for (int i = 0; i < 3; ++i) net.flap();
    QCOMPARE(net.at(1).counters().ejections, std::uint64_t{1});
    QCOMPARE(net.at(1).breakers().size(), std::size_t{1});
    QCOMPARE(net.sent_by_better(b, 10), std::uint64_t{0});  // the router is up but avoided
    QCOMPARE(net.sent_by_better(c, 10), std::uint64_t{0});
    net.run_for(4s);
    QVERIFY(net.at(1).breakers().at(0).half_open);
    const std::uint64_t tried = net.sent_by_better(b, 1) + net.sent_by_better(c, 1);
    QCOMPARE(tried, std::uint64_t{1});  // only one of the two flows tries it
    int rounds = 0;
    for (; !net.at(1).breakers().empty() && rounds < 5; ++rounds) (void)net.sent_by_better(b, 1);
    for (int more = 0; !net.at(1).breakers().empty() && more < 5; ++more, ++rounds) (void)net.sent_by_better(c, 1);
    QVERIFY(net.at(1).breakers().empty());
    QCOMPARE(net.sent_by_better(b, 10), std::uint64_t{10});
    QCOMPARE(net.sent_by_better(c, 10), std::uint64_t{10});
    const std::size_t all = 10 + 20 + 2 + static_cast<std::size_t>(rounds) + 20;
    QCOMPARE(net.numbers(b).size() + net.numbers(c).size(), all);  // nothing was lost
}

void BreakerTest::only_path_is_used_despite_failures() {
    TwoWays net;
    net.disconnect(1, 4);
    for (int i = 0; i < 6; ++i) net.flap();
    QVERIFY(net.at(1).counters().ejections > 0);
    QCOMPARE(net.sent_by_better(b, 10), std::uint64_t{10});
}

DIVISI_TEST(BreakerTest)

}  // namespace breaker_test

#include "breaker_test.moc"
