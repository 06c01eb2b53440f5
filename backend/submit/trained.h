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

// What a training has left on its nodes, brought to this machine: to export the model, or to begin another training
// with it.

/// How files of a task come to this machine.
struct Fetching {
    Traveller traveller;
    std::filesystem::path store;  ///< folder of a blob store, where nothing of it stays
    const std::atomic<bool>& cancelled;
};

/// What a task has trained: the weights of its end, or those of a checkpoint that was kept.
struct Trained {
    const control::TaskView* task = nullptr;
    std::vector<control::SegmentSnapshot> parts = {};  ///< of the checkpoint; empty: the weights of the end
};

/// What a version has. Fails (conflict) where its weights were let go.
Result<Trained> trained_of(const control::ClusterState& state, const control::ModelVersion& version);
/// Whether trained_graph() needs the skeleton that the orchestrator has of the task (control::FetchSkeleton): its model
/// is no zoo model, or has begun with a version's weights.
Result<bool> needs_skeleton(const control::TaskView& task);
/// The model that a task has trained, still with its first weights. `skeleton`: empty where none is needed.
Result<graph::Graph> trained_graph(const control::TaskView& task, const std::string& skeleton);
/// Gives it the weights that were trained: read where they lie on this machine, else fetched from the nodes.
Result<void> fetch_weights(const Fetching& fetching, const control::ClusterState& state, const Trained& trained,
                           graph::Graph& model);

/// Writes it as an ONNX model, whole or not at all.
Result<void> export_trained(const Fetching& fetching, const control::ClusterState& state, const Trained& trained,
                            const std::string& skeleton, const std::filesystem::path& output);

/// Puts the weights of the version that a training begins with ([model] from) into its model, and plans it anew.
/// `skeleton` is of the version's task. Fails as trained_of() and task::start_with() do.
Result<void> begin_with(const Fetching& fetching, const control::ClusterState& state,
                        const control::ModelVersion& version, const std::string& skeleton, TaskInput& input);

}  // namespace divisi::submit
