// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/prediction/agreement.h"

#include <cmath>

#include "tests/support/test_program.h"

namespace divisi::bench::agreement_test {

class AgreementTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void computes_median_and_lower_quartile();
    void errors_are_relative_to_measurement();
    void common_factor_is_removed();
    void rank_correlation_depends_only_on_order();
    void equal_values_share_their_mean_rank();
    void empty_input_gives_nan();
};

void AgreementTest::computes_median_and_lower_quartile() {
    QCOMPARE(median({3, 1, 2}), 2.0);
    QCOMPARE(median({4, 1, 2, 9}), 3.0);
    QCOMPARE(lower_quartile({9, 1, 2, 4}), 1.5);
    QCOMPARE(lower_quartile({9, 1, 2, 4, 3}), 1.5);
    QCOMPARE(lower_quartile({7}), 7.0);
}

void AgreementTest::errors_are_relative_to_measurement() {
    // The errors are 0.5, 0.25 and 0: 95 % of three values, rounded up, are all three.
    const Agreement three = agreement({{5, 10}, {5, 4}, {7, 7}});
    QCOMPARE(three.mean_error, 0.25);
    QCOMPARE(three.p95_error, 0.5);
    // Twenty values: the worst one is outside the 95 %.
    std::vector<Pair> twenty(20, Pair{10, 10});
    twenty[3] = {30, 10};
    twenty[7] = {11, 10};
    QCOMPARE(agreement(twenty).p95_error, 0.1);
}

void AgreementTest::common_factor_is_removed() {
    const std::vector<Pair> slower{{1, 2}, {2, 4}, {3, 6}, {4, 10}};
    QCOMPARE(common_factor(slower), 2.0);
    QCOMPARE(agreement(slower, 2).mean_error, 0.05);  // only the last pair is off, by 2 of 10
    QCOMPARE(agreement(slower).mean_error, (0.5 + 0.5 + 0.5 + 0.6) / 4);
}

void AgreementTest::rank_correlation_depends_only_on_order() {
    QCOMPARE(agreement({{1, 10}, {2, 11}, {3, 500}}).rank_correlation, 1.0);
    QCOMPARE(agreement({{1, 30}, {2, 20}, {3, 10}}).rank_correlation, -1.0);
    // Expected: 1 - 6 * sum d^2 / (n (n^2 - 1)) with d = 0, 1, 1, 0.
    QCOMPARE(agreement({{1, 1}, {2, 3}, {3, 2}, {4, 4}}).rank_correlation, 0.8);
}

void AgreementTest::equal_values_share_their_mean_rank() {
    // Compares ranks 0, 1.5, 1.5, 3 with 0, 1, 2, 3.
    QCOMPARE(agreement({{1, 1}, {2, 2}, {2, 3}, {4, 4}}).rank_correlation, 4.5 / std::sqrt(4.5 * 5));
}

void AgreementTest::empty_input_gives_nan() {
    QVERIFY(std::isnan(agreement({}).mean_error) && std::isnan(common_factor({})));
    QVERIFY(std::isnan(agreement({{1, 1}, {1, 2}}).rank_correlation));
}

DIVISI_TEST(AgreementTest)

}  // namespace divisi::bench::agreement_test

#include "agreement_test.moc"
