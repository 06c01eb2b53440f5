// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "backend/base/hash.h"
#include "backend/base/ids.h"

namespace divisi::frame {

/// One process that plays a SID; its number is never used again, and a later one is higher. 0: not known yet.
using Incarnation = std::uint64_t;

/// 64-bit names of tasks and SIDs, agreed at deployment: a header of fixed size has no room for paths.
inline std::uint64_t flow_id(std::string_view path) { return fnv1a(path); }
inline std::uint64_t flow_id(const Sid& sid) { return fnv1a(sid.value()); }
inline std::uint64_t flow_id(const TaskId& task) { return fnv1a(task.value()); }

/// An end of flows: a role, by the flow_id of its SID, and the process that plays it.
struct End {
    std::uint64_t sid = 0;
    Incarnation incarnation = 0;
    auto operator<=>(const End&) const = default;
};

}  // namespace divisi::frame
