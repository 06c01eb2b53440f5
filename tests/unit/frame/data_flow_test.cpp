// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "tests/support/test_program.h"

#include "tests/unit/frame/flow_network.h"

namespace data_flow_test {

using namespace divisi;
using namespace divisi::frame;
using std::chrono::microseconds, std::chrono::milliseconds, std::chrono::seconds;

namespace {

constexpr std::uint64_t task = 42, a = 1, b = 2;
constexpr Duration latency = microseconds(50);
constexpr std::size_t chunks = 10;

TensorFrame tensor(std::int64_t step, Generation generation = 1, std::size_t bytes = chunks * min_chunk_bytes) {
    std::vector<std::uint8_t> values(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
        values[i] = static_cast<std::uint8_t>(i * 31 + i / 4096 + static_cast<std::size_t>(step) + 7 * generation);
    TensorFrame frame;
    frame.key = {task, generation, FrameKind::activation, 5, step, 0};
    frame.tensor = graph::HostTensor::of(graph::DType::uint8, {static_cast<std::int64_t>(bytes)}, values);
    return frame;
}

bool same_bytes(const TensorFrame& one, const TensorFrame& other) {
    return std::ranges::equal(one.tensor.bytes(), other.tensor.bytes());
}

/// Fixture: `a` sends to `b`; both are in generation 1 and connected.
struct Pair : FlowNetwork {
    Pair() {
        start({a, 1});
        start({b, 1});
        step(a, flow::Enter{task, 1});
        step(b, flow::Enter{task, 1});
        reach(a, {b, 1});
        run_for(milliseconds(1));
    }
    void send(TensorFrame frame) { step(a, flow::Send{b, std::move(frame)}); }
    std::size_t arrived() { return seen(b).arrived.size(); }
    /// Returns whether `count` tensors arrive within the time of `trips` consecutive messages.
    bool arrives(std::size_t count, int trips) {
        return run_until([&] { return arrived() == count; }, trips * latency + microseconds(1));
    }
    void lose_once(FrameKind kind, std::uint32_t chunk = 0) {
        lose = [kind, chunk, lost = false](const FrameHeader& header) mutable {
            return header.key.kind == kind && header.chunk_index == chunk && !std::exchange(lost, true);
        };
    }
};

/// Returns the header of a frame that `from` would send to `to`.
FrameHeader frame_between(End from, End to, FrameKind kind, const TensorKey& about) {
    FrameHeader header;
    header.key = about;
    header.key.kind = kind;
    header.about = about.kind;
    header.source = from;
    header.destination = to;
    return header;
}

}  // namespace

class DataFlowTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void lost_chunk_is_requested_at_once();
    void lost_last_chunk_is_requested_after_a_timeout();
    void lost_acknowledgement_is_requested();
    void reachable_peer_is_asked_again_soon();
    void duplicate_and_reordered_frames_deliver_once();
    void reconnect_resends_only_missing_chunks();
    void tensor_waits_for_its_consumers_generation();
    void new_generation_stops_a_partly_sent_tensor();
    void replayed_step_is_delivered_again_in_a_new_generation();
    void new_process_gets_what_its_predecessor_did_not_receive();
    void partial_tensor_of_an_ended_producer_is_dropped();
    void frames_of_an_older_incarnation_are_dropped_and_counted();
    void foreign_frames_are_dropped_counted_and_reported_once();
    void reports_of_stale_frames_are_bounded();
    void producer_learns_the_incarnation_of_its_consumer();
    void slots_are_freed_in_order_and_once();
    void chunks_wait_while_the_connection_is_full();
    void sender_beyond_its_slots_is_refused();
    void payloads_are_not_copied();
    void wrong_events_are_refused();
    void invented_peers_take_no_memory();
    void each_producer_of_an_edge_is_notified_of_free_slots();
};

void DataFlowTest::lost_chunk_is_requested_at_once() {
    Pair p;
    p.lose_once(FrameKind::activation, 4);
    p.send(tensor(1));
    // The connection holds eight frames, so the tenth chunk arrives after two trips. The gap reveals that chunk 4 is
    // lost. A request for it and its resend take two more trips.
    QVERIFY(p.arrives(1, 4));
    QVERIFY(same_bytes(p.seen(b).arrived[0], tensor(1)));
    QCOMPARE(p.flow(a).counters().chunks_resent, std::uint64_t{1});
    p.run_for(2 * latency);
    QCOMPARE(p.flow(a).unacknowledged(), std::size_t{0});
}

void DataFlowTest::lost_last_chunk_is_requested_after_a_timeout() {
    Pair p;
    p.lose_once(FrameKind::activation, chunks - 1);
    p.send(tensor(1));
    p.run_for(milliseconds(900));
    QCOMPARE(p.arrived(), std::size_t{0});
    p.run_for(milliseconds(1200));  // the timeout of a second and the next tick
    QCOMPARE(p.arrived(), std::size_t{1});
    QCOMPARE(p.flow(a).counters().chunks_resent, std::uint64_t{1});
}

void DataFlowTest::lost_acknowledgement_is_requested() {
    Pair p;
    p.lose_once(FrameKind::ack);
    p.send(tensor(1));
    p.run_for(milliseconds(900));
    QCOMPARE(p.arrived(), std::size_t{1});
    QCOMPARE(p.flow(a).unacknowledged(), std::size_t{1});
    p.run_for(milliseconds(1200));
    QCOMPARE(p.flow(a).unacknowledged(), std::size_t{0});
    QCOMPARE(p.flow(a).counters().chunks_resent, std::uint64_t{0});
    QCOMPARE(p.arrived(), std::size_t{1});
}

void DataFlowTest::reachable_peer_is_asked_again_soon() {
    Pair p;
    p.run_for(seconds(3));
    bool away = true;
    p.lose = [&away](const FrameHeader&) { return away; };  // as after the end of a gateway
    p.send(tensor(1));
    p.run_for(seconds(20));  // by now the requests are ten seconds apart
    away = false;
    QVERIFY(p.run_until([&] { return p.arrived() == 1; }, milliseconds(3100)));
}

void DataFlowTest::duplicate_and_reordered_frames_deliver_once() {
    Pair p;
    p.faults.doubled = 1;
    p.faults.slowest = milliseconds(5);
    for (int step = 1; step <= 20; ++step) p.send(tensor(step));
    p.run_for(seconds(5));
    QCOMPARE(p.arrived(), std::size_t{20});
    std::set<std::int64_t> steps;
    for (const TensorFrame& frame : p.seen(b).arrived) {
        QVERIFY(steps.insert(frame.key.step).second);
        QVERIFY(same_bytes(frame, tensor(frame.key.step)));
    }
    QVERIFY(p.flow(b).counters().duplicates >= 20 * chunks);
    QCOMPARE(p.flow(a).unacknowledged(), std::size_t{0});
    QCOMPARE(p.flow(b).partial_bytes(), std::uint64_t{0});
}

void DataFlowTest::reconnect_resends_only_missing_chunks() {
    Pair p;
    p.room = 4;
    p.send(tensor(1));
    p.send(tensor(2, 1, 8));
    p.run_for(latency + microseconds(1));  // four chunks have arrived and four are in transit
    QCOMPARE(p.flow(b).partial_bytes(), std::uint64_t{chunks * min_chunk_bytes});
    p.connect(a, b);
    QVERIFY(p.arrives(2, 10));
    QCOMPARE(p.flow(a).counters().chunks_resent, std::uint64_t{4});
    // No chunk of this tensor has arrived, so the consumer sees no gap either.
    p.send(tensor(3, 1, 8));
    p.connect(a, b);
    QVERIFY(p.arrives(3, 3));
    QCOMPARE(p.flow(a).counters().chunks_resent, std::uint64_t{5});
}

void DataFlowTest::tensor_waits_for_its_consumers_generation() {
    Pair p;
    p.step(a, flow::Enter{task, 2});
    p.send(tensor(1, 2));
    p.run_for(seconds(30));
    QCOMPARE(p.flow(a).counters().bytes_sent, std::uint64_t{0});
    p.step(b, flow::Enter{task, 2});
    QVERIFY(p.arrives(1, 4));  // a hello and two batches of chunks
    QCOMPARE(p.flow(a).counters().chunks_resent, std::uint64_t{0});
    QCOMPARE(p.flow(b).counters().stale, std::uint64_t{0});
}

void DataFlowTest::new_generation_stops_a_partly_sent_tensor() {
    Pair p;
    p.room = 2;
    p.send(tensor(1));
    p.run_for(latency + microseconds(1));
    p.step(b, flow::Enter{task, 2});  // discards the chunks that have arrived
    QCOMPARE(p.flow(b).partial_bytes(), std::uint64_t{0});
    p.run_for(milliseconds(300));
    QCOMPARE(p.arrived(), std::size_t{0});
    // Four of the ten chunks are stale: two in transit, and two sent before `a` was notified.
    QCOMPARE(p.flow(b).counters().stale, std::uint64_t{4});
    QCOMPARE(p.seen(b).stale.size(), std::size_t{1});  // four stale frames of one generation are reported once
    QCOMPARE(p.seen(b).stale[0].source, (End{a, 1}));
    QCOMPARE(p.seen(b).stale[0].what, std::string("they are of generation 1, and 2 is in force"));
    QCOMPARE(p.flow(a).counters().bytes_sent, std::uint64_t{6 * min_chunk_bytes});
    p.step(a, flow::Enter{task, 2});
    QCOMPARE(p.flow(a).unacknowledged(), std::size_t{0});
    p.send(tensor(1, 2));
    QVERIFY(p.arrives(1, 7));  // a hello, a welcome and five batches of chunks
    QVERIFY(same_bytes(p.seen(b).arrived[0], tensor(1, 2)));
}

void DataFlowTest::replayed_step_is_delivered_again_in_a_new_generation() {
    Pair p;
    for (Generation generation = 1; generation <= 3; ++generation) {
        p.step(b, flow::Enter{task, generation});
        p.step(a, flow::Enter{task, generation});
        p.send(tensor(7, generation));
        p.run_for(milliseconds(2));
        QCOMPARE(p.arrived(), std::size_t{generation});
        p.step(b, flow::Release{tensor(7, generation).key});
        p.run_for(milliseconds(2));
        QCOMPARE(p.seen(a).released.size(), std::size_t{generation});
        // The same frame is a duplicate, even if another peer sends it.
        const TensorFrame again = tensor(7, generation);
        FrameHeader header = chunk_header(again, 0, min_chunk_bytes);
        header.source = {a, 1};
        header.destination = {b, 1};
        const auto duplicates = p.flow(b).counters().duplicates;
        p.inject(b, header, chunk_payload(again, 0, min_chunk_bytes));
        QCOMPARE(p.flow(b).counters().duplicates, duplicates + 1);
    }
    QCOMPARE(p.arrived(), std::size_t{3});
}

void DataFlowTest::new_process_gets_what_its_predecessor_did_not_receive() {
    Pair p;
    p.send(tensor(1));
    p.run_for(milliseconds(1));
    QCOMPARE(p.flow(a).unacknowledged(), std::size_t{0});
    p.stop(b);
    p.send(tensor(2));
    p.send(tensor(3));
    p.run_for(seconds(3));
    p.start({b, 2});
    p.run_for(milliseconds(5));
    p.step(b, flow::Enter{task, 1});
    p.step(b, flow::Reach{{a, 1}});
    p.step(b, flow::LaneUp{a});
    QVERIFY(p.arrives(2, 12));
    QCOMPARE(p.seen(b).arrived[0].key.step, 2);
    QCOMPARE(p.seen(b).arrived[1].key.step, 3);
    p.run_for(milliseconds(1));
    QCOMPARE(p.flow(a).unacknowledged(), std::size_t{0});
}

void DataFlowTest::partial_tensor_of_an_ended_producer_is_dropped() {
    Pair p;
    p.room = 4;
    p.send(tensor(1));
    p.run_for(latency + microseconds(1));
    QVERIFY(p.flow(b).partial_bytes() > 0);
    p.start({a, 2});
    p.step(a, flow::Enter{task, 1});
    p.reach(a, {b, 1});
    p.run_for(milliseconds(1));
    QCOMPARE(p.flow(b).partial_bytes(), std::uint64_t{0});
    p.send(tensor(1));
    QVERIFY(p.arrives(1, 6));
    QCOMPARE(p.seen(b).arrived[0].source.incarnation, Incarnation{2});
    QVERIFY(same_bytes(p.seen(b).arrived[0], tensor(1)));
}

void DataFlowTest::frames_of_an_older_incarnation_are_dropped_and_counted() {
    Pair p;
    p.stop(b);  // frames sent now wait
    p.send(tensor(1));
    p.start({b, 2});
    p.step(b, flow::Enter{task, 1});
    p.step(b, flow::Reach{{a, 1}});
    p.step(b, flow::LaneUp{a});
    p.lose = [](const FrameHeader& header) { return carries_tensor(header.key.kind); };
    p.run_for(milliseconds(1));
    const auto stale = p.flow(a).counters().stale;
    for (const FrameKind kind : {FrameKind::ack, FrameKind::slot, FrameKind::missing, FrameKind::hello})
        p.inject(a, frame_between({b, 1}, {a, 1}, kind, tensor(1).key));
    QCOMPARE(p.flow(a).counters().stale, stale + 4);
    QCOMPARE(p.seen(a).stale.size(), std::size_t{1});
    QCOMPARE(p.seen(a).stale[0].what, std::string("they are of incarnation 1, which incarnation 2 has replaced"));
    QCOMPARE(p.flow(a).unacknowledged(), std::size_t{1});
    QVERIFY(p.seen(a).released.empty());
    // These frames are for an older incarnation. They were in transit to a process that has ended.
    const auto theirs = p.flow(b).counters().stale;
    const TensorFrame one = tensor(2, 1, 8);
    FrameHeader header = chunk_header(one, 0, min_chunk_bytes);
    header.source = {a, 1};
    header.destination = {b, 1};
    p.inject(b, header, one.tensor.bytes());
    QCOMPARE(p.flow(b).counters().stale, theirs + 1);
    QCOMPARE(p.arrived(), std::size_t{0});
    QCOMPARE(p.seen(b).stale.size(), std::size_t{1});
    QVERIFY(p.seen(b).stale[0].what.starts_with("they are for incarnation 1, "));
    header.destination = {b, 2};
    p.inject(b, header, one.tensor.bytes());
    QCOMPARE(p.arrived(), std::size_t{1});
}

void DataFlowTest::foreign_frames_are_dropped_counted_and_reported_once() {
    Pair p;
    TensorFrame foreign = tensor(1, 1, 8);
    foreign.key.task = task + 1;
    FrameHeader header = chunk_header(foreign, 0, min_chunk_bytes);
    header.source = {a, 1};
    header.destination = {b, 1};
    for (int i = 0; i < 100; ++i) p.inject(b, header, foreign.tensor.bytes());
    for (const FrameKind kind : {FrameKind::hello, FrameKind::ack, FrameKind::slot, FrameKind::ask})
        p.inject(b, frame_between({a, 1}, {b, 1}, kind, foreign.key));
    QCOMPARE(p.flow(b).counters().stale, std::uint64_t{104});
    QCOMPARE(p.seen(b).stale.size(), std::size_t{1});
    QVERIFY(p.seen(b).stale[0].what.find("does not take part") != std::string::npos);
    QCOMPARE(p.flow(b).partial_bytes(), std::uint64_t{0});
    QVERIFY(p.seen(b).refused.empty() && p.arrived() == 0);
    p.send(tensor(1));
    QVERIFY(p.arrives(1, 6));
    // Before the first task of a process is in force, frames for this process are early. The process neither reports
    // nor counts them.
    p.start({b, 2});
    p.inject(b, frame_between({a, 1}, {b, 2}, FrameKind::hello, foreign.key));
    QVERIFY(p.seen(b).stale.empty());
    QCOMPARE(p.flow(b).counters().stale, std::uint64_t{0});
}

void DataFlowTest::reports_of_stale_frames_are_bounded() {
    Pair p;
    p.step(b, flow::Enter{task, 10'000});
    for (Generation generation = 1; generation < 5'000; ++generation)
        for (int twice = 0; twice < 2; ++twice)
            p.inject(b, frame_between({a, 1}, {b, 1}, FrameKind::ack, tensor(1, generation, 8).key));
    QCOMPARE(p.seen(b).stale.size(), most_told_stale);
    QCOMPARE(p.flow(b).counters().stale, std::uint64_t{2 * 4'999});
}

void DataFlowTest::producer_learns_the_incarnation_of_its_consumer() {
    FlowNetwork net;
    net.start({a, 1});
    net.start({b, 77});
    net.step(a, flow::Enter{task, 1});
    net.step(b, flow::Enter{task, 1});
    net.reach(a, {b, 0});
    net.step(a, flow::Send{b, tensor(1, 1, 8)});
    net.run_for(milliseconds(1));
    QCOMPARE(net.seen(b).arrived.size(), std::size_t{1});
    QCOMPARE(net.seen(b).arrived[0].destination.incarnation, Incarnation{77});
}

void DataFlowTest::slots_are_freed_in_order_and_once() {
    Pair p;
    for (int step = 1; step <= 4; ++step) p.send(tensor(step, 1, 8));
    p.run_for(milliseconds(1));
    QVERIFY(p.seen(a).released.empty());
    p.step(b, flow::Release{tensor(1).key});
    p.lose_once(FrameKind::slot);
    p.step(b, flow::Release{tensor(2).key});  // one of two messages is lost; the later one covers both
    p.step(b, flow::Release{tensor(3).key});
    p.run_for(milliseconds(1));
    QCOMPARE(p.seen(a).released.size(), std::size_t{3});
    p.lose_once(FrameKind::slot);
    p.step(b, flow::Release{tensor(4).key});
    p.run_for(milliseconds(1));
    QCOMPARE(p.seen(a).released.size(), std::size_t{3});
    p.run_for(seconds(20));  // repeated with every hello, but reported once
    QCOMPARE(p.seen(a).released.size(), std::size_t{4});
    for (int step = 1; step <= 4; ++step)
        QCOMPARE(p.seen(a).released[static_cast<std::size_t>(step - 1)], tensor(step).key);
    // Acknowledgements of the previous generation free nothing.
    p.step(a, flow::Enter{task, 2});
    p.step(b, flow::Enter{task, 2});
    p.send(tensor(1, 2, 8));
    p.run_for(milliseconds(1));
    p.inject(a, frame_between({b, 1}, {a, 1}, FrameKind::slot, tensor(9, 1).key));
    QCOMPARE(p.seen(a).released.size(), std::size_t{4});
}

void DataFlowTest::chunks_wait_while_the_connection_is_full() {
    Pair p;
    p.room = 3;
    p.faults.fastest = p.faults.slowest = seconds(1);
    p.send(tensor(1));
    QCOMPARE(p.flow(a).counters().bytes_sent, std::uint64_t{3 * min_chunk_bytes});
    p.run_for(seconds(2));
    QCOMPARE(p.flow(a).counters().bytes_sent, std::uint64_t{6 * min_chunk_bytes});
    QVERIFY(p.run_until([&] { return p.arrived() == 1; }, seconds(5)));
    QCOMPARE(p.flow(a).counters().chunks_resent, std::uint64_t{0});
}

void DataFlowTest::sender_beyond_its_slots_is_refused() {
    Pair p;
    for (std::size_t i = 0; i < most_unreleased; ++i) p.send(tensor(static_cast<std::int64_t>(i), 1, 8));
    p.run_for(seconds(1));
    QVERIFY(p.seen(a).refused.empty());
    p.send(tensor(most_unreleased, 1, 8));
    QCOMPARE(p.seen(a).refused.at(0).code, ErrorCode::exhausted);
    p.step(b, flow::Release{tensor(0).key});
    p.run_for(seconds(1));
    p.send(tensor(most_unreleased, 1, 8));
    QCOMPARE(p.seen(a).refused.size(), std::size_t{1});
}

void DataFlowTest::payloads_are_not_copied() {
    DataFlow one({a, 1});
    one.set_chunk_bytes(min_chunk_bytes);
    const TimePoint now{};
    (void)one.step(flow::Enter{task, 1}, now);
    (void)one.step(flow::Reach{{b, 1}}, now);
    TensorFrame frame = tensor(1);
    const auto* bytes = static_cast<const std::byte*>(frame.tensor.data);
    const auto owner = frame.tensor.owner;
    (void)one.step(flow::Send{b, std::move(frame)}, now);
    QVERIFY(!one.step(flow::Room{b}, now).chunk);
    (void)one.step(flow::Received{frame_between({b, 1}, {a, 1}, FrameKind::welcome, {task, 1}), {}}, now);
    for (std::size_t i = 0; i < chunks; ++i) {
        const auto chunk = one.step(flow::Room{b}, now).chunk;
        QVERIFY(chunk);
        QCOMPARE(chunk->payload.data(), bytes + i * min_chunk_bytes);
        QCOMPARE(chunk->owner, owner);
    }
    QVERIFY(!one.step(flow::Room{b}, now).chunk);
}

void DataFlowTest::wrong_events_are_refused() {
    Pair p;
    const auto code = [&](std::uint64_t sid, flow::Event event) -> std::optional<ErrorCode> {
        p.step(sid, std::move(event));
        auto& refused = p.seen(sid).refused;
        if (refused.empty()) return std::nullopt;
        const ErrorCode last = refused.back().code;
        refused.clear();
        return last;
    };
    QCOMPARE(code(a, flow::Send{9, tensor(1)}), ErrorCode::not_found);
    // `b` knows `a` only by its hello, and was never told the address of `a`
    QCOMPARE(code(b, flow::Send{a, tensor(1)}), ErrorCode::not_found);
    QCOMPARE(code(a, flow::Send{b, tensor(1, 2)}), ErrorCode::conflict);
    QVERIFY(!code(a, flow::Send{b, tensor(1)}));
    QCOMPARE(code(a, flow::Send{b, tensor(1)}), ErrorCode::conflict);
    TensorFrame bad = tensor(2);
    bad.tensor.strides = {7};
    QCOMPARE(code(a, flow::Send{b, bad}), ErrorCode::invalid_input);
    QCOMPARE(p.flow(a).unacknowledged(), std::size_t{1});

    FrameHeader elsewhere = frame_between({a, 1}, {9, 1}, FrameKind::hello, {task, 1});
    QCOMPARE(code(b, flow::Received{elsewhere, {}}), ErrorCode::corrupt);
    FrameHeader nobody = frame_between({a, 0}, {b, 1}, FrameKind::hello, {task, 1});
    QCOMPARE(code(b, flow::Received{nobody, {}}), ErrorCode::corrupt);
    const std::string noise = "1234567";
    FrameHeader missing = frame_between({b, 1}, {a, 1}, FrameKind::missing, tensor(1).key);
    QCOMPARE(code(a, flow::Received{missing, std::as_bytes(std::span(noise))}), ErrorCode::corrupt);
    QCOMPARE(p.flow(b).counters().refused, std::uint64_t{2});
}

void DataFlowTest::invented_peers_take_no_memory() {
    Pair p;
    for (std::uint64_t sid = 100; sid < 100 + most_peers + 50; ++sid)
        p.inject(b, frame_between({sid, 1}, {b, 1}, FrameKind::hello, {task, 1}));
    QCOMPARE(p.flow(b).counters().refused, std::uint64_t{51});  // `a` counts as one of the peers
    p.step(b, flow::Leave{task});
    p.inject(b, frame_between({99, 1}, {b, 1}, FrameKind::hello, {task, 1}));
    QCOMPARE(p.flow(b).counters().refused, std::uint64_t{51});
}

/// Data instances take turns on one edge. Each instance that sent a part of a released tensor is notified.
void DataFlowTest::each_producer_of_an_edge_is_notified_of_free_slots() {
    constexpr std::uint64_t c = 3;
    Pair pair;
    pair.start({c, 1});
    pair.step(c, flow::Enter{task, 1});
    pair.reach(c, {b, 1});
    pair.run_for(milliseconds(1));
    for (std::int64_t number = 1; number <= 4; ++number) {
        const std::uint64_t producer = number % 2 == 1 ? a : c;
        pair.step(producer, flow::Send{b, tensor(number)});
        QVERIFY(pair.arrives(static_cast<std::size_t>(number), 3));
    }
    pair.step(b, flow::Release{tensor(3).key});
    pair.run_for(milliseconds(1));
    QCOMPARE(pair.seen(a).released.size(), std::size_t{2});
    QCOMPARE(pair.seen(c).released.size(), std::size_t{1});
    // A forgotten peer gets no further messages. The other peer still gets messages.
    pair.step(b, flow::Forget{c});
    pair.step(b, flow::Release{tensor(4).key});
    pair.run_for(milliseconds(1));
    QCOMPARE(pair.seen(a).released.size(), std::size_t{2});
    QCOMPARE(pair.seen(c).released.size(), std::size_t{1});
}

DIVISI_TEST(DataFlowTest)

}  // namespace data_flow_test

#include "data_flow_test.moc"
