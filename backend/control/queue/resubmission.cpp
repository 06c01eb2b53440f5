// SPDX-License-Identifier: Apache-2.0
#include "backend/control/queue/resubmission.h"

#include <algorithm>
#include <filesystem>

#include "backend/control/queue/deliveries.h"
#include "backend/control/types/error_texts.h"
#include "backend/task/data_files.h"
#include "backend/task/parse.h"

namespace divisi::control::inline queue {
namespace {

/// Returns the paths of the files that the client uploaded.
std::string names_of(const std::vector<FileRef>& files) {
    std::string names;
    for (const FileRef& file : files)
        if (!file.hash.empty()) names += (names.empty() ? "" : ", ") + file.path;
    return names;
}

bool same_files(const task::TaskSpec& a, const task::TaskSpec& b) {
    return std::ranges::equal(task::data_files(a.data, a.batch.labels), task::data_files(b.data, b.batch.labels),
                              [](const task::DataFile& one, const task::DataFile& other) {
                                  return one.purpose == other.purpose && one.path == other.path;
                              });
}

/// Checks that the edited text needs only the model and files that came with the task: the same imported model with its
/// settings, and the same files.
Result<void> check_edit(const TaskView& task, const std::string& text) {
    DIVISI_ASSIGN(const task::TaskSpec before, task::parse_task(task.text, "the failed task"));
    DIVISI_ASSIGN(const task::TaskSpec now, task::parse_task(text, "the edited task"));
    const bool started = !before.model.from.empty() || !now.model.from.empty();  // starts from a version's weights
    const bool imported = started || before.model.zoo.empty() || now.model.zoo.empty();
    if (imported && !(before.model == now.model)) return make_error(error_text("edit-changes-model"), "[model]");
    if (!has_brought_files(task.files) || same_files(before, now)) return {};
    return make_error(error_text("edit-changes-files"), "[data]");
}

Result<void> check_node(const ClusterState& state, const TaskView& task, const NodeId& node) {
    const auto found = state.nodes.find(node);
    if (found != state.nodes.end() && found->second.state == NodeState::ready) return {};
    return make_error(
        error_text("node-with-brought-files-away"), "node " + node.value(),
        {found == state.nodes.end() ? "not known" : to_string(found->second.state), names_of(task.files)});
}

}  // namespace

Result<SubmitTask> resubmission(const ClusterState& state, const TaskView& task, const std::string& text,
                                const std::string& skeleton) {
    if (!text.empty()) DIVISI_TRY(check_edit(task, text));
    if (!task.skeleton.empty() && skeleton.empty())
        return make_error(error_text("resubmitted-model-lost"), task.id.value());
    if (has_brought_files(task.files)) {
        if (task.queue == QueueState::files || task.nodes.empty())
            return make_error(error_text("files-never-arrived"),
                              task.nodes.empty() ? "any node" : "node " + task.nodes.front().value(),
                              {names_of(task.files)});
        for (const NodeId& node : task.nodes) DIVISI_TRY(check_node(state, task, node));
    }
    return SubmitTask{text.empty() ? task.text : text, task.folder, skeleton, task.files, task.submitted_by};
}

/// Returns the nodes that hold the files. The data is on the nodes that loaded it, and weights are on the nodes whose
/// stages read them. With equal cuts and equally many instances, the plan needs the same files on each node.
Result<std::vector<NodeId>> nodes_with_files(const ClusterState& state, const TaskView& task, const PlanSummary& plan) {
    if (!has_brought_files(task.files)) return std::vector<NodeId>();
    const auto wanted = static_cast<std::size_t>(plan.stages) + static_cast<std::size_t>(plan.data_apart());
    if (wanted != task.nodes.size() || plan.cuts != task.cuts)
        return make_error(error_text("edit-changes-plan"), task.id.value());
    for (const NodeId& node : task.nodes) DIVISI_TRY(check_node(state, task, node));
    return task.nodes;
}

}  // namespace divisi::control::inline queue
