// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace divisi::identity {

/// The role of a key or a user. The numbers are part of the wire format; append only.
enum class Role : std::uint8_t { viewer = 1, operate = 2, agent = 3, admin = 4, module = 5 };

/// The right that the sender of a message needs.
enum class Right : std::uint8_t { watch, submit, administer, serve, advise };

/// Returns whether a role has a right; this is the only table of roles and rights. Viewers watch, operators also submit
/// and stop, agents serve, and functional modules advise. Admins do everything except serve and advise.
bool allowed(Role role, Right right);

const char* to_string(Role role);
const char* to_string(Right right);
std::optional<Role> parse_role(std::string_view text);

/// The rights that a connection gets from its key or uid.
struct Credentials {
    bool owner = false;        ///< whether the peer is on ipc and has this process's uid or is root; such a peer may
                               ///< act in any role
    std::optional<Role> role;  ///< role of the connection's key, on CURVE
    std::string name;          ///< name that the access list has for the key, or "uid:1000"
    std::string key;           ///< public key, on CURVE
    std::int64_t pid = 0;      ///< process id on ipc, according to the kernel; 0: unknown

    /// Returns whether the connection may act in this role.
    bool may_be(Role wanted) const { return owner || role == wanted; }
};

/// Returns whether two connections have the same key, or are both connections of an owner.
inline bool same_holder(const Credentials& a, const Credentials& b) { return a.owner == b.owner && a.key == b.key; }

}  // namespace divisi::identity
