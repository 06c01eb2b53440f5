// SPDX-License-Identifier: Apache-2.0
// Tests that the state of a segment between steps can be saved and restored. The training then continues with the same
// bits.

#include <algorithm>

#include "tests/support/test_program.h"
#include "tests/unit/segment/mini_models.h"
#include "tests/unit/segment/split_run.h"

namespace executor_state_test {

using namespace divisi;
using namespace divisi::test;
using segment::Executor;
using segment::OptimizerConfig;
using segment::StateTensor;
using State = std::vector<StateTensor>;

namespace {

constexpr std::int64_t microbatches = 4;

std::unique_ptr<Executor> fresh(const Model& model, const OptimizerConfig& optimizer, bool restored = false) {
    segment::SegmentConfig config;
    config.graph = std::make_shared<graph::Graph>(model.graph);
    for (NodeIndex i = 0; i < static_cast<NodeIndex>(model.graph.nodes.size()); ++i) config.nodes.push_back(i);
    config.inputs = model.graph.inputs;
    config.loss = model.loss;
    config.microbatches = microbatches;
    config.seed = 5;
    config.optimizer = optimizer;
    config.restored = restored;
    auto executor = segment::make_executor(config, {});
    if (!executor) qFatal("%s", executor.error().message().c_str());
    return std::move(executor).value();
}

template <typename T>
T checked(Result<T> result) {
    if (!result) qFatal("%s", result.error().message().c_str());
    return std::move(result).value();
}

void forward(Executor& executor, const Model& model, std::int64_t step, std::int64_t microbatch) {
    std::vector<HostTensor> inputs;
    const auto values = sample(model, step, microbatch);
    for (const auto value : model.graph.inputs) inputs.push_back(values.at(value));
    (void)checked(executor.forward(step, microbatch, inputs));
}

/// Returns the losses of the steps and the weights after them.
RunResult train(Executor& executor, const Model& model, std::int64_t first, std::int64_t last) {
    RunResult result;
    for (std::int64_t step = first; step <= last; ++step) {
        for (std::int64_t m = 0; m < microbatches; ++m) {
            forward(executor, model, step, m);
            (void)checked(executor.backward(step, m, {}));
        }
        result.losses.push_back(executor.step_loss());
        if (!executor.optimizer_step(step, 0.05, {})) qFatal("the optimizer's step failed");
    }
    for (const auto initializer : executor.initializers()) {
        const auto tensor = checked(executor.read(initializer));
        result.weights[initializer].assign(tensor.bytes().begin(), tensor.bytes().end());
    }
    return result;
}

bool same(const State& a, const State& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const StateTensor& x, const StateTensor& y) {
        return x.initializer == y.initializer && x.slot == y.slot && x.tensor.dims == y.tensor.dims &&
               std::ranges::equal(x.tensor.bytes(), y.tensor.bytes());
    });
}

const std::map<std::string, Model (*)()> models = {{"transposed", skips_and_transposes},
                                                   {"tied", tied_embedding},
                                                   {"running statistics", residual_convolutions},
                                                   {"dropout", slices_and_dropout}};

const std::map<std::string, OptimizerConfig> optimizers = {
    {"plain", {}},
    {"momentum", {OptimizerConfig::Kind::sgd, 0.9}},
    {"adamw", {OptimizerConfig::Kind::adamw, 0.0, 0.9, 0.999, 1e-8, 0.01}}};

}  // namespace

class ExecutorStateTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void another_executor_continues_with_the_same_bits_data();
    void another_executor_continues_with_the_same_bits();
    void unfinished_step_is_discarded();
    void recut_segments_continue_with_the_same_bits_data() { another_executor_continues_with_the_same_bits_data(); }
    void recut_segments_continue_with_the_same_bits();
    void missing_optimizer_state_starts_from_zero();
    void mismatched_state_changes_nothing();
    void constants_are_not_part_of_the_state();
};

void ExecutorStateTest::another_executor_continues_with_the_same_bits_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("optimizer");
    for (const auto& [model, make] : models)
        for (const auto& [optimizer, config] : optimizers)
            QTest::addRow("%s, %s", model.c_str(), optimizer.c_str())
                << QString::fromStdString(model) << QString::fromStdString(optimizer);
}

void ExecutorStateTest::another_executor_continues_with_the_same_bits() {
    QFETCH(QString, model);
    QFETCH(QString, optimizer);
    const Model trained = models.at(model.toStdString())();
    const auto& config = optimizers.at(optimizer.toStdString());
    const auto first = fresh(trained, config);
    (void)train(*first, trained, 1, 3);
    const State state = checked(first->state());
    const RunResult undisturbed = train(*first, trained, 4, 6);  // the saved state is a copy
    const auto second = fresh(trained, config);
    QVERIFY(second->restore(state).ok());
    QVERIFY(same(checked(second->state()), state));
    QVERIFY(train(*second, trained, 4, 6) == undisturbed);
    // The restored state may belong to an executor whose weights were not initialized.
    const auto third = fresh(trained, config, true);
    QVERIFY(third->restore(state).ok());
    QVERIFY(train(*third, trained, 4, 6) == undisturbed);
}

void ExecutorStateTest::unfinished_step_is_discarded() {
    const Model model = residual_convolutions();
    const auto& adamw = optimizers.at("adamw");
    const auto first = fresh(model, adamw);
    (void)train(*first, model, 1, 2);
    const State state = checked(first->state());
    const RunResult undisturbed = train(*first, model, 3, 4);
    forward(*first, model, 5, 0);
    forward(*first, model, 5, 1);
    QVERIFY(first->backward(5, 0, {}).ok());
    QVERIFY(first->memory().activations > 0 && first->memory().gradients > 0);
    QVERIFY(first->restore(state).ok());
    QCOMPARE(first->memory().activations, std::int64_t{0});
    QCOMPARE(first->memory().gradients, std::int64_t{0});
    QCOMPARE(first->step_loss(), 0.0F);
    QVERIFY(train(*first, model, 3, 4) == undisturbed);
}

/// The states of two segments together are the state of the whole; a shared weight is in both.
void ExecutorStateTest::recut_segments_continue_with_the_same_bits() {
    QFETCH(QString, model);
    QFETCH(QString, optimizer);
    const Model trained = models.at(model.toStdString())();
    RunOptions options;
    options.steps = 3;
    options.microbatches = microbatches;
    options.lr = 0.05;
    options.optimizer = optimizers.at(optimizer.toStdString());
    options.cuts = {static_cast<NodeIndex>(trained.graph.nodes.size() / 2)};
    SplitRun run(trained.graph, trained.loss, options);
    QVERIFY(run.train([&](std::int64_t step, std::int64_t m) { return sample(trained, step, m); }).ok());
    State both;
    for (const auto& stage : run.stages())
        for (auto& tensor : checked(stage.executor->state())) both.push_back(std::move(tensor));
    const auto undisturbed = fresh(trained, options.optimizer);
    (void)train(*undisturbed, trained, 1, 3);
    const auto whole = fresh(trained, options.optimizer);
    QVERIFY(whole->restore(both).ok());
    QVERIFY(train(*whole, trained, 4, 6) == train(*undisturbed, trained, 4, 6));
    // Conversely, a segment restores its own part from the state of the unsplit model.
    const State all = checked(whole->state());
    for (const auto& stage : run.stages()) {
        QVERIFY(stage.executor->restore(all).ok());
        for (const auto& own : checked(stage.executor->state())) {
            const auto given = std::ranges::find_if(all, [&](const StateTensor& one) {
                return one.initializer == own.initializer && one.slot == own.slot;
            });
            QVERIFY(given != all.end() && std::ranges::equal(given->tensor.bytes(), own.tensor.bytes()));
        }
    }
}

void ExecutorStateTest::missing_optimizer_state_starts_from_zero() {
    const Model model = skips_and_transposes();
    const auto& adamw = optimizers.at("adamw");
    const auto executor = fresh(model, adamw);
    QVERIFY(std::ranges::all_of(checked(executor->state()), [](const auto& one) { return one.slot.empty(); }));
    (void)train(*executor, model, 1, 2);
    const State state = checked(executor->state());
    const RunResult undisturbed = train(*executor, model, 3, 4);
    const auto without = [&](const std::string& slot) {
        State rest = state;
        std::erase_if(rest, [&](const StateTensor& one) { return !one.slot.empty() && one.slot != slot; });
        return rest;
    };
    QVERIFY(executor->restore(without("")).ok());
    QCOMPARE(executor->memory().optimizer, std::int64_t{0});
    QVERIFY(!(train(*executor, model, 3, 4) == undisturbed));
    QVERIFY(executor->restore(without("second_moment")).ok());
    QVERIFY(executor->memory().optimizer > 0);
    QVERIFY(!(train(*executor, model, 3, 4) == undisturbed));
}

void ExecutorStateTest::mismatched_state_changes_nothing() {
    const Model model = residual_convolutions();
    const auto& momentum = optimizers.at("momentum");
    const auto other = fresh(model, momentum);
    (void)train(*other, model, 1, 2);
    const State given = checked(other->state());
    const auto executor = fresh(model, momentum);
    const State before = checked(executor->state());
    for (std::size_t i = 0; i < given.size(); ++i) {
        const std::string name = model.graph.values[model.graph.initializers[given[i].initializer].value].name;
        State lacking = given;
        lacking.erase(lacking.begin() + static_cast<std::ptrdiff_t>(i));
        if (given[i].slot.empty()) {
            const auto refused = executor->restore(lacking);
            QCOMPARE(refused.error().code, ErrorCode::not_found);
            QCOMPARE(refused.error().where, name);
        }
        State misshapen = given;
        misshapen[i].tensor.dims.push_back(1);
        State mistyped = given;
        mistyped[i].tensor.dtype = DType::int32;
        for (const State& wrong : {misshapen, mistyped}) {
            const auto refused = executor->restore(wrong);
            QCOMPARE(refused.error().code, ErrorCode::corrupt);
            QCOMPARE(refused.error().where, name);
        }
        QVERIFY(same(checked(executor->state()), before));
    }
    State more = given;
    more.push_back({1'000'000, "", given.front().tensor});  // state of another segment
    QVERIFY(executor->restore(more).ok());
    QVERIFY(same(checked(executor->state()), given));
}

void ExecutorStateTest::constants_are_not_part_of_the_state() {
    const Model model = slices_and_dropout();  // its initializers include sizes, axes and a ratio
    const auto executor = fresh(model, {});
    const State state = checked(executor->state());
    QVERIFY(!state.empty() && state.size() < executor->initializers().size());
    for (const auto& one : state)
        QVERIFY(model.graph.initializers[static_cast<std::size_t>(one.initializer)].trainable);
}

DIVISI_TEST(ExecutorStateTest)

}  // namespace executor_state_test

#include "executor_state_test.moc"
