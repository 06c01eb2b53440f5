// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace divisi::process {

/// Returns the folder of the resources shipped with the programs (tasks, clusters, samples); empty if there is none. It
/// is share/divisi next to the bin folder `programs` if they are installed, and resources/ of the tree that they were
/// built in.
std::filesystem::path resources_of(const std::filesystem::path& programs);

/// Returns the resources of this process's own program folder.
std::filesystem::path resources_folder();

}  // namespace divisi::process
