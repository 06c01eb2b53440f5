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
    bool removed = false;  ///< whether the entry is removed: "KEY=default"
};

/// Reads "share:mg-1:mg-2=40", "window=16MiB", "mic-rate:mg-1=200MB/s", "adapt=off" or "KEY=default". Fails
/// (invalid_input) for an unknown key or a value out of bounds. Does not check that the named ends exist.
Result<PolicySetting> parse_setting(std::string_view text);

/// Applies the setting to the entries. Returns its text for the log: "share:mg-1:mg-2=40 (was 100)".
std::string set_entry(std::vector<PolicyEntry>& entries, const PolicySetting& setting);

/// Returns the value of the most specific entry about these two ends; none if devices use their defaults.
std::optional<std::int64_t> value_of(const std::vector<PolicyEntry>& entries, PolicyKey key,
                                     const std::string& from = {}, const std::string& to = {});

/// Bounds of a window in bytes. A promise of less than one chunk lets no chunk pass. Neighbours reject a promise above
/// mesh::most_window as invalid.
inline constexpr std::int64_t least_window = 1 << 20, most_policy_window = 1 << 30;
/// A device's buffer must hold at least this many windows, so that one flow leaves room for others.
inline constexpr std::int64_t least_windows_of_a_buffer = 4;
/// Bounds of a rate in bytes/s. Below the lower bound, a tensor would not arrive in time.
inline constexpr std::int64_t least_rate = 1'000'000, most_rate = 1'000'000'000'000;
inline constexpr std::int64_t most_retries = 1'000'000, most_breaker_failures = 100;
/// Bounds of a breaker's times in ms. A neighbour counts as silent after 300 ms, and a neighbour that is avoided for
/// hours is forgotten.
inline constexpr std::int64_t least_breaker_ms = 500, most_breaker_ms = 3'600'000;
/// Upper bound of alarm thresholds that are counts. At higher counts per report, the network itself would break down.
inline constexpr std::int64_t most_alarm_count = 1'000'000;
/// Bounds of alarm thresholds in ms. A chunk takes at least 1 ms, and two early reports are at least 250 ms apart.
inline constexpr std::int64_t least_alarm_latency_ms = 1, least_alarm_full_ms = 100, most_alarm_ms = 60'000;
/// Returns whether the value of this entry about a gateway or a device is within the bounds that parse_setting()
/// checks.
bool is_within_bounds(const PolicyEntry& entry);

}  // namespace divisi::control::inline types
