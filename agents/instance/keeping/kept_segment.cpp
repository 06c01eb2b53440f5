// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/keeping/kept_segment.h"

#include <algorithm>
#include <utility>

namespace divisi::instance {
namespace {

/// Returns the part of the spec that determines the graph and its arithmetic, without the cuts and the placement.
task::TaskSpec uncut(task::TaskSpec spec) {
    spec.split = {};
    spec.checkpoint = {};
    spec.faults = {};
    const task::PlaceSection place = std::exchange(spec.place, {});
    spec.place.device = place.device;
    spec.place.precision = place.precision;
    spec.place.threads = place.threads;
    return spec;
}

/// Returns whether node and value numbers mean the same in both graphs.
bool have_same_numbers(const graph::Graph& one, const graph::Graph& other) {
    const auto same_node = [](const graph::Node& a, const graph::Node& b) {
        return a.op_type == b.op_type && a.inputs == b.inputs && a.outputs == b.outputs;
    };
    const auto same_value = [](const graph::Value& a, const graph::Value& b) { return a.name == b.name; };
    const auto same_weight = [](const graph::Initializer& a, const graph::Initializer& b) {
        return a.value == b.value;
    };
    return std::ranges::equal(one.nodes, other.nodes, same_node) &&
           std::ranges::equal(one.values, other.values, same_value) &&
           std::ranges::equal(one.initializers, other.initializers, same_weight);
}

bool is_same(const segment::OptimizerConfig& one, const segment::OptimizerConfig& other) {
    return one.kind == other.kind && one.momentum == other.momentum && one.beta1 == other.beta1 &&
           one.beta2 == other.beta2 && one.epsilon == other.epsilon && one.weight_decay == other.weight_decay &&
           one.clip == other.clip;
}

}  // namespace

bool TrainedSegment::is_begun_with(const control::Deploy& deploy, const task::CompiledPlan& plan) const {
    return std::ranges::count(deploy.restore.hashes, snapshot) > 0 && deploy.skeleton == skeleton &&
           uncut(plan.spec) == uncut(spec) && have_same_numbers(*config.graph, plan.graph());
}

bool TrainedSegment::is(const segment::SegmentConfig& wanted) const { return is_same(config, wanted); }

bool BuiltSegment::serves(const control::Deploy& deploy, const std::shared_ptr<const task::CompiledPlan>& of) const {
    return plan == of && stage == deploy.stage && deploy.restore.step > 0;
}

bool is_same(const segment::SegmentConfig& one, const segment::SegmentConfig& other) {
    return one.nodes == other.nodes && one.inputs == other.inputs && one.outputs == other.outputs &&
           one.input_gradients == other.input_gradients && one.output_gradients == other.output_gradients &&
           one.loss == other.loss && one.observed == other.observed && one.metrics == other.metrics &&
           one.microbatches == other.microbatches && one.seed == other.seed && one.recompute == other.recompute &&
           one.device == other.device && one.threads == other.threads && is_same(one.optimizer, other.optimizer);
}

}  // namespace divisi::instance
