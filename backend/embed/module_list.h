// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "backend/base/result.h"

namespace divisi::embed {

/// A functional module that an embedded cluster runs besides its own programs.
struct ListedModule {
    std::uint64_t number = 0;  ///< identifies the entry; a module that is started again gets a new number
    std::string name;
    std::string program;  ///< absolute path
    std::vector<std::string> arguments;
    std::string version = {};  ///< as its process reported it; empty until then
    bool operator==(const ListedModule&) const = default;
};

/// Returns the list in the cluster's data folder; empty if no module was ever started. `divisictl modules start` adds
/// to the list; the host process of the cluster starts the listed modules. A line that is not a module is skipped.
std::vector<ListedModule> listed_modules(const std::filesystem::path& data);
/// Changes the list. Other processes wait until the change is complete.
Result<void> change_modules(const std::filesystem::path& data,
                            const std::function<void(std::vector<ListedModule>&)>& change);

/// Adds a module; returns its number in the list.
Result<std::uint64_t> list_module(const std::filesystem::path& data, ListedModule module);
/// Stores the version of a listed module, once its process has reported it.
Result<void> note_version(const std::filesystem::path& data, std::uint64_t number, const std::string& version);
/// Removes the modules for which `unwanted` returns true; returns their number.
Result<std::size_t> unlist_modules(const std::filesystem::path& data,
                                   const std::function<bool(const ListedModule&)>& unwanted);

/// Removes a module, or only its processes of `version` if that is not empty; returns their number. The host process
/// then also ends processes that hang or keep dying, which cannot receive a request to end.
Result<std::size_t> unlist_stopped(const std::filesystem::path& data, const std::string& name,
                                   const std::string& version);

/// Returns the names of the modules whose programs are in this program's folder, sorted: "link-trend" for
/// divisi-module-link-trend.
std::vector<std::string> known_modules();
/// Returns the executable of a module: the file `program`, or the known_modules() entry if `program` is empty.
Result<std::string> module_program(const std::string& name, const std::string& program);

}  // namespace divisi::embed
