// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/support/test_program.h"

#include "agents/data/permutation.h"

namespace permutation_test {

using divisi::data::Permutation;

namespace {
std::vector<std::int64_t> images(std::int64_t size, std::uint64_t key) {
    const Permutation permutation(size, key);
    std::vector<std::int64_t> all(static_cast<std::size_t>(size));
    for (std::int64_t i = 0; i < size; ++i) all[static_cast<std::size_t>(i)] = permutation(i);
    return all;
}
}  // namespace

class PermutationTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void visits_every_index_once();
    void depends_on_the_key();
    void destroys_the_original_order();
    void supports_huge_ranges();
};

void PermutationTest::visits_every_index_once() {
    for (const std::int64_t size : {1, 2, 3, 4, 5, 15, 16, 17, 1000, 65536, 65537}) {
        auto all = images(size, 42);
        std::ranges::sort(all);
        std::vector<std::int64_t> expected(all.size());
        std::iota(expected.begin(), expected.end(), 0);
        QCOMPARE(all, expected);
    }
}

void PermutationTest::depends_on_the_key() {
    QCOMPARE(images(100, 1), images(100, 1));
    QVERIFY(images(100, 1) != images(100, 2));
}

void PermutationTest::destroys_the_original_order() {
    // In a random permutation, about two of the n pairs of neighbours remain neighbours.
    const auto all = images(10000, 7);
    int neighbours = 0, fixed = 0;
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        if (std::abs(all[i] - all[i + 1]) == 1) ++neighbours;
        if (all[i] == static_cast<std::int64_t>(i)) ++fixed;
    }
    QVERIFY2(neighbours < 12, qPrintable(QString::number(neighbours)));
    QVERIFY2(fixed < 12, qPrintable(QString::number(fixed)));
}

void PermutationTest::supports_huge_ranges() {
    const std::int64_t size = 3'000'000'000'000;
    const Permutation permutation(size, 9);
    for (std::int64_t i = size - 1000; i < size; ++i) QVERIFY(permutation(i) >= 0 && permutation(i) < size);
}

DIVISI_TEST(PermutationTest)

}  // namespace permutation_test

#include "permutation_test.moc"
