// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "backend/base/result.h"
#include "backend/control/policy_types.h"

namespace divisi::control {

/// One change that an operator asks for.
struct PolicySetting {
    PolicyEntry entry;
    bool removed = false;  ///< "KEY=default": it is said nowhere any more
};

/// Reads "share:mg-1:mg-2=40", "window=16MiB", "adapt=off" or "KEY=default". `invalid_input` for an unknown key and for
/// a value out of bounds. Whether the two ends are there is not its to say.
Result<PolicySetting> parse_setting(std::string_view text);

/// Puts the setting into the entries; returns it as it is logged: "share:mg-1:mg-2=40 (was 100)".
std::string set_entry(std::vector<PolicyEntry>& entries, const PolicySetting& setting);

/// The value of the most specific entry about these two ends; none: devices go by their defaults.
std::optional<std::int64_t> value_of(const std::vector<PolicyEntry>& entries, PolicyKey key,
                                     const std::string& from = {}, const std::string& to = {});

/// A promise below one chunk lets nothing pass; above mesh::most_window neighbours take it for a lie.
inline constexpr std::int64_t least_window = 1 << 20, most_policy_window = 1 << 30;
/// No flow is promised more of a device's buffer by policy than leaves room for others.
inline constexpr std::int64_t least_windows_of_a_buffer = 4;

}  // namespace divisi::control
