// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/needed_blobs.h"

#include <filesystem>

namespace divisi::control::inline state {

std::vector<std::string> needed_blobs(const ClusterState& state, const std::vector<std::string>& hashes,
                                      std::set<std::string> beside) {
    std::set<std::string> needed = std::move(beside);
    // tasks with a kept checkpoint version; such a version needs the weights that training left unchanged
    std::set<TaskId> begun;
    for (const auto& [number, version] : state.versions) {
        for (const SegmentSnapshot& part : version.parts) needed.insert(part.hash);
        if (version.kept && version.checkpoint) begun.insert(version.task);
    }
    for (const auto& [id, task] : state.tasks) {
        for (const WeightsStored& weights : task.weights) needed.insert(weights.hash);
        for (const Checkpoint& checkpoint : task.checkpoints)
            for (const SegmentSnapshot& part : checkpoint.parts) needed.insert(part.hash);
        // a task in the exception queue may be retried
        const bool open = !task.over() || exception_of(state, id) != nullptr;
        for (const FileRef& file : task.files)
            if (open || (file.purpose == "weights" && (!task.weights.empty() || begun.contains(id))))
                needed.insert(file.hash.empty() ? std::filesystem::path(file.path).filename().string() : file.hash);
    }
    std::vector<std::string> found;
    for (const std::string& hash : hashes)
        if (needed.contains(hash)) found.push_back(hash);
    return found;
}

}  // namespace divisi::control::inline state
