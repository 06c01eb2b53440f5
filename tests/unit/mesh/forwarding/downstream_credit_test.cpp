// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/downstream_credit.h"

#include "tests/support/test_program.h"
#include "tests/unit/mesh/relay_parts.h"

namespace downstream_credit_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

const RoutingId self(1), next(3), other(4);

/// The requests of gateway 1 to both routers.
struct Gateway {
    Gateway() {
        (void)neighbours.connect(next, context.now);
        (void)neighbours.connect(other, context.now);
        flow.backup = {1, {self, other, RoutingId(2)}};
        flow.backup_path = flow.backup.path;
    }
    /// Makes chunks of 1,000 bytes that were sent to the router.
    void send(int chunks) {
        for (int i = 0; i < chunks; ++i) {
            flow.downstream[next].out.push_back({sample_chunk(1000, i), {}, 0, context.now});
            limits.count_in(1000);
        }
    }

    RelayContext context = context_of(1);
    NeighbourLinks neighbours;
    UsageLimits limits{1u << 20};
    UpstreamPromises promises{context, neighbours, limits};
    RelayFlow flow = sample_flow(self);
    DownstreamCredit credit{context, neighbours, promises};
};

}  // namespace

/// Tests requests for credit, and what happens to chunks until the next device has freed them.
class DownstreamCreditTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void credit_for_both_paths_is_requested_once_per_step();
    void unusable_neighbours_and_paused_flows_are_not_asked();
    void unanswered_request_is_repeated_soon();
    void unused_promise_is_returned();
    void chunks_are_released_in_order_when_complete();
    void chunks_to_be_sent_again_are_queued_first();
    void withdrawal_sends_nothing_and_release_sends_a_tear();
};

void DownstreamCreditTest::credit_for_both_paths_is_requested_once_per_step() {
    Gateway at;
    at.credit.ask_ahead(at.flow);
    QCOMPARE(signals_of(at.context), std::size_t{2});
    const RsvpMessage first = last_signal(at.context, next), second = last_signal(at.context, other);
    QVERIFY(first.type == RsvpType::credit_path && first.sids == sample_sids);
    QVERIFY(route_of(first, RouteUse::primary) == at.flow.route);
    QVERIFY(route_of(first, RouteUse::backup).path.empty());
    QVERIFY(route_of(second, RouteUse::backup) == at.flow.backup);
    QVERIFY(first.hop.interface_handle != second.hop.interface_handle);
    at.credit.ask(at.flow, next);
    QCOMPARE(signals_of(at.context), std::size_t{2});
    at.context.now += 1ms;
    at.credit.ask(at.flow, next);
    QCOMPARE(signals_of(at.context), std::size_t{3});
    QCOMPARE(last_signal(at.context, next).hop.interface_handle, first.hop.interface_handle);
}

void DownstreamCreditTest::unusable_neighbours_and_paused_flows_are_not_asked() {
    Gateway at;
    QVERIFY(at.neighbours.try_fail(other));
    at.credit.ask(at.flow, other);
    at.credit.ask(at.flow, RoutingId(9));
    at.flow.paused = at.context.now + 1s;
    at.credit.ask(at.flow, next);
    QCOMPARE(signals_of(at.context), std::size_t{0});
    QVERIFY(at.flow.downstream.empty());
}

void DownstreamCreditTest::unanswered_request_is_repeated_soon() {
    Gateway at;
    at.credit.ask(at.flow, next);
    at.context.now += 299ms;
    at.credit.refresh(at.flow, false);
    QCOMPARE(signals_of(at.context), std::size_t{1});
    at.context.now += 1ms;
    at.credit.refresh(at.flow, false);
    QCOMPARE(signals_of(at.context), std::size_t{2});
    QVERIFY(at.flow.downstream.at(next).allowance.grant(1, 1000, 1000));
    at.context.now += refresh_interval - 1ms;
    at.credit.refresh(at.flow, false);
    QCOMPARE(signals_of(at.context), std::size_t{2});
    at.credit.refresh(at.flow, true);  // the credit does not suffice
    QCOMPARE(signals_of(at.context), std::size_t{3});
}

void DownstreamCreditTest::unused_promise_is_returned() {
    Gateway at;
    at.credit.ask_ahead(at.flow);
    at.flow.backup_path.clear();
    at.context.now += 1s;
    at.credit.refresh(at.flow, false);
    QVERIFY(last_signal(at.context, other).type == RsvpType::path_tear);
    QVERIFY(at.flow.downstream.contains(next));
    QVERIFY(!at.flow.downstream.contains(other));
}

void DownstreamCreditTest::chunks_are_released_in_order_when_complete() {
    Gateway at;
    at.send(3);
    at.flow.routed = at.context.now;
    QVERIFY(!at.credit.release(at.flow, next, 1500));  // sent before the route was chosen
    QCOMPARE(at.flow.downstream.at(next).out.size(), std::size_t{2});
    QCOMPARE(at.limits.held(), std::uint64_t{2000});
    at.flow.routed = TimePoint();
    QVERIFY(at.credit.release(at.flow, next, 500));
    QCOMPARE(at.flow.downstream.at(next).out.size(), std::size_t{1});
    QCOMPARE(at.flow.downstream.at(next).out.front().chunk.header.key.step, std::int64_t{2});
    QVERIFY(!at.credit.release(at.flow, next, 999));
}

void DownstreamCreditTest::chunks_to_be_sent_again_are_queued_first() {
    Gateway at;
    at.send(2);
    at.flow.queue.push_back({sample_chunk(500, 9), {}, 0, at.context.now});
    at.flow.queued = 500;
    at.credit.take_back(at.flow, next);
    QCOMPARE(at.flow.queued, std::uint64_t{2500});
    std::vector<std::int64_t> steps;
    for (const RelayFlow::Held& held : at.flow.queue) steps.push_back(held.chunk.header.key.step);
    QVERIFY(steps == (std::vector<std::int64_t>{0, 1, 9}));
    QCOMPARE(at.context.counters.rerouted, std::uint64_t{2});
    QCOMPARE(at.neighbours.find(next)->again, std::uint64_t{2});
    QVERIFY(at.flow.downstream.at(next).out.empty());
}

void DownstreamCreditTest::withdrawal_sends_nothing_and_release_sends_a_tear() {
    Gateway at;
    at.send(1);
    at.credit.withdraw(at.flow, next);
    at.credit.withdraw(at.flow, next);
    QVERIFY(at.flow.downstream.empty());
    QCOMPARE(at.flow.queue.size(), std::size_t{1});
    QCOMPARE(signals_of(at.context), std::size_t{0});
    at.credit.ask(at.flow, next);
    at.credit.let_go(at.flow, next);
    QVERIFY(at.flow.downstream.empty());
    QCOMPARE(signals_of(at.context), std::size_t{2});
    QVERIFY(last_signal(at.context, next).type == RsvpType::path_tear);
}

DIVISI_TEST(DownstreamCreditTest)

}  // namespace downstream_credit_test

#include "downstream_credit_test.moc"
