// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "backend/base/result.h"
#include "backend/control/types/policy_types.h"

namespace divisi::control::inline types {

/// One change that an operator asks for.
struct PolicySetting {
    PolicyEntry entry;
    bool removed = false;  ///< "KEY=default": it is said nowhere any more
};

/// Reads "share:mg-1:mg-2=40", "window=16MiB", "mic-rate:mg-1=200MB/s", "adapt=off" or "KEY=default". `invalid_input`
/// for an unknown key and for a value out of bounds. Whether what it names is there is not its to say.
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
/// Bytes/s: below, a tensor would not arrive in time.
inline constexpr std::int64_t least_rate = 1'000'000, most_rate = 1'000'000'000'000;
inline constexpr std::int64_t most_retries = 1'000'000, most_breaker_failures = 100;
/// Milliseconds: a neighbour is noticed as silent after 300, and who is left alone for hours is forgotten.
inline constexpr std::int64_t least_breaker_ms = 500, most_breaker_ms = 3'600'000;
/// More in one report than the highest is a rate at which the network itself ends.
inline constexpr std::int64_t most_alarm_count = 1'000'000;
/// Milliseconds: a chunk takes at least one, and a report ahead of its time comes 250 after another at the earliest.
inline constexpr std::int64_t least_alarm_latency_ms = 1, least_alarm_full_ms = 100, most_alarm_ms = 60'000;
/// Whether the value of an entry about a gateway or a device is one that parse_setting() gives.
bool is_within_bounds(const PolicyEntry& entry);

}  // namespace divisi::control::inline types
