// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/result.h"
#include "backend/base/units.h"

namespace divisi::store {

/// Format version; increased when a backup contains something that an older program would leave out.
inline constexpr int backup_version = 1;
inline constexpr const char* manifest_file = "manifest";

struct BackupFile {
    std::string name;  ///< its path in the backup and in the data folder: "events.sqlite", "skeletons/gpt-1.onnx"
    Bytes size = 0;
    std::string hash;  ///< BLAKE2b-256, as `b2sum -l 256` prints it
    bool operator==(const BackupFile&) const = default;
};

/// Describes a backup and all files in it.
struct BackupManifest {
    int version = backup_version;
    std::string program;         ///< version of the divisid that made it
    TimePoint time{};            ///< when the backup began
    std::uint64_t sequence = 0;  ///< sequence number of the last event in its log
    std::vector<BackupFile> files;

    Bytes bytes() const;  ///< total size of all files
    bool operator==(const BackupManifest&) const = default;
};

/// Returns lines of text; the last line has the hash of all lines before it.
std::string to_text(const BackupManifest& manifest);
/// Parses a manifest. Fails with `unsupported` for a newer version. Fails with `corrupt` if to_text() did not write it,
/// or if a name would lead outside the backup. `where` is used in error messages.
Result<BackupManifest> parse_manifest(const std::string& text, const std::string& where);

}  // namespace divisi::store
