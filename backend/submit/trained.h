// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "backend/control/state/state.h"
#include "backend/submit/submission.h"
#include "backend/submit/transfers.h"

namespace divisi::submit {

// Fetches the results of a training from its nodes, to export the model or to begin another training with it.

/// Parameters for fetching files of a task to this machine.
struct Fetching {
    ClientIdentity identity;
    std::filesystem::path store;  ///< folder of a blob store; fetched files are not kept there
    const std::atomic<bool>& cancelled;
};

/// The trained weights of a task: its final weights, or the weights of a kept checkpoint.
struct Trained {
    const control::TaskView* task = nullptr;
    std::vector<control::SegmentSnapshot> parts = {};  ///< weights of the checkpoint; empty: use the final weights
};

/// Returns the weights of a version. Fails (conflict) if the weights were deleted.
Result<Trained> trained_of(const control::ClusterState& state, const control::ModelVersion& version);
/// Returns whether trained_graph() needs the orchestrator's skeleton of the task (control::FetchSkeleton). A skeleton
/// is needed if the model is not a zoo model, or began with the weights of a version.
Result<bool> needs_skeleton(const control::TaskView& task);
/// Returns the model that a task trained, but with its initial weights. `skeleton`: empty if none is needed.
Result<graph::Graph> trained_graph(const control::TaskView& task, const std::string& skeleton);
/// Puts the trained weights into the model. They are read in place on this machine, or fetched from the nodes.
Result<void> fetch_weights(const Fetching& fetching, const control::ClusterState& state, const Trained& trained,
                           graph::Graph& model);

/// Writes the trained model as ONNX, all or nothing.
Result<void> export_trained(const Fetching& fetching, const control::ClusterState& state, const Trained& trained,
                            const std::string& skeleton, const std::filesystem::path& output);

/// Loads the weights of `version`, with which the training begins ([model] from), into the training's model. Then
/// compiles the training's plan again. `skeleton` is the skeleton of the version's task. Fails as trained_of() and
/// task::start_with() do.
Result<void> begin_with(const Fetching& fetching, const control::ClusterState& state,
                        const control::ModelVersion& version, const std::string& skeleton, TaskInput& input);

}  // namespace divisi::submit
