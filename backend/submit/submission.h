// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "backend/control/protocol/message.h"
#include "backend/link/connection_file.h"
#include "backend/store/blob_source.h"
#include "backend/task/compile.h"

namespace divisi::submit {

/// A task as its client has it: the file in force, its model loaded, and the plan compiled.
struct TaskInput {
    task::TaskSpec spec;
    std::string folder;  ///< that the task file's paths are relative to
    graph::Graph model;
    task::CompiledPlan plan;
    bool has_start = false;  ///< the model has the weights of the version that [model] from names
};
/// The task's model, with its first weights also where it begins with a version's. Fails as import_model() and
/// load_model() do, and (not_found) when a file of this client's is not there; what it holds is checked where it is
/// read.
Result<graph::Graph> read_model(const task::TaskSpec& spec, const std::string& folder);
/// Fails as read_model() and compile() do.
Result<TaskInput> load_task(task::TaskSpec spec, const std::string& folder, const task::CompileOptions& options = {});

/// Whether the cluster's nodes read this client's files themselves: all are on its machine, and its user's.
bool nodes_share_files(const link::Connection& connection, const control::ClusterState& state);

/// What is sent to the orchestrator, and what is brought to the nodes that it then names.
struct Submission {
    control::SubmitTask message;
    std::vector<store::BlobSource> blobs;  ///< the message's files that have a hash
};
/// Weights of an imported model are written to `kept`, a blob store of the client's; the queue and an export may
/// still need them there. Files have a hash unless the nodes share them. Reads every file that has one. Fails
/// (unsupported) where a training is to begin with a version's weights and does not have them.
Result<Submission> make_submission(const TaskInput& input, const std::filesystem::path& kept, bool files_are_shared);

/// Makes room in `kept`: removes what no task of the user's own cluster needs and was not used lately.
void forget_kept(const std::filesystem::path& kept, const control::ClusterState& state, TimePoint now);

}  // namespace divisi::submit
