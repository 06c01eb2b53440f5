// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/commands/trial.h"

#include <numeric>

namespace divisi::instance {
namespace {

/// Number of micro-batches in a step; the first one is not counted.
constexpr std::int64_t microbatches = 3;
constexpr double counted = microbatches - 1;

double seconds(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Returns the stretch's graph without weights to train.
std::shared_ptr<const graph::Graph> frozen(const graph::Graph& graph) {
    auto result = std::make_shared<graph::Graph>(graph);
    for (graph::Initializer& initializer : result->initializers) initializer.trainable = false;
    return result;
}

}  // namespace

Result<Trial> Trial::make(std::shared_ptr<const Stretch> stretch, const TrialOptions& options) {
    Trial trial;
    trial.clock_ = options.device == "cpu" && options.threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    trial.stopwatch_ = std::make_unique<segment::Stopwatch>(stretch->graph->nodes.size(), trial.clock_,
                                                            options.frozen ? stretch->gradient : std::vector<bool>());
    segment::SegmentConfig config;
    config.graph = options.frozen ? frozen(*stretch->graph) : stretch->graph;
    config.nodes.resize(config.graph->nodes.size());
    std::iota(config.nodes.begin(), config.nodes.end(), 0);
    config.inputs = config.graph->inputs;
    for (const graph::ValueIndex input : config.inputs)
        if (stretch->gradient[static_cast<std::size_t>(input)]) config.input_gradients.push_back(input);
    config.outputs = stretch->outputs;
    config.output_gradients = stretch->gradients_at;
    if (stretch->loss != graph::no_value) config.loss = stretch->loss;
    config.microbatches = microbatches;
    config.device = options.device;
    config.threads = options.threads;
    config.optimizer = options.optimizer;
    config.stopwatch = trial.stopwatch_.get();
    const auto no_file = [](const graph::Initializer&) -> Result<graph::HostTensor> {
        return Error{ErrorCode::corrupt, "a weight without data", "", ""};
    };
    DIVISI_ASSIGN(trial.executor_, segment::make_executor(config, no_file));
    trial.stretch_ = std::move(stretch);
    return trial;
}

Result<TrialTimes> Trial::run(bool timed) {
    TrialTimes times;
    stopwatch_->reset(false);
    for (std::int64_t microbatch = 0; microbatch < microbatches; ++microbatch) {
        if (microbatch == 1) stopwatch_->reset(timed);
        const double begin = seconds(clock_);
        DIVISI_TRY(executor_->forward(step_, microbatch, stretch_->inputs));
        const double middle = seconds(clock_);
        DIVISI_TRY(executor_->backward(step_, microbatch, stretch_->gradients));
        if (microbatch == 0) continue;
        times.forward += (middle - begin) / counted;
        times.backward += (seconds(clock_) - middle) / counted;
    }
    const double begin = seconds(clock_);
    DIVISI_TRY(executor_->finish_gradients({}));
    DIVISI_TRY(executor_->optimizer_step(step_, 0.0, {}));
    times.optimizer = seconds(clock_) - begin;
    ++step_;
    return times;
}

double Trial::forward(graph::NodeIndex node) const {
    return stopwatch_->forward()[static_cast<std::size_t>(node)] / counted;
}

double Trial::backward(graph::NodeIndex node) const {
    return stopwatch_->backward()[static_cast<std::size_t>(node)] / counted;
}

}  // namespace divisi::instance
