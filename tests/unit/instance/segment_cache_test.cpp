// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/keeping/segment_cache.h"

#include "agents/instance/engine/unit_setup.h"
#include "tests/unit/instance/compiled_plan.h"
#include "tests/unit/instance/fake_executor.h"

namespace segment_cache_test {

using namespace divisi;
using namespace divisi::instance;
using testing::FakeExecutor;
using testing::small_plan;

namespace {

const std::string snapshot(64, '5'), other(64, '6');

control::Deploy deploy(const std::vector<std::string>& hashes) {
    control::Deploy deploy;
    deploy.skeleton = "model";
    deploy.restore = {5, hashes};
    return deploy;
}
TrainedSegment trained(const task::CompiledPlan& plan, std::vector<std::string>& calls) {
    return {plan.spec, "model", segment_config(plan, 0), snapshot, std::make_unique<FakeExecutor>(calls)};
}

}  // namespace

class SegmentCacheTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void segment_of_a_batch_is_reused_under_the_same_key();
    void unchanged_segment_of_a_training_is_reused_with_its_state();
    void state_of_a_differently_cut_segment_needs_no_file();
    void segment_at_another_step_is_dropped();
};

void SegmentCacheTest::segment_of_a_batch_is_reused_under_the_same_key() {
    std::vector<std::string> calls;
    const auto plan = small_plan();
    const SegmentKey key{"group", "model", "", 0};
    for (const SegmentKey& wanted : {key, SegmentKey{"group", "model", "", 1}, SegmentKey{"", "model", "", 0}}) {
        SegmentCache cache(KeptSegment{key, std::make_unique<FakeExecutor>(calls)}, {});
        QCOMPARE(cache.take_loaded(deploy({}), *plan, wanted) != nullptr, wanted == key);
        QVERIFY(!cache.take_loaded(deploy({}), *plan, key));  // the segment was already taken, or dropped
    }
}

void SegmentCacheTest::unchanged_segment_of_a_training_is_reused_with_its_state() {
    std::vector<std::string> calls;
    const auto plan = small_plan();
    SegmentCache cache({}, trained(*plan, calls));
    QVERIFY(cache.take_loaded(deploy({snapshot}), *plan, {}));
    control::Restore rest{5, {snapshot}};
    QVERIFY(cache.take_state(rest)->empty());
    QCOMPARE(rest.hashes.size(), std::size_t{1});
}

void SegmentCacheTest::state_of_a_differently_cut_segment_needs_no_file() {
    std::vector<std::string> calls;
    SegmentCache cache({}, trained(*small_plan(), calls));
    QVERIFY(
        !cache.take_loaded(deploy({snapshot, other}), *small_plan(testing::small_task().set("split.stages", 2)), {}));
    control::Restore rest{5, {snapshot, other}};
    QVERIFY(cache.take_state(rest));
    QVERIFY(rest.hashes == std::vector<std::string>{other});
}

void SegmentCacheTest::segment_at_another_step_is_dropped() {
    std::vector<std::string> calls;
    const auto plan = small_plan();
    SegmentCache cache({}, trained(*plan, calls));
    QVERIFY(!cache.take_loaded(deploy({other}), *plan, {}));
    control::Restore rest{5, {snapshot}};
    QVERIFY(cache.take_state(rest)->empty());
    QCOMPARE(rest.hashes.size(), std::size_t{1});
}

DIVISI_TEST(SegmentCacheTest)

}  // namespace segment_cache_test

#include "segment_cache_test.moc"
