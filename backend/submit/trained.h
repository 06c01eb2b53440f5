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

/// How to fetch files of a task to this machine.
struct Fetching {
    ClientIdentity identity;
    std::filesystem::path store;  ///< folder of a blob store; fetched files are not kept there
    const std::atomic<bool>& cancelled;
};

/// The trained weights of a task: those of its end, or of a checkpoint that was kept.
struct Trained {
    const control::TaskView* task = nullptr;
    std::vector<control::SegmentSnapshot> parts = {};  ///< of the checkpoint; empty: the weights of the end
};

/// Returns the weights of a version. Fails (conflict) if they were released.
Result<Trained> trained_of(const control::ClusterState& state, const control::ModelVersion& version);
/// Returns whether trained_graph() needs the orchestrator's skeleton of the task (control::FetchSkeleton). It does if
/// the model is no zoo model, or began with a version's weights.
Result<bool> needs_skeleton(const control::TaskView& task);
/// Returns the model that a task trained, still with its initial weights. `skeleton`: empty if none is needed.
Result<graph::Graph> trained_graph(const control::TaskView& task, const std::string& skeleton);
/// Puts the trained weights into the model. They are read in place on this machine, or fetched from the nodes.
Result<void> fetch_weights(const Fetching& fetching, const control::ClusterState& state, const Trained& trained,
                           graph::Graph& model);

/// Writes the trained model as ONNX, all or nothing.
Result<void> export_trained(const Fetching& fetching, const control::ClusterState& state, const Trained& trained,
                            const std::string& skeleton, const std::filesystem::path& output);

/// Puts the weights of the version that a training begins with ([model] from) into its model, and plans again.
/// `skeleton` belongs to the version's task. Fails as trained_of() and task::start_with() do.
Result<void> begin_with(const Fetching& fetching, const control::ClusterState& state,
                        const control::ModelVersion& version, const std::string& skeleton, TaskInput& input);

}  // namespace divisi::submit
