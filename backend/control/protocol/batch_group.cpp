// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/batch_group.h"

#include <algorithm>
#include <cstdio>

#include "backend/base/hash.h"
#include "backend/control/protocol/task_messages.h"

namespace divisi::control::inline protocol {
namespace {

/// Maximum number of tasks that group_text() names.
constexpr std::size_t most_named = 5;

}  // namespace

std::string skeleton_name(const std::string& bytes) {
    char text[40];
    std::snprintf(text, sizeof text, "%016llx-%zu", static_cast<unsigned long long>(fnv1a(bytes)), bytes.size());
    return bytes.empty() ? "" : text;
}

std::string batch_group(const std::string& plan_group, const SubmitTask& submission) {
    if (plan_group.empty()) return "";
    std::string text = plan_group + "\n" + skeleton_name(submission.skeleton);
    // Clients store weights in files named by content, so a path identifies the weights just as a hash does.
    for (const FileRef& file : submission.files)
        if (file.purpose == "weights") text += "\n" + (file.hash.empty() ? file.path : file.hash);
    char name[20];
    std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(fnv1a(text)));
    return name;
}

bool are_grouped(const TaskView& one, const TaskView& other) {
    return one.id != other.id && !one.group.empty() && one.group == other.group && one.submitter == other.submitter;
}

std::vector<TaskId> grouped_with(const ClusterState& state, const TaskView& task) {
    if (task.group.empty()) return {};
    std::vector<const TaskView*> others;
    for (const auto& [id, other] : state.tasks)
        if (!other.over() && are_grouped(task, other)) others.push_back(&other);
    std::ranges::sort(others, {}, [](const TaskView* one) { return one->submitted_at; });
    std::vector<TaskId> ids;
    for (const TaskView* one : others) ids.push_back(one->id);
    return ids;
}

std::string group_text(const ClusterState& state, const TaskView& task) {
    const std::vector<TaskId> others = task.over() ? std::vector<TaskId>() : grouped_with(state, task);
    std::string text;
    for (std::size_t i = 0; i < others.size() && i < most_named; ++i)
        text += (i == 0 ? "one group with " : ", ") + others[i].value();
    if (others.size() > most_named) text += " and " + std::to_string(others.size() - most_named) + " more";
    return text;
}

}  // namespace divisi::control::inline protocol
