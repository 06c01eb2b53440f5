// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "backend/base/hash.h"
#include "backend/base/ids.h"

namespace divisi::frame {

/// Numbers the processes that serve one SID. A number is never reused, and later processes have higher numbers. 0: not
/// known yet.
using Incarnation = std::uint64_t;

/// Returns the 64-bit name of a task or SID, which is the same at all ends. Frames carry this name, because their
/// fixed-size header has no room for paths.
inline std::uint64_t flow_id(std::string_view path) { return fnv1a(path); }
inline std::uint64_t flow_id(const Sid& sid) { return fnv1a(sid.value()); }
inline std::uint64_t flow_id(const TaskId& task) { return fnv1a(task.value()); }

/// One end of flows: a role, given by the flow_id of its SID, and the process that has the role.
struct End {
    std::uint64_t sid = 0;
    Incarnation incarnation = 0;
    auto operator<=>(const End&) const = default;
};

}  // namespace divisi::frame
