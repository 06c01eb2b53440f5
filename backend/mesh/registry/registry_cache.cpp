// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/registry/registry_cache.h"

#include <algorithm>

namespace divisi::mesh::inline registry {

void RegistryCache::apply(const Snapshot& snapshot, TimePoint now) {
    if (confirmed_ && snapshot.epoch == epoch_ && snapshot.revision < revision_) return;
    RegistryTable table;
    for (const ServicePtr& service : snapshot.services) table.put(service);
    for (const DevicePtr& device : snapshot.devices) table.put(device);
    table_ = std::move(table);
    epoch_ = snapshot.epoch;
    revision_ = snapshot.revision;
    needs_snapshot_ = false;
    confirmed_ = now;
}

bool RegistryCache::apply(const WatchAnswer& answer, TimePoint now) {
    const auto* changes = get_if<Changes>(&answer);
    if (changes == nullptr || !follow(*changes, now)) needs_snapshot_ = true;
    return !needs_snapshot_;
}

bool RegistryCache::follow(const Changes& changes, TimePoint now) {
    // After a gap, no changes are applied, because they would hide the gap; only a snapshot closes it.
    if (needs_snapshot_ || changes.epoch != epoch_ || changes.since > revision_) return false;
    Revision expected = changes.since;
    for (const Change& change : changes.changes) {
        if (change.revision != ++expected) return false;
        if (change.revision <= revision_) continue;
        table_.apply(change);
        revision_ = change.revision;
    }
    confirmed_ = now;
    return true;
}

std::optional<Duration> RegistryCache::age(TimePoint now) const {
    if (!confirmed_) return std::nullopt;
    return std::max(now - *confirmed_, Duration::zero());
}

}  // namespace divisi::mesh::inline registry
