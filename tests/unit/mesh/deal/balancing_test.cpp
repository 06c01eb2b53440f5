// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/deal/balancing.h"

#include <cmath>
#include <vector>

#include "backend/base/hash.h"
#include "tests/support/test_program.h"

namespace balancing_test {

using namespace divisi;
using namespace divisi::mesh;

namespace {

constexpr int choices = 100'000;

/// Returns the share of choices that each candidate gets.
std::vector<double> shares(Balancing rule, const std::vector<Candidate>& candidates) {
    std::vector<double> counts(candidates.size());
    for (std::uint64_t i = 0; i < choices; ++i) counts.at(*choose(rule, candidates, mix(42, i * 31))) += 1.0 / choices;
    return counts;
}

bool near(double value, double expected) { return std::abs(value - expected) < 0.01; }

}  // namespace

class BalancingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void no_candidates_give_no_choice();
    void round_robin_takes_turns();
    void least_outstanding_is_chosen();
    void weights_follow_the_measured_capability();
    void two_choices_rule_never_takes_the_worst_candidate();
};

void BalancingTest::no_candidates_give_no_choice() {
    for (int rule = 0; rule <= 5; ++rule) QVERIFY(!choose(static_cast<Balancing>(rule), {}, 7));
    const std::vector<Candidate> one(1);
    for (int rule = 1; rule <= 4; ++rule) QVERIFY(choose(static_cast<Balancing>(rule), one, ~0ULL) == 0);
}

void BalancingTest::round_robin_takes_turns() {
    const std::vector<Candidate> three(3);
    for (std::uint64_t turn = 0; turn < 9; ++turn) QCOMPARE(*choose(Balancing::round_robin, three, turn), turn % 3);
}

void BalancingTest::least_outstanding_is_chosen() {
    QCOMPARE(*least_outstanding(std::vector<Candidate>{{5, 1}, {2, 1}, {9, 1}, {2, 1}}), std::size_t{1});
}

void BalancingTest::weights_follow_the_measured_capability() {
    const auto measured = shares(Balancing::weighted, {{0, 1e12}, {0, 3e12}, {0, 4e12}});
    QVERIFY(near(measured[0], 0.125) && near(measured[1], 0.375) && near(measured[2], 0.5));
    const auto partly = shares(Balancing::weighted, {{0, 0}, {0, 1e12}, {0, 3e12}});
    QVERIFY(near(partly[0], 0.2) && near(partly[1], 0.2) && near(partly[2], 0.6));
    const auto nobody = shares(Balancing::weighted, std::vector<Candidate>(4));
    for (const double share : nobody) QVERIFY(near(share, 0.25));
    QCOMPARE(*weighted(std::vector<Candidate>{{0, 1}, {0, 1}}, ~0ULL), std::size_t{1});
}

void BalancingTest::two_choices_rule_never_takes_the_worst_candidate() {
    const auto dealt = shares(Balancing::two_choices, {{0, 1}, {1, 1}, {2, 1}, {3, 1}});
    // There are six possible pairs. The best candidate wins in three of them, the second in two, and the third in one.
    QVERIFY(near(dealt[0], 3 / 6.0) && near(dealt[1], 2 / 6.0) && near(dealt[2], 1 / 6.0) && dealt[3] == 0);
    const auto turned = shares(Balancing::two_choices, {{3, 1}, {2, 1}, {1, 1}, {0, 1}});
    QVERIFY(near(turned[3], 3 / 6.0) && near(turned[2], 2 / 6.0) && near(turned[1], 1 / 6.0) && turned[0] == 0);
}

DIVISI_TEST(BalancingTest)

}  // namespace balancing_test

#include "balancing_test.moc"
