// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "agents/router/steering_text.h"
#include "backend/base/result.h"

namespace divisi::router {

/// The settings of this host that a router has changed, as they were before, in a file that outlives all processes of
/// the router: whoever comes next puts them back. Both the settings and what the file says end with the machine's boot.
class SettingsFile {
public:
    /// `boot` tells this boot from earlier ones.
    SettingsFile(std::filesystem::path path, std::string boot) : path_(std::move(path)), boot_(std::move(boot)) {}
    /// The file of this network namespace in the folder, which is made. `denied` or `failed` where it cannot be used,
    /// `unsupported` where the kernel gives namespaces no numbers.
    static Result<SettingsFile> of_this_namespace(const std::string& folder);

    /// Nothing where nothing is changed. `corrupt` where the file says something else.
    Result<Settings> read() const;
    /// Whole, and durable before this returns. Without settings there is no file.
    Result<void> keep(const Settings& before) const;

private:
    std::filesystem::path path_;
    std::string boot_;
};

}  // namespace divisi::router
