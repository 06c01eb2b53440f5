// SPDX-License-Identifier: Apache-2.0
#include "backend/task/sent_text.h"

#include "backend/base/units.h"
#include "backend/task/parse.h"

namespace divisi::task {
namespace {

Error too_long(const TaskSpec& spec, std::size_t size) {
    std::size_t names = spec.split.cuts.size();
    for (const SegmentSpec& segment : spec.split.segments) names += segment.nodes.size();
    const std::string what = "the plan names " + std::to_string(names) + " operators and takes " +
                             format_bytes(static_cast<Bytes>(size)) + " as a task; a task may have " +
                             format_bytes(static_cast<Bytes>(most_file_bytes));
    if (spec.split.strategy == "block")
        return {ErrorCode::exhausted, what, "split.strategy",
                "write [[split.segment]] with scopes, as in nodes = [\"/encoder/*\"], or use strategy = \"layer\""};
    return {ErrorCode::exhausted, what, "split", "shorten the operators' names in the model, or use fewer stages"};
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
