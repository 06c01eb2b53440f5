// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/serving/next_plan.h"

#include "tests/unit/instance/compiled_plan.h"

namespace next_plan_test {

using namespace divisi;
using namespace divisi::instance;
using testing::small_plan;
using testing::small_task;

namespace {

/// Prepares plans for the instance of stage 0 of a task with one stage.
struct Recorded {
    PlanCache plans{{}, {}};
    std::vector<control::PlanPrepared> prepared;
    std::vector<Error> troubles;
    NextPlan next{plans,
                  InstanceId("me"),
                  {},
                  {[this](control::PlanPrepared told) { prepared.push_back(std::move(told)); },
                   [this](const Error& error) { troubles.push_back(error); }}};

    void prepare(const testing::TaskFile& file, std::int32_t stage) {
        control::Deploy deploy;
        deploy.task = TaskId("t-1");
        deploy.text = small_task().text();
        control::PreparePlan order;
        order.order = 4;
        order.stage = stage;
        order.text = file.text();
        next.prepare(order, deploy, plans.compiled(deploy).value());
        next.join();
    }
};

testing::TaskFile two_stages() { return small_task().set("split.stages", 2); }

}  // namespace

class NextPlanTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void changed_segment_is_built();
    void unchanged_segment_is_not_built();
    void segment_that_cannot_be_built_is_only_reported();
    void plan_that_does_not_compile_is_an_error();
};

void NextPlanTest::changed_segment_is_built() {
    Recorded recorded;
    recorded.prepare(two_stages(), 1);
    QCOMPARE(recorded.prepared.size(), std::size_t{1});
    QVERIFY(recorded.prepared[0].order == 4 && !recorded.prepared[0].error && recorded.troubles.empty());
    const auto built = recorded.plans.take_built();
    QVERIFY(built && built->stage == 1 && built->executor);
    QCOMPARE(built->plan->hash, recorded.prepared[0].plan_hash);
}

void NextPlanTest::unchanged_segment_is_not_built() {
    Recorded recorded;
    recorded.prepare(small_task(), 0);
    QVERIFY(!recorded.prepared.at(0).error && !recorded.plans.take_built());
}

void NextPlanTest::segment_that_cannot_be_built_is_only_reported() {
    Recorded recorded;
    recorded.prepare(two_stages(), 2);
    QVERIFY(!recorded.prepared.at(0).error);
    QCOMPARE(recorded.troubles.size(), std::size_t{1});
    QVERIFY(recorded.troubles[0].what.starts_with("its segment of the next plan was not built in advance: "));
}

void NextPlanTest::plan_that_does_not_compile_is_an_error() {
    Recorded recorded;
    recorded.prepare(small_task().add("no such field\n"), 0);
    QVERIFY(recorded.prepared.at(0).error && recorded.prepared[0].plan_hash.empty());
}

DIVISI_TEST(NextPlanTest)

}  // namespace next_plan_test

#include "next_plan_test.moc"
