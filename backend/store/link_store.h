// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>

#include "backend/control/state/state.h"

namespace SQLite {
class Database;
}

namespace divisi::store {

/// The last measurements of links, for plans made while no cluster runs. They are stored in the same file as the
/// measured prices of operators (profile_file, table link). Not thread-safe.
class LinkStore {
public:
    /// Opens the file; creates it if it is missing.
    static Result<std::unique_ptr<LinkStore>> open(const std::filesystem::path& file);
    ~LinkStore();

    /// Stores a measurement in place of the previous one of that link; durable on return.
    Result<void> save(const control::LinkView& link);
    /// Returns all links. Fails (corrupt) on impossible figures.
    Result<std::map<control::LinkKey, control::LinkView>> load();

private:
    LinkStore() = default;
    std::filesystem::path file_;
    std::unique_ptr<SQLite::Database> database_;
};

/// Returns the links stored in `file`; none if it is missing or unreadable. Plans then use default figures.
std::map<control::LinkKey, control::LinkView> kept_links(const std::filesystem::path& file);

}  // namespace divisi::store
