// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "agents/router/steering_text.h"
#include "backend/base/result.h"

namespace divisi::router {

/// A file with the original values of the host's settings that a router has changed. The file outlives all processes of
/// the router, so that the next process can restore the values. The changes and the file's content are valid only until
/// the next boot.
class SettingsFile {
public:
    /// `boot` identifies the current boot.
    SettingsFile(std::filesystem::path path, std::string boot) : path_(std::move(path)), boot_(std::move(boot)) {}
    /// Returns the file for this network namespace; creates the folder. Fails with `denied` or `failed` if the folder
    /// cannot be used, `unsupported` if the kernel does not number namespaces.
    static Result<SettingsFile> of_this_namespace(const std::string& folder);

    /// Returns the settings; empty if none were changed since the boot. Fails with `corrupt` on any other content.
    Result<Settings> read() const;
    /// Writes all settings; they are durable on return. Without settings, removes the file.
    Result<void> keep(const Settings& before) const;

private:
    std::filesystem::path path_;
    std::string boot_;
};

}  // namespace divisi::router
