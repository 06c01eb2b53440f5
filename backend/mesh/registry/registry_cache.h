// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/mesh/registry/registry.h"

namespace divisi::mesh::inline registry {

/// A gateway's or router's copy of the registry's table. It goes on answering while the registry is away, and says how
/// old its answers are.
class RegistryCache {
public:
    /// Takes the table's place, unless the cache has a later revision of the same epoch: then it was overtaken.
    void apply(const Snapshot& snapshot, TimePoint now);
    /// Changes that the cache has already are passed over. Whether the cache is now as the registry was; where not,
    /// needs_snapshot() says so, and the old table stays.
    bool apply(const WatchAnswer& answer, TimePoint now);

    /// Before the first snapshot, after a gap or in another epoch: the owner asks the registry for a snapshot.
    bool needs_snapshot() const { return needs_snapshot_; }
    /// What to watch from.
    Epoch epoch() const { return epoch_; }
    Revision revision() const { return revision_; }
    /// Since the registry last confirmed this table; none before the first snapshot.
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
