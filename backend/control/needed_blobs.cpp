// SPDX-License-Identifier: Apache-2.0
#include "backend/control/needed_blobs.h"

#include <filesystem>
#include <set>

namespace divisi::control {

std::vector<std::string> needed_blobs(const ClusterState& state, const std::vector<std::string>& hashes) {
    std::set<std::string> needed;
    for (const auto& [id, task] : state.tasks) {
        for (const WeightsStored& weights : task.weights) needed.insert(weights.hash);
        for (const FileRef& file : task.files)
            if (!task.over() || file.purpose == "weights")
                needed.insert(file.hash.empty() ? std::filesystem::path(file.path).filename().string() : file.hash);
    }
    std::vector<std::string> found;
    for (const std::string& hash : hashes)
        if (needed.contains(hash)) found.push_back(hash);
    return found;
}

}  // namespace divisi::control
