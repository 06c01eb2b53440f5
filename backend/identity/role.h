// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace divisi::identity {

/// What a key or a user comes as. The numbers travel on the wire; append only.
enum class Role : std::uint8_t { viewer = 1, operate = 2, agent = 3, admin = 4, module = 5 };

/// What a message asks of its sender's role.
enum class Right : std::uint8_t { watch, submit, administer, serve, advise };

/// The one table of roles and rights: viewers watch, operators also submit and stop, agents serve, functional modules
/// advise, admins do everything but serve and advise.
bool allowed(Role role, Right right);

const char* to_string(Role role);
const char* to_string(Right right);
std::optional<Role> parse_role(std::string_view text);

}  // namespace divisi::identity
