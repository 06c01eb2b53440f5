// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/stage_setup.h"

namespace divisi::instance {
namespace {

/// Configures the last segment of a batch task to return each head's output and, if present, its label.
void report_results(const plan::TrainingGraph& training, segment::SegmentConfig& config) {
    for (const plan::Head& head : training.heads) {
        config.metrics.push_back(head.result);
        if (head.label != graph::no_value) config.metrics.push_back(head.label);
    }
}

/// Configures the segment with the loss to report figures of the heads: their losses in training, and each head's loss
/// and accuracy in evaluation.
void report_heads(const plan::TrainingGraph& training, segment::SegmentConfig& config) {
    config.loss = training.loss;
    for (const plan::Head& head : training.heads) {
        if (training.multi_task) {
            config.observed.push_back(head.loss);
            config.metrics.push_back(head.loss);
        }
        if (head.accuracy != graph::no_value) config.metrics.push_back(head.accuracy);
    }
}

}  // namespace

segment::SegmentConfig segment_config(const task::CompiledPlan& plan, std::int32_t stage) {
    const task::TrainSection& train = plan.spec.train;
    const plan::SegmentFlow& flow = plan.programs->flows[static_cast<std::size_t>(stage)];
    segment::SegmentConfig config;
    config.graph = plan.shared_graph();
    config.nodes = plan.partition.segments[static_cast<std::size_t>(stage)].nodes;
    config.inputs = flow.inputs;
    config.outputs = flow.outputs;
    config.input_gradients = flow.input_gradients;
    config.output_gradients = flow.output_gradients;
    if (stage == plan.loss_stage()) {
        if (task::is_batch(plan.spec)) report_results(*plan.training, config);
        else report_heads(*plan.training, config);
    }
    config.microbatches = train.microbatches;
    config.seed = train.seed;
    config.recompute = train.recompute;
    config.device = plan.spec.place.device;
    config.threads = static_cast<int>(plan.spec.place.threads);
    using Kind = segment::OptimizerConfig::Kind;
    config.optimizer = {train.optimizer == "adamw" ? Kind::adamw : Kind::sgd,
                        train.momentum,
                        train.beta1,
                        train.beta2,
                        train.epsilon,
                        train.weight_decay,
                        train.clip};
    return config;
}

}  // namespace divisi::instance
