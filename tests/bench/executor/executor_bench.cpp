// SPDX-License-Identifier: Apache-2.0
// divisi-bench-executor [rounds] [layers]: compares the executor with a hand-written LibTorch loop of zoo:gpt (width
// 192, context 128, batch 16 in 8 micro-batches, AdamW) on one thread. The two run alternately. Prints the median of
// the rounds' ratios.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "agents/segment/executor.h"
#include "backend/base/hash.h"
#include "backend/graph/zoo.h"
#include "tests/bench/executor/hand_written.h"

namespace {

using namespace divisi;
using graph::DType;
using graph::HostTensor;
using graph::ValueIndex;

constexpr std::int64_t batch = 16, microbatches = 8, rows = batch / microbatches;
constexpr double lr = 1e-3, weight_decay = 0.01;
constexpr std::int64_t steps_per_round = 2;

/// Returns zoo:gpt with a cross-entropy over all tokens.
graph::Graph gpt_with_loss(const test::GptShape& s) {
    const graph::ZooSizes sizes{{"layers", s.layers}, {"width", s.width}, {"heads", s.heads}, {"context", s.context}};
    auto built = graph::build_zoo("gpt", sizes, rows);
    if (!built) {
        std::fprintf(stderr, "%s\n", built.error().message().c_str());
        std::exit(1);
    }
    auto g = std::move(built).value();
    const auto constant = [&](const char* name, const std::vector<std::int64_t>& numbers) {
        graph::Initializer initializer;
        const auto count = static_cast<std::int64_t>(numbers.size());
        initializer.data = HostTensor::of(DType::int64, {count}, numbers);
        return g.add_initializer(name, std::move(initializer), DType::int64, {{count, ""}});
    };
    const auto node = [&](const char* name, const char* op, std::vector<ValueIndex> inputs, DType dtype) {
        graph::Node added;
        added.name = name;
        added.op_type = op;
        added.inputs = std::move(inputs);
        added.outputs = {g.add_value(std::string(name) + "_output", dtype)};
        const auto output = added.outputs.front();
        g.add_node(std::move(added));
        return output;
    };
    const auto target = g.add_value("target", DType::int64, graph::Shape{{rows, ""}, {s.context, ""}});
    g.inputs.push_back(target);
    const auto scores =
        node("/loss/scores", "Reshape", {g.outputs.front(), constant("/loss/a", {-1, s.vocabulary})}, DType::float32);
    const auto labels = node("/loss/labels", "Reshape", {target, constant("/loss/b", {-1})}, DType::int64);
    g.outputs = {node("/loss/entropy", "SoftmaxCrossEntropyLoss", {scores, labels}, DType::float32)};
    if (!g.canonicalize()) std::exit(1);
    return g;
}

HostTensor tokens(const test::GptShape& s, std::int64_t step, std::int64_t microbatch, std::uint64_t salt) {
    std::vector<std::int64_t> numbers;
    const auto key = mix(mix(salt, static_cast<std::uint64_t>(step)), static_cast<std::uint64_t>(microbatch));
    for (std::int64_t i = 0; i < rows * s.context; ++i)
        numbers.push_back(static_cast<std::int64_t>(mix(key, static_cast<std::uint64_t>(i)) % 256));
    return HostTensor::of(DType::int64, {rows, s.context}, numbers);
}

template <typename T>
T checked(Result<T> result) {
    if (result) return std::move(result).value();
    std::fprintf(stderr, "%s\n", result.error().message().c_str());
    std::exit(1);
}

float executor_step(segment::Executor& executor, const test::GptShape& s, std::int64_t step) {
    for (std::int64_t m = 0; m < microbatches; ++m) {
        checked(executor.forward(step, m, {tokens(s, step, m, 1), tokens(s, step, m, 2)}));
        checked(executor.backward(step, m, {}));
    }
    const float loss = executor.step_loss();
    checked(executor.finish_gradients({}));
    if (!executor.optimizer_step(step, lr, {})) std::exit(1);
    return loss;
}

float hand_written_step(test::Parameters& p, test::HandWrittenAdamW& adamw, const test::GptShape& s,
                        const at::Tensor& mask, std::int64_t step) {
    float sum = 0.0F;
    for (std::int64_t m = 0; m < microbatches; ++m) {
        const auto x = tokens(s, step, m, 1), y = tokens(s, step, m, 2);
        const auto tensor = [&](const HostTensor& host) {
            return at::from_blob(const_cast<std::byte*>(host.data), host.dims, at::kLong);
        };
        const auto loss = test::gpt_loss(p, s, tensor(x), tensor(y), mask) / static_cast<double>(microbatches);
        torch::autograd::backward({loss});
        sum += loss.item<float>();
    }
    adamw.step(p, lr, weight_decay);
    return sum;
}

template <typename Work>
double milliseconds(Work&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> numbers) {
    std::sort(numbers.begin(), numbers.end());
    return numbers[numbers.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 7;
    test::GptShape shape;
    if (argc > 2) shape.layers = std::atoi(argv[2]);
    const auto g = std::make_shared<graph::Graph>(gpt_with_loss(shape));
    segment::SegmentConfig config;
    config.graph = g;
    for (graph::NodeIndex i = 0; i < static_cast<graph::NodeIndex>(g->nodes.size()); ++i) config.nodes.push_back(i);
    config.inputs = g->inputs;
    config.loss = g->outputs.front();
    config.microbatches = microbatches;
    config.optimizer.kind = segment::OptimizerConfig::Kind::adamw;
    config.optimizer.weight_decay = weight_decay;
    const auto executor = checked(segment::make_executor(config, {}));

    test::Parameters parameters;
    for (const auto index : executor->initializers()) {
        const auto& initializer = g->initializers[index];
        if (!initializer.trainable) continue;
        const auto host = checked(executor->read(index));
        auto tensor = at::from_blob(const_cast<std::byte*>(host.data), host.dims, at::kFloat).clone();
        parameters[g->values[initializer.value].name] = tensor.set_requires_grad(true);
    }
    shape.tied = !parameters.contains("head.weight");
    test::HandWrittenAdamW adamw;
    const auto mask = test::gpt_mask(shape.context);

    std::vector<double> ours, theirs, ratios;
    std::int64_t step = 1;
    double worst = 0.0;
    for (int round = 0; round <= rounds; ++round) {
        float own_loss = 0.0F, loss = 0.0F;
        const double own = milliseconds([&] {
            for (std::int64_t i = 0; i < steps_per_round; ++i) own_loss = executor_step(*executor, shape, step + i);
        });
        const double other = milliseconds([&] {
            for (std::int64_t i = 0; i < steps_per_round; ++i)
                loss = hand_written_step(parameters, adamw, shape, mask, step + i);
        });
        step += steps_per_round;
        worst = std::max(worst, std::abs(static_cast<double>(own_loss) - loss) / loss);
        if (round == 0) continue;  // warm-up
        ours.push_back(own / steps_per_round);
        theirs.push_back(other / steps_per_round);
        ratios.push_back(own / other);
    }
    std::printf(
        "executor %.1f ms a step, hand-written %.1f ms, ratio %.3f (median of %d rounds), losses differ by %.1e\n",
        median(ours), median(theirs), median(ratios), rounds, worst);
    return 0;
}
