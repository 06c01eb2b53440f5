// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/prediction/agreement.h"

#include <cmath>

#include "tests/support/test_program.h"

namespace divisi::bench::agreement_test {

class AgreementTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void quartiles_of_values();
    void errors_are_relative_to_what_was_measured();
    void a_factor_for_all_is_taken_out();
    void ranks_see_order_alone();
    void equal_values_share_their_rank();
    void nothing_gives_no_number();
};

void AgreementTest::quartiles_of_values() {
    QCOMPARE(median({3, 1, 2}), 2.0);
    QCOMPARE(median({4, 1, 2, 9}), 3.0);
    QCOMPARE(lower_quartile({9, 1, 2, 4}), 1.5);
    QCOMPARE(lower_quartile({9, 1, 2, 4, 3}), 1.5);
    QCOMPARE(lower_quartile({7}), 7.0);
}

void AgreementTest::errors_are_relative_to_what_was_measured() {
    // Errors 0.5, 0.25, 0: 95 % of three are all three.
    const Agreement three = agreement({{5, 10}, {5, 4}, {7, 7}});
    QCOMPARE(three.mean_error, 0.25);
    QCOMPARE(three.p95_error, 0.5);
    // Of twenty, the worst one is beyond the 95 %.
    std::vector<Pair> twenty(20, Pair{10, 10});
    twenty[3] = {30, 10};
    twenty[7] = {11, 10};
    QCOMPARE(agreement(twenty).p95_error, 0.1);
}

void AgreementTest::a_factor_for_all_is_taken_out() {
    const std::vector<Pair> slower{{1, 2}, {2, 4}, {3, 6}, {4, 10}};
    QCOMPARE(common_factor(slower), 2.0);
    QCOMPARE(agreement(slower, 2).mean_error, 0.05);  // of the last alone, 2 of 10
    QCOMPARE(agreement(slower).mean_error, (0.5 + 0.5 + 0.5 + 0.6) / 4);
}

void AgreementTest::ranks_see_order_alone() {
    QCOMPARE(agreement({{1, 10}, {2, 11}, {3, 500}}).rank_correlation, 1.0);
    QCOMPARE(agreement({{1, 30}, {2, 20}, {3, 10}}).rank_correlation, -1.0);
    // 1 - 6 * sum d^2 / (n (n^2 - 1)) with d = 0, 1, 1, 0.
    QCOMPARE(agreement({{1, 1}, {2, 3}, {3, 2}, {4, 4}}).rank_correlation, 0.8);
}

void AgreementTest::equal_values_share_their_rank() {
    // Ranks 0, 1.5, 1.5, 3 against 0, 1, 2, 3.
    QCOMPARE(agreement({{1, 1}, {2, 2}, {2, 3}, {4, 4}}).rank_correlation, 4.5 / std::sqrt(4.5 * 5));
}

void AgreementTest::nothing_gives_no_number() {
    QVERIFY(std::isnan(agreement({}).mean_error) && std::isnan(common_factor({})));
    QVERIFY(std::isnan(agreement({{1, 1}, {1, 2}}).rank_correlation));
}

DIVISI_TEST(AgreementTest)

}  // namespace divisi::bench::agreement_test

#include "agreement_test.moc"
