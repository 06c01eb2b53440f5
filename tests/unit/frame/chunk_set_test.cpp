// SPDX-License-Identifier: Apache-2.0

#include <random>
#include <set>

#include "tests/support/test_program.h"

#include "backend/frame/chunk_set.h"

namespace chunk_set_test {

using namespace divisi;
using namespace divisi::frame;

namespace {

std::span<const std::byte> view(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace

class ChunkSetTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void chunk_set_matches_a_set_of_numbers();
    void adjacent_ranges_are_merged();
    void ranges_survive_encoding();
    void impossible_ranges_are_refused();
};

void ChunkSetTest::chunk_set_matches_a_set_of_numbers() {
    std::mt19937_64 rng(1);
    for (int round = 0; round < 200; ++round) {
        ChunkSet chunks;
        std::set<std::uint32_t> numbers;
        for (int i = 0; i < 60; ++i) {
            const auto first = static_cast<std::uint32_t>(rng() % 50), count = static_cast<std::uint32_t>(rng() % 6);
            chunks.add({first, count});
            for (std::uint32_t n = 0; n < count; ++n) numbers.insert(first + n);
            if (!numbers.empty() && rng() % 2 == 0) {
                QCOMPARE(chunks.take(), *numbers.begin());
                numbers.erase(numbers.begin());
            }
            QCOMPARE(std::size_t{chunks.size()}, numbers.size());
            for (std::size_t r = 1; r < chunks.ranges().size(); ++r)
                QVERIFY(chunks.ranges()[r - 1].first + chunks.ranges()[r - 1].count < chunks.ranges()[r].first);
        }
        while (!chunks.empty()) QCOMPARE(numbers.erase(chunks.take()), std::size_t{1});
        QVERIFY(numbers.empty());
    }
}

void ChunkSetTest::adjacent_ranges_are_merged() {
    ChunkSet chunks;
    chunks.add({0, 2});
    chunks.add({4, 2});
    QCOMPARE(chunks.ranges().size(), std::size_t{2});
    chunks.add({2, 2});
    QCOMPARE(chunks.ranges().size(), std::size_t{1});
    QVERIFY((chunks.ranges()[0] == ChunkRange{0, 6}));
}

void ChunkSetTest::ranges_survive_encoding() {
    const std::vector<ChunkRange> ranges{{0, 1}, {7, 3}, {0xFFFFFFF0, 15}};
    const auto back = decode_ranges(view(encode_ranges(ranges)));
    QVERIFY(back.ok());
    QVERIFY(*back == ranges);
    QVERIFY(decode_ranges({})->empty());
}

void ChunkSetTest::impossible_ranges_are_refused() {
    const std::vector<ChunkRange> empty{{3, 0}}, wrapping{{0xFFFFFFF0, 16}}, many(most_ranges + 1, {1, 1});
    for (const auto& ranges : {empty, wrapping, many})
        QCOMPARE(decode_ranges(view(encode_ranges(ranges))).error().code, ErrorCode::corrupt);
    QCOMPARE(decode_ranges(view("1234567")).error().code, ErrorCode::corrupt);
}

DIVISI_TEST(ChunkSetTest)

}  // namespace chunk_set_test

#include "chunk_set_test.moc"
