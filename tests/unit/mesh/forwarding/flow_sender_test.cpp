// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/flow_sender.h"

#include "tests/support/test_program.h"
#include "tests/unit/mesh/relay_parts.h"

namespace flow_sender_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

const RoutingId next(3);

/// The exits of gateway 1, with the sample flow and a second one to the same router.
struct Gateway {
    Gateway() {
        (void)neighbours.connect(next, context.now);
        FlowKey other = sample_key();
        other.destination = 9;
        for (const FlowKey& key : {sample_key(), other}) {
            RelayFlow& flow = flows.add(key, flows.unused_name(RoutingId(1), RoutingId(2)), sample_sids);
            flow.route = {4, {RoutingId(1), next, RoutingId(2)}};
            flow.path = flow.route.path;
            flow.exit.device = next;
        }
    }
    RelayFlow& first() { return *flows.find(sample_key()); }
    RelayFlow& second() {
        return flows.begin()->first == sample_key() ? (++flows.begin())->second : flows.begin()->second;
    }
    void grant(RelayFlow& flow, std::uint64_t bytes) {
        QVERIFY(flow.downstream[next].allowance.grant(5, bytes, bytes));
    }
    /// Sends a frame and returns its number of bytes; nothing if no frame may be sent.
    std::optional<std::uint64_t> send() {
        context.actions = {};
        sender.send_next({next, 0});
        if (!context.actions.chunk) return std::nullopt;
        return context.actions.chunk->payload.size();
    }

    RelayContext context = context_of(1);
    NeighbourLinks neighbours;
    UsageLimits limits{1u << 30};
    FlowTable flows;
    UpstreamPromises promises{context, neighbours, limits};
    FlowSender sender{context, flows, neighbours, promises};
};

}  // namespace

/// Tests which frames leave a device, and in which order.
class FlowSenderTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void chunk_waits_for_credit();
    void frame_without_payload_needs_no_credit_but_an_offer_does();
    void flows_take_turns();
    void sent_chunk_is_kept_and_contains_route_and_reservation();
    void chunk_for_an_instance_is_freed_at_once();
    void flow_that_changed_its_exit_is_skipped();
    void exits_of_removed_instances_are_dropped();
};

void FlowSenderTest::chunk_waits_for_credit() {
    Gateway at;
    queue_chunk(at.first(), 1000, at.context.now);
    at.sender.schedule(at.first());
    QVERIFY(at.context.actions.ready.empty());
    at.grant(at.first(), 999);
    QVERIFY(!at.sender.may_send(at.first()));
    QVERIFY(at.first().downstream[next].allowance.grant(6, 1000, 1000));
    at.sender.schedule(at.first());
    at.sender.schedule(at.first());
    QCOMPARE(at.context.actions.ready.size(), std::size_t{1});  // the exit is reported only once
    QVERIFY(at.context.actions.ready[0] == (Exit{next, 0}));
    QVERIFY(at.neighbours.try_fail(next));
    QVERIFY(!at.sender.may_send(at.first()));
}

void FlowSenderTest::frame_without_payload_needs_no_credit_but_an_offer_does() {
    Gateway at;
    queue_chunk(at.first(), 0, at.context.now);
    QVERIFY(at.sender.may_send(at.first()));
    at.first().queue.front().chunk.header.key.kind = frame::FrameKind::offer;
    QVERIFY(!at.sender.may_send(at.first()));
    at.grant(at.first(), 1000);
    QVERIFY(at.sender.may_send(at.first()));
    at.sender.schedule(at.first());
    QVERIFY(at.send() == std::uint64_t{0});
    QVERIFY(at.first().downstream[next].doubtful);
}

void FlowSenderTest::flows_take_turns() {
    Gateway at;
    const std::uint64_t large = frame::max_chunk_bytes, small = large - 1;
    for (RelayFlow* flow : {&at.first(), &at.second()}) {
        at.grant(*flow, 4 * large);
        for (int i = 0; i < 2; ++i) queue_chunk(*flow, flow == &at.first() ? large : small, at.context.now);
        at.sender.schedule(*flow);
    }
    const std::vector<std::optional<std::uint64_t>> sent{at.send(), at.send(), at.send(), at.send()};
    QVERIFY(sent == (std::vector<std::optional<std::uint64_t>>{large, small, large, small}));
    QVERIFY(!at.send());
    QCOMPARE(at.context.counters.frames, std::uint64_t{4});
    QCOMPARE(at.neighbours.find(next)->sent, 2 * (large + small));
}

void FlowSenderTest::sent_chunk_is_kept_and_contains_route_and_reservation() {
    Gateway at;
    at.grant(at.first(), 1000);
    queue_chunk(at.first(), 1000, at.context.now);
    at.sender.schedule(at.first());
    QVERIFY(at.send() == std::uint64_t{1000});
    const frame::FrameHeader& header = at.context.actions.chunk->header;
    QVERIFY(route_of(header) == at.first().route);
    QCOMPARE(reservation_of(header), std::uint64_t{5});
    QCOMPARE(at.first().queued, std::uint64_t{0});
    QCOMPARE(at.first().downstream[next].out.size(), std::size_t{1});
    QCOMPARE(at.first().downstream[next].allowance.left(), std::uint64_t{0});
}

void FlowSenderTest::chunk_for_an_instance_is_freed_at_once() {
    Gateway at;
    at.first().exit = {RoutingId(), sample_key().destination};
    queue_chunk(at.first(), 1000, at.context.now);
    at.limits.count_in(1000);
    at.sender.schedule(at.first());
    at.sender.send_next({RoutingId(), sample_key().destination});
    QVERIFY(at.context.actions.chunk);
    QCOMPARE(at.limits.held(), std::uint64_t{0});
    QVERIFY(at.first().queue.empty());
}

void FlowSenderTest::flow_that_changed_its_exit_is_skipped() {
    Gateway at;
    at.grant(at.first(), 1000);
    queue_chunk(at.first(), 1000, at.context.now);
    at.sender.schedule(at.first());
    at.first().exit = {};
    QVERIFY(!at.send());
    QCOMPARE(at.first().queue.size(), std::size_t{1});
}

void FlowSenderTest::exits_of_removed_instances_are_dropped() {
    Gateway at;
    const Exit exit{RoutingId(), sample_key().destination};
    at.first().exit = exit;
    queue_chunk(at.first(), 1000, at.context.now);
    at.sender.schedule(at.first());
    at.sender.keep_exits_of_table();  // the table has the instance
    at.context.table.set(two_ways(), {});
    at.sender.keep_exits_of_table();
    at.sender.send_next(exit);
    QVERIFY(!at.context.actions.chunk);
}

DIVISI_TEST(FlowSenderTest)

}  // namespace flow_sender_test

#include "flow_sender_test.moc"
