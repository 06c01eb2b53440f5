// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/training/version_lines.h"

#include <utility>

#include "backend/base/units.h"
#include "backend/control/types/json_lines.h"
#include "backend/ctl/terminal/terminal.h"

namespace divisi::ctl {
namespace {

using control::ModelVersion;
using nlohmann::ordered_json;

std::string loss_of(const ModelVersion& version) { return version.loss ? control::loss_text(*version.loss) : "-"; }

/// Formats one named part of the text; empty if it has no value.
std::string labelled(const char* name, const std::string& value) {
    constexpr std::size_t width = 10;
    std::string label = name;
    label.resize(width, ' ');
    return value.empty() ? "" : label + value + "\n";
}

/// Describes a version that is an ancestor of another version.
std::string ancestor_text(const ModelVersion& version) {
    return "version " + std::to_string(version.number) + "  " + clock_time(version.time) + "  task " +
           version.task.value() + " after step " + std::to_string(version.step) + ", loss " + loss_of(version) +
           (version.data.empty() ? "" : ", on " + version.data) + (version.kept ? "" : "; its weights were dropped");
}

}  // namespace

std::vector<std::string> version_columns() {
    return {">VERSION", "TASK", "MODEL", ">STEP", ">LOSS", "FROM", "MADE", ">SIZE", "HASH", "NAME"};
}

std::vector<std::string> version_row(const ModelVersion& version) {
    return {std::to_string(version.number),
            version.task.value(),
            version.model,
            std::to_string(version.step),
            loss_of(version),
            version.parent == 0 ? "-" : std::to_string(version.parent),
            clock_time(version.time),
            version.kept ? format_bytes(version.size) : "dropped",
            version.hash,
            version.name};
}

std::string version_text(const std::vector<const ModelVersion*>& lineage) {
    if (lineage.empty()) return "";
    const ModelVersion& version = *lineage.front();
    std::string text =
        "version " + std::to_string(version.number) + " of " + version.model + "\n" + labelled("name", version.name) +
        labelled("hash", version.hash) +
        labelled("task", version.task.value() + (version.checkpoint ? ", a checkpoint" : "")) +
        labelled("plan", (version.plan.empty() ? "unknown, because the task was re-cut later" : version.plan) + ", " +
                             counted(version.stages, "stage")) +
        labelled("data", version.data) + labelled("made", clock_time(version.time)) +
        labelled("step", std::to_string(version.step)) + labelled("loss", loss_of(version)) +
        labelled("weights", version.kept ? format_bytes(version.size) : "dropped");
    const char* label = "from";
    for (std::size_t i = 1; i < lineage.size(); ++i)
        text += labelled(std::exchange(label, ""), ancestor_text(*lineage[i]));
    const std::uint64_t first = lineage.back()->parent;
    return text + labelled(label, first == 0 ? "the model's initial weights"
                                             : "version " + std::to_string(first) + ", which is no longer known");
}

ordered_json version_json(const ModelVersion& version) {
    return {{"version", version.number},
            {"task", version.task.value()},
            {"model", version.model},
            {"hash", version.hash},
            {"from", version.parent == 0 ? ordered_json(nullptr) : ordered_json(version.parent)},
            {"data", version.data},
            {"plan", version.plan},
            {"stages", version.stages},
            {"step", version.step},
            {"loss", version.loss ? ordered_json(*version.loss) : ordered_json(nullptr)},
            {"time", clock_time(version.time)},
            {"bytes", version.size},
            {"kept", version.kept},
            {"checkpoint", version.checkpoint},
            {"name", version.name}};
}

}  // namespace divisi::ctl
