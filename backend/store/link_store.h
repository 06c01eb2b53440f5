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

/// Links as they were last measured, for plans that are made while no cluster runs. They lie beside the measured
/// prices of operators (profile_file, table link). Not thread-safe.
class LinkStore {
public:
    /// Makes the file where there is none.
    static Result<std::unique_ptr<LinkStore>> open(const std::filesystem::path& file);
    ~LinkStore();

    /// Keeps a measurement in the place of the last one of that link; durable when it returns.
    Result<void> save(const control::LinkView& link);
    /// Fails (corrupt) on figures that no link has.
    Result<std::map<control::LinkKey, control::LinkView>> load();

private:
    LinkStore() = default;
    std::filesystem::path file_;
    std::unique_ptr<SQLite::Database> database_;
};

/// The links that `file` holds; none where there is no such file or it cannot be read, which plans then say.
std::map<control::LinkKey, control::LinkView> kept_links(const std::filesystem::path& file);

}  // namespace divisi::store
