// SPDX-License-Identifier: Apache-2.0
// Tests a training that resumes after a step in another engine, with the state of the first engine.

#include <array>
#include <future>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "agents/instance/engine/engine.h"
#include "agents/instance/engine/unit_setup.h"
#include "agents/instance/keeping/snapshot_file.h"
#include "backend/link/event_loop.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"
#include "tests/support/task_file.h"
#include "tests/support/test_program.h"

namespace resume_test {

using namespace divisi;
using namespace divisi::instance;

namespace {

constexpr std::int64_t steps = 6;

/// Returns a plan with everything that may depend on the step number: learning rate, moments, data, evaluations.
task::CompiledPlan compiled() {
    const testing::TaskFile file =
        testing::TaskFile()
            .section("model", {{"inputs", 12}, {"layers", 2}, {"width", 16}, {"classes", 4}})
            .section("data", {{"samples", 96}, {"validation_share", 0.25}})
            .section("train", {{"steps", 6}, {"optimizer", "adamw"}, {"lr", 0.05}, {"lr_schedule", "cosine"}})
            .section("train", {{"warmup_steps", 4}, {"clip", 1.0}, {"weight_decay", 0.01}, {"eval_every", 2}});
    const auto spec = task::parse_task(file.text(), "t.toml");
    if (!spec) qFatal("%s", spec.error().message().c_str());
    auto plan = task::compile(*spec, task::load_model(*spec, {}).value());
    if (!plan) qFatal("%s", plan.error().message().c_str());
    return std::move(plan).value();
}

class NullOutlet final : public Outlet {
public:
    void send(const plan::TensorKey&, graph::HostTensor) override { std::abort(); }
    void release(const plan::TensorKey&) override { std::abort(); }
};

/// Records the output of one run, and the state at the end of each of its steps.
class Run final : public Listener {
public:
    /// `loaded` is the segment that another run has left.
    explicit Run(task::CompiledPlan plan, std::unique_ptr<segment::Executor> loaded = nullptr)
        : plan_(std::make_shared<const task::CompiledPlan>(std::move(plan))) {
        EngineConfig config;
        config.plan = plan_;
        config.data = true;
        config.dataset =
            dataset_spec(*plan_, [](const std::string&, const std::string& path) { return Result(path); }).value();
        engine_ = std::make_unique<Engine>(std::move(config), clock_, outlet_, *this);
        const auto ready = engine_->prepare(std::move(loaded));
        if (!ready) qFatal("%s", ready.error().message().c_str());
    }
    void train() {
        const auto ran = engine_->run({engine_->evaluation_microbatches(), {}});
        if (!ran) qFatal("%s", ran.error().message().c_str());
    }
    /// Trains on its own thread until it pauses after this step.
    void train_up_to(std::int64_t step) {
        engine_->hold(step);
        std::future<void> ended = ended_.at(static_cast<std::size_t>(step)).get_future();
        if (!thread_.joinable()) thread_ = std::thread([this] { train(); });
        ended.wait();
    }
    /// Trains to the end.
    void train_on() {
        engine_->hold(0);
        thread_.join();
    }
    /// Ends the paused run. Returns its segment, if the segment is at the end of this step.
    std::unique_ptr<segment::Executor> leave(std::int64_t step) {
        engine_->stop();
        thread_.join();
        return engine_->stands_after() == step ? engine_->take_executor() : nullptr;
    }
    void restore(const Snapshots::Tensors& tensors) {
        const auto restored = engine_->executor()->restore(state_of(plan_->graph(), tensors));
        if (!restored) qFatal("%s", restored.error().message().c_str());
    }

    std::map<std::int64_t, float> losses, evaluations;  ///< by step
    std::map<std::int64_t, std::int64_t> samples;
    std::map<std::int64_t, Snapshots::Tensors> states;

private:
    void operation_ended(const OperationTimes&) override {}
    void passed(const Passed& step) override { samples[step.step] = step.samples; }
    void stepped(std::int64_t step, const segment::Executor& executor) override {
        states[step] = named_state(plan_->graph(), executor.state().value());
        ended_.at(static_cast<std::size_t>(step)).set_value();
    }
    void step_done(const control::StepRecord& record) override { losses[record.step] = record.loss; }
    void evaluated(const control::EvalRecord& record) override { evaluations[record.step] = record.loss; }
    void trouble(const Error& error) override { qFatal("%s", error.message().c_str()); }

    const link::SystemClock clock_;
    NullOutlet outlet_;
    std::shared_ptr<const task::CompiledPlan> plan_;
    std::unique_ptr<Engine> engine_;
    std::array<std::promise<void>, static_cast<std::size_t>(steps) + 1> ended_;  ///< by step
    std::thread thread_;
};

template <typename Value>
std::map<std::int64_t, Value> from(std::map<std::int64_t, Value> all, std::int64_t step) {
    all.erase(all.begin(), all.lower_bound(step));
    return all;
}

}  // namespace

class ResumeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void resumed_run_gives_the_same_numbers();
    void paused_run_continues_with_the_same_numbers();
    void paused_segment_continues_in_another_run();
    void prebuilt_segment_continues_with_loaded_state();
};

void ResumeTest::resumed_run_gives_the_same_numbers() {
    Run whole(compiled());
    whole.train();
    QCOMPARE(whole.losses.size(), static_cast<std::size_t>(steps));
    QCOMPARE(whole.evaluations.size(), std::size_t{3});
    QCOMPARE(whole.states.size(), static_cast<std::size_t>(steps));
    for (std::int64_t step = 1; step < steps; ++step) {
        task::CompiledPlan plan = compiled();
        plan.programs = std::make_shared<const plan::Programs>(plan::resumed_after(*plan.programs, step).value());
        Run rest(std::move(plan));
        rest.restore(whole.states.at(step));
        rest.train();
        QVERIFY2(rest.losses == from(whole.losses, step + 1), qPrintable(QString("after step %1").arg(step)));
        QVERIFY(rest.evaluations == from(whole.evaluations, step));  // includes the evaluation after the step itself
        QVERIFY(rest.samples == from(whole.samples, step + 1));
    }
}

void ResumeTest::paused_run_continues_with_the_same_numbers() {
    Run whole(compiled());
    whole.train();
    Run held(compiled());
    held.train_up_to(2);
    held.train_up_to(3);
    held.train_on();
    QVERIFY(held.losses == whole.losses);
    QVERIFY(held.evaluations == whole.evaluations);
}

/// Pauses and continues a segment, like a re-cut that leaves a stage unchanged. Step 2 is followed by an evaluation,
/// which the next run does.
void ResumeTest::paused_segment_continues_in_another_run() {
    Run whole(compiled());
    whole.train();
    for (const std::int64_t step : {2, 3}) {
        Run old(compiled());
        old.train_up_to(step);
        auto segment = old.leave(step);
        QVERIFY2(segment, "it has gone on, or stands in the middle of a step");
        QVERIFY(!old.evaluations.contains(step));
        task::CompiledPlan plan = compiled();
        plan.programs = std::make_shared<const plan::Programs>(plan::resumed_after(*plan.programs, step).value());
        Run rest(std::move(plan), std::move(segment));
        rest.train();
        QVERIFY(rest.losses == from(whole.losses, step + 1));
        QVERIFY(rest.evaluations == from(whole.evaluations, step));
    }
}

/// Simulates a re-cut that changes a stage: the new segment's weights were not initialized, and the segment has not
/// trained.
void ResumeTest::prebuilt_segment_continues_with_loaded_state() {
    Run whole(compiled());
    whole.train();
    for (const std::int64_t step : {2, 3}) {
        task::CompiledPlan plan = compiled();
        segment::SegmentConfig config = segment_config(plan, 0);
        config.restored = true;
        auto built = segment::make_executor(config, {});
        QVERIFY(built);
        plan.programs = std::make_shared<const plan::Programs>(plan::resumed_after(*plan.programs, step).value());
        Run rest(std::move(plan), std::move(*built));
        rest.restore(whole.states.at(step));
        rest.train();
        QVERIFY(rest.losses == from(whole.losses, step + 1));
        QVERIFY(rest.evaluations == from(whole.evaluations, step));
    }
}

DIVISI_TEST(ResumeTest)

}  // namespace resume_test

#include "resume_test.moc"
