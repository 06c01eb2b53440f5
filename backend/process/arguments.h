// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "backend/base/result.h"

namespace divisi::process {

/// `--name value` options of the programs that other programs start (those that people type use CLI11).
/// Fails (invalid_input) on an option that is not in `known`, one without a value, and on a word that is no
/// option. `flags` take no value.
class Arguments {
public:
    static Result<Arguments> parse(int argc, char** argv, const std::set<std::string>& known,
                                   const std::set<std::string>& flags = {});
    bool has(const std::string& name) const { return values_.contains(name); }
    std::string get(const std::string& name, const std::string& fallback = {}) const;

private:
    std::map<std::string, std::string> values_;
};

/// The path from the root; as it stands where the working folder is gone. std::filesystem::absolute throws there.
std::filesystem::path absolute_path(const std::filesystem::path& path);

/// What a command ends with after an error: 2 where the user has a file, a value or a name to change, else 1.
int exit_status(const Error& error);

}  // namespace divisi::process
