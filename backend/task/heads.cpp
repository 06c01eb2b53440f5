// SPDX-License-Identifier: Apache-2.0
// Implements the functions of compile.h about a training's heads. This file is separate so that programs that only
// check tasks need not link the planner.
#include "backend/task/compile.h"

namespace divisi::task {

std::vector<plan::HeadLoss> head_losses(const TrainSection& train) {
    std::vector<plan::HeadLoss> heads;
    for (const auto& [output, loss] : train.losses) {
        if (loss == "none") continue;
        const auto weight = train.weights.find(output);
        heads.push_back({output, loss == "mse" ? plan::Loss::mse : plan::Loss::cross_entropy,
                         weight == train.weights.end() ? 1.0 : weight->second});
    }
    return heads;
}

std::string target_column(const TaskSpec& spec, const std::string& head) {
    if (const auto mapped = spec.model.targets.find(head); mapped != spec.model.targets.end()) return mapped->second;
    if (spec.data.kind == "csv") return head;
    return spec.data.kind == "synthetic" ? "target/" + head : "target";
}

}  // namespace divisi::task
