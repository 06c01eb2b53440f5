// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstring>
#include <random>

#include "tests/support/test_program.h"

#include "backend/frame/reassembler.h"

namespace reassembler_test {

using namespace divisi;
using namespace divisi::frame;
using ChunkStatus = Reassembler::ChunkStatus;

namespace {

TensorFrame frame_of(std::int64_t bytes, std::int64_t step, std::uint64_t seed, Generation generation = 1) {
    std::mt19937_64 rng(seed);
    std::vector<std::uint8_t> values(static_cast<std::size_t>(bytes));
    for (auto& value : values) value = static_cast<std::uint8_t>(rng());
    TensorFrame frame;
    frame.key = {7, generation, FrameKind::activation, 3, step, 0};
    frame.tensor = graph::HostTensor::of(graph::DType::uint8, {bytes}, values);
    return frame;
}

Result<Reassembler::Outcome> feed(Reassembler& r, const TensorFrame& f, std::uint32_t chunk) {
    return r.feed(chunk_header(f, chunk, min_chunk_bytes), chunk_payload(f, chunk, min_chunk_bytes));
}

}  // namespace

class ReassemblerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void any_order_with_duplicates_gives_the_tensor_once();
    void damaged_chunks_are_refused_and_can_be_resent();
    void chunks_of_older_generations_are_stale();
    void bytes_of_partial_tensors_are_bounded();
    void forgotten_tensor_is_still_a_duplicate();
    void chunks_of_another_shape_are_refused();
    void missing_chunks_are_reported();
    void overtaken_chunk_is_reported_as_a_gap_once();
    void partial_tensors_of_a_sender_can_be_dropped();
    void invented_edges_take_no_memory();
    void another_data_instance_completes_a_partial_input();
};

void ReassemblerTest::any_order_with_duplicates_gives_the_tensor_once() {
    std::mt19937_64 rng(1);
    for (int round = 0; round < 50; ++round) {
        Reassembler reassembler;
        reassembler.enter(7, 1);
        std::vector<TensorFrame> frames;
        std::vector<std::pair<std::size_t, std::uint32_t>> chunks;
        for (std::size_t f = 0; f < 5; ++f) {
            frames.push_back(frame_of(static_cast<std::int64_t>(rng() % 20'000), static_cast<std::int64_t>(f), rng()));
            const auto count = chunk_count(static_cast<std::uint64_t>(frames[f].tensor.size_bytes), min_chunk_bytes);
            for (std::uint32_t c = 0; c < count; ++c) chunks.insert(chunks.end(), 1 + rng() % 3, {f, c});
        }
        std::shuffle(chunks.begin(), chunks.end(), rng);
        std::vector<int> delivered(5, 0);
        for (const auto& [f, c] : chunks) {
            const auto outcome = feed(reassembler, frames[f], c);
            QVERIFY(outcome.ok());
            if (outcome->status != ChunkStatus::complete) continue;
            ++delivered[f];
            const auto& tensor = outcome->tensor->tensor;
            QCOMPARE(tensor.size_bytes, frames[f].tensor.size_bytes);
            QVERIFY(std::ranges::equal(tensor.bytes(), frames[f].tensor.bytes()));
            QCOMPARE(reinterpret_cast<std::uintptr_t>(tensor.data) % 64, std::uintptr_t{0});
        }
        QVERIFY(std::ranges::all_of(delivered, [](int n) { return n == 1; }));
        QCOMPARE(reassembler.partial_bytes(), std::uint64_t{0});
        QCOMPARE(
            reassembler.counters().duplicates, reassembler.counters().chunks - [&] {
                std::uint64_t needed = 0;
                for (const auto& f : frames)
                    needed += chunk_count(static_cast<std::uint64_t>(f.tensor.size_bytes), min_chunk_bytes);
                return needed;
            }());
    }
}

void ReassemblerTest::damaged_chunks_are_refused_and_can_be_resent() {
    Reassembler reassembler;
    reassembler.enter(7, 1);
    const auto frame = frame_of(100, 0, 9);
    std::string damaged(reinterpret_cast<const char*>(frame.tensor.data), 100);
    damaged[50] ^= 1;
    QCOMPARE(reassembler.feed(chunk_header(frame, 0, min_chunk_bytes), std::as_bytes(std::span(damaged))).error().code,
             ErrorCode::corrupt);
    QVERIFY(!reassembler.feed(chunk_header(frame, 0, min_chunk_bytes), frame.tensor.bytes().first(99)).ok());
    QVERIFY(feed(reassembler, frame, 0)->status == ChunkStatus::complete);
    QVERIFY(feed(reassembler, frame, 0)->status == ChunkStatus::already_complete);
}

void ReassemblerTest::chunks_of_older_generations_are_stale() {
    Reassembler reassembler;
    QVERIFY(feed(reassembler, frame_of(10, 0, 1), 0)->status == ChunkStatus::stale);
    reassembler.enter(7, 2);
    QVERIFY(feed(reassembler, frame_of(10, 0, 1, 1), 0)->status == ChunkStatus::stale);
    QVERIFY(feed(reassembler, frame_of(10, 0, 1, 3), 0)->status == ChunkStatus::early);
    QVERIFY(feed(reassembler, frame_of(9000, 0, 1, 2), 0)->status == ChunkStatus::kept);
    reassembler.enter(7, 1);
    QVERIFY(feed(reassembler, frame_of(10, 5, 1, 2), 0)->status == ChunkStatus::complete);
    reassembler.enter(7, 3);
    QCOMPARE(reassembler.partial_bytes(), std::uint64_t{0});
    QVERIFY(feed(reassembler, frame_of(10, 5, 1, 3), 0)->status == ChunkStatus::complete);
    QCOMPARE(reassembler.counters().stale, std::uint64_t{2});
    QCOMPARE(reassembler.counters().early, std::uint64_t{1});
}

void ReassemblerTest::bytes_of_partial_tensors_are_bounded() {
    Reassembler reassembler({.partial_bytes = 20'000, .remembered = 16});
    reassembler.enter(7, 1);
    QVERIFY(feed(reassembler, frame_of(15'000, 0, 1), 0)->status == ChunkStatus::kept);
    QCOMPARE(feed(reassembler, frame_of(15'000, 1, 2), 0).error().code, ErrorCode::exhausted);
    QCOMPARE(reassembler.partial_bytes(), std::uint64_t{15'000});
    reassembler.leave(7);
    QCOMPARE(reassembler.partial_bytes(), std::uint64_t{0});
}

void ReassemblerTest::forgotten_tensor_is_still_a_duplicate() {
    Reassembler reassembler({.partial_bytes = 1 << 20, .remembered = 4});
    reassembler.enter(7, 1);
    for (int step = 0; step < 20; ++step)
        QVERIFY(feed(reassembler, frame_of(8, step, 1), 0)->status == ChunkStatus::complete);
    for (int step = 0; step < 20; ++step)
        QVERIFY(feed(reassembler, frame_of(8, step, 1), 0)->status == ChunkStatus::already_complete);
}

void ReassemblerTest::chunks_of_another_shape_are_refused() {
    Reassembler reassembler;
    reassembler.enter(7, 1);
    QVERIFY(feed(reassembler, frame_of(9000, 0, 1), 0)->status == ChunkStatus::kept);
    QCOMPARE(feed(reassembler, frame_of(9001, 0, 1), 1).error().code, ErrorCode::corrupt);
}

void ReassemblerTest::missing_chunks_are_reported() {
    Reassembler reassembler;
    reassembler.enter(7, 1);
    const auto frame = frame_of(10 * min_chunk_bytes, 0, 1);
    QVERIFY(!reassembler.progress(frame_of(1, 0, 1, 2).key));
    QVERIFY(reassembler.progress(frame.key)->missing.empty() && !reassembler.progress(frame.key)->complete);
    for (const std::uint32_t chunk : {1u, 2u, 5u, 9u}) QVERIFY(feed(reassembler, frame, chunk).ok());
    const std::vector<ChunkRange> expected{{0, 1}, {3, 2}, {6, 3}};
    QVERIFY(reassembler.progress(frame.key)->missing == expected);
    for (const std::uint32_t chunk : {0u, 3u, 4u, 6u, 7u, 8u}) QVERIFY(feed(reassembler, frame, chunk).ok());
    QVERIFY(reassembler.progress(frame.key)->complete);
}

void ReassemblerTest::overtaken_chunk_is_reported_as_a_gap_once() {
    Reassembler reassembler;
    reassembler.enter(7, 1);
    const auto frame = frame_of(6 * min_chunk_bytes, 0, 1);
    QVERIFY((feed(reassembler, frame, 2)->gap == ChunkRange{0, 2}));
    QVERIFY(!feed(reassembler, frame, 3)->gap);
    QVERIFY((feed(reassembler, frame, 5)->gap == ChunkRange{4, 1}));
    QVERIFY(!feed(reassembler, frame, 0)->gap);
}

void ReassemblerTest::partial_tensors_of_a_sender_can_be_dropped() {
    Reassembler reassembler;
    reassembler.enter(7, 1);
    auto mine = frame_of(9000, 0, 1), other = frame_of(9000, 1, 1);
    mine.source = {11, 1};
    other.source = {12, 1};
    QVERIFY(feed(reassembler, mine, 0)->status == ChunkStatus::kept);
    QVERIFY(feed(reassembler, other, 0)->status == ChunkStatus::kept);
    reassembler.drop_from(11);
    QCOMPARE(reassembler.partial_bytes(), std::uint64_t{9000});
    mine.source.incarnation = 2;
    for (const std::uint32_t chunk : {0u, 1u}) QVERIFY(feed(reassembler, mine, chunk)->status == ChunkStatus::kept);
    QVERIFY(feed(reassembler, mine, 2)->status == ChunkStatus::complete);
}

void ReassemblerTest::invented_edges_take_no_memory() {
    Reassembler reassembler({.flows = 3});
    reassembler.enter(7, 1);
    auto frame = frame_of(8, 0, 1);
    for (frame.key.edge = 0; frame.key.edge < 3; ++frame.key.edge)
        QVERIFY(feed(reassembler, frame, 0)->status == ChunkStatus::complete);
    QCOMPARE(feed(reassembler, frame, 0).error().code, ErrorCode::exhausted);
    frame.key.edge = 2;
    QVERIFY(feed(reassembler, frame, 0)->status == ChunkStatus::already_complete);
}

/// If a data instance has sent only a part of its input data, the data is requested from another data instance. The
/// chunks of the other instance complete the tensor. Activations of two senders are not combined.
void ReassemblerTest::another_data_instance_completes_a_partial_input() {
    for (const FrameKind kind : {FrameKind::input, FrameKind::activation}) {
        Reassembler reassembler;
        reassembler.enter(7, 1);
        auto one = frame_of(9000, 0, 1);
        one.key.kind = kind;
        one.source = {11, 1};
        auto other = one;
        other.source = {12, 1};
        QVERIFY(feed(reassembler, one, 0)->status == ChunkStatus::kept);
        const auto from_other = feed(reassembler, other, 1);
        QCOMPARE(from_other.ok(), kind == FrameKind::input);
        if (!from_other.ok()) continue;
        QVERIFY(feed(reassembler, other, 0)->status == ChunkStatus::duplicate);
        const auto whole = feed(reassembler, other, 2);
        QVERIFY(whole->status == ChunkStatus::complete);
        QVERIFY(std::ranges::equal(whole->tensor->tensor.bytes(), one.tensor.bytes()));
        QVERIFY(feed(reassembler, one, 1)->status == ChunkStatus::already_complete);
    }
}

DIVISI_TEST(ReassemblerTest)

}  // namespace reassembler_test

#include "reassembler_test.moc"
