// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/trained_segment.h"

#include "agents/instance/engine.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"
#include "tests/support/test_program.h"

namespace trained_segment_test {

using namespace divisi;
using namespace divisi::instance;

namespace {

const std::string snapshot(64, '5'), other(64, '6');

/// Of a model of some layers; `split` as the task file has it.
task::CompiledPlan compiled(const std::string& split, const std::string& train = "") {
    const std::string text = R"(
[model]
zoo = "mlp"
inputs = 12
layers = 4
width = 16
classes = 4
[data]
kind = "synthetic"
samples = 96
[train]
steps = 6
batch = 8
)" + train + "[split]\n" + split;
    const auto spec = task::parse_task(text, "t.toml");
    if (!spec) qFatal("%s", spec.error().message().c_str());
    auto plan = task::compile(*spec, task::load_model(*spec, {}).value());
    if (!plan) qFatal("%s", plan.error().message().c_str());
    return std::move(plan).value();
}

std::string cut_after(const std::string& node) { return "cuts = [\"" + node + "\"]\n"; }

/// A stage as it stands, but for its weights, which do not tell.
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

/// What a process has in memory of a training, when its next instance is deployed by another plan.
class TrainedSegmentTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void one_that_no_cut_touches_is_the_same();
    void what_it_begins_with_the_snapshot_says();
    void another_training_has_other_segments();
    void one_that_was_built_beforehand_serves_its_plan_alone();
};

void TrainedSegmentTest::one_that_no_cut_touches_is_the_same() {
    const task::CompiledPlan three = compiled("stages = 3\n");
    QCOMPARE(three.cuts.size(), std::size_t(2));
    const task::CompiledPlan first = compiled(cut_after(three.cuts[0])), second = compiled(cut_after(three.cuts[1]));
    const TrainedSegment begin = stands(three, 0), end = stands(three, 2);
    QVERIFY(begin.is(segment_config(first, 0)));
    QVERIFY(!begin.is(segment_config(second, 0)));
    QVERIFY(!begin.is(segment_config(first, 1)));
    // Under another number it is the same.
    QVERIFY(end.is(segment_config(second, 1)));
    QVERIFY(!end.is(segment_config(first, 1)));
}

void TrainedSegmentTest::what_it_begins_with_the_snapshot_says() {
    const task::CompiledPlan three = compiled("stages = 3\n"), two = compiled(cut_after(three.cuts[0]));
    const TrainedSegment one = stands(three, 0);
    QVERIFY(one.is_begun_with(deploy({snapshot}), two));
    QVERIFY(one.is_begun_with(deploy({other, snapshot}), two));  // it gets operators of another stage too
    QVERIFY(!one.is_begun_with(deploy({other}), two));           // of another step, or of another stage alone
    QVERIFY(!one.is_begun_with(deploy({}), two));
}

void TrainedSegmentTest::another_training_has_other_segments() {
    const task::CompiledPlan plan = compiled("stages = 3\n");
    const TrainedSegment one = stands(plan, 0);
    QVERIFY(one.is_begun_with(deploy({snapshot}), compiled("stages = 3\n")));
    QVERIFY(!one.is_begun_with(deploy({snapshot}, "another model"), plan));
    QVERIFY(!one.is_begun_with(deploy({snapshot}), compiled("stages = 3\n", "optimizer = \"adamw\"\n")));
    const task::CompiledPlan recomputes = compiled("stages = 3\n", "recompute = true\n");
    QVERIFY(!one.is(segment_config(recomputes, 0)));
}

void TrainedSegmentTest::one_that_was_built_beforehand_serves_its_plan_alone() {
    const auto plan = std::make_shared<const task::CompiledPlan>(compiled("stages = 3\n"));
    const BuiltSegment built{plan, 1, nullptr};
    control::Deploy next = deploy({snapshot});
    next.stage = 1;
    QVERIFY(built.serves(next, plan));
    QVERIFY(!built.serves(next, std::make_shared<const task::CompiledPlan>(compiled("stages = 3\n"))));
    next.stage = 2;
    QVERIFY(!built.serves(next, plan));
    // From the beginning its weights are drawn, and this has none.
    next.stage = 1;
    next.restore = {};
    QVERIFY(!built.serves(next, plan));
}

DIVISI_TEST(TrainedSegmentTest)

}  // namespace trained_segment_test

#include "trained_segment_test.moc"
