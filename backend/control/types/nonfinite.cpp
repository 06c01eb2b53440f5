// SPDX-License-Identifier: Apache-2.0
#include "backend/control/types/nonfinite.h"

#include <cmath>

#include "backend/control/types/json_lines.h"

namespace divisi::control::inline types {
namespace {

constexpr const char* diverged =
    "lower train.lr, warm up (train.warmup_steps), set train.clip, or look for extreme values in the data";
/// Advice if training has not changed the weights yet.
constexpr const char* began_so = "look for extreme values in the data, or in the model's first weights";

/// Describes non-finite losses, for example "the loss is nan (head 'ads' is nan)"; empty if all are finite.
std::string wrong_losses(const char* name, float loss, const std::vector<HeadRecord>& heads) {
    std::string wrong;
    for (const HeadRecord& head : heads)
        if (!std::isfinite(head.loss))
            wrong += (wrong.empty() ? "" : ", ") + ("head '" + head.name + "' is " + loss_text(head.loss));
    if (std::isfinite(loss) && wrong.empty()) return {};
    return std::string(name) + " is " + loss_text(loss) + (wrong.empty() ? "" : " (" + wrong + ")");
}

}  // namespace

std::optional<Error> nonfinite_loss(const StepRecord& record) {
    std::string wrong = wrong_losses("the loss", record.loss, record.heads);
    if (wrong.empty()) return std::nullopt;
    return Error{ErrorCode::failed, std::move(wrong), "step " + std::to_string(record.step),
                 record.step <= 1 ? began_so : diverged};
}

std::optional<Error> nonfinite_loss(const EvalRecord& record) {
    std::string wrong = wrong_losses("the validation loss", record.loss, record.heads);
    if (wrong.empty()) return std::nullopt;
    return Error{ErrorCode::failed, std::move(wrong), "evaluation after step " + std::to_string(record.step), diverged};
}

Error nonfinite_weight(const std::string& weight, std::int64_t step) {
    return {ErrorCode::failed, "weight '" + weight + "' holds nan or infinite numbers",
            "after step " + std::to_string(step), diverged};
}

}  // namespace divisi::control::inline types
