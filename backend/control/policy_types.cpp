// SPDX-License-Identifier: Apache-2.0
#include "backend/control/policy_types.h"

#include "backend/mesh/balancing.h"

namespace divisi::control {

const char* to_string(PolicyKey key) {
    switch (key) {
        case PolicyKey::share: return "share";
        case PolicyKey::window: return "window";
        case PolicyKey::adapt: return "adapt";
        case PolicyKey::module: return "module";
        case PolicyKey::balancing: return "balancing";
    }
    return "";
}

static_assert(first_balancing == static_cast<int>(mesh::Balancing::round_robin) &&
              last_balancing == static_cast<int>(mesh::Balancing::two_choices));

const char* balancing_name(std::int64_t rule) {
    constexpr const char* names[] = {"", "round-robin", "least-outstanding", "weighted", "two-choices"};
    return rule >= first_balancing && rule <= last_balancing ? names[rule] : "";
}

std::string to_text(const PolicyEntry& entry) {
    std::string text = to_string(entry.key);
    if (!entry.from.empty()) text += ":" + entry.from;
    if (!entry.to.empty()) text += ":" + entry.to;
    text += "=";
    if (entry.key == PolicyKey::adapt || entry.key == PolicyKey::module)
        return text + (entry.value != 0 ? "on" : "off");
    if (entry.key == PolicyKey::balancing) return text + balancing_name(entry.value);
    constexpr std::int64_t mebibyte = 1 << 20;
    if (entry.key == PolicyKey::window && entry.value % mebibyte == 0)
        return text + std::to_string(entry.value / mebibyte) + "MiB";
    return text + std::to_string(entry.value) + (entry.key == PolicyKey::window ? "B" : "");
}

}  // namespace divisi::control
