// SPDX-License-Identifier: Apache-2.0
// Limits of the traffic that a gateway admits: [mic.gateway.limits] of a cluster file.
#include <charconv>
#include <cmath>
#include <span>

#include "backend/base/quantity.h"
#include "backend/task/cluster_fields.h"
#include "backend/task/error_texts.h"

namespace divisi::task {
namespace {

/// A key and its allowed values. The limits have the same bounds as the options of divisi-gateway.
struct Limit {
    const char* key;
    std::optional<double> ClusterLimits::*field;
    std::span<const Unit> units;  ///< empty: a number per second
    double least, most;
    const char *unit, *next;
};

constexpr double largest_rate = 1e15;  // above the rate of any network, but too small to cause an overflow
const Limit limits[] = {
    {"task_rate", &ClusterLimits::task_bytes_per_s, bandwidth_units, 1e6, largest_rate, "B/s",
     "write e.g. \"200 MB/s\", 1 MB/s or more; without this key there is no limit"},
    {"mic_rate", &ClusterLimits::mic_bytes_per_s, bandwidth_units, 1e6, largest_rate, "B/s",
     "write e.g. \"1 GB/s\", 1 MB/s or more; without this key there is no limit"},
    {"task_set_ups",
     &ClusterLimits::task_set_ups_per_s,
     {},
     0,
     1e6,
     "",
     "write flows per second from 0 (no limit) to 1000000, such as 500"},
    {"mic_set_ups",
     &ClusterLimits::mic_set_ups_per_s,
     {},
     0,
     1e6,
     "",
     "write flows per second from 0 (no limit) to 1000000, such as 2000"},
    {"retries",
     &ClusterLimits::retries_per_s,
     {},
     0,
     1e6,
     "",
     "write retries per second from 0 (no limit) to 1000000, such as 10"},
    {"set_up_deadline", &ClusterLimits::set_up_deadline_s, latency_units, 0.1, 60, "s",
     "write e.g. \"2 s\", from 0.1 s to 60 s"},
    {"policy_validity", &ClusterLimits::policy_validity_s, latency_units, 1, 86'400, "s",
     "write e.g. \"600 s\", from 1 s to 86400 s"},
};

Result<std::optional<double>> read_limit(const Section& section, const Limit& limit) {
    const toml::node* node = section.table.get(limit.key);
    if (!node) return std::optional<double>();
    std::optional<double> value;
    if (limit.units.empty()) {
        if (const auto* whole = node->as_integer()) value = static_cast<double>(whole->get());
        else if (const auto* number = node->as_floating_point()) value = number->get();
    } else if (const auto* text = node->as_string()) {
        if (const auto parsed = parse_quantity(text->get(), limit.units)) value = *parsed;
    }
    if (value && std::isfinite(*value) && *value >= limit.least && *value <= limit.most) return value;
    return section.bad(limit.key, value ? error_text("limit-out-of-range") : error_text("unreadable-limit"),
                       {limit.next});
}

}  // namespace

Result<void> read_limits(const toml::table& gateway, const std::string& filename, ClusterLimits& into) {
    const toml::node* node = gateway.get("limits");
    if (!node) return {};
    if (!node->as_table())
        return wrong_type(*node, "gateway.limits", place(filename, *node),
                          fill(error_text("section-wanted").what, {"mic.gateway.limits"}));
    std::vector<std::string> keys;
    for (const Limit& limit : limits) keys.emplace_back(limit.key);
    const Section section{*node->as_table(), "gateway.limits", filename};
    DIVISI_TRY(check_keys(section.table, section.name, keys, filename));
    for (const Limit& limit : limits) {
        DIVISI_ASSIGN(into.*limit.field, read_limit(section, limit));
    }
    return {};
}

std::string print_limits(const ClusterLimits& said) {
    std::string text;
    for (const Limit& limit : limits) {
        const std::optional<double>& value = said.*limit.field;
        if (!value) continue;
        char number[32];
        const std::string written(number, std::to_chars(number, number + sizeof number, *value).ptr);
        text += std::string(limit.key) + " = " + (limit.units.empty() ? written : literal(written + " " + limit.unit)) +
                "\n";
    }
    return text.empty() ? text : "[mic.gateway.limits]\n" + text;
}

}  // namespace divisi::task
