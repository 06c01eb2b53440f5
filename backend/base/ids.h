// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace divisi {

/// An identifier whose type differs from every other kind of identifier.
template <typename Tag, typename Rep = std::string>
class StrongId {
public:
    using rep = Rep;
    StrongId() = default;
    explicit StrongId(Rep value) : value_(std::move(value)) {}
    const Rep& value() const { return value_; }
    auto operator<=>(const StrongId&) const = default;

private:
    Rep value_{};
};

using TaskId = StrongId<struct TaskTag>;          ///< e.g. "gpt-text-3"
using NodeId = StrongId<struct NodeTag>;          ///< a machine's node agent, e.g. "mic-1/node-2"
using MicId = StrongId<struct MicTag>;            ///< a microservice instance cluster
using InstanceId = StrongId<struct InstanceTag>;  ///< one microservice instance (process)
using Sid = StrongId<struct SidTag>;              ///< service identifier: the path task/unit/replica

/// The number of the plan in force; it never decreases.
using Generation = std::uint32_t;
/// Numbers the processes that serve one SID, from 1; a number is never reused. 0 means none, as in old logs.
using Incarnation = std::uint64_t;

}  // namespace divisi

template <typename Tag, typename Rep>
struct std::hash<divisi::StrongId<Tag, Rep>> {
    std::size_t operator()(const divisi::StrongId<Tag, Rep>& id) const { return std::hash<Rep>{}(id.value()); }
};
