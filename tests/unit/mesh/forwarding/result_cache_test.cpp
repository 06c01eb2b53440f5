// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/result_cache.h"

#include <algorithm>
#include <random>

#include "backend/frame/crc32c.h"
#include "tests/support/test_program.h"

namespace result_cache_test {

using namespace divisi;
using namespace divisi::mesh;

namespace {

constexpr std::size_t piece = frame::min_chunk_bytes;
const RoutingId mg1(1), mg2(2);

frame::ContentKey key(std::uint64_t number) {
    frame::ContentKey key{};
    for (std::size_t i = 0; i < 8; ++i) key[i] = static_cast<std::byte>(number >> (8 * i));
    return key;
}

/// A substitute for BLAKE2b: any change of the bytes changes the hash.
frame::ContentKey hash(std::span<const std::byte> bytes) { return key(frame::crc32c(bytes)); }

/// A tensor of `count` chunks whose memory the test can corrupt.
struct Tensor {
    Tensor(std::uint64_t content, std::uint32_t count, std::int64_t step = 1)
        : memory(std::make_shared<std::vector<std::byte>>(count * piece, static_cast<std::byte>(content))) {
        header.key.task = 7;
        header.key.step = step;
        header.source = {1, 1};
        header.total_bytes = memory->size();
        header.chunk_bytes = piece;
        header.chunk_count = count;
        header.payload_bytes = piece;
        frame::set_content(header.routing, key(content));
    }
    frame::Chunk chunk(std::uint32_t index) const {
        frame::Chunk chunk{header, memory, std::span(*memory).subspan(index * piece, piece)};
        chunk.header.chunk_index = index;
        chunk.header.payload_crc = frame::crc32c(chunk.payload);
        return chunk;
    }
    void pass(ResultCache& cache, RoutingId gateway = mg1) const {
        for (std::uint32_t i = 0; i < header.chunk_count; ++i) cache.pass(gateway, chunk(i));
    }
    std::uint64_t bytes() const { return cached_bytes(header); }

    std::shared_ptr<std::vector<std::byte>> memory;
    frame::FrameHeader header;
};

/// The reference model: what a cache with this bound should hold, computed in the simplest way.
struct Witness {
    struct Kept {
        std::uint64_t number, bytes, used;
    };
    std::uint64_t limit, clock = 0;
    std::vector<Kept> kept;

    std::uint64_t sum() const {
        std::uint64_t all = 0;
        for (const Kept& one : kept) all += one.bytes;
        return all;
    }
    bool find(std::uint64_t number) {
        for (Kept& one : kept)
            if (one.number == number) return one.used = ++clock, true;
        return false;
    }
    void pass(std::uint64_t number, std::uint64_t bytes) {
        for (const Kept& one : kept)
            if (one.number == number) return;
        if (bytes > limit) return;
        while (sum() + bytes > limit)
            kept.erase(std::ranges::min_element(kept, {}, [](const Kept& one) { return one.used; }));
        kept.push_back({number, bytes, ++clock});
    }
};

}  // namespace

/// Tests that cached results are complete, intact and within the size limit, and that the least recently used are
/// evicted first.
class ResultCacheTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void result_is_found_with_its_bytes();
    void incomplete_results_are_not_found();
    void missing_chunk_restarts_the_caching_of_a_result();
    void tensor_without_a_content_key_is_not_cached();
    void corrupt_memory_is_not_a_hit();
    void wrong_chunk_is_not_cached();
    void gateways_do_not_share_results();
    void eviction_matches_the_reference_model();
    void results_in_use_stay_within_the_bound();
    void oversized_result_evicts_nothing();
};

void ResultCacheTest::result_is_found_with_its_bytes() {
    ResultCache cache(1 << 20, hash);
    const Tensor tensor(5, 3);
    QVERIFY(!cache.find(mg1, key(5)));
    tensor.pass(cache);
    const auto found = cache.find(mg1, key(5));
    QVERIFY(found && found->pieces.size() == 3);
    for (std::size_t i = 0; i < 3; ++i)
        QVERIFY(std::ranges::equal(found->pieces[i].payload, tensor.chunk(static_cast<std::uint32_t>(i)).payload));
    QCOMPARE(cache.counters().hits, 1U);
    QCOMPARE(cache.counters().misses, 1U);
    QCOMPARE(cache.counters().saved_bytes, 3 * piece);
    QCOMPARE(cache.held(), tensor.bytes());
    tensor.pass(cache);  // the same tensor again takes no room
    QCOMPARE(cache.held(), tensor.bytes());
    QCOMPARE(cache.results(), 1U);
}

void ResultCacheTest::incomplete_results_are_not_found() {
    ResultCache cache(1 << 20, hash);
    const Tensor tensor(5, 3);
    cache.pass(mg1, tensor.chunk(0));
    cache.pass(mg1, tensor.chunk(1));
    QVERIFY(!cache.find(mg1, key(5)));
    QCOMPARE(cache.results(), 0U);
    QCOMPARE(cache.held(), tensor.bytes());  // room for the remaining chunks is reserved
    cache.pass(mg1, tensor.chunk(2));
    QVERIFY(cache.find(mg1, key(5)));
}

void ResultCacheTest::missing_chunk_restarts_the_caching_of_a_result() {
    ResultCache cache(1 << 20, hash);
    const Tensor tensor(5, 3), other(5, 3, 2);
    for (const std::uint32_t index : {0U, 2U, 1U, 2U}) cache.pass(mg1, tensor.chunk(index));
    QVERIFY(!cache.find(mg1, key(5)));
    QCOMPARE(cache.held(), 0U);
    cache.pass(mg1, tensor.chunk(0));
    other.pass(cache);  // another task's tensor with the same content, while the first one is incomplete
    QVERIFY(cache.find(mg1, key(5)));
    cache.pass(mg1, tensor.chunk(1));
    QVERIFY(cache.find(mg1, key(5)));
}

void ResultCacheTest::tensor_without_a_content_key_is_not_cached() {
    ResultCache cache(1 << 20, hash);
    Tensor tensor(5, 1);
    tensor.header.routing.clear();
    tensor.pass(cache);
    Tensor short_key(5, 1);
    short_key.header.routing.front().value.pop_back();
    short_key.pass(cache);
    QCOMPARE(cache.held(), 0U);
}

void ResultCacheTest::corrupt_memory_is_not_a_hit() {
    ResultCache cache(1 << 20, hash);
    const Tensor tensor(5, 3);
    tensor.pass(cache);
    tensor.memory->at(2 * piece + 1) ^= std::byte{1};
    QVERIFY(!cache.find(mg1, key(5)));
    QCOMPARE(cache.counters().corrupt, 1U);
    QCOMPARE(cache.counters().hits, 0U);
    QCOMPARE(cache.held(), 0U);
}

void ResultCacheTest::wrong_chunk_is_not_cached() {
    ResultCache cache(1 << 20, hash);
    const Tensor tensor(5, 2);
    frame::Chunk wrong = tensor.chunk(1);
    wrong.header.payload_crc ^= 1;
    cache.pass(mg1, tensor.chunk(0));
    cache.pass(mg1, wrong);
    QVERIFY(!cache.find(mg1, key(5)));
    QCOMPARE(cache.held(), 0U);
}

void ResultCacheTest::gateways_do_not_share_results() {
    ResultCache cache(1 << 20, hash);
    Tensor(5, 1).pass(cache, mg1);
    QVERIFY(!cache.find(mg2, key(5)));
    Tensor(5, 1).pass(cache, mg2);
    QVERIFY(cache.find(mg2, key(5)));
    cache.keep_only([](RoutingId gateway) { return gateway == mg2; });
    QVERIFY(!cache.find(mg1, key(5)));
    QVERIFY(cache.find(mg2, key(5)));
}

void ResultCacheTest::eviction_matches_the_reference_model() {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        std::mt19937_64 random(seed);
        const auto below = [&](std::uint64_t bound) { return random() % bound; };
        const std::uint64_t limit = (1 + below(20)) * (piece + 2'000);
        ResultCache cache(limit, hash);
        Witness witness{limit, 0, {}};
        std::uint64_t hits = 0;
        for (int i = 0; i < 400; ++i) {
            const std::uint64_t number = below(12);
            if (below(2) == 0) {
                const bool expected = witness.find(number);
                hits += expected;
                QCOMPARE(cache.find(mg1, key(number)) != nullptr, expected);
            } else {
                const Tensor tensor(number, static_cast<std::uint32_t>(1 + number % 4));
                tensor.pass(cache);
                witness.pass(number, tensor.bytes());
            }
            QCOMPARE(cache.held(), witness.sum());
            QVERIFY(cache.held() <= limit);
            QCOMPARE(cache.results(), witness.kept.size());
        }
        QCOMPARE(cache.counters().hits, hits);
    }
}

void ResultCacheTest::results_in_use_stay_within_the_bound() {
    const Tensor first(1, 1), second(2, 1), third(3, 1);
    ResultCache cache(2 * first.bytes(), hash);
    first.pass(cache);
    second.pass(cache);
    auto used = cache.find(mg1, key(1));
    (void)cache.find(mg1, key(2));  // makes the first one the least recently used
    third.pass(cache);
    QVERIFY(cache.find(mg1, key(1)) && !cache.find(mg1, key(2)) && cache.find(mg1, key(3)));
    auto also_used = cache.find(mg1, key(3));
    second.pass(cache);  // refused: no room can be made
    QVERIFY(!cache.find(mg1, key(2)));
    QCOMPARE(cache.held(), 2 * first.bytes());
    used.reset();
    second.pass(cache);
    QVERIFY(cache.find(mg1, key(2)));
}

void ResultCacheTest::oversized_result_evicts_nothing() {
    const Tensor small(1, 1), large(2, 4);
    ResultCache cache(3 * piece, hash);
    small.pass(cache);
    large.pass(cache);
    QVERIFY(cache.find(mg1, key(1)) && !cache.find(mg1, key(2)));
    QCOMPARE(cache.counters().evicted, 0U);
}

DIVISI_TEST(ResultCacheTest)

}  // namespace result_cache_test

#include "result_cache_test.moc"
