// SPDX-License-Identifier: Apache-2.0
#include "backend/orchestrator/plan_task.h"

#include <algorithm>
#include <set>

#include "backend/onnx/skeleton.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"
#include "tests/support/task_file.h"
#include "tests/support/test_program.h"

namespace plan_task_test {

using namespace divisi;
using namespace divisi::orchestrator;
using Every = task::CheckpointRule::Every;

namespace {

testing::TaskFile training() { return testing::TaskFile().drop_section("train").set("split.stages", 1); }

testing::TaskFile gpt(int layers) { return testing::TaskFile().gpt(layers, 32, 2, 16).drop_section("train"); }

Result<control::PlanSummary> planned(const testing::TaskFile& file, std::string skeleton = {}) {
    return plan_task({file.text(), "/", std::move(skeleton), {}, "me"}, {});
}

}  // namespace

/// Tests the data about a submitted task that the orchestrator gets besides its stages.
class PlanTaskTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void training_states_its_fault_policy();
    void batch_has_no_checkpoints();
    void recut_plan_lists_the_old_stages_of_each_new_stage();
    void recut_plan_states_how_its_stages_start();
    void training_states_its_base_version();
};

void PlanTaskTest::training_states_its_fault_policy() {
    const auto silent = planned(training());
    QVERIFY2(silent.ok(), silent.ok() ? "" : silent.error().message().c_str());
    QVERIFY(silent->checkpoint == (task::CheckpointRule{Every::automatic, 0, 2}));
    QCOMPARE(silent->answer, task::FaultAnswer::recover);
    const auto said =
        planned(training().section("checkpoint", {{"every", "5min"}, {"keep", 4}}).set("faults.answer", "fail"));
    QVERIFY2(said.ok(), said.ok() ? "" : said.error().message().c_str());
    QVERIFY(said->checkpoint == (task::CheckpointRule{Every::seconds, 300, 4}));
    QCOMPARE(said->answer, task::FaultAnswer::fail);
    QCOMPARE(said->plan_hash, silent->plan_hash);
}

void PlanTaskTest::batch_has_no_checkpoints() {
    const auto model = task::load_model(task::parse_task(training().text(), "t").value(), {});
    QVERIFY(model.ok());
    const auto plan = planned(testing::TaskFile().batch({"onnx", "m.onnx"}), onnx::encode_skeleton(*model).value());
    QVERIFY2(plan.ok(), plan.ok() ? "" : plan.error().message().c_str());
    QCOMPARE(plan->checkpoint.every, Every::never);
    QCOMPARE(plan->answer, task::FaultAnswer::recover);
}

void PlanTaskTest::recut_plan_lists_the_old_stages_of_each_new_stage() {
    const auto in_stages = [](int stages) { return gpt(4).set("split.stages", stages); };
    const auto follows = [&](int stages, int before) {
        const auto plan = plan_task({in_stages(stages).text(), "/", "", {}, "me"}, {}, in_stages(before).text());
        if (!plan) qFatal("%s", plan.error().message().c_str());
        return plan->inherits;
    };
    using Heirs = std::vector<std::vector<std::int32_t>>;
    QVERIFY(planned(in_stages(2))->inherits.empty());
    QCOMPARE(follows(2, 2), (Heirs{{0}, {1}}));
    QCOMPARE(follows(3, 1), (Heirs{{0}, {0}, {0}}));
    const Heirs one = follows(1, 2);
    QCOMPARE(one.size(), std::size_t(1));
    QCOMPARE(std::set<std::int32_t>(one[0].begin(), one[0].end()), (std::set<std::int32_t>{0, 1}));
    // The middle stage inherits from both old stages, the outer ones from one each.
    const Heirs three = follows(3, 2);
    QCOMPARE(three.size(), std::size_t(3));
    QCOMPARE(three[0], std::vector<std::int32_t>{0});
    QCOMPARE(three[1].size(), std::size_t(2));
    QCOMPARE(three[2], std::vector<std::int32_t>{1});
}

void PlanTaskTest::recut_plan_states_how_its_stages_start() {
    const std::string recut = gpt(3).set("split.cuts", {"/layers/0/Add_1", "/layers/1/Add_1"}).text();
    const auto plan = plan_task({recut, "/", "", {}, "me"}, {}, gpt(3).set("split.stages", 1).text());
    QVERIFY2(plan.ok(), plan.ok() ? "" : plan.error().message().c_str());
    const auto& values = plan->begins_with;
    QCOMPARE(values.size(), std::size_t(3));
    const auto has = [&](std::size_t stage, const std::string& name) {
        return std::ranges::count(values[stage], name) == 1;
    };
    QVERIFY(has(0, "wte.weight") && has(0, "wpe.weight"));
    QVERIFY(!has(1, "wte.weight") && !has(1, "wpe.weight") && !has(2, "wpe.weight"));
    for (std::size_t stage = 0; stage < 3; ++stage)
        for (std::size_t layer = 0; layer < 3; ++layer)
            QCOMPARE(has(stage, "layers." + std::to_string(layer) + ".mlp.fc.weight"), stage == layer);
    QVERIFY(planned(gpt(3).set("split.stages", 2))->begins_with.empty());
}

/// If a training begins with a version, the zoo's model is sent like an imported one, so that it has the weights of the
/// version.
void PlanTaskTest::training_states_its_base_version() {
    QCOMPARE(planned(training())->parent, std::uint64_t{0});
    const auto model = task::load_model(task::parse_task(training().text(), "t").value(), {});
    QVERIFY(model.ok());
    const std::string skeleton = onnx::encode_skeleton(onnx::without_weights(*model)).value();
    const auto begins = [&](const std::string& version) {
        return planned(training().set("model.from", version), skeleton);
    };
    const auto plan = begins("4");
    QVERIFY2(plan.ok(), plan.ok() ? "" : plan.error().message().c_str());
    QCOMPARE(plan->parent, std::uint64_t{4});
    QCOMPARE(plan->model, std::string("zoo:mlp"));
    for (const char* word : {"gpt-1", "4x", "0"}) QVERIFY(begins(word).error().message().find("model.from") == 0);
    const auto bare = planned(training().set("model.from", "4"));
    QVERIFY(bare.error().message().find("did not come with the task") != std::string::npos);
}

DIVISI_TEST(PlanTaskTest)

}  // namespace plan_task_test

#include "plan_task_test.moc"
