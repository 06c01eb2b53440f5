// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "backend/control/types/policy_types.h"

namespace divisi::control::inline state {

/// Returns the entry with the same key and ends; null if there is none.
inline const PolicyEntry* find_entry(const std::vector<PolicyEntry>& entries, const PolicyEntry& wanted) {
    const auto found = std::ranges::find_if(entries, [&](const PolicyEntry& entry) {
        return entry.key == wanted.key && entry.from == wanted.from && entry.to == wanted.to;
    });
    return found == entries.end() ? nullptr : &*found;
}

inline const PolicyVersion& version_in(const PolicyVersion& version) { return version; }
inline const PolicyVersion& version_in(const std::pair<const std::uint64_t, PolicyVersion>& numbered) {
    return numbered.second;
}

/// Returns the version that put an entry into force: the oldest version since which all versions set the entry to the
/// same value. Returns null if the newest version does not set the entry. `versions`: the remembered versions,
/// ascending, in a vector or in a map by number.
template <typename Versions>
const PolicyVersion* origin_of(const Versions& versions, const PolicyEntry& entry) {
    const PolicyVersion* origin = nullptr;
    const PolicyEntry* set = nullptr;
    for (auto one = versions.rbegin(); one != versions.rend(); ++one) {
        const PolicyVersion& version = version_in(*one);
        const PolicyEntry* there = find_entry(version.entries, entry);
        if (there == nullptr || (set != nullptr && there->value != set->value)) break;
        set = there;
        origin = &version;
    }
    return origin;
}

}  // namespace divisi::control::inline state
