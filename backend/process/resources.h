// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace divisi::process {

/// The folder of what is shipped beside the programs (tasks, clusters, samples): share/divisi next to the bin that
/// `programs` is where they are installed, resources/ of the tree where they were built in one; empty: there is none.
std::filesystem::path resources_of(const std::filesystem::path& programs);

/// The same of this process's own folder.
std::filesystem::path resources_folder();

}  // namespace divisi::process
