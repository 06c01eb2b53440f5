// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/store/instance_rows.h"
#include "backend/store/row_page.h"

namespace divisi::store {

/// The state store of one SID, written by the newest process that serves the SID and never by an older process. Once a
/// newer incarnation has opened the store, older incarnations can no longer write. It is an SQLite file, readable with
/// the sqlite3 shell (tables identity, progress, configuration, dependency, hardware, step, event, audit).
///
/// Every row has a checksum and, except in configuration and dependency, its writer's incarnation. A damaged row is
/// never returned: rows() leaves it out and counts it, and the other functions fail with `corrupt`.
///
/// Written rows survive the end of the process. If the machine fails, rows that were not synchronized may be lost.
class InstanceStore {
public:
    struct Identity {
        Sid sid;
        Incarnation incarnation = 0;  ///< incarnation of the newest writer
        TimePoint opened{};
        bool operator==(const Identity&) const = default;
    };

    /// Opens the store for writing. Fails with `conflict` if the store belongs to another SID, and with `denied` if a
    /// newer incarnation has opened it. Fails with `corrupt` if its file is damaged, and with `unsupported` if a newer
    /// program made it.
    static Result<std::unique_ptr<InstanceStore>> open(const std::filesystem::path& file, const Sid& sid,
                                                       Incarnation incarnation, TimePoint now);
    /// Opens the store for the console and functional modules, even while its instance runs. Every write is refused.
    static Result<std::unique_ptr<InstanceStore>> open_to_read(const std::filesystem::path& file);
    ~InstanceStore();

    /// Writes all entries in one transaction, or none. Fails with `denied` once a newer incarnation has opened the
    /// store.
    Result<void> write(std::span<const Entry> entries);

    Result<Identity> identity() const;
    Result<std::optional<Written<Progress>>> progress() const;
    Result<std::optional<Written<Deployment>>> deployment() const;
    /// Returns the hardware values by name.
    Result<std::map<std::string, Written<std::string>>> hardware() const;
    /// This function and the next two functions return the newest `limit` rows, oldest first.
    Result<std::vector<Written<StepRow>>> steps(std::int64_t limit) const;
    Result<std::vector<Written<EventRow>>> events(std::int64_t limit) const;
    Result<std::vector<Written<OrderRow>>> orders(std::int64_t limit) const;
    /// Returns raw rows of one table (newest_rows() in checked_rows.h). Fails with `invalid_input` if there is no such
    /// table.
    Result<RowPage> rows(const std::string& table, std::int64_t before, const PageBounds& bounds) const;

private:
    struct Impl;
    explicit InstanceStore(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace divisi::store
