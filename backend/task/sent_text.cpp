// SPDX-License-Identifier: Apache-2.0
#include "backend/task/sent_text.h"

#include "backend/base/units.h"
#include "backend/task/error_texts.h"
#include "backend/task/parse.h"

namespace divisi::task {
namespace {

Error too_long(const TaskSpec& spec, std::size_t size) {
    std::size_t names = spec.split.cuts.size();
    for (const SegmentSpec& segment : spec.split.segments) names += segment.nodes.size();
    const std::vector<std::string> args = {std::to_string(names), format_bytes(static_cast<Bytes>(size)),
                                           format_bytes(static_cast<Bytes>(most_file_bytes))};
    if (spec.split.strategy == "block") return make_error(error_text("block-plan-too-long"), "split.strategy", args);
    return make_error(error_text("plan-too-long"), "split", args);
}

}  // namespace

Result<std::string> sent_text(const CompiledPlan& plan) {
    const TaskSpec spec = with_found_plan(plan);
    std::string text = print_task(spec);
    if (text.size() > most_file_bytes) return too_long(spec, text.size());
    if (auto parsed = parse_task(text, "the task with its plan"); !parsed) return std::move(parsed).error();
    return text;
}

}  // namespace divisi::task
