// SPDX-License-Identifier: Apache-2.0
// Tests the guarantees of the executor to its caller: named errors, memory, replay and evaluation.

#include <cmath>
#include <cstring>
#include <limits>

#include "agents/segment/executor.h"
#include "agents/segment/optimizer.h"
#include "backend/graph/roles.h"
#include "tests/support/test_program.h"
#include "tests/unit/segment/mini_models.h"

namespace executor_contract_test {

using namespace divisi;
using namespace divisi::test;
using segment::Executor;
using segment::SegmentConfig;

namespace {

SegmentConfig whole(const Model& model) {
    SegmentConfig config;
    config.graph = std::make_shared<graph::Graph>(model.graph);
    for (graph::NodeIndex i = 0; i < static_cast<graph::NodeIndex>(model.graph.nodes.size()); ++i)
        config.nodes.push_back(i);
    config.inputs = model.graph.inputs;
    config.loss = model.loss;
    config.microbatches = 2;
    return config;
}

std::unique_ptr<Executor> made(const SegmentConfig& config) {
    auto executor = segment::make_executor(config, {});
    if (!executor) qFatal("%s", executor.error().message().c_str());
    return std::move(executor).value();
}

std::vector<HostTensor> inputs(const Model& model, std::int64_t step, std::int64_t microbatch) {
    std::vector<HostTensor> tensors;
    const auto values = sample(model, step, microbatch);
    for (const auto value : model.graph.inputs) tensors.push_back(values.at(value));
    return tensors;
}

std::vector<float> floats(const HostTensor& tensor) {
    std::vector<float> numbers(static_cast<std::size_t>(tensor.element_count()));
    std::memcpy(numbers.data(), tensor.data, numbers.size() * sizeof(float));
    return numbers;
}

/// Builds y = w * x with loss = sum of y: the gradient of w is x.
Model scaled_sum(Builder& b, ValueIndex& weight) {
    const auto x = b.input("x", DType::float32, {3});
    weight = b.weight({3});
    const auto total = b.node("ReduceSum", {b.node("Mul", {weight, x})}, {{"keepdims", std::int64_t{0}}});
    return b.finish(total, {{}, -1, {3}, 0, {}, 0});
}

}  // namespace

class ExecutorContractTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void unknown_operator_is_named();
    void unknown_and_absent_devices_are_refused();
    void missing_weights_are_named_after_asking_the_reader();
    void error_about_wrong_inputs_names_the_node();
    void microbatches_must_ascend();
    void holds_only_its_own_weights_and_activations();
    void evaluation_changes_nothing();
    void absent_gradients_stay_absent();
    void sgd_follows_its_formula();
    void adamw_follows_its_formula();
    void adamw_matches_pytorch();
    void steps_count_from_one();
    void clipping_requires_the_norm();
    void clipping_by_a_non_finite_norm_gives_nan();
    void non_finite_weights_are_found();
    void stopwatch_times_every_operator();
    void stopwatch_changes_no_number();
};

void ExecutorContractTest::unknown_operator_is_named() {
    Builder b;
    const auto x = b.input("x", DType::float32, {2});
    const Model model = b.finish(b.node("NoSuchOperator", {x}), {{}, -1, {2}, 0, {}, 0});
    const auto executor = segment::make_executor(whole(model), {});
    QVERIFY(!executor.ok());
    QCOMPARE(executor.error().code, ErrorCode::unsupported);
    QVERIFY(executor.error().message().find("NoSuchOperator") != std::string::npos);
}

void ExecutorContractTest::unknown_and_absent_devices_are_refused() {
    auto config = whole(skips_and_transposes());
    config.device = "abacus";
    QCOMPARE(segment::make_executor(config, {}).error().code, ErrorCode::invalid_input);
    config.device = "cuda:99";
    QCOMPARE(segment::make_executor(config, {}).error().code, ErrorCode::unavailable);
}

void ExecutorContractTest::missing_weights_are_named_after_asking_the_reader() {
    Builder b;
    ValueIndex weight = graph::no_value;
    Model model = scaled_sum(b, weight);
    model.graph.initializers.front().random.reset();
    const auto refused = segment::make_executor(whole(model), {});
    QCOMPARE(refused.error().code, ErrorCode::not_found);
    QVERIFY(refused.error().message().find("w0") != std::string::npos);
    const auto executor = segment::make_executor(whole(model), [](const graph::Initializer&) -> Result<HostTensor> {
        return HostTensor::of(DType::float32, {3}, std::vector<float>{1, 2, 3});
    });
    QVERIFY(executor.ok());
    QCOMPARE(floats(executor.value()->read(0).value()), (std::vector<float>{1, 2, 3}));
}

void ExecutorContractTest::error_about_wrong_inputs_names_the_node() {
    const Model model = skips_and_transposes();
    const auto executor = made(whole(model));
    QCOMPARE(executor->forward(1, 0, {}).error().code, ErrorCode::invalid_input);
    auto tensors = inputs(model, 0, 0);
    tensors[0] = HostTensor::of(DType::float32, {2, 3}, std::vector<float>(6, 0.0F));
    const auto failed = made(whole(model))->forward(1, 0, tensors);
    QCOMPARE(failed.error().code, ErrorCode::failed);
    QVERIFY2(failed.error().message().starts_with("/MatMul_0: "), failed.error().message().c_str());
    QVERIFY(failed.error().message().find('\n') == std::string::npos);
    tensors[0].dims = {6, 16};
    QVERIFY(!made(whole(model))->forward(1, 0, tensors).ok());
}

void ExecutorContractTest::microbatches_must_ascend() {
    const Model model = skips_and_transposes();
    const auto executor = made(whole(model));
    QCOMPARE(executor->forward(1, 1, inputs(model, 0, 1)).error().code, ErrorCode::invalid_input);
    QVERIFY(executor->forward(1, 0, inputs(model, 0, 0)).ok());
    QVERIFY(executor->forward(1, 1, inputs(model, 0, 1)).ok());
    QVERIFY(!executor->forward(1, 2, inputs(model, 0, 0)).ok());
    QCOMPARE(executor->backward(1, 1, {}).error().code, ErrorCode::invalid_input);
    QVERIFY(executor->backward(1, 0, {}).ok());
    QVERIFY(executor->backward(1, 1, {}).ok());
    QVERIFY(!executor->backward(1, 2, {}).ok());
}

void ExecutorContractTest::holds_only_its_own_weights_and_activations() {
    const Model model = skips_and_transposes();
    auto config = whole(model);
    config.optimizer.momentum = 0.9;
    const auto executor = made(config);
    const auto before = executor->memory();
    QVERIFY(before.parameters > 0);
    QCOMPARE(before.gradients + before.optimizer + before.activations, 0);
    QVERIFY(executor->forward(1, 0, inputs(model, 0, 0)).ok());
    const auto one = executor->memory().activations;
    QVERIFY(one > 0);
    QVERIFY(executor->forward(1, 1, inputs(model, 0, 1)).ok());
    QCOMPARE(executor->memory().activations, 2 * one);
    QVERIFY(executor->backward(1, 0, {}).ok());
    QVERIFY(executor->backward(1, 1, {}).ok());
    QCOMPARE(executor->memory().activations, 0);
    QCOMPARE(executor->memory().gradients, before.parameters);
    QVERIFY(executor->finish_gradients({}).ok());
    QVERIFY(executor->optimizer_step(1, 0.1, {}).ok());
    QCOMPARE(executor->memory().gradients, 0);
    QCOMPARE(executor->memory().optimizer, before.parameters);

    config.nodes.resize(2);
    config.outputs = config.graph->nodes[1].outputs;
    config.output_gradients = config.outputs;
    config.inputs = {config.inputs.front()};
    config.loss.reset();
    const auto part = made(config);
    QCOMPARE(part->initializers().size(), std::size_t{2});
    QVERIFY(part->memory().parameters < before.parameters);
}

void ExecutorContractTest::evaluation_changes_nothing() {
    const Model model = residual_convolutions();
    const auto config = whole(model);
    const auto executor = made(config);
    const auto first = executor->evaluate(inputs(model, 0, 0));
    QVERIFY2(first.ok(), first ? "" : first.error().message().c_str());
    QCOMPARE(first->size(), std::size_t{1});
    QVERIFY(executor->forward(1, 0, inputs(model, 0, 0)).ok());
    const float trained = executor->step_loss();
    const auto second = executor->evaluate(inputs(model, 0, 0));
    // Running statistics have changed, so evaluation uses the new ones; the current step is not affected by the
    // evaluation.
    QVERIFY(floats(first->front()) != floats(second->front()));
    QCOMPARE(executor->step_loss(), trained);
    QVERIFY(executor->backward(1, 0, {}).ok());
}

void ExecutorContractTest::absent_gradients_stay_absent() {
    const Model model = skips_and_transposes();
    auto config = whole(model);
    config.nodes.erase(config.nodes.begin(), config.nodes.begin() + 3);
    const auto border = model.graph.nodes[2].outputs.front();
    config.nodes.resize(2);
    config.inputs = {border};
    config.input_gradients = {border};
    config.outputs = model.graph.nodes[4].outputs;
    config.output_gradients = config.outputs;
    config.loss.reset();
    const auto executor = made(config);
    const auto x = HostTensor::of(DType::float32, {6, 24}, std::vector<float>(144, 0.5F));
    QVERIFY(executor->forward(1, 0, {x}).ok());
    const auto gradients = executor->backward(1, 0, {HostTensor{}});
    QVERIFY(gradients.ok());
    QCOMPARE(gradients->size(), std::size_t{1});
    QVERIFY(gradients->front().data == nullptr);
}

namespace {

/// Returns the weights after two steps with constant gradient (1, 2, 3).
std::vector<float> after_two_steps(segment::OptimizerConfig optimizer, double lr, std::vector<float>* start) {
    Builder b;
    ValueIndex weight = graph::no_value;
    const Model model = scaled_sum(b, weight);
    auto config = whole(model);
    config.microbatches = 1;
    config.optimizer = optimizer;
    const auto executor = made(config);
    *start = floats(executor->read(0).value());
    const auto x = HostTensor::of(DType::float32, {3}, std::vector<float>{1, 2, 3});
    for (std::int64_t step = 1; step <= 2; ++step) {
        if (!executor->forward(step, 0, {x}) || !executor->backward(step, 0, {})) qFatal("step failed");
        if (!executor->finish_gradients({}) || !executor->optimizer_step(step, lr, 1.0)) qFatal("update failed");
    }
    return floats(executor->read(0).value());
}

}  // namespace

void ExecutorContractTest::sgd_follows_its_formula() {
    segment::OptimizerConfig optimizer;
    optimizer.momentum = 0.9;
    optimizer.weight_decay = 0.1;
    std::vector<float> start;
    const auto end = after_two_steps(optimizer, 0.01, &start);
    for (std::size_t i = 0; i < 3; ++i) {
        double w = start[i], momentum = 0.0;
        for (int step = 0; step < 2; ++step) {
            momentum = 0.9 * momentum + (static_cast<double>(i + 1) + 0.1 * w);
            w -= 0.01 * momentum;
        }
        QVERIFY(std::abs(end[i] - w) < 1e-6);
    }
}

void ExecutorContractTest::adamw_follows_its_formula() {
    segment::OptimizerConfig optimizer;
    optimizer.kind = segment::OptimizerConfig::Kind::adamw;
    optimizer.weight_decay = 0.1;
    std::vector<float> start;
    const auto end = after_two_steps(optimizer, 0.01, &start);
    for (std::size_t i = 0; i < 3; ++i) {
        const double g = static_cast<double>(i + 1);
        double w = start[i], m = 0.0, v = 0.0;
        for (int step = 1; step <= 2; ++step) {
            w *= 1.0 - 0.01 * 0.1;
            m = 0.9 * m + 0.1 * g;
            v = 0.999 * v + 0.001 * g * g;
            w -= 0.01 * (m / (1.0 - std::pow(0.9, step))) / (std::sqrt(v / (1.0 - std::pow(0.999, step))) + 1e-8);
        }
        QVERIFY(std::abs(end[i] - w) < 1e-6);
    }
}

/// The loss is the sum of x * w * w, starting at w = (0.5, -1.25, 2) with x = (1, 2, 3), lr 0.01, weight decay 0.1. The
/// numbers are from PyTorch 2.15.0, torch.optim.AdamW in float64: the loss before each step.
void ExecutorContractTest::adamw_matches_pytorch() {
    constexpr double losses[] = {15.375,
                                 15.1650453752964,
                                 14.956926115454795,
                                 14.75066094186484,
                                 14.546267783109121,
                                 14.343763710701467,
                                 14.143164878547742,
                                 13.944486466590611};
    Builder b;
    const auto x = b.input("x", DType::float32, {3});
    const auto w = b.weight({3});
    const auto squares = b.node("Mul", {b.node("Mul", {w, w}), x});
    Model model = b.finish(b.node("ReduceSum", {squares}, {{"keepdims", std::int64_t{0}}}), {{}, -1, {3}, 0, {}, 0});
    model.graph.initializers.front().random.reset();
    auto config = whole(model);
    config.microbatches = 1;
    config.optimizer.kind = segment::OptimizerConfig::Kind::adamw;
    config.optimizer.weight_decay = 0.1;
    const auto executor = segment::make_executor(config, [](const graph::Initializer&) -> Result<HostTensor> {
        return HostTensor::of(DType::float32, {3}, std::vector<float>{0.5F, -1.25F, 2.0F});
    });
    QVERIFY2(executor.ok(), executor ? "" : executor.error().message().c_str());
    const auto sample = HostTensor::of(DType::float32, {3}, std::vector<float>{1, 2, 3});
    std::int64_t step = 0;  // the first step of a plan is 1
    for (const double expected : losses) {
        ++step;
        QVERIFY((*executor)->forward(step, 0, {sample}).ok());
        const double relative = std::abs((*executor)->step_loss() - expected) / expected;
        QVERIFY2(relative < 1e-6, qPrintable(QString("step %1: off by %2").arg(step).arg(relative)));
        QVERIFY((*executor)->backward(step, 0, {}).ok());
        QVERIFY((*executor)->optimizer_step(step, 0.01, {}).ok());
    }
}

void ExecutorContractTest::steps_count_from_one() {
    const Model model = skips_and_transposes();
    const auto executor = made(whole(model));
    QCOMPARE(executor->forward(0, 0, inputs(model, 0, 0)).error().code, ErrorCode::invalid_input);
    QCOMPARE(executor->optimizer_step(0, 0.1, {}).error().code, ErrorCode::invalid_input);
}

void ExecutorContractTest::clipping_requires_the_norm() {
    Builder b;
    ValueIndex weight = graph::no_value;
    const Model model = scaled_sum(b, weight);
    auto config = whole(model);
    config.microbatches = 1;
    config.optimizer.clip = 1.0;
    const auto executor = made(config);
    const auto start = floats(executor->read(0).value());
    QVERIFY(executor->forward(1, 0, {HostTensor::of(DType::float32, {3}, std::vector<float>{2, 3, 6})}).ok());
    QVERIFY(executor->backward(1, 0, {}).ok());
    const auto shares = executor->finish_gradients({});
    QCOMPARE(shares->front().squared, 49.0);
    QCOMPARE(executor->optimizer_step(1, 1.0, {}).error().code, ErrorCode::invalid_input);
    QVERIFY(executor->optimizer_step(1, 1.0, 49.0).ok());
    const auto end = floats(executor->read(0).value());
    QVERIFY(std::abs((start[2] - end[2]) - 6.0F / 7.0F) < 1e-5F);
}

/// As in torch.nn.utils.clip_grad_norm_, every gradient becomes nan, not only the one that was nan before.
void ExecutorContractTest::clipping_by_a_non_finite_norm_gives_nan() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    QVERIFY(std::isnan(segment::clip_scale(1.0, nan)));
    QCOMPARE(segment::clip_scale(1.0, std::numeric_limits<double>::infinity()), 0.0);  // and 0 * inf is nan
    QCOMPARE(segment::clip_scale(1.0, 0.25), 1.0);
    QCOMPARE(segment::clip_scale(0.0, nan), 1.0);
}

void ExecutorContractTest::non_finite_weights_are_found() {
    Builder b;
    const auto x = b.input("x", DType::float32, {3});
    const auto fixed = b.scalar(-std::numeric_limits<float>::infinity());  // a mask may contain infinity
    const auto kept = b.node("Max", {b.node("Mul", {b.weight({3}), x}), fixed});
    const Model model = b.finish(b.node("ReduceSum", {kept}, {{"keepdims", std::int64_t{0}}}), {{}, -1, {3}, 0, {}, 0});
    auto config = whole(model);
    config.microbatches = 1;
    const auto executor = made(config);
    QVERIFY(!executor->nonfinite_weight());
    const auto train = [&](std::int64_t step, float gradient) {
        QVERIFY(
            executor->forward(step, 0, {HostTensor::of(DType::float32, {3}, std::vector<float>{0, gradient, 0})}).ok());
        QVERIFY(executor->backward(step, 0, {}).ok());
        QVERIFY(executor->optimizer_step(step, 10.0, {}).ok());
    };
    train(1, 1e30F);
    QVERIFY(!executor->nonfinite_weight());
    train(2, 3e38F);
    const auto found = executor->nonfinite_weight();
    QVERIFY(found && model.graph.initializers[static_cast<std::size_t>(*found)].trainable);
}

void ExecutorContractTest::stopwatch_times_every_operator() {
    const Model model = residual_convolutions();
    for (const bool frozen : {false, true}) {
        auto config = whole(model);
        const std::vector<bool> gradient = graph::needs_gradient(model.graph);
        if (frozen) {
            graph::Graph fixed = model.graph;
            for (graph::Initializer& initializer : fixed.initializers) initializer.trainable = false;
            config.graph = std::make_shared<graph::Graph>(std::move(fixed));
        }
        segment::Stopwatch stopwatch(model.graph.nodes.size(), CLOCK_MONOTONIC,
                                     frozen ? gradient : std::vector<bool>());
        config.stopwatch = &stopwatch;
        const auto executor = made(config);
        for (const std::int64_t step : {1, 2}) {
            const bool running = step == 2;
            stopwatch.reset(running);
            QVERIFY(executor->forward(step, 0, inputs(model, 0, 0)).ok());
            QVERIFY(executor->backward(step, 0, {}).ok());
            QVERIFY(executor->optimizer_step(step, 0.0, {}).ok());
            for (std::size_t node = 0; node < model.graph.nodes.size(); ++node) {
                const auto output = static_cast<std::size_t>(model.graph.nodes[node].outputs.front());
                QCOMPARE(stopwatch.forward()[node] > 0, running);
                QCOMPARE(stopwatch.backward()[node] > 0, running && gradient[output]);
            }
        }
    }
}

void ExecutorContractTest::stopwatch_changes_no_number() {
    for (const Model& model : {skips_and_transposes(), branches(), tied_embedding()}) {
        std::vector<std::vector<float>> trained;
        for (const bool timed : {false, true}) {
            auto config = whole(model);
            segment::Stopwatch stopwatch(model.graph.nodes.size(), CLOCK_MONOTONIC);
            stopwatch.reset(true);
            if (timed) config.stopwatch = &stopwatch;
            const auto executor = made(config);
            for (std::int64_t microbatch = 0; microbatch < 2; ++microbatch) {
                QVERIFY(executor->forward(1, microbatch, inputs(model, 0, microbatch)).ok());
                QVERIFY(executor->backward(1, microbatch, {}).ok());
            }
            QVERIFY(executor->finish_gradients({}).ok());
            QVERIFY(executor->optimizer_step(1, 0.1, {}).ok());
            std::vector<float> weights;
            for (const std::int32_t initializer : executor->initializers())
                if (model.graph.initializers[initializer].trainable)
                    for (const float number : floats(executor->read(initializer).value())) weights.push_back(number);
            trained.push_back(std::move(weights));
        }
        QVERIFY(!trained[0].empty() && trained[0] == trained[1]);
    }
}

DIVISI_TEST(ExecutorContractTest)

}  // namespace executor_contract_test

#include "executor_contract_test.moc"
