// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "backend/control/protocol/task_messages.h"
#include "backend/control/state/state.h"
#include "backend/link/connection_file.h"
#include "backend/store/blob_source.h"
#include "backend/task/compile.h"

namespace divisi::submit {

/// A task as its client has it: the effective task file, its loaded model, and the compiled plan.
struct TaskInput {
    task::TaskSpec spec;
    std::string folder;  ///< base of the task file's relative paths
    graph::Graph model;
    task::CompiledPlan plan;
    bool has_start = false;  ///< whether the model has the weights of the version that `from` in [model] names
};
/// Returns the task's model with its initial weights, even if it begins with a version. Fails as import_model() and
/// load_model() do, and (not_found) if a file of this client is missing. A file's contents are checked only when it is
/// read.
Result<graph::Graph> read_model(const task::TaskSpec& spec, const std::string& folder);
/// Loads the model and compiles the plan. Fails as read_model() and compile() do.
Result<TaskInput> load_task(task::TaskSpec spec, const std::string& folder, const task::CompileOptions& options = {});

/// Returns whether the cluster's nodes can read this client's files directly: all ready nodes are on the client's
/// machine and run as its user.
bool nodes_share_files(const link::Connection& connection, const control::ClusterState& state);

/// The message to the orchestrator, and the files to upload to the nodes that its answer names.
struct Submission {
    control::SubmitTask message;
    std::vector<store::BlobSource> blobs;  ///< the files of the message that have a hash
};
/// Prepares a submission. Weights of an imported model are written to `kept`, a blob store of the client; the queue and
/// an export may need them later. Files get a hash unless the nodes share them, and every file with a hash is read.
/// Fails (unsupported) if a training is to begin with a version and its weights are missing.
Result<Submission> make_submission(const TaskInput& input, const std::filesystem::path& kept, bool files_are_shared);

/// Removes blobs from `kept` that no task of the user's own cluster needs and that were not used recently.
void forget_kept(const std::filesystem::path& kept, const control::ClusterState& state, TimePoint now);

}  // namespace divisi::submit
