// SPDX-License-Identifier: Apache-2.0
// divisi-segment-check [device]: compares training of a small model on a device and on the CPU, including a handover to
// a restored executor. It is for machines that have a GPU and LibTorch but nothing else. Exit status 0: equal within
// 1e-5; 1: different; 2: the device cannot be used.
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "agents/segment/executor.h"
#include "backend/base/hash.h"
#include "backend/base/units.h"

namespace {

using namespace divisi;
using graph::DType;
using graph::HostTensor;
using graph::ValueIndex;

constexpr std::int64_t rows = 64, width = 128, classes = 10, steps = 20, microbatches = 2;

ValueIndex weight(graph::Graph& g, const std::string& name, std::int64_t in, std::int64_t out) {
    graph::Initializer initializer;
    initializer.random = {graph::RandomInit::Kind::normal, 1.0 / std::sqrt(static_cast<double>(in))};
    initializer.trainable = true;
    return g.add_initializer(name, std::move(initializer), DType::float32, {{in, ""}, {out, ""}});
}

ValueIndex node(graph::Graph& g, const std::string& op, std::vector<ValueIndex> inputs) {
    graph::Node added;
    added.name = "/" + op + "_" + std::to_string(g.nodes.size());
    added.op_type = op;
    added.inputs = std::move(inputs);
    added.outputs = {g.add_value(added.name + ":0", DType::float32)};
    const auto output = added.outputs.front();
    g.add_node(std::move(added));
    return output;
}

/// Returns a model of three layers with a skip connection and a cross-entropy.
std::shared_ptr<graph::Graph> make_model() {
    auto g = std::make_shared<graph::Graph>();
    const auto x = g->add_value("x", DType::float32, graph::Shape{{rows, ""}, {width, ""}});
    const auto target = g->add_value("target", DType::int64, graph::Shape{{rows, ""}});
    g->inputs = {x, target};
    const auto h = node(*g, "Relu", {node(*g, "MatMul", {x, weight(*g, "w1", width, width)})});
    const auto s = node(*g, "Add", {node(*g, "Tanh", {node(*g, "MatMul", {h, weight(*g, "w2", width, width)})}), h});
    const auto logits = node(*g, "MatMul", {s, weight(*g, "w3", width, classes)});
    g->outputs = {node(*g, "SoftmaxCrossEntropyLoss", {logits, target})};
    return g;
}

std::vector<HostTensor> batch(std::int64_t index) {
    std::vector<float> x;
    std::vector<std::int64_t> labels;
    for (std::int64_t i = 0; i < rows; ++i) {
        labels.push_back(
            static_cast<std::int64_t>(mix(static_cast<std::uint64_t>(index), static_cast<std::uint64_t>(i)) % classes));
        for (std::int64_t j = 0; j < width; ++j)
            x.push_back(static_cast<float>(std::sin(static_cast<double>(labels.back() * (j + 1) + index))));
    }
    return {HostTensor::of(DType::float32, {rows, width}, x), HostTensor::of(DType::int64, {rows}, labels)};
}

/// Returns a new executor with the state of another executor.
Result<std::unique_ptr<segment::Executor>> successor(const segment::SegmentConfig& config,
                                                     const segment::Executor& executor) {
    DIVISI_ASSIGN(const auto state, executor.state());
    DIVISI_ASSIGN(auto next, segment::make_executor(config, {}));
    DIVISI_TRY(next->restore(state));
    return next;
}

/// Trains the model and returns the losses. `handover`: the step after which another executor continues; 0: none.
Result<std::vector<float>> train(const std::shared_ptr<graph::Graph>& model, const std::string& device,
                                 std::int64_t handover = 0) {
    segment::SegmentConfig config;
    config.graph = model;
    for (graph::NodeIndex i = 0; i < static_cast<graph::NodeIndex>(model->nodes.size()); ++i) config.nodes.push_back(i);
    config.inputs = model->inputs;
    config.loss = model->outputs.front();
    config.microbatches = microbatches;
    config.device = device;
    config.optimizer.kind = segment::OptimizerConfig::Kind::adamw;
    DIVISI_ASSIGN(auto executor, segment::make_executor(config, {}));
    std::vector<float> losses;
    for (std::int64_t step = 1; step <= steps; ++step) {
        for (std::int64_t m = 0; m < microbatches; ++m) {
            const auto inputs = batch(m);
            const auto outputs = executor->forward(step, m, inputs);
            if (!outputs) return outputs.error();
            const auto gradients = executor->backward(step, m, {});
            if (!gradients) return gradients.error();
        }
        losses.push_back(executor->step_loss());
        const auto shares = executor->finish_gradients({});
        if (!shares) return shares.error();
        DIVISI_TRY(executor->optimizer_step(step, 1e-3, {}));
        if (step == handover) {
            DIVISI_ASSIGN(executor, successor(config, *executor));
        }
    }
    const auto memory = executor->memory();
    std::printf("%-8s loss %.6f to %.6f, %s of weights, %s of optimizer state\n", device.c_str(), losses.front(),
                losses.back(), format_bytes(memory.parameters).c_str(), format_bytes(memory.optimizer).c_str());
    return losses;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string device = argc > 1 ? argv[1] : "cuda";
    const auto model = make_model();
    if (const auto sorted = model->canonicalize(); !sorted) {
        std::fprintf(stderr, "%s\n", sorted.error().message().c_str());
        return 1;
    }
    const auto expected = train(model, "cpu");
    const auto found = train(model, device);
    const auto restored = train(model, device, steps / 2);
    for (const auto* result : {&expected, &found, &restored})
        if (!result->ok()) {
            std::fprintf(stderr, "%s\n", result->error().message().c_str());
            return result->error().code == ErrorCode::unavailable ? 2 : 1;
        }
    double worst = 0.0;
    for (const auto* result : {&found, &restored})
        for (std::size_t i = 0; i < expected->size(); ++i)
            worst = std::max(worst, std::abs(static_cast<double>((**result)[i]) - (*expected)[i]) / (*expected)[i]);
    std::printf("largest relative difference of a step's loss: %.2e\n", worst);
    return worst <= 1e-5 && expected->back() < 0.5F * expected->front() ? 0 : 1;
}
