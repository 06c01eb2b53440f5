// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/upstream_promises.h"

#include "tests/support/test_program.h"
#include "tests/unit/mesh/relay_parts.h"

namespace upstream_promises_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

const RoutingId gateway(1), last(2);
constexpr std::uint64_t chunk = frame::max_chunk_bytes;

/// The promises of router 3 to gateway 1, with a buffer of this many chunks.
struct Router {
    explicit Router(std::uint64_t chunks = 32) : context(context_of(3)), limits(chunks * chunk) {
        context.config.buffer = chunks * chunk;
        for (const RoutingId id : {gateway, last}) {
            (void)neighbours.connect(id, context.now);
            limits.add_neighbour(id);
        }
    }
    std::uint64_t window() const { return flow.upstream.at(gateway).promise.window(); }
    /// Takes a chunk under the present promise.
    std::optional<std::uint64_t> take(std::uint64_t bytes) {
        frame::FrameHeader header;
        set_reservation(header, flow.upstream.at(gateway).promise.incarnation());
        return promises.take(flow, gateway, header, bytes);
    }

    RelayContext context;
    NeighbourLinks neighbours;
    UsageLimits limits;
    RelayFlow flow = sample_flow(RoutingId(3));
    UpstreamPromises promises{context, neighbours, limits};
};

}  // namespace

/// Tests how much a device promises, and which messages it sends about its promises.
class UpstreamPromisesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void flow_gets_the_configured_window_on_its_path();
    void device_off_the_path_promises_one_chunk_until_it_widens();
    void small_buffer_halves_the_window();
    void flow_without_room_is_refused();
    void policy_sets_the_window();
    void measured_link_enlarges_the_window();
    void unpromised_and_stale_chunks_are_counted();
    void freed_bytes_are_reported_by_quarters_of_the_window();
    void later_reservations_have_higher_numbers();
    void promise_that_is_not_refreshed_lapses();
};

void UpstreamPromisesTest::flow_gets_the_configured_window_on_its_path() {
    Router at;
    QVERIFY(at.promises.try_reserve(at.flow, gateway, 5));
    QCOMPARE(at.window(), at.context.config.window);
    QCOMPARE(at.limits.promised(), at.context.config.window);
    QCOMPARE(at.flow.upstream.at(gateway).boot, std::uint32_t{5});
    at.promises.tell(at.flow, gateway, true);
    const RsvpMessage resv = last_signal(at.context, gateway);
    QVERIFY(resv.type == RsvpType::credit_resv);
    QVERIFY(resv.credit && resv.credit->allowed_bytes == at.window());
    QCOMPARE(window_of(resv), at.window());
    QVERIFY(resv.credit_megabytes);  // only in the first RESV
    at.promises.tell(at.flow, gateway, true);
    QVERIFY(!last_signal(at.context, gateway).credit_megabytes);
    at.promises.drop(at.flow, gateway);
    QCOMPARE(at.limits.promised(), std::uint64_t{0});
}

void UpstreamPromisesTest::device_off_the_path_promises_one_chunk_until_it_widens() {
    Router at;
    at.context.config.self = RoutingId(4);
    QVERIFY(at.promises.try_reserve(at.flow, gateway, 1));
    QCOMPARE(at.window(), chunk);
    at.promises.widen(at.flow, gateway);
    QCOMPARE(at.window(), at.context.config.window);
    QCOMPARE(at.limits.promised(), at.context.config.window);
    QCOMPARE(at.context.actions.signals.size(), std::size_t{1});
    at.promises.widen(at.flow, gateway);  // the promise is already as large as possible
    QCOMPARE(at.context.actions.signals.size(), std::size_t{1});
}

void UpstreamPromisesTest::small_buffer_halves_the_window() {
    Router at(8);
    QVERIFY(at.promises.try_reserve(at.flow, gateway, 1));
    QCOMPARE(at.window(), at.limits.promised());
    QCOMPARE(at.window(), 7 * chunk / 2);
}

void UpstreamPromisesTest::flow_without_room_is_refused() {
    Router at(1);
    QVERIFY(!at.promises.try_reserve(at.flow, gateway, 1));
    QVERIFY(at.flow.upstream.empty());
    QCOMPARE(at.context.counters.refused_signals, std::uint64_t{1});
    const RsvpMessage error = last_signal(at.context, gateway);
    QVERIFY(error.type == RsvpType::path_error);
    QVERIFY(error.error == (ErrorSpec{device_address(RoutingId(3)), 0, admission_failure, no_buffer}));
}

void UpstreamPromisesTest::policy_sets_the_window() {
    Router at;
    at.context.policy.all.window = 3 * chunk;
    QVERIFY(at.promises.try_reserve(at.flow, gateway, 1));
    QCOMPARE(at.window(), 3 * chunk);
}

void UpstreamPromisesTest::measured_link_enlarges_the_window() {
    Router at(256);
    at.neighbours.find(gateway)->link_here = path_figures(0.01, 1e9);
    QVERIFY(at.promises.try_reserve(at.flow, gateway, 1));
    QCOMPARE(at.window(), std::uint64_t{20'000'000});
    at.flow.key.flow_class = FlowClass::blob;
    QVERIFY(at.promises.try_reserve(at.flow, gateway, 2));
    QCOMPARE(at.window(), at.context.config.blob_window);
}

void UpstreamPromisesTest::unpromised_and_stale_chunks_are_counted() {
    Router at;
    at.context.policy.all.window = 2 * chunk;
    QVERIFY(at.promises.try_reserve(at.flow, gateway, 1));
    QVERIFY(at.take(2 * chunk) == at.flow.upstream.at(gateway).promise.incarnation());
    QVERIFY(!at.take(1));
    QCOMPARE(at.context.counters.refused_frames, std::uint64_t{1});
    QVERIFY(at.take(0));
    QVERIFY(!at.promises.take(at.flow, gateway, {}, chunk));  // a chunk of an earlier reservation
    QCOMPARE(at.context.counters.stale_frames, std::uint64_t{1});
    QVERIFY(!at.promises.take(at.flow, last, {}, chunk));
    QCOMPARE(at.context.counters.stale_frames, std::uint64_t{2});
    QVERIFY(!at.promises.take(at.flow, last, {}, 0));
    QCOMPARE(at.context.counters.stale_frames, std::uint64_t{2});
}

void UpstreamPromisesTest::freed_bytes_are_reported_by_quarters_of_the_window() {
    Router at;
    QVERIFY(at.promises.try_reserve(at.flow, gateway, 1));
    at.promises.tell(at.flow, gateway, true);
    at.context.actions = {};
    const std::uint64_t reservation = *at.take(8 * chunk);
    const auto free = [&](std::uint64_t incarnation, bool cached = false) {
        at.promises.free({sample_chunk(chunk), gateway, incarnation, {}, cached}, at.flow);
        return at.context.actions.signals.size();
    };
    at.limits.count_in(4 * chunk);
    QCOMPARE(free(reservation), std::size_t{0});
    QCOMPARE(free(reservation), std::size_t{1});
    QCOMPARE(free(reservation - 1), std::size_t{1});  // of an expired promise
    QCOMPARE(at.limits.held(), chunk);
    QCOMPARE(free(reservation, true), std::size_t{1});
    QCOMPARE(at.limits.held(), chunk);  // the cache's memory does not count
    QCOMPARE(last_signal(at.context, gateway).credit->allowed_bytes, at.window() + 2 * chunk);
}

void UpstreamPromisesTest::later_reservations_have_higher_numbers() {
    Router at;
    QVERIFY(at.promises.try_reserve(at.flow, gateway, 1));
    const std::uint64_t first = at.flow.upstream.at(gateway).promise.incarnation();
    QVERIFY(at.promises.try_reserve(at.flow, gateway, 2));
    const std::uint64_t second = at.flow.upstream.at(gateway).promise.incarnation();
    QVERIFY(second > first);
    QCOMPARE(at.limits.promised(), at.window());  // the earlier promise has ended
    at.context.config.boot = 2;
    UpstreamPromises restarted(at.context, at.neighbours, at.limits);
    QVERIFY(restarted.try_reserve(at.flow, gateway, 3));
    QVERIFY(at.flow.upstream.at(gateway).promise.incarnation() > second);
}

void UpstreamPromisesTest::promise_that_is_not_refreshed_lapses() {
    Router at;
    QVERIFY(at.promises.try_reserve(at.flow, gateway, 1));
    at.context.now += lapse_after - 1ms;
    at.promises.drop_lapsed(at.flow);
    QVERIFY(at.flow.upstream.contains(gateway));
    at.context.now += 1ms;
    at.promises.drop_lapsed(at.flow);
    QVERIFY(at.flow.upstream.empty());
    QCOMPARE(at.limits.promised(), std::uint64_t{0});
}

DIVISI_TEST(UpstreamPromisesTest)

}  // namespace upstream_promises_test

#include "upstream_promises_test.moc"
