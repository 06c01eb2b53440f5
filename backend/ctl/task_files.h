// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "backend/control/state.h"
#include "backend/ctl/session.h"
#include "backend/store/blob_store.h"
#include "backend/task/task_spec.h"

namespace divisi::ctl {

/// The newest task of that id or name; with `has`, of those for which it holds, if any.
Result<const control::TaskView*> find_task(const control::ClusterState& state, const std::string& name,
                                           bool (*has)(const control::TaskView&));

/// Files of a task by content: read in place where they lie on this machine, else fetched, and removed at the end.
class TaskFiles {
public:
    static Result<TaskFiles> open(Session& session, const control::ClusterState& state, const control::TaskView& task);

    /// `holder`: the instance whose node has it; empty: any of the task's that may.
    Result<std::filesystem::path> get(const std::string& path, const std::string& hash, const InstanceId& holder);
    void forget_fetched();

private:
    TaskFiles(Session& session, const control::ClusterState& state, const control::TaskView& task,
              store::BlobStore store)
        : session_(session), state_(state), task_(task), store_(std::move(store)) {}
    Result<std::filesystem::path> fetch_from(const NodeId& node, const std::string& hash);

    Session& session_;
    const control::ClusterState& state_;
    const control::TaskView& task_;
    store::BlobStore store_;
    std::vector<std::string> fetched_;
};

/// Writes the results of a batch, fetched from the node that has them. `name`: id or name of the task.
Result<void> fetch_results(Session& session, const std::string& name, const std::filesystem::path& output);
/// Whether they can be written there, before anything runs.
Result<void> check_results_file(const std::filesystem::path& file);

}  // namespace divisi::ctl
