// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "backend/control/types/policy_types.h"
#include "backend/control/types/types.h"

namespace divisi::control::inline types {

// WHO of "send:WHO:PREFIX=deny", an entry of PolicyKey::send: "anyone", a node, all nodes of a MIC ("mic-1/*"), or
// whose CURVE key it is: "key@NAME" by the name that it was allowed with, "role@ROLE" by its role. No MIC of a cluster
// file has an '@' in its name.

inline constexpr std::string_view key_sender = "key@", role_sender = "role@";

/// Whether WHO names keys and no nodes.
bool names_keys(std::string_view who);

/// Whether the entry is about the instances of this node, whatever their key.
bool is_sender(const PolicyEntry& entry, const NodeId& node);
/// Whether the entry is about who comes with a key that was allowed with this name and role.
bool is_sender(const PolicyEntry& entry, std::string_view name, Role role);

/// The fewer senders WHO is about, the lower: a node or the name of a key, a MIC, a role, anyone.
int width_of(const PolicyEntry& entry);

}  // namespace divisi::control::inline types
