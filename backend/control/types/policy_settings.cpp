// SPDX-License-Identifier: Apache-2.0
#include "backend/control/types/policy_settings.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "backend/base/quantity.h"
#include "backend/control/types/error_texts.h"
#include "backend/control/types/policy_types.h"
#include "backend/mesh/base/service_path.h"

namespace divisi::control::inline types {
namespace {

constexpr std::size_t longest_end = 255;
constexpr Unit size_units[] = {{"B", 1},
                               {"kB", 1e3},
                               {"MB", 1e6},
                               {"GB", 1e9},
                               {"KiB", 1024},
                               {"MiB", 1024.0 * 1024},
                               {"GiB", 1024.0 * 1024 * 1024}};

Error bad(std::string_view text, const ErrorText& problem, std::vector<std::string> args = {}) {
    return make_error(problem, "policy '" + std::string(text.substr(0, longest_end)) + "'", std::move(args));
}

std::optional<PolicyKey> key_named(std::string_view name) {
    for (const PolicyKey key :
         {PolicyKey::share, PolicyKey::window, PolicyKey::adapt, PolicyKey::module, PolicyKey::balancing,
          PolicyKey::mic_rate, PolicyKey::task_rate, PolicyKey::retries, PolicyKey::breaker, PolicyKey::send,
          PolicyKey::breaker_window, PolicyKey::breaker_open, PolicyKey::blob_share, PolicyKey::alarm_retries,
          PolicyKey::alarm_refusals, PolicyKey::alarm_latency, PolicyKey::alarm_full})
        if (name == to_string(key)) return key;
    return std::nullopt;
}

std::optional<std::int64_t> whole_number(std::string_view written, std::int64_t least, std::int64_t most) {
    std::int64_t value = -1;
    const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), value);
    const bool whole = error == std::errc() && end == written.data() + written.size();
    return whole && value >= least && value <= most ? std::optional(value) : std::nullopt;
}

Result<std::int64_t> share_of(std::string_view text, std::string_view written) {
    if (written.ends_with('%')) written.remove_suffix(1);
    if (const auto value = whole_number(written, 0, 100)) return *value;
    return bad(text, error_text("policy-share"));
}

Result<std::int64_t> rate_of(std::string_view text, std::string_view written) {
    if (written == "none") return std::int64_t{0};
    const auto rate = parse_quantity(written, bandwidth_units);
    if (rate && *rate >= static_cast<double>(least_rate) && *rate <= static_cast<double>(most_rate))
        return static_cast<std::int64_t>(*rate);
    return bad(text, error_text("policy-rate"));
}

Result<std::int64_t> retries_of(std::string_view text, std::string_view written) {
    if (written == "none") return std::int64_t{0};
    if (const auto value = whole_number(written, 1, most_retries)) return *value;
    return bad(text, error_text("policy-retries"));
}

Result<std::int64_t> breaker_of(std::string_view text, std::string_view written) {
    if (const auto value = whole_number(written, 1, most_breaker_failures)) return *value;
    return bad(text, error_text("policy-breaker"));
}

std::optional<std::int64_t> whole_ms(std::string_view written, std::int64_t least, std::int64_t most) {
    const auto seconds = parse_quantity(written, latency_units);
    const double ms = seconds ? std::round(*seconds * 1e3) : 0;
    const bool within = ms >= static_cast<double>(least) && ms <= static_cast<double>(most);
    return within ? std::optional(static_cast<std::int64_t>(ms)) : std::nullopt;
}

Result<std::int64_t> breaker_ms_of(PolicyKey key, std::string_view text, std::string_view written) {
    if (const auto ms = whole_ms(written, least_breaker_ms, most_breaker_ms)) return *ms;
    return bad(text, error_text("policy-breaker-time"), {to_string(key)});
}

Result<std::int64_t> alarm_count_of(PolicyKey key, std::string_view text, std::string_view written) {
    if (const auto count = whole_number(written, 1, most_alarm_count)) return *count;
    return bad(text, error_text("policy-alarm-count"), {to_string(key)});
}

Result<std::int64_t> alarm_latency_of(std::string_view text, std::string_view written) {
    if (const auto ms = whole_ms(written, least_alarm_latency_ms, most_alarm_ms)) return *ms;
    return bad(text, error_text("policy-alarm-latency"));
}

Result<std::int64_t> alarm_full_of(std::string_view text, std::string_view written) {
    if (const auto ms = whole_ms(written, least_alarm_full_ms, most_alarm_ms)) return *ms;
    return bad(text, error_text("policy-alarm-full"));
}

Result<std::int64_t> window_of(std::string_view text, std::string_view written) {
    const auto bytes = parse_quantity(written, size_units);
    if (bytes && *bytes >= static_cast<double>(least_window) && *bytes <= static_cast<double>(most_policy_window))
        return static_cast<std::int64_t>(*bytes);
    return bad(text, error_text("policy-window"));
}

Result<std::int64_t> switch_of(std::string_view text, std::string_view written) {
    if (written == "on") return std::int64_t{1};
    if (written == "off") return std::int64_t{0};
    return bad(text, error_text("policy-switch"));
}

Result<std::int64_t> rule_of(std::string_view text, std::string_view written) {
    for (int rule = first_balancing; rule <= last_balancing; ++rule)
        if (written == balancing_name(rule)) return rule;
    return bad(text, error_text("policy-balancing"));
}

Result<std::int64_t> permission_of(std::string_view text, std::string_view written) {
    if (written == "allow") return std::int64_t{1};
    if (written == "deny") return std::int64_t{0};
    return bad(text, error_text("policy-permission"));
}

Result<std::int64_t> value_of(PolicyKey key, std::string_view text, std::string_view written) {
    switch (key) {
        case PolicyKey::share:
        case PolicyKey::blob_share: return share_of(text, written);
        case PolicyKey::window: return window_of(text, written);
        case PolicyKey::adapt:
        case PolicyKey::module: return switch_of(text, written);
        case PolicyKey::balancing: return rule_of(text, written);
        case PolicyKey::mic_rate:
        case PolicyKey::task_rate: return rate_of(text, written);
        case PolicyKey::retries: return retries_of(text, written);
        case PolicyKey::breaker: return breaker_of(text, written);
        case PolicyKey::send: return permission_of(text, written);
        case PolicyKey::breaker_window:
        case PolicyKey::breaker_open: return breaker_ms_of(key, text, written);
        case PolicyKey::alarm_retries:
        case PolicyKey::alarm_refusals: return alarm_count_of(key, text, written);
        case PolicyKey::alarm_latency: return alarm_latency_of(text, written);
        case PolicyKey::alarm_full: return alarm_full_of(text, written);
    }
    return std::int64_t{0};
}

/// Reads "module:NAME" or "module:NAME:TASK".
Result<void> read_module(std::string_view text, std::string_view left, PolicyEntry& entry) {
    const std::size_t first = left.find(':');
    const std::string_view words = first == std::string_view::npos ? "" : left.substr(first + 1);
    const std::size_t colon = words.find(':');
    entry.from = words.substr(0, colon);
    if (colon != std::string_view::npos) entry.to = words.substr(colon + 1);
    const bool whole = !entry.from.empty() && (colon == std::string_view::npos || !entry.to.empty());
    if (whole && words.size() <= longest_end && entry.to.find(':') == std::string::npos) return {};
    return bad(text, error_text("policy-module-ends"));
}

/// Reads "KEY:GATEWAY", or "KEY:DEVICE" for keys about devices.
Result<void> read_device(std::string_view text, std::string_view device, PolicyEntry& entry) {
    entry.from = device;
    if (!device.empty() && device.size() <= longest_end && device.find(':') == std::string_view::npos) return {};
    if (about_gateway(entry.key)) return bad(text, error_text("policy-gateway-ends"));
    return bad(text, error_text("policy-device-ends"));
}

/// Reads "KEY:FROM:TO".
Result<void> read_ends(std::string_view text, std::string_view ends, PolicyEntry& entry) {
    const std::size_t colon = ends.find(':');
    const bool two = colon != std::string_view::npos && colon > 0 && colon + 1 < ends.size();
    if (!two || ends.size() > 2 * longest_end) return bad(text, error_text("policy-flow-ends"));
    entry.from = ends.substr(0, colon);
    entry.to = ends.substr(colon + 1);
    if (entry.key == PolicyKey::blob_share && entry.from.find('/') != std::string::npos)
        return bad(text, error_text("policy-blob-ends"));
    return {};
}

/// Checks "key@NAME" or "role@ROLE".
Result<void> check_key_sender(std::string_view text, std::string_view who) {
    if (who.starts_with(key_sender)) {
        if (who.size() > key_sender.size()) return {};
        return bad(text, error_text("policy-key-without-name"));
    }
    const std::string_view role = who.substr(role_sender.size());
    if (parse_role(role)) return {};
    return bad(text, error_text("policy-role-unknown"), {std::string(role)});
}

/// Checks WHO of "send:WHO:PREFIX".
Result<void> check_who(std::string_view text, std::string_view who) {
    if (who.size() <= longest_end) {
        if (who == anyone) return {};
        if (names_keys(who)) return check_key_sender(text, who);
        const std::string_view node = who.ends_with("/*") ? who.substr(0, who.size() - 2) : who;
        if (mesh::is_path(node) && mesh::components(who) == 2) return {};
    }
    return bad(text, error_text("policy-sender"), {std::string(who.substr(0, longest_end))});
}

/// Reads "send:WHO:PREFIX": the sender, and the SIDs to which sending is allowed or denied. A key's name may contain a
/// ':'.
Result<void> read_send(std::string_view text, std::string_view left, PolicyEntry& entry) {
    const std::size_t first = left.find(':');
    const std::string_view words = first == left.npos ? "" : left.substr(first + 1);
    const std::size_t second = names_keys(words) ? words.rfind(':') : words.find(':');
    if (second == words.npos) return bad(text, error_text("policy-send-form"));
    entry.from = words.substr(0, second);
    DIVISI_TRY(check_who(text, entry.from));
    const std::string_view prefix = words.substr(second + 1);
    if (prefix != "*" && !mesh::is_service_path(prefix)) return bad(text, error_text("policy-send-sids"));
    if (prefix != "*") entry.to = prefix;
    return {};
}

/// Reads the part of "KEY:..." that follows the key.
Result<void> read_about(std::string_view text, std::string_view left, PolicyEntry& entry) {
    const std::string_view name = to_string(entry.key);
    if (entry.key == PolicyKey::module) return read_module(text, left, entry);
    if (entry.key == PolicyKey::send) return read_send(text, left, entry);
    if (name.size() == left.size()) return {};
    const std::string_view about = left.substr(name.size() + 1);
    if (entry.key == PolicyKey::adapt || entry.key == PolicyKey::balancing)
        return bad(text, error_text("policy-of-whole-mesh"), {std::string(name)});
    const bool one = about_gateway(entry.key) || about_device(entry.key);
    return one ? read_device(text, about, entry) : read_ends(text, about, entry);
}

}  // namespace

Result<PolicySetting> parse_setting(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return bad(text, error_text("policy-without-value"));
    const std::string_view left = text.substr(0, equals), written = text.substr(equals + 1);
    const std::string_view name = left.substr(0, left.find(':'));
    const auto key = key_named(name);
    if (!key) return bad(text, error_text("no-such-policy"), {std::string(name.substr(0, longest_end))});
    PolicySetting setting;
    setting.entry.key = *key;
    setting.removed = written == "default";
    DIVISI_TRY(read_about(text, left, setting.entry));
    if (!setting.removed) {
        DIVISI_ASSIGN(setting.entry.value, value_of(*key, text, written));
    }
    return setting;
}

bool is_within_bounds(const PolicyEntry& entry) {
    const auto within = [&](std::int64_t least, std::int64_t most) {
        return entry.value >= least && entry.value <= most;
    };
    switch (entry.key) {
        case PolicyKey::mic_rate:
        case PolicyKey::task_rate: return entry.value == 0 || within(least_rate, most_rate);
        case PolicyKey::retries: return within(0, most_retries);
        case PolicyKey::breaker: return within(1, most_breaker_failures);
        case PolicyKey::breaker_window:
        case PolicyKey::breaker_open: return within(least_breaker_ms, most_breaker_ms);
        case PolicyKey::alarm_retries:
        case PolicyKey::alarm_refusals: return within(1, most_alarm_count);
        case PolicyKey::alarm_latency: return within(least_alarm_latency_ms, most_alarm_ms);
        case PolicyKey::alarm_full: return within(least_alarm_full_ms, most_alarm_ms);
        default: return true;
    }
}

std::string set_entry(std::vector<PolicyEntry>& entries, const PolicySetting& setting) {
    const auto known = std::ranges::find_if(entries, [&](const PolicyEntry& entry) {
        return entry.key == setting.entry.key && entry.from == setting.entry.from && entry.to == setting.entry.to;
    });
    std::string text = to_text(setting.entry);
    if (setting.removed) text = text.substr(0, text.find('=') + 1) + "default";
    if (known != entries.end()) {
        const std::string before = to_text(*known);
        text += " (was " + before.substr(before.find('=') + 1) + ")";
        if (setting.removed) entries.erase(known);
        else known->value = setting.entry.value;
    } else if (!setting.removed) {
        entries.push_back(setting.entry);
    }
    return text;
}

std::optional<std::int64_t> value_of(const std::vector<PolicyEntry>& entries, PolicyKey key, const std::string& from,
                                     const std::string& to) {
    std::optional<std::int64_t> value;
    for (const PolicyEntry& entry : entries) {
        if (entry.key != key) continue;
        const bool theirs = !from.empty() && entry.from == from && entry.to == to;
        if (theirs) return entry.value;
        if (entry.from.empty()) value = entry.value;
    }
    return value;
}

}  // namespace divisi::control::inline types
