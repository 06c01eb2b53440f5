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
    std::string version = {};  ///< that its process has said; empty until then
    bool operator==(const ListedModule&) const = default;
};

/// The list in the cluster's data folder, which whoever runs `divisictl modules start` extends and the cluster's host
/// follows; empty where nobody has wanted any. A line that is no module is left out.
std::vector<ListedModule> listed_modules(const std::filesystem::path& data);
/// Changes it, one process at a time.
Result<void> change_modules(const std::filesystem::path& data,
                            const std::function<void(std::vector<ListedModule>&)>& change);

/// Adds one; its number in the list.
Result<std::uint64_t> list_module(const std::filesystem::path& data, ListedModule module);
/// Notes which version a listed module is, once its process has said so.
Result<void> note_version(const std::filesystem::path& data, std::uint64_t number, const std::string& version);
/// Takes those out that `unwanted` names; how many that were.
Result<std::size_t> unlist_modules(const std::filesystem::path& data,
                                   const std::function<bool(const ListedModule&)>& unwanted);

/// Takes a module out, or its processes of one version alone where that is not empty; how many that were. A process
/// that hangs, or does not stay up, hears no word to end: its host ends it because of this.
Result<std::size_t> unlist_stopped(const std::filesystem::path& data, const std::string& name,
                                   const std::string& version);

/// Modules whose programs lie beside this one: "link-trend" of divisi-module-link-trend; by name.
std::vector<std::string> known_modules();
/// The program of a module, which can be executed: the file `program`, or where that is empty the one of
/// known_modules().
Result<std::string> module_program(const std::string& name, const std::string& program);

}  // namespace divisi::embed
