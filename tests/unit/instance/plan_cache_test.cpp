// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/keeping/plan_cache.h"

#include "tests/unit/instance/compiled_plan.h"
#include "tests/unit/instance/fake_executor.h"

namespace plan_cache_test {

using namespace divisi;
using namespace divisi::instance;
using testing::FakeExecutor;
using testing::small_task;

namespace {

control::Deploy deploy(const testing::TaskFile& file = small_task()) {
    control::Deploy deploy;
    deploy.task = TaskId("t-1");
    deploy.text = file.text();
    deploy.restore = {5, {std::string(64, '5')}};
    return deploy;
}

testing::TaskFile faster_task() { return small_task().set("train.lr", 0.5); }

}  // namespace

class PlanCacheTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void plan_is_compiled_once();
    void only_the_plan_in_force_is_kept();
    void plan_that_does_not_compile_is_an_error();
    void built_segment_is_taken_once_by_the_plan_it_fits();
};

void PlanCacheTest::plan_is_compiled_once() {
    PlanCache cache({}, {});
    const auto plan = cache.compiled(deploy());
    QVERIFY(plan && *plan);
    QVERIFY(*cache.compiled(deploy()) == *plan);
    const auto other = cache.compiled(deploy(faster_task()));
    QVERIFY(other && *other != *plan);
    QVERIFY(*cache.compiled(deploy()) == *plan);
}

void PlanCacheTest::only_the_plan_in_force_is_kept() {
    PlanCache cache({}, {});
    const auto plan = cache.compiled(deploy()).value(), other = cache.compiled(deploy(faster_task())).value();
    cache.forget_but(deploy());
    QVERIFY(cache.compiled(deploy()).value() == plan);
    QVERIFY(cache.compiled(deploy(faster_task())).value() != other);
    QCOMPARE(cache.take_plans().size(), std::size_t{2});
    QVERIFY(cache.take_plans().empty());
}

void PlanCacheTest::plan_that_does_not_compile_is_an_error() {
    PlanCache cache({}, {});
    QVERIFY(!cache.compiled(deploy(small_task().add("no such field\n"))));
    QVERIFY(cache.take_plans().empty());
}

void PlanCacheTest::built_segment_is_taken_once_by_the_plan_it_fits() {
    std::vector<std::string> calls;
    PlanCache cache({}, {});
    const auto plan = cache.compiled(deploy()).value(), other = cache.compiled(deploy(faster_task())).value();
    cache.set_built({plan, 0, std::make_unique<FakeExecutor>(calls)});
    QVERIFY(cache.take_built(deploy(), plan));
    QVERIFY(!cache.take_built(deploy(), plan));
    cache.set_built({plan, 0, std::make_unique<FakeExecutor>(calls)});
    QVERIFY(!cache.take_built(deploy(), other));
    QVERIFY(!cache.take_built());  // the segment was dropped
}

DIVISI_TEST(PlanCacheTest)

}  // namespace plan_cache_test

#include "plan_cache_test.moc"
