// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace divisi::store {

/// A tensor of a snapshot: a value, or a slot of the optimizer for it.
struct StateName {
    std::string value;
    std::string slot;  ///< "momentum", a word without a '#'; empty: the value itself
    bool operator==(const StateName&) const = default;
};

/// As files of snapshots name it: the value's name, and behind it "#momentum". A '#' of the value's own name is
/// doubled, so that no two tensors have one name.
std::string to_text(const StateName& name);
StateName state_name(const std::string& text);

}  // namespace divisi::store
