// SPDX-License-Identifier: Apache-2.0
#include "backend/control/types/policy_senders.h"

namespace divisi::control::inline types {
namespace {

constexpr std::string_view whole_mic = "/*";

}  // namespace

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
