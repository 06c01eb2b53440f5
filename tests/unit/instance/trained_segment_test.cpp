// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/keeping/kept_segment.h"

#include "agents/instance/engine/unit_setup.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"
#include "tests/support/task_file.h"
#include "tests/support/test_program.h"

namespace trained_segment_test {

using namespace divisi;
using namespace divisi::instance;

namespace {

const std::string snapshot(64, '5'), other(64, '6');

testing::TaskFile training() {
    return testing::TaskFile()
        .section("model", {{"inputs", 12}, {"layers", 4}, {"width", 16}, {"classes", 4}})
        .set("data.samples", 96)
        .replace("train", {{"steps", 6}, {"batch", 8}});
}

testing::TaskFile in_three() { return training().set("split.stages", 3); }

task::CompiledPlan compiled(const testing::TaskFile& file) {
    const auto spec = task::parse_task(file.text(), "t.toml");
    if (!spec) qFatal("%s", spec.error().message().c_str());
    auto plan = task::compile(*spec, task::load_model(*spec, {}).value());
    if (!plan) qFatal("%s", plan.error().message().c_str());
    return std::move(plan).value();
}

testing::TaskFile cut_after(const std::string& node) {
    return training().set("split.cuts", std::vector<std::string>{node});
}

/// Returns a stage in its current state, without weights, which do not matter here.
TrainedSegment stands(const task::CompiledPlan& plan, std::int32_t stage) {
    return {plan.spec, "model", segment_config(plan, stage), snapshot, nullptr};
}

control::Deploy deploy(const std::vector<std::string>& hashes, const std::string& skeleton = "model") {
    control::Deploy deploy;
    deploy.skeleton = skeleton;
    deploy.restore = {5, hashes};
    return deploy;
}

}  // namespace

/// Checks whether a process may reuse a training's segment in memory when its next instance is deployed with another
/// plan.
class TrainedSegmentTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void segment_untouched_by_a_cut_is_recognized_as_unchanged();
    void snapshot_identifies_the_start_of_a_segment();
    void segments_of_another_training_differ();
    void prebuilt_segment_serves_only_its_own_plan();
};

void TrainedSegmentTest::segment_untouched_by_a_cut_is_recognized_as_unchanged() {
    const task::CompiledPlan three = compiled(in_three());
    QCOMPARE(three.cuts.size(), std::size_t(2));
    const task::CompiledPlan first = compiled(cut_after(three.cuts[0])), second = compiled(cut_after(three.cuts[1]));
    const TrainedSegment begin = stands(three, 0), end = stands(three, 2);
    QVERIFY(begin.is(segment_config(first, 0)));
    QVERIFY(!begin.is(segment_config(second, 0)));
    QVERIFY(!begin.is(segment_config(first, 1)));
    // The segment is the same under another stage number.
    QVERIFY(end.is(segment_config(second, 1)));
    QVERIFY(!end.is(segment_config(first, 1)));
}

void TrainedSegmentTest::snapshot_identifies_the_start_of_a_segment() {
    const task::CompiledPlan three = compiled(in_three()), two = compiled(cut_after(three.cuts[0]));
    const TrainedSegment one = stands(three, 0);
    QVERIFY(one.is_begun_with(deploy({snapshot}), two));
    QVERIFY(one.is_begun_with(deploy({other, snapshot}), two));  // the new stage also gets operators of another stage
    QVERIFY(!one.is_begun_with(deploy({other}), two));  // a snapshot of another step, or of another stage alone
    QVERIFY(!one.is_begun_with(deploy({}), two));
}

void TrainedSegmentTest::segments_of_another_training_differ() {
    const task::CompiledPlan plan = compiled(in_three());
    const TrainedSegment one = stands(plan, 0);
    QVERIFY(one.is_begun_with(deploy({snapshot}), compiled(in_three())));
    QVERIFY(!one.is_begun_with(deploy({snapshot}, "another model"), plan));
    QVERIFY(!one.is_begun_with(deploy({snapshot}), compiled(in_three().set("train.optimizer", "adamw"))));
    const task::CompiledPlan recomputes = compiled(in_three().set("train.recompute", true));
    QVERIFY(!one.is(segment_config(recomputes, 0)));
}

void TrainedSegmentTest::prebuilt_segment_serves_only_its_own_plan() {
    const auto plan = std::make_shared<const task::CompiledPlan>(compiled(in_three()));
    const BuiltSegment built{plan, 1, nullptr};
    control::Deploy next = deploy({snapshot});
    next.stage = 1;
    QVERIFY(built.serves(next, plan));
    QVERIFY(!built.serves(next, std::make_shared<const task::CompiledPlan>(compiled(in_three()))));
    next.stage = 2;
    QVERIFY(!built.serves(next, plan));
    // A stage without a snapshot initializes its weights, which a prebuilt segment does not have.
    next.stage = 1;
    next.restore = {};
    QVERIFY(!built.serves(next, plan));
}

DIVISI_TEST(TrainedSegmentTest)

}  // namespace trained_segment_test

#include "trained_segment_test.moc"
