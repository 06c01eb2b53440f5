// SPDX-License-Identifier: Apache-2.0
#include "backend/process/resources.h"

#include "backend/process/child.h"

namespace divisi::process {

namespace {

/// Number of folders to search upwards for the source tree. build/PRESET/bin is three folders below the tree. One more
/// level allows for a folder with the builds of several trees.
constexpr int most_levels = 4;

bool has_tasks(const std::filesystem::path& folder) {
    std::error_code ignored;
    return std::filesystem::is_directory(folder / "tasks", ignored);
}

}  // namespace

std::filesystem::path resources_of(const std::filesystem::path& programs) {
    const std::filesystem::path installed = programs.parent_path() / "share" / "divisi";
    if (has_tasks(installed)) return installed;
    std::filesystem::path above = programs;
    for (int level = 0; level < most_levels && above.has_relative_path(); ++level) {
        above = above.parent_path();
        if (has_tasks(above / "resources")) return above / "resources";
    }
    return {};
}

std::filesystem::path resources_folder() { return resources_of(program_folder()); }

}  // namespace divisi::process
