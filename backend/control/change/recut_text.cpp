// SPDX-License-Identifier: Apache-2.0
#include "backend/control/change/recut_text.h"

#include "backend/control/types/error_texts.h"
#include "backend/task/parse.h"

namespace divisi::control::inline change {
namespace {

Result<std::string> checked(const task::TaskSpec& spec) {
    DIVISI_TRY(task::check_task(spec));
    return task::print_task(spec);
}

Result<void> check_wish(const Recut& message) {
    const int wishes = (message.cuts.empty() ? 0 : 1) + (message.stages != 0 ? 1 : 0) + (message.undo ? 1 : 0) +
                       (message.blocks.empty() ? 0 : 1);
    if (wishes != 1)
        return make_error(wishes == 0 ? error_text("recut-says-nothing") : error_text("recut-says-too-much"), "recut");
    if (message.stages < 0)
        return make_error(error_text("recut-bad-stages"), "recut.stages", {std::to_string(message.stages)});
    return {};
}

/// Removes the split of the old plan, since it describes other stages.
void forget_split(task::TaskSpec& spec) {
    spec.split.cuts.clear();
    spec.split.segments.clear();
    spec.split.stages = spec.split.least_stages = spec.split.most_stages = 0;
}

}  // namespace

Result<std::string> recut_text(const TaskView& task, const Recut& message) {
    DIVISI_TRY(check_wish(message));
    if (message.undo) {
        if (!task.text_before.empty()) return task.text_before;
        return make_error(error_text("recut-nothing-to-undo"), task.id.value());
    }
    DIVISI_ASSIGN(task::TaskSpec spec, task::parse_task(task.text, task.id.value()));
    forget_split(spec);
    spec.split.cuts = message.cuts;
    spec.split.stages = message.stages;
    if (!message.blocks.empty()) {
        spec.split.strategy = "block";
        spec.split.segments = message.blocks;
        spec.place.stages.clear();  // each block names its own node
        return checked(spec);
    }
    if (!message.cuts.empty() && spec.split.strategy == "block") spec.split.strategy = "layer";
    const std::size_t stages =
        message.cuts.empty() ? static_cast<std::size_t>(message.stages) : message.cuts.size() + 1;
    if (spec.place.stages.size() != stages) spec.place.stages.clear();
    return checked(spec);
}

Result<std::string> with_found_cuts(const std::string& text, const PlanSummary& plan) {
    DIVISI_ASSIGN(task::TaskSpec spec, task::parse_task(text, plan.name));
    if (plan.cuts.empty()) return text;  // the plan has one stage, or is given by blocks
    forget_split(spec);
    spec.split.cuts = plan.cuts;
    return checked(spec);
}

}  // namespace divisi::control::inline change
