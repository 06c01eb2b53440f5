// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace divisi::store {

/// A tensor of a snapshot: a value, or a slot of the optimizer for that value.
struct StateName {
    std::string value;
    std::string slot;  ///< name of the slot, such as "momentum", without a '#'; empty: the value itself
    bool operator==(const StateName&) const = default;
};

/// Returns the tensor's name in snapshot files: the value's name, followed by the slot as in "#momentum". A '#' in the
/// value's own name is doubled, so that no two tensors get the same name.
std::string to_text(const StateName& name);
StateName state_name(const std::string& text);

}  // namespace divisi::store
