// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/stage_operations.h"

#include "tests/unit/instance/compiled_plan.h"
#include "tests/unit/instance/fake_executor.h"

namespace stage_operations_test {

using namespace divisi;
using namespace divisi::instance;
using testing::FakeExecutor;
using testing::small_plan;

namespace {

plan::Start start(plan::OperationKind kind, std::int64_t step) { return {{kind, 1, {}, {}}, step}; }

}  // namespace

class StageOperationsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void operations_reach_the_executor();
    void update_is_clipped_by_the_norm_shares_of_its_step();
    void damaged_weights_end_the_training();
    void executor_can_be_taken();
};

void StageOperationsTest::operations_reach_the_executor() {
    std::vector<std::string> calls;
    StageOperations stage(small_plan(), 0, std::make_unique<FakeExecutor>(calls));
    QVERIFY(stage.run(start(plan::OperationKind::forward, 4), {}));
    QVERIFY(calls == std::vector<std::string>{"forward 4 1"});
    QVERIFY(!stage.run(start(plan::OperationKind::load, 4), {}));  // belongs to the data unit
}

void StageOperationsTest::update_is_clipped_by_the_norm_shares_of_its_step() {
    std::vector<std::string> calls;
    StageOperations clipped(small_plan(testing::small_task().set("train.clip", 1.0)), 0,
                            std::make_unique<FakeExecutor>(calls));
    QCOMPARE(clipped.losses().loss, 0.0F);
    QVERIFY(clipped.run(start(plan::OperationKind::finish_gradients, 2), {}));
    QVERIFY(clipped.run(start(plan::OperationKind::optimizer, 2), {}));
    QCOMPARE(clipped.losses().loss, 0.5F);
    QVERIFY(clipped.losses().heads == std::vector<float>{0.25F});
    StageOperations free(small_plan(), 0, std::make_unique<FakeExecutor>(calls));
    QVERIFY(free.run(start(plan::OperationKind::optimizer, 2), {}));
    QVERIFY((calls == std::vector<std::string>{"optimizer 2 25.000000", "optimizer 2 -1.000000"}));
}

void StageOperationsTest::damaged_weights_end_the_training() {
    std::vector<std::string> calls;
    const StageOperations stops(small_plan(), 0, std::make_unique<FakeExecutor>(calls));
    QVERIFY(!stops.check_weights());
    const StageOperations continues(small_plan(testing::small_task().set("train.nonfinite", "continue")), 0,
                                    std::make_unique<FakeExecutor>(calls));
    QVERIFY(continues.check_weights());
}

void StageOperationsTest::executor_can_be_taken() {
    std::vector<std::string> calls;
    StageOperations stage(small_plan(), 0, std::make_unique<FakeExecutor>(calls));
    QVERIFY(stage.executor());
    QVERIFY(stage.take_executor() && !stage.executor());
}

DIVISI_TEST(StageOperationsTest)

}  // namespace stage_operations_test

#include "stage_operations_test.moc"
