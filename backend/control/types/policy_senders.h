// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "backend/control/types/policy_types.h"
#include "backend/control/types/types.h"

namespace divisi::control::inline types {

// The sender in "send:WHO:PREFIX=deny", an entry of PolicyKey::send. WHO is "anyone", a node, all nodes of a MIC
// ("mic-1/*"), or the holders of CURVE keys. "key@NAME" means the key allowed with that name; "role@ROLE" means all
// keys with that role. No MIC of a cluster file has an '@' in its name.

inline constexpr std::string_view key_sender = "key@", role_sender = "role@";

/// Returns whether WHO names keys instead of nodes.
bool names_keys(std::string_view who);

/// Returns whether the entry applies to the instances of this node, regardless of their key.
bool is_sender(const PolicyEntry& entry, const NodeId& node);
/// Returns whether the entry applies to holders of a key that was allowed with this name and role.
bool is_sender(const PolicyEntry& entry, std::string_view name, Role role);

/// Returns a rank of how many senders WHO covers. The order from narrow to wide is: a node or a key's name, a MIC, a
/// role, anyone.
int width_of(const PolicyEntry& entry);

}  // namespace divisi::control::inline types
