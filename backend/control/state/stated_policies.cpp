// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/stated_policies.h"

#include <algorithm>
#include <set>

#include "backend/control/types/error_texts.h"
#include "backend/control/types/policy_types.h"

namespace divisi::control::inline state {
namespace {

bool is_node_of(const PolicyEntry& entry, const task::ClusterSpec& spec) {
    for (const task::ClusterMic& mic : spec.mics)
        for (const task::ClusterNode& node : mic.nodes)
            if (is_sender(entry, NodeId(mic.name + "/" + node.name))) return true;
    return false;
}

/// Returns whether the entry matches a key that the file allows, or will allow once the key is created. On tcp each
/// node, device and module has a key.
bool is_key_of(const PolicyEntry& entry, const task::ClusterSpec& spec) {
    const auto meant = [&](const std::string& name, Role role) { return is_sender(entry, name, role); };
    for (const task::AllowedKey& key : spec.keys)
        if (const auto role = parse_role(key.role); role && meant(key.name, *role)) return true;
    if (spec.transport != task::Transport::tcp) return false;
    for (const task::ClusterMic& mic : spec.mics)
        for (const task::ClusterNode& node : mic.nodes)
            if (meant(mic.name + "/" + node.name, Role::agent)) return true;
    for (const task::ClusterDevice* device : spec.devices())
        if (meant(device->name, Role::agent)) return true;
    return std::ranges::any_of(spec.modules, [&](const auto& module) { return meant(module.name, Role::module); });
}

/// Returns why the file cannot name this sender; empty if it can.
std::string no_sender(const PolicyEntry& entry, const task::ClusterSpec& spec) {
    if (names_keys(entry.from))
        return is_key_of(entry, spec) ? "" : "no key that '" + entry.from + "' names is in the file";
    return entry.from == anyone || is_node_of(entry, spec) ? "" : "no node '" + entry.from + "' is in the file";
}

bool is_gateway_of(const std::string& name, const task::ClusterSpec& spec) {
    return std::ranges::any_of(spec.mics,
                               [&](const task::ClusterMic& mic) { return mic.gateway && mic.gateway->name == name; });
}

bool is_router_of(const std::string& name, const task::ClusterSpec& spec) {
    return std::ranges::any_of(spec.routers, [&](const task::ClusterDevice& router) { return router.name == name; });
}

/// Returns why the file cannot contain this setting; empty if it can.
std::string cannot_say(const PolicySetting& setting, const task::ClusterSpec& spec) {
    const PolicyEntry& entry = setting.entry;
    if (setting.removed) return "'default' only removes settings that were made elsewhere";
    if (entry.key == PolicyKey::send) return no_sender(entry, spec);
    if (entry.key == PolicyKey::module) return entry.to.empty() ? "" : "the setting applies to a task, which ends";
    for (const std::string& end : {entry.from, entry.to}) {
        if (end.empty()) continue;
        if (end.find('/') != std::string::npos) return "the setting applies to a SID, which ends with its task";
        if (is_gateway_of(end, spec) || (about_device(entry.key) && is_router_of(end, spec))) continue;
        return (about_device(entry.key) ? "no gateway or router '" : "no gateway '") + end + "' is in the file";
    }
    return "";
}

}  // namespace

Result<std::vector<PolicySetting>> stated_policies(const task::ClusterSpec& spec) {
    std::vector<PolicySetting> settings;
    std::set<std::string> said;
    for (const task::StatedPolicy& one : spec.policies) {
        const auto setting = parse_setting(one.text);
        if (!setting) {
            Error error = make_error(error_text("stated-policy-refused"), one.where, {one.text, setting.error().what});
            error.next = setting.error().next;
            return error;
        }
        if (std::string why = cannot_say(*setting, spec); !why.empty())
            return make_error(error_text("stated-policy-not-in-file"), one.where, {one.text, std::move(why)});
        const std::string text = to_text(setting->entry);
        if (!said.insert(text.substr(0, text.rfind('='))).second)
            return make_error(error_text("stated-policy-twice"), one.where, {one.text});
        settings.push_back(*setting);
    }
    return settings;
}

}  // namespace divisi::control::inline state
