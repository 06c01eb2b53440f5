// SPDX-License-Identifier: Apache-2.0
// Compares the executor with hand-written LibTorch loops of the same models, and split zoo models with unsplit ones.
#include "tests/bench/executor/hand_written.h"

#include "agents/segment/executor.h"
#include "backend/graph/zoo.h"
#include "backend/plan/training_graph.h"
#include "tests/support/test_program.h"
#include "tests/unit/segment/mini_models.h"
#include "tests/unit/segment/split_run.h"

namespace zoo_loop_test {

using namespace divisi;
using namespace divisi::test;

namespace {

constexpr std::int64_t steps = 20;

Model zoo(const char* name, const graph::ZooSizes& sizes, std::int64_t rows) {
    auto built = graph::build_zoo(name, sizes, rows);
    if (!built) qFatal("%s", built.error().message().c_str());
    auto training = plan::make_training_graph(*built, {});
    if (!training) qFatal("%s", training.error().message().c_str());
    Model model;
    model.graph = std::move(training->graph);
    model.loss = training->loss;
    const auto dims = [&](ValueIndex value) {
        std::vector<std::int64_t> result;
        for (const auto& dim : *model.graph.values[value].shape) result.push_back(dim.size);
        return result;
    };
    const auto input = model.graph.inputs.front();
    model.input_dims = dims(input);
    model.vocabulary = model.graph.values[input].dtype == DType::int64 ? 256 : 0;
    model.target_dims = dims(training->heads[0].target);
    model.classes = model.graph.values[training->heads[0].output].shape->back().size;
    return model;
}

/// Returns initial weights by name, as the executor initializes them (seed 5, like SplitRun).
Parameters initial_weights(const Model& model) {
    segment::SegmentConfig config;
    config.graph = std::make_shared<graph::Graph>(model.graph);
    for (NodeIndex i = 0; i < static_cast<NodeIndex>(model.graph.nodes.size()); ++i) config.nodes.push_back(i);
    config.inputs = model.graph.inputs;
    config.loss = model.loss;
    config.seed = 5;
    const auto executor = segment::make_executor(config, {});
    if (!executor) qFatal("%s", executor.error().message().c_str());
    Parameters parameters;
    for (const auto index : (*executor)->initializers()) {
        const auto& initializer = model.graph.initializers[index];
        const auto host = (*executor)->read(index).value();
        if (host.dtype != DType::float32) continue;
        auto tensor = at::from_blob(const_cast<std::byte*>(host.data), host.dims, at::kFloat).clone();
        parameters[model.graph.values[initializer.value].name] = tensor.set_requires_grad(initializer.trainable);
    }
    return parameters;
}

at::Tensor tensor_of(const HostTensor& host) {
    const auto type = host.dtype == DType::int64 ? at::kLong : at::kFloat;
    return at::from_blob(const_cast<std::byte*>(host.data), host.dims, type).clone();
}

using Loss = std::function<at::Tensor(const at::Tensor& input, const at::Tensor& target)>;

std::vector<float> hand_written(const Model& model, std::int64_t microbatches, const Loss& loss_of,
                                const std::function<void()>& update) {
    std::vector<float> losses;
    for (std::int64_t step = 1; step <= steps; ++step) {
        float sum = 0.0F;
        for (std::int64_t m = 0; m < microbatches; ++m) {
            const auto values = sample(model, step, m);
            const auto loss =
                loss_of(tensor_of(values.at(model.graph.inputs[0])), tensor_of(values.at(model.graph.inputs[1]))) /
                static_cast<double>(microbatches);
            torch::autograd::backward({loss});
            sum += loss.item<float>();
        }
        losses.push_back(sum);
        update();
    }
    return losses;
}

RunResult trained(const Model& model, RunOptions options) {
    SplitRun run(model.graph, model.loss, std::move(options));
    auto result =
        run.train([&](std::int64_t step, std::int64_t microbatch) { return sample(model, step, microbatch); });
    if (!result) qFatal("%s", result.error().message().c_str());
    return std::move(result).value();
}

double worst_difference(const std::vector<float>& a, const std::vector<float>& b) {
    double worst = a.size() == b.size() ? 0.0 : 1.0;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
        worst = std::max(worst, std::abs(static_cast<double>(a[i]) - b[i]) / b[i]);
    return worst;
}

RunOptions adamw() {
    RunOptions options;
    options.optimizer.kind = segment::OptimizerConfig::Kind::adamw;
    options.optimizer.weight_decay = 0.01;
    options.lr = 1e-3;
    return options;
}

const graph::ZooSizes small_gpt{{"layers", 2}, {"width", 48}, {"heads", 3}, {"context", 16}, {"tied", 1}};
const graph::ZooSizes small_resnet{{"image", 32}, {"width", 8}, {"classes", 10}};

}  // namespace

class ZooLoopTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void gpt_matches_a_hand_written_loop();
    void resnet18_matches_a_hand_written_loop();
    void split_gpt_has_equal_bits();
    void split_resnet18_has_equal_bits();
};

void ZooLoopTest::gpt_matches_a_hand_written_loop() {
    const Model model = zoo("gpt", small_gpt, 2);
    const GptShape shape{2, 48, 3, 16, 256, true};
    auto parameters = initial_weights(model);
    const auto mask = gpt_mask(shape.context);
    HandWrittenAdamW update;
    const auto expected = hand_written(
        model, 4, [&](const auto& x, const auto& y) { return gpt_loss(parameters, shape, x, y, mask); },
        [&] { update.step(parameters, 1e-3, 0.01); });
    auto options = adamw();
    options.steps = steps;
    const auto found = trained(model, options);
    QVERIFY2(worst_difference(found.losses, expected) < 1e-5,
             qPrintable(QString::number(worst_difference(found.losses, expected))));
}

void ZooLoopTest::resnet18_matches_a_hand_written_loop() {
    const Model model = zoo("resnet18", small_resnet, 4);
    auto parameters = initial_weights(model);
    HandWrittenSgd update;
    const auto expected = hand_written(
        model, 2, [&](const auto& x, const auto& y) { return resnet18_loss(parameters, x, y); },
        [&] { update.step(parameters, 1e-3, 0.9); });
    RunOptions options;
    options.steps = steps;
    options.microbatches = 2;
    options.lr = 1e-3;
    options.optimizer.momentum = 0.9;
    const auto found = trained(model, options);
    QVERIFY2(worst_difference(found.losses, expected) < 1e-5,
             qPrintable(QString::number(worst_difference(found.losses, expected))));
}

namespace {

void compare_splits(const Model& model, std::int64_t microbatches) {
    auto options = adamw();
    options.steps = 3;
    options.microbatches = microbatches;
    options.optimizer.clip = 1.0;
    const auto reference = trained(model, options);
    const auto count = static_cast<NodeIndex>(model.graph.nodes.size());
    for (const int stages : {2, 3, 4})
        for (const bool interleave : {false, true}) {
            options.cuts.clear();
            for (int s = 1; s < stages; ++s) options.cuts.push_back(count * s / stages);
            options.one_forward_one_backward = interleave;
            QVERIFY2(trained(model, options) == reference,
                     qPrintable(QString("%1 stages, 1f1b %2").arg(stages).arg(interleave)));
        }
}

}  // namespace

void ZooLoopTest::split_gpt_has_equal_bits() {
    const Model model = zoo("gpt", small_gpt, 1);
    compare_splits(model, 4);
    compare_splits(model, 8);
}

void ZooLoopTest::split_resnet18_has_equal_bits() {
    const Model model = zoo("resnet18", small_resnet, 2);
    compare_splits(model, 4);
    compare_splits(model, 8);
}

DIVISI_TEST(ZooLoopTest)

}  // namespace zoo_loop_test

#include "zoo_loop_test.moc"
