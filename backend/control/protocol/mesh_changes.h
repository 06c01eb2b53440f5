// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "backend/control/protocol/message.h"

namespace divisi::control::inline protocol {

/// What brings who has `before` to `after`. None where devices or links have gone or changed: that takes the whole
/// table.
std::optional<MeshChange> change_between(const MeshTable& before, const MeshTable& after);
/// False, and nothing done, where the change does not begin at the table's revision.
bool apply(MeshTable& table, const MeshChange& change);
/// What an advertisement says, for who reads signaling: its revision, then a line for each SID with its health, MIC and
/// gateway, most_described of them. `table` has the devices' names.
std::string describe(const MeshTable& table);
std::string describe(const MeshChange& change, const MeshTable& table);
inline constexpr std::size_t most_described = 32;

}  // namespace divisi::control::inline protocol
