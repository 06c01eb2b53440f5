// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/mesh/registry/registry.h"

namespace divisi::mesh::inline registry {

/// A gateway's or router's copy of the registry's table. Continues to answer while the registry is unreachable, and
/// reports the age of its answers.
class RegistryCache {
public:
    /// Replaces the table. If the cache has a later revision of the same epoch, the snapshot is outdated and is
    /// ignored.
    void apply(const Snapshot& snapshot, TimePoint now);
    /// Applies changes, skipping those that the cache already has. Returns whether the cache is up to date with the
    /// answer. If changes cannot be applied, needs_snapshot() becomes true and the old table stays.
    bool apply(const WatchAnswer& answer, TimePoint now);

    /// Returns whether the owner must ask the registry for a snapshot: before the first one, after a gap, or in another
    /// epoch.
    bool needs_snapshot() const { return needs_snapshot_; }
    /// Return the position from which to watch.
    Epoch epoch() const { return epoch_; }
    Revision revision() const { return revision_; }
    /// Returns the time since the registry last confirmed this table; nothing before the first snapshot.
    std::optional<Duration> age(TimePoint now) const;

    const RegistryTable& table() const { return table_; }
    Resolution resolve(std::string_view name) const { return table_.resolve(name); }

private:
    bool follow(const Changes& changes, TimePoint now);

    RegistryTable table_;
    Epoch epoch_ = 0;
    Revision revision_ = 0;
    bool needs_snapshot_ = true;
    std::optional<TimePoint> confirmed_;
};

}  // namespace divisi::mesh::inline registry
