// SPDX-License-Identifier: Apache-2.0
// Trains a model in one process, cut into segments that pass tensors like instances.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "agents/segment/executor.h"
#include "backend/plan/partition.h"

namespace divisi::test {

using graph::HostTensor;
using graph::NodeIndex;
using graph::ValueIndex;

struct RunOptions {
    std::vector<NodeIndex> cuts;          ///< first node of every segment but the first
    std::vector<plan::Segment> segments;  ///< used instead of cuts
    std::int64_t steps = 4;
    std::int64_t microbatches = 4;
    bool one_forward_one_backward = false;  ///< otherwise all forwards, then all backwards
    bool recompute = false;
    double lr = 0.1;
    segment::OptimizerConfig optimizer;
};

struct RunResult {
    std::vector<float> losses;
    std::map<std::int32_t, std::vector<std::byte>> weights;  ///< by initializer, including running statistics
    bool operator==(const RunResult& other) const {
        return weights == other.weights && losses.size() == other.losses.size() &&
               std::memcmp(losses.data(), other.losses.data(), losses.size() * sizeof(float)) == 0;
    }
};

using Samples = std::function<std::map<ValueIndex, HostTensor>(std::int64_t step, std::int64_t microbatch)>;

/// One instance of the run: an executor and its connections.
struct Stage {
    segment::SegmentConfig config;
    std::unique_ptr<segment::Executor> executor;
    std::vector<std::int32_t> input_from;  ///< source of each input: a segment, or plan::data_unit
    std::vector<bool> forward_first;       ///< program: true for forward, false for backward
    std::size_t position = 0;
    std::int64_t next_forward = 0, next_backward = 0;
};

class SplitRun {
public:
    SplitRun(const graph::Graph& graph, ValueIndex loss, RunOptions options)
        : graph_(std::make_shared<graph::Graph>(graph)), loss_(loss), options_(std::move(options)) {}

    Result<RunResult> train(const Samples& samples) {
        DIVISI_TRY(prepare());
        RunResult result;
        for (std::int64_t step = 1; step <= options_.steps; ++step) {
            DIVISI_TRY(run_microbatches(step, samples));
            for (const auto& stage : stages_)
                if (stage.config.loss) result.losses.push_back(stage.executor->step_loss());
            DIVISI_TRY(finish_step(step));
        }
        for (const auto& stage : stages_)
            for (const auto initializer : stage.executor->initializers()) {
                DIVISI_ASSIGN(const auto tensor, stage.executor->read(initializer));
                std::vector<std::byte> bytes(tensor.bytes().begin(), tensor.bytes().end());
                const auto [found, fresh] = result.weights.emplace(initializer, bytes);
                if (!fresh && found->second != bytes)
                    return Error{ErrorCode::failed, "replicas of a shared weight differ",
                                 graph_->values[graph_->initializers[initializer].value].name, ""};
            }
        return result;
    }
    const std::vector<Stage>& stages() const { return stages_; }
    const plan::Partition& partition() const { return partition_; }

private:
    std::shared_ptr<const graph::Graph> graph_;
    ValueIndex loss_;
    RunOptions options_;
    plan::Partition partition_;
    std::vector<Stage> stages_;
    /// (value, receiving segment, micro-batch) -> tensor in flight
    std::map<std::tuple<ValueIndex, std::int32_t, std::int64_t>, HostTensor> forward_, backward_;

    Result<void> prepare() {
        std::vector<plan::Segment> segments = options_.segments;
        if (segments.empty()) segments.emplace_back();
        for (NodeIndex node = 0; options_.segments.empty() && node < static_cast<NodeIndex>(graph_->nodes.size());
             ++node) {
            if (std::find(options_.cuts.begin(), options_.cuts.end(), node) != options_.cuts.end())
                segments.emplace_back();
            segments.back().nodes.push_back(node);
        }
        DIVISI_ASSIGN(partition_, plan::make_partition(*graph_, std::move(segments)));
        const auto count = static_cast<std::int32_t>(partition_.segments.size());
        for (std::int32_t s = 0; s < count; ++s) {
            Stage stage;
            auto& config = stage.config;
            config.graph = graph_;
            config.nodes = partition_.segments[s].nodes;
            config.microbatches = options_.microbatches;
            config.seed = 5;
            config.recompute = options_.recompute;
            config.optimizer = options_.optimizer;
            for (const auto& edge : partition_.edges) {
                if (edge.to == s) {
                    config.inputs.push_back(edge.value);
                    stage.input_from.push_back(edge.from);
                    if (edge.gradient) config.input_gradients.push_back(edge.value);
                }
                if (edge.from == s) {
                    config.outputs.push_back(edge.value);
                    if (edge.gradient) config.output_gradients.push_back(edge.value);
                }
            }
            const auto producer = graph_->values[loss_].producer;
            if (std::find(config.nodes.begin(), config.nodes.end(), producer) != config.nodes.end())
                config.loss = loss_;
            const auto m = options_.microbatches;
            const auto warm_up = options_.one_forward_one_backward ? std::min<std::int64_t>(m, count - s) : m;
            for (std::int64_t i = 0; i < warm_up; ++i) stage.forward_first.push_back(true);
            for (std::int64_t i = warm_up; i < m; ++i)
                stage.forward_first.insert(stage.forward_first.end(), {false, true});
            for (std::int64_t i = 0; i < warm_up; ++i) stage.forward_first.push_back(false);
            DIVISI_ASSIGN(stage.executor, segment::make_executor(config, {}));
            stages_.push_back(std::move(stage));
        }
        return {};
    }

    /// Returns a copy like one received from a socket: even an empty tensor has a data pointer.
    static HostTensor received(HostTensor sent) {
        const auto owned = std::make_shared<std::vector<std::byte>>(sent.bytes().begin(), sent.bytes().end());
        owned->reserve(1);
        sent.data = owned->data();
        sent.owner = owned;
        return sent;
    }
    std::int32_t receiver_of(ValueIndex value, std::int32_t from) const {
        for (const auto& edge : partition_.edges)
            if (edge.value == value && edge.from == from) return edge.to;
        return -1;
    }

    Result<void> run_microbatches(std::int64_t step, const Samples& samples) {
        for (auto& stage : stages_) stage.position = 0, stage.next_forward = stage.next_backward = 0;
        for (bool progress = true; progress;) {
            progress = false;
            for (std::int32_t s = 0; s < static_cast<std::int32_t>(stages_.size()); ++s) {
                auto& stage = stages_[s];
                if (stage.position == stage.forward_first.size()) continue;
                DIVISI_ASSIGN(const bool ran,
                              stage.forward_first[stage.position] ? forward(s, step, samples) : backward(s, step));
                stage.position += ran ? 1 : 0;
                progress = progress || ran;
            }
        }
        for (const auto& stage : stages_)
            if (stage.position != stage.forward_first.size())
                return Error{ErrorCode::failed, "the schedule came to a halt", "", ""};
        return {};
    }

    Result<bool> forward(std::int32_t s, std::int64_t step, const Samples& samples) {
        auto& stage = stages_[s];
        const auto microbatch = stage.next_forward;
        std::vector<HostTensor> inputs;
        const auto data = samples(step, microbatch);
        for (std::size_t i = 0; i < stage.config.inputs.size(); ++i) {
            if (stage.input_from[i] == plan::data_unit) {
                inputs.push_back(data.at(stage.config.inputs[i]));
            } else {
                const auto found = forward_.find({stage.config.inputs[i], s, microbatch});
                if (found == forward_.end()) return false;
                inputs.push_back(found->second);
            }
        }
        for (const auto value : stage.config.inputs) forward_.erase({value, s, microbatch});
        DIVISI_ASSIGN(auto outputs, stage.executor->forward(step, microbatch, inputs));
        for (std::size_t i = 0; i < outputs.size(); ++i)
            forward_[{stage.config.outputs[i], receiver_of(stage.config.outputs[i], s), microbatch}] = outputs[i];
        ++stage.next_forward;
        return true;
    }

    Result<bool> backward(std::int32_t s, std::int64_t step) {
        auto& stage = stages_[s];
        const auto microbatch = stage.next_backward;
        std::vector<HostTensor> gradients;
        for (const auto value : stage.config.output_gradients) {
            const auto found = backward_.find({value, s, microbatch});
            if (found == backward_.end()) return false;
            gradients.push_back(found->second);
        }
        for (const auto value : stage.config.output_gradients) backward_.erase({value, s, microbatch});
        DIVISI_ASSIGN(auto results, stage.executor->backward(step, microbatch, gradients));
        for (std::size_t i = 0; i < results.size(); ++i) {
            const auto value = stage.config.input_gradients[i];
            for (const auto& edge : partition_.edges)
                if (edge.value == value && edge.to == s)
                    backward_[{value, edge.from, microbatch}] = received(results[i]);
        }
        ++stage.next_backward;
        return true;
    }

    Result<void> finish_step(std::int64_t step) {
        std::vector<std::vector<segment::UseGradient>> foreign(stages_.size());
        for (const auto& shared : partition_.shared_weights)
            for (const auto from : shared.segments) {
                DIVISI_ASSIGN(const auto uses, stages_[from].executor->use_gradients({shared.initializer}));
                for (const auto to : shared.segments)
                    if (to != from) foreign[to].insert(foreign[to].end(), uses.begin(), uses.end());
            }
        std::map<std::int32_t, double> squared;
        for (std::size_t s = 0; s < stages_.size(); ++s) {
            DIVISI_ASSIGN(const auto shares, stages_[s].executor->finish_gradients(foreign[s]));
            for (const auto& share : shares) squared[share.initializer] = share.squared;
        }
        double norm = 0.0;
        for (const auto& [initializer, share] : squared) norm += share;
        for (auto& stage : stages_) DIVISI_TRY(stage.executor->optimizer_step(step, options_.lr, norm));
        return {};
    }
};

}  // namespace divisi::test
