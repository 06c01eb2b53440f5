// SPDX-License-Identifier: Apache-2.0
// What compile.h says of a training's heads. Programs that only check tasks ask this too, and hold no planner: a file
// of its own, since what compiles would bring that with it.
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
