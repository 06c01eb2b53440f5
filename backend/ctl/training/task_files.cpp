// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/training/task_files.h"

#include <utility>

namespace divisi::ctl {

Result<const control::TaskView*> find_task(const control::ClusterState& state, const std::string& name,
                                           bool (*has)(const control::TaskView&)) {
    const control::TaskView* best = nullptr;
    for (const auto& [id, task] : state.tasks) {
        if (id.value() != name && task.name != name) continue;
        const auto rank = [&](const control::TaskView& one) { return std::pair(has(one), one.submitted); };
        if (!best || rank(task) > rank(*best)) best = &task;
    }
    if (!best) return Error{ErrorCode::not_found, "no such task", name, "list them with 'divisictl tasks'"};
    return best;
}

}  // namespace divisi::ctl
