// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
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

}  // namespace divisi::identity
