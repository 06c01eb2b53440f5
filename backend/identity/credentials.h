// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backend/identity/role.h"

namespace divisi::identity {

/// What its key or uid makes of a connection.
struct Credentials {
    bool owner = false;        ///< same uid on ipc: may come in any role
    std::optional<Role> role;  ///< of its key, on CURVE
    std::string name;          ///< that the key was allowed with, or "uid:1000"
    std::string key;           ///< public key, on CURVE
    std::int64_t pid = 0;      ///< of the process on ipc, as the kernel says; 0: unknown

    /// Whether it may act in this role.
    bool may_be(Role wanted) const { return owner || role == wanted; }
};

/// Whether two connections belong to the same holder of a key or the same user.
inline bool same_holder(const Credentials& a, const Credentials& b) { return a.owner == b.owner && a.key == b.key; }

}  // namespace divisi::identity
