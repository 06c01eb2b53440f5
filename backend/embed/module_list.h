// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "backend/base/result.h"

namespace divisi::embed {

/// A functional module that an embedded cluster runs beside its own programs.
struct ListedModule {
    std::uint64_t number = 0;  ///< in the list: one that was ended and is wanted again has another
    std::string name;
    std::string program;  ///< absolute
    std::vector<std::string> arguments;
    bool operator==(const ListedModule&) const = default;
};

/// The list in the cluster's data folder, which whoever runs `divisictl modules start` extends and the cluster's host
/// follows; empty where nobody has wanted any. A line that is no module is left out.
std::vector<ListedModule> listed_modules(const std::filesystem::path& data);
/// Changes it, one process at a time.
Result<void> change_modules(const std::filesystem::path& data,
                            const std::function<void(std::vector<ListedModule>&)>& change);

}  // namespace divisi::embed
