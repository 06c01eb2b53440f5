// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/training/task_output.h"

#include <atomic>
#include <utility>

#include "backend/control/state/version_lineage.h"

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

Result<submit::Trained> find_trained(const control::ClusterState& state, const std::string& name) {
    if (const auto version = control::find_version(state, name); version && (*version)->kept)
        return submit::trained_of(state, **version);
    DIVISI_ASSIGN(const control::TaskView* task, find_task(state, name, control::is_trained));
    if (control::is_trained(*task)) return submit::Trained{task};
    return Error{ErrorCode::conflict, "the task does not have trained weights of all its stages", task->id.value(),
                 "weights are stored when a training task succeeds, until their version is dropped ('divisictl "
                 "models')"};
}

Result<std::string> skeleton_of(Session& session, const control::TaskView& task) {
    DIVISI_ASSIGN(const bool needed, submit::needs_skeleton(task));
    if (!needed) return std::string();
    DIVISI_ASSIGN(auto skeleton, session.ask<control::SkeletonData>(control::FetchSkeleton{task.id}));
    return std::move(skeleton.bytes);
}

Result<void> fetch_beside(Session& session, const std::function<Result<void>(const submit::Fetching&)>& fetch) {
    Result<void> fetched;
    std::atomic<bool> cancelled = false;
    const submit::Fetching fetching{
        {session.context(), session.keys()}, embed::default_data_folder() / "fetched", cancelled};
    session.beside([&] { fetched = fetch(fetching); }, [&] { cancelled = true; });
    return fetched;
}

Result<void> export_trained(Session& session, const std::string& name, const std::filesystem::path& output) {
    DIVISI_ASSIGN(const control::ClusterState state, session.snapshot());
    DIVISI_ASSIGN(const submit::Trained trained, find_trained(state, name));
    DIVISI_ASSIGN(const std::string skeleton, skeleton_of(session, *trained.task));
    return fetch_beside(session, [&](const submit::Fetching& fetching) {
        return submit::export_trained(fetching, state, trained, skeleton, output);
    });
}

}  // namespace divisi::ctl
