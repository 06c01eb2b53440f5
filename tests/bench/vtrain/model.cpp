// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/vtrain/model.h"

#include <algorithm>

#include "backend/plan/schedule.h"

namespace divisi::bench {

namespace {

constexpr double vocabulary = 51200;  ///< GPT-2's 50257, padded as in Megatron-LM for eight-way tensor parallelism
constexpr double half_bytes = 2;      ///< bytes of a float16

/// Bytes per parameter of Adam in mixed precision. The gradient is read in float16. Weight and two moments are read and
/// written in float32. The weight is written in float16, and the gradient is read again for its norm.
constexpr double optimizer_bytes = 2 + 2 * (4 + 4 + 4) + 2 + 2;

struct Directions {
    double forward = 0, backward = 0;
};

/// Returns the time of a ring all-reduce over `ways` GPUs: 2 (ways - 1) messages, each 1/ways of the data. Patarasuk
/// and Yuan, JPDC 69 (2009).
double all_reduce_s(double bytes, std::int32_t ways, const Constants& c) {
    return 2.0 * (ways - 1) * (c[ring_step_s] + bytes / ways / c[ring_bytes_per_s]);
}

/// Returns the bytes that the operators of a layer other than matrix products read and write. Each operator is counted
/// separately. Per token and hidden unit, two norms and two dropouts with residuals run completely on every GPU; GELU
/// and transpositions are split. Scores, softmax, dropout and its mask, per head and pair of tokens, are split too.
Directions layer_bytes(const Row& row) {
    const double whole = row.tokens() * row.hidden, split = whole / row.tensor;
    const double scores = row.tokens() * row.sequence * row.heads / row.tensor;
    return {22 * whole + 28 * split + 13 * scores, 42 * whole + 50 * split + 17 * scores};
}

/// Returns the time of one micro-batch through one layer. The host issues kernels ahead of the GPU, so the slower of
/// the two determines the time. There are two all-reduces per direction: Shoeybi et al., Megatron-LM, arXiv 1909.08053.
Directions layer_s(const Row& row, const Constants& c) {
    const double tokens = row.tokens(), hidden = row.hidden;
    const double products = (24 * hidden * hidden + 4 * row.sequence * hidden) * tokens / row.tensor;
    const Directions bytes = layer_bytes(row);
    const auto computing = [&](double directions, double moved) {
        const double device =
            directions * (products / c[product_flops_per_s] + c[layer_device_s]) + moved / c[memory_bytes_per_s];
        return std::max(directions * c[layer_issue_s], device);
    };
    const double reducing = 2 * all_reduce_s(tokens * hidden * half_bytes, row.tensor, c);
    return {computing(1, bytes.forward) + reducing, computing(2, bytes.backward) + reducing};
}

/// Returns the time of logits and loss; a third of their memory traffic belongs to the forward pass.
Directions head_s(const Row& row, const Constants& c) {
    const double logits = row.tokens() * vocabulary / row.tensor;
    const double third =
        2 * row.hidden * logits / c[product_flops_per_s] + logits * c[logit_bytes] / 3 / c[memory_bytes_per_s];
    return {third, 2 * third};
}

price::StageSeconds stage_s(const Row& row, std::int32_t stage, const Constants& c) {
    const bool first = stage == 0, last = stage + 1 == row.pipeline;
    const Directions layer = layer_s(row, c), head = last ? head_s(row, c) : Directions{};
    const double hidden = row.hidden, layers = row.stage_layers();
    const double parameters = (12 * hidden * hidden * layers + (first || last ? vocabulary * hidden : 0)) / row.tensor;
    price::StageSeconds seconds;
    seconds.forward = layers * layer.forward + head.forward;
    seconds.backward = layers * layer.backward + head.backward;
    seconds.finish_gradients = all_reduce_s(parameters * half_bytes, row.data, c);
    seconds.optimizer = parameters * optimizer_bytes / c[memory_bytes_per_s] + c[step_s];
    return seconds;
}

/// Returns a chain of stages; the first and the last hold the embedding.
plan::Partition chain(std::int32_t stages) {
    plan::Partition partition;
    partition.segments.resize(static_cast<std::size_t>(stages));
    partition.edges.push_back({0, plan::data_unit, 0, false});
    if (stages > 1) partition.edges.push_back({1, plan::data_unit, stages - 1, false});
    for (std::int32_t s = 0; s + 1 < stages; ++s) partition.edges.push_back({2 + s, s, s + 1, true});
    if (stages > 1) partition.shared_weights.push_back({0, {0, stages - 1}});
    return partition;
}

/// Returns the size of one tensor. The data unit's token numbers and the norm's shares are negligible.
Bytes channel_bytes(const plan::Channel& channel, const Row& row) {
    using Kind = plan::Channel::Kind;
    if (channel.from == plan::data_unit || channel.kind == Kind::norm_shares) return 0;
    const double bytes = channel.kind == Kind::use_gradients ? vocabulary * row.hidden / row.tensor * half_bytes
                                                             : row.tokens() * row.hidden * half_bytes;
    return static_cast<Bytes>(bytes);
}

}  // namespace

const std::shared_ptr<const plan::Programs>& TrainingModel::programs(std::int32_t stages, std::int32_t microbatches) {
    auto& programs = programs_[{stages, microbatches}];
    if (!programs)
        programs = std::make_shared<const plan::Programs>(
            plan::make_programs(chain(stages), plan::one_f_one_b(stages, microbatches),
                                {1, price::most_simulated_steps, microbatches, 0, 0}, true));
    return programs;
}

price::SimulatedPlan TrainingModel::plan(const Row& row, const Constants& constants) {
    price::SimulatedPlan plan;
    plan.programs = programs(row.pipeline, row.microbatches());
    for (const plan::Channel& channel : plan.programs->channels)
        plan.tensor_bytes.push_back(channel_bytes(channel, row));
    for (std::int32_t stage = 0; stage < row.pipeline; ++stage) {
        plan.seconds.push_back(stage_s(row, stage, constants));
        plan.places.push_back({0, 1});
    }
    plan.hosts.push_back({"eight A100", 0});
    plan.links.within_host.latency_s = constants[ring_step_s];
    plan.links.within_host.bytes_per_s = constants[ring_bytes_per_s];
    return plan;
}

Result<double> TrainingModel::step_s(const Row& row, const Constants& constants) {
    DIVISI_ASSIGN(const price::Simulation simulation, price::simulate(plan(row, constants)));
    return simulation.step_s;
}

}  // namespace divisi::bench
