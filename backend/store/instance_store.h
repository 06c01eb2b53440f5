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

/// The state store of one SID, written by the process that plays it and by no older one: who opens it with a newer
/// incarnation shuts the others out. SQLite, readable with the sqlite3 shell (tables identity, progress, configuration,
/// dependency, hardware, step, event, audit). Every row has its writer's incarnation and a checksum; a row that is
/// damaged is refused as `corrupt`, and never served. What was written survives the process at once; the last second of
/// it may be lost with the machine.
class InstanceStore {
public:
    struct Identity {
        Sid sid;
        Incarnation incarnation = 0;  ///< of the newest writer
        TimePoint opened{};
        bool operator==(const Identity&) const = default;
    };

    /// To write. `conflict` where the store is another SID's, `denied` where a newer incarnation has it, `corrupt`
    /// where its file is damaged, `unsupported` where a newer program made it.
    static Result<std::unique_ptr<InstanceStore>> open(const std::filesystem::path& file, const Sid& sid,
                                                       Incarnation incarnation, TimePoint now);
    /// For the console and functional modules, also while its instance runs: every write is refused.
    static Result<std::unique_ptr<InstanceStore>> open_to_read(const std::filesystem::path& file);
    ~InstanceStore();

    /// All of them in one transaction, or none: `denied` once a newer incarnation has the store.
    Result<void> write(std::span<const Entry> entries);

    Result<Identity> identity() const;
    Result<std::optional<Written<Progress>>> progress() const;
    Result<std::optional<Written<Deployment>>> deployment() const;
    /// By its name.
    Result<std::map<std::string, Written<std::string>>> hardware() const;
    /// The newest `limit`, oldest first; so are the next two.
    Result<std::vector<Written<StepRow>>> steps(std::int64_t limit) const;
    Result<std::vector<Written<EventRow>>> events(std::int64_t limit) const;
    Result<std::vector<Written<OrderRow>>> orders(std::int64_t limit) const;
    /// Of one table as it is (newest_rows() in checked_rows.h); `invalid_input` where there is none of that name.
    Result<RowPage> rows(const std::string& table, std::int64_t before, const PageBounds& bounds) const;

private:
    struct Impl;
    explicit InstanceStore(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace divisi::store
