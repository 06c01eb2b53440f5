// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/task_files.h"

#include <atomic>
#include <optional>

#include "backend/store/blob_hash.h"
#include "backend/submit/transfers.h"

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

Result<TaskFiles> TaskFiles::open(Session& session, const control::ClusterState& state, const control::TaskView& task) {
    DIVISI_ASSIGN(auto store, store::BlobStore::open(embed::default_data_folder() / "fetched"));
    return TaskFiles(session, state, task, std::move(store));
}

Result<std::filesystem::path> TaskFiles::get(const std::string& path, const std::string& hash,
                                             const InstanceId& holder) {
    std::error_code code;
    if (std::filesystem::exists(path, code)) {
        if (hash.empty()) return std::filesystem::path(path);
        if (const auto found = store::file_hash(path); found.ok() && *found == hash) return std::filesystem::path(path);
    }
    Error error{ErrorCode::not_found, "the file is not on this machine, and no node is known to hold it", path,
                "run the command where the task was submitted"};
    if (hash.empty()) return error;
    for (const auto& [id, instance] : state_.instances) {
        if (instance.task != task_.id || (!holder.value().empty() && id != holder)) continue;
        const auto fetched = fetch_from(instance.node, hash);
        if (fetched.ok()) return fetched;
        error = fetched.error();
    }
    return error;
}

void TaskFiles::forget_fetched() {
    for (const std::string& hash : fetched_) (void)store_.remove(hash);
}

Result<std::filesystem::path> TaskFiles::fetch_from(const NodeId& node, const std::string& hash) {
    std::optional<Result<std::filesystem::path>> path;
    std::atomic<bool> cancelled = false;
    session_.beside(
        [&] {
            path = submit::fetch({session_.context(), session_.keys()}, state_.nodes.at(node).info, hash, store_,
                                 cancelled);
        },
        [&] { cancelled = true; });
    if (path->ok()) fetched_.push_back(hash);
    return std::move(*path);
}

}  // namespace divisi::ctl
