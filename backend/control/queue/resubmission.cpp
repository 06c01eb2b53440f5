// SPDX-License-Identifier: Apache-2.0
#include "backend/control/queue/resubmission.h"

#include <algorithm>
#include <filesystem>

#include "backend/control/queue/deliveries.h"
#include "backend/task/data_files.h"
#include "backend/task/parse.h"

namespace divisi::control::inline queue {
namespace {

constexpr const char* from_its_client =
    "submit it again from its folder, where its files are: 'divisictl exceptions show NUMBER --text > task.toml', then "
    "'divisictl run task.toml'";

/// Returns the paths of the files that the client brought.
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

/// Checks that the edited text needs only what came with the task: the same imported model with its settings, and the
/// same files.
Result<void> check_edit(const TaskView& task, const std::string& text) {
    DIVISI_ASSIGN(const task::TaskSpec before, task::parse_task(task.text, "the failed task"));
    DIVISI_ASSIGN(const task::TaskSpec now, task::parse_task(text, "the edited task"));
    const bool started = !before.model.from.empty() || !now.model.from.empty();  // starts with a version's weights
    const bool imported = started || before.model.zoo.empty() || now.model.zoo.empty();
    if (imported && !(before.model == now.model))
        return Error{ErrorCode::conflict, "the edited text has another imported model than the failed task", "[model]",
                     from_its_client};
    if (!has_brought_files(task.files) || same_files(before, now)) return {};
    return Error{ErrorCode::conflict, "the edited text names other files than those that were brought to the nodes",
                 "[data]", from_its_client};
}

Result<void> check_node(const ClusterState& state, const TaskView& task, const NodeId& node) {
    const auto found = state.nodes.find(node);
    if (found != state.nodes.end() && found->second.state == NodeState::ready) return {};
    return Error{ErrorCode::unavailable,
                 "the node that has its files is " +
                     std::string(found == state.nodes.end() ? "not known" : to_string(found->second.state)) + ": " +
                     names_of(task.files),
                 "node " + node.value(), std::string("bring the node back and try again, or ") + from_its_client};
}

}  // namespace

Result<SubmitTask> resubmission(const ClusterState& state, const TaskView& task, const std::string& text,
                                const std::string& skeleton) {
    if (!text.empty()) DIVISI_TRY(check_edit(task, text));
    if (!task.skeleton.empty() && skeleton.empty())
        return Error{ErrorCode::corrupt, "the orchestrator's copy of the model is gone or damaged", task.id.value(),
                     from_its_client};
    if (has_brought_files(task.files)) {
        if (task.queue == QueueState::files || task.nodes.empty())
            return Error{ErrorCode::unavailable, "its files never arrived: " + names_of(task.files),
                         task.nodes.empty() ? "any node" : "node " + task.nodes.front().value(), from_its_client};
        for (const NodeId& node : task.nodes) DIVISI_TRY(check_node(state, task, node));
    }
    return SubmitTask{text.empty() ? task.text : text, task.folder, skeleton, task.files, task.submitted_by};
}

/// Returns the nodes that hold the files. The data is on the nodes that loaded it, and weights are on the nodes whose
/// stages read them. With equal cuts and as many instances, the plan needs the same files on each node.
Result<std::vector<NodeId>> nodes_with_files(const ClusterState& state, const TaskView& task, const PlanSummary& plan) {
    if (!has_brought_files(task.files)) return std::vector<NodeId>();
    const auto wanted = static_cast<std::size_t>(plan.stages) + static_cast<std::size_t>(plan.data_apart());
    if (wanted != task.nodes.size() || plan.cuts != task.cuts)
        return Error{ErrorCode::conflict, "its plan is another than the one that its files were brought for",
                     task.id.value(),
                     std::string("keep stages, cuts and data instances as they were, or ") + from_its_client};
    for (const NodeId& node : task.nodes) DIVISI_TRY(check_node(state, task, node));
    return task.nodes;
}

}  // namespace divisi::control::inline queue
