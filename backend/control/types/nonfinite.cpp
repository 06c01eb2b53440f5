// SPDX-License-Identifier: Apache-2.0
#include "backend/control/types/nonfinite.h"

#include <cmath>

#include "backend/control/types/error_texts.h"
#include "backend/control/types/json_lines.h"

namespace divisi::control::inline types {
namespace {

/// Describes non-finite losses, for example "nan (head 'ads' is nan)"; empty if all are finite.
std::string wrong_losses(float loss, const std::vector<HeadRecord>& heads) {
    std::string wrong;
    for (const HeadRecord& head : heads)
        if (!std::isfinite(head.loss))
            wrong += (wrong.empty() ? "" : ", ") + ("head '" + head.name + "' is " + loss_text(head.loss));
    if (std::isfinite(loss) && wrong.empty()) return {};
    return loss_text(loss) + (wrong.empty() ? "" : " (" + wrong + ")");
}

}  // namespace

std::optional<Error> nonfinite_loss(const StepRecord& record) {
    std::string wrong = wrong_losses(record.loss, record.heads);
    if (wrong.empty()) return std::nullopt;
    return make_error(record.step <= 1 ? error_text("loss-not-finite-at-start") : error_text("loss-not-finite"),
                      "step " + std::to_string(record.step), {std::move(wrong)});
}

std::optional<Error> nonfinite_loss(const EvalRecord& record) {
    std::string wrong = wrong_losses(record.loss, record.heads);
    if (wrong.empty()) return std::nullopt;
    return make_error(error_text("validation-loss-not-finite"), "evaluation after step " + std::to_string(record.step),
                      {std::move(wrong)});
}

Error nonfinite_weight(const std::string& weight, std::int64_t step) {
    return make_error(error_text("weight-not-finite"), "after step " + std::to_string(step), {weight});
}

}  // namespace divisi::control::inline types
