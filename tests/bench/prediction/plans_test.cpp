// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/prediction/plans.h"

#include <algorithm>
#include <set>

#include "tests/support/test_program.h"

namespace divisi::bench::plans_test {

class PlansTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void returns_requested_number_of_different_plans();
    void cuts_ascend_and_are_legal();
    void single_requested_plan_is_split();
};

void PlansTest::returns_requested_number_of_different_plans() {
    const auto plans = choose_plans(20, {2, 2, 2, 2, 1}, 68);
    QCOMPARE(plans.size(), std::size_t{20});
    std::set<std::tuple<std::vector<int>, std::string, int>> different;
    for (const PlanChoice& plan : plans) different.insert({plan.cuts, plan.schedule, plan.microbatches});
    QCOMPARE(different.size(), std::size_t{20});
    QCOMPARE(std::ranges::count(plans, 1, &PlanChoice::stages), 4);
    QCOMPARE(std::ranges::count(plans, std::string("gpipe"), &PlanChoice::schedule), 10);
    QCOMPARE(std::ranges::count(plans, 8, &PlanChoice::microbatches), 10);
}

void PlansTest::cuts_ascend_and_are_legal() {
    // Tests the fewest legal cuts that the plan with most stages needs, and larger numbers.
    for (const int legal : {7, 8, 96}) {
        for (const PlanChoice& plan : choose_plans(40, {8, 7, 2}, legal)) {
            QVERIFY(plan.cuts.front() >= 0 && plan.cuts.back() < legal);
            QVERIFY(std::ranges::adjacent_find(plan.cuts, std::greater_equal{}) == plan.cuts.end());
        }
    }
}

void PlansTest::single_requested_plan_is_split() {
    const auto plans = choose_plans(1, {3, 1}, 40);
    QCOMPARE(plans.size(), std::size_t{1});
    QCOMPARE(plans[0].cuts, (std::vector<int>{10, 30}));
}

DIVISI_TEST(PlansTest)

}  // namespace divisi::bench::plans_test

#include "plans_test.moc"
