// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/base/result.h"
#include "backend/base/units.h"

namespace divisi::store {

/// A file of tensors at a step, written once and then registered by one row.
struct SnapshotRow {
    std::string task;
    Generation generation = 1;
    std::int64_t step = 0;
    std::string path;
    std::string hash;
    Bytes size = 0;
    bool committed = false;  ///< all instances of the task have theirs of this step
};

/// Weights that became a version in the model repository.
struct VersionRow {
    std::string task;
    std::int64_t step = 0;
    std::string path;
    std::string hash;
    Bytes size = 0;
    TimePoint time{};
};

struct MetricRow {
    TimePoint time{};
    std::string name;
    double value = 0;
};

struct AuditRow {
    TimePoint time{};
    std::string actor;   ///< who: "orchestrator", a key's name
    std::string action;  ///< what: "deploy", "checkpoint", "stop"
    std::string detail;
};

/// Metrics that a store keeps; older ones go first. A day of one metric a second.
inline constexpr std::int64_t metric_limit = 86'400;
inline constexpr std::int64_t audit_limit = 100'000;

/// The state store of one microservice instance, with the six roles of the draft: state persistence,
/// configuration and dependencies, recovery snapshots, metrics and events, hardware-specific parameters,
/// versions and audit. SQLite, readable with the sqlite3 shell (tables state, config, dependency, snapshot,
/// metric, hardware, version, audit). Snapshots, versions and state are durable when a call returns; metrics
/// and audit rows survive the process, and the last second of them may be lost with the machine.
class InstanceStore {
public:
    static Result<std::unique_ptr<InstanceStore>> open(const std::filesystem::path& file);
    /// For functional modules and the console: every write is refused.
    static Result<std::unique_ptr<InstanceStore>> open_to_read(const std::filesystem::path& file);
    ~InstanceStore();

    Result<void> put_state(const std::string& key, std::span<const std::byte> value);
    Result<std::optional<std::string>> state(const std::string& key);

    /// Replaces the configuration and the SIDs that this instance depends on.
    Result<void> configure(const std::map<std::string, std::string>& config,
                           const std::vector<std::string>& dependencies);
    Result<std::map<std::string, std::string>> config();
    Result<std::vector<std::string>> dependencies();

    /// One snapshot a task, generation and step; registering it again replaces the row.
    Result<void> register_snapshot(const SnapshotRow& row);
    Result<void> commit_snapshot(const std::string& task, std::int64_t step);
    /// The newest committed one at or before `step`; none when there is none.
    Result<std::optional<SnapshotRow>> committed_snapshot(const std::string& task, std::int64_t step);
    /// Newest first.
    Result<std::vector<SnapshotRow>> snapshots();
    /// Forgets a task's snapshots before `step` and returns them, so that their files can be removed.
    Result<std::vector<SnapshotRow>> forget_snapshots(const std::string& task, std::int64_t step);

    /// One transaction for all rows.
    Result<void> add_metrics(std::span<const MetricRow> rows);
    /// Of one name, oldest first, from `since` on.
    Result<std::vector<MetricRow>> metrics(const std::string& name, TimePoint since);

    Result<void> put_hardware(const std::map<std::string, std::string>& parameters);
    Result<std::map<std::string, std::string>> hardware();

    Result<void> add_version(const VersionRow& row);
    /// Newest first.
    Result<std::vector<VersionRow>> versions();
    Result<void> audit(const AuditRow& row);
    /// The newest `limit`, newest first.
    Result<std::vector<AuditRow>> audit_trail(std::int64_t limit);

private:
    struct Impl;
    explicit InstanceStore(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace divisi::store
