// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/stage_operations.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "agents/instance/engine/pack.h"
#include "agents/instance/engine/step_records.h"
#include "backend/control/types/nonfinite.h"
#include "backend/task/lr_schedule.h"

namespace divisi::instance {

using graph::HostTensor;
using plan::Channel;
using plan::OperationKind;

StageOperations::StageOperations(std::shared_ptr<const task::CompiledPlan> plan, std::int32_t stage,
                                 std::unique_ptr<segment::Executor> executor)
    : plan_(std::move(plan)), stage_(stage), executor_(std::move(executor)) {}

Result<std::vector<HostTensor>> StageOperations::run(const plan::Start& start, const std::vector<HostTensor>& inputs) {
    const plan::Operation& operation = start.operation;
    switch (operation.kind) {
        case OperationKind::forward: return executor_->forward(start.step, operation.microbatch, inputs);
        case OperationKind::backward: return executor_->backward(start.step, operation.microbatch, inputs);
        case OperationKind::share_gradients: return share_gradients(start);
        case OperationKind::finish_gradients: return finish_gradients(start, inputs);
        case OperationKind::optimizer: return optimizer_step(start, inputs);
        case OperationKind::evaluate: return executor_->evaluate(inputs);
        case OperationKind::load:
        case OperationKind::preprocess: break;
    }
    return Error{ErrorCode::failed, "unknown operation", "", ""};
}

std::size_t StageOperations::outputs() const {
    return plan_->programs->flows[static_cast<std::size_t>(stage_)].outputs.size();
}

/// Returns, for each other stage that holds weights of this stage, one tensor with the gradients of these weights.
Result<std::vector<HostTensor>> StageOperations::share_gradients(const plan::Start& start) {
    std::vector<HostTensor> outputs;
    for (const std::int32_t number : start.operation.outputs) {
        const Channel& channel = plan_->programs->channels[static_cast<std::size_t>(number)];
        std::vector<std::int32_t> common;
        for (const plan::SharedWeight& shared : plan_->partition.shared_weights) {
            const auto holds = [&](std::int32_t s) {
                return std::find(shared.segments.begin(), shared.segments.end(), s) != shared.segments.end();
            };
            if (holds(channel.from) && holds(channel.to)) common.push_back(shared.initializer);
        }
        DIVISI_ASSIGN(const auto gradients, executor_->use_gradients(common));
        outputs.push_back(pack_use_gradients(gradients));
    }
    return outputs;
}

Result<std::vector<HostTensor>> StageOperations::finish_gradients(const plan::Start& start,
                                                                  const std::vector<HostTensor>& inputs) {
    std::vector<segment::UseGradient> foreign;
    for (const HostTensor& input : inputs) {
        DIVISI_ASSIGN(auto gradients, unpack_use_gradients(input));
        std::move(gradients.begin(), gradients.end(), std::back_inserter(foreign));
    }
    DIVISI_ASSIGN(own_shares_, executor_->finish_gradients(foreign));
    return std::vector<HostTensor>(start.operation.outputs.size(), pack_norm_shares(own_shares_));
}

Result<std::vector<HostTensor>> StageOperations::optimizer_step(const plan::Start& start,
                                                                const std::vector<HostTensor>& inputs) {
    const task::TrainSection& train = plan_->spec.train;
    std::optional<double> squared_norm;
    if (train.clip > 0) {
        std::vector<segment::NormShare> shares = own_shares_;
        for (const HostTensor& input : inputs) {
            DIVISI_ASSIGN(const auto more, unpack_norm_shares(input));
            shares.insert(shares.end(), more.begin(), more.end());
        }
        squared_norm = total_squared_norm(std::move(shares));
    }
    losses_ = {executor_->step_loss(), executor_->step_means()};
    DIVISI_TRY(executor_->optimizer_step(start.step, task::learning_rate(train, start.step), squared_norm));
    return std::vector<HostTensor>{};
}

Result<void> StageOperations::check_weights() const {
    if (plan_->spec.train.nonfinite != "stop") return {};
    const auto found = executor_->nonfinite_weight();
    if (!found) return {};
    const auto value = plan_->graph().initializers[static_cast<std::size_t>(*found)].value;
    return ending_error(control::nonfinite_weight(plan_->graph().values[static_cast<std::size_t>(value)].name,
                                                  plan_->spec.train.steps));
}

}  // namespace divisi::instance
