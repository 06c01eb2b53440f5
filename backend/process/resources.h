// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace divisi::process {

/// Returns the folder of the resources shipped with the programs (tasks, clusters, samples); empty if there is none.
/// For installed programs, it is share/divisi next to the bin folder `programs`. Otherwise it is resources/ of the
/// source tree in which the programs were built.
std::filesystem::path resources_of(const std::filesystem::path& programs);

/// Returns the resources of this process's own program folder.
std::filesystem::path resources_folder();

}  // namespace divisi::process
