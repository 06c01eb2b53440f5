// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backend/identity/role.h"

namespace divisi::identity {

/// The rights that a connection gets from its key or uid.
struct Credentials {
    bool owner = false;        ///< same uid on ipc: may act in any role
    std::optional<Role> role;  ///< role of the connection's key, on CURVE
    std::string name;          ///< that the key was allowed with, or "uid:1000"
    std::string key;           ///< public key, on CURVE
    std::int64_t pid = 0;      ///< process id on ipc, according to the kernel; 0: unknown

    /// Returns whether the connection may act in this role.
    bool may_be(Role wanted) const { return owner || role == wanted; }
};

/// Returns whether two connections belong to the same holder of a key, or to the same user.
inline bool same_holder(const Credentials& a, const Credentials& b) { return a.owner == b.owner && a.key == b.key; }

}  // namespace divisi::identity
