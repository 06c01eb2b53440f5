// SPDX-License-Identifier: Apache-2.0
#include "backend/control/types/policy_types.h"

#include "backend/mesh/deal/balancing.h"

namespace divisi::control::inline types {
namespace {

constexpr std::string_view whole_mic = "/*";

}  // namespace

const char* to_string(PolicyKey key) {
    switch (key) {
        case PolicyKey::share: return "share";
        case PolicyKey::window: return "window";
        case PolicyKey::adapt: return "adapt";
        case PolicyKey::module: return "module";
        case PolicyKey::balancing: return "balancing";
        case PolicyKey::mic_rate: return "mic-rate";
        case PolicyKey::task_rate: return "task-rate";
        case PolicyKey::retries: return "retries";
        case PolicyKey::breaker: return "breaker";
        case PolicyKey::send: return "send";
        case PolicyKey::breaker_window: return "breaker-window";
        case PolicyKey::breaker_open: return "breaker-open";
        case PolicyKey::blob_share: return "blob-share";
        case PolicyKey::alarm_retries: return "alarm-retries";
        case PolicyKey::alarm_refusals: return "alarm-refusals";
        case PolicyKey::alarm_latency: return "alarm-latency";
        case PolicyKey::alarm_full: return "alarm-full";
    }
    return "";
}

bool about_gateway(PolicyKey key) {
    return key == PolicyKey::mic_rate || key == PolicyKey::task_rate || key == PolicyKey::retries ||
           key == PolicyKey::breaker || key == PolicyKey::breaker_window || key == PolicyKey::breaker_open;
}

bool about_device(PolicyKey key) {
    return key == PolicyKey::alarm_retries || key == PolicyKey::alarm_refusals || key == PolicyKey::alarm_latency ||
           key == PolicyKey::alarm_full;
}

bool is_duration(PolicyKey key) {
    return key == PolicyKey::breaker_window || key == PolicyKey::breaker_open || key == PolicyKey::alarm_latency ||
           key == PolicyKey::alarm_full;
}

namespace {

bool is_rate(PolicyKey key) { return key == PolicyKey::mic_rate || key == PolicyKey::task_rate; }

std::string duration_text(std::int64_t ms) {
    return ms % 1000 == 0 ? std::to_string(ms / 1000) + "s" : std::to_string(ms) + "ms";
}

std::string rate_text(std::int64_t bytes_per_s) {
    constexpr std::int64_t mega = 1'000'000;
    if (bytes_per_s == 0) return "none";
    return bytes_per_s % mega == 0 ? std::to_string(bytes_per_s / mega) + "MB/s" : std::to_string(bytes_per_s) + "B/s";
}

}  // namespace

static_assert(first_balancing == static_cast<int>(mesh::Balancing::round_robin) &&
              last_balancing == static_cast<int>(mesh::Balancing::two_choices));

const char* balancing_name(std::int64_t rule) {
    constexpr const char* names[] = {"", "round-robin", "least-outstanding", "weighted", "two-choices"};
    return rule >= first_balancing && rule <= last_balancing ? names[rule] : "";
}

std::string to_text(const PolicyEntry& entry) {
    std::string text = to_string(entry.key);
    if (entry.key == PolicyKey::send)
        return text + ":" + entry.from + ":" + (entry.to.empty() ? "*" : entry.to) +
               (entry.value != 0 ? "=allow" : "=deny");
    if (!entry.from.empty()) text += ":" + entry.from;
    if (!entry.to.empty()) text += ":" + entry.to;
    text += "=";
    if (entry.key == PolicyKey::adapt || entry.key == PolicyKey::module)
        return text + (entry.value != 0 ? "on" : "off");
    if (entry.key == PolicyKey::balancing) return text + balancing_name(entry.value);
    if (entry.key == PolicyKey::retries && entry.value == 0) return text + "none";
    if (is_rate(entry.key)) return text + rate_text(entry.value);
    if (is_duration(entry.key)) return text + duration_text(entry.value);
    constexpr std::int64_t mebibyte = 1 << 20;
    if (entry.key == PolicyKey::window && entry.value % mebibyte == 0)
        return text + std::to_string(entry.value / mebibyte) + "MiB";
    return text + std::to_string(entry.value) + (entry.key == PolicyKey::window ? "B" : "");
}

bool names_keys(std::string_view who) { return who.starts_with(key_sender) || who.starts_with(role_sender); }

bool is_sender(const PolicyEntry& entry, const NodeId& node) {
    const std::string_view who = entry.from;
    if (names_keys(who)) return false;
    if (who == anyone || who == node.value()) return true;
    return who.ends_with(whole_mic) && node.value().starts_with(who.substr(0, who.size() - 1));
}

bool is_sender(const PolicyEntry& entry, std::string_view name, Role role) {
    const std::string_view who = entry.from;
    if (who.starts_with(key_sender)) return who.substr(key_sender.size()) == name;
    if (who.starts_with(role_sender)) return who.substr(role_sender.size()) == to_string(role);
    return who == anyone;
}

int width_of(const PolicyEntry& entry) {
    if (entry.from == anyone) return 3;
    if (entry.from.starts_with(role_sender)) return 2;
    return !names_keys(entry.from) && entry.from.ends_with(whole_mic) ? 1 : 0;
}

}  // namespace divisi::control::inline types
