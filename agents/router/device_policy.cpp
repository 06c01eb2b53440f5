// SPDX-License-Identifier: Apache-2.0
// Signaling type 5, downwards: the policy that the orchestrator sets, and how the device takes it.
#include "agents/router/device.h"
#include "backend/control/policy_settings.h"
#include "backend/frame/end.h"

namespace divisi::router {
namespace {

using control::PolicyEntry;
using control::PolicyKey;

/// The orchestrator has held the entries against the same bounds; the buffer is this device's own.
Result<void> check(const control::DevicePolicy& policy, Bytes buffer) {
    for (const PolicyEntry& entry : policy.entries) {
        const auto bad = [&](std::string what, std::string next) {
            return Error{ErrorCode::invalid_input, std::move(what), "policy '" + to_text(entry) + "'", std::move(next)};
        };
        if (entry.key == PolicyKey::share && (entry.value < 0 || entry.value > 100))
            return bad("a share is from 0 to 100 percent", "set another");
        if (entry.key != PolicyKey::window) continue;
        if (entry.value < control::least_window || entry.value > control::most_policy_window)
            return bad("a window is from 1 MiB to 1 GiB", "set another");
        if (entry.value > buffer)
            return bad("it would promise one flow more than its buffer of " + format_bytes(buffer),
                       "set a smaller window, or start it with a larger --buffer-mib");
    }
    return {};
}

void put(mesh::FlowRule& rule, const PolicyEntry& entry) {
    if (entry.key == PolicyKey::share) rule.first_share = static_cast<std::uint8_t>(entry.value);
    if (entry.key == PolicyKey::window) rule.window = static_cast<std::uint64_t>(entry.value);
}

/// Entries whose gateways this device does not know concern none of its flows.
mesh::FlowPolicy rules_of(const control::DevicePolicy& policy, const control::MeshTable& table) {
    const auto id_of = [&](const std::string& name) {
        for (const control::TableDevice& device : table.devices)
            if (device.name == name) return mesh::RoutingId(static_cast<std::uint16_t>(device.id));
        return mesh::RoutingId();
    };
    mesh::FlowPolicy rules;
    for (const PolicyEntry& entry : policy.entries) {
        if (entry.from.empty()) put(rules.all, entry);
        else if (entry.from.find('/') != std::string::npos)
            put(rules.by_sids[{frame::flow_id(Sid(entry.from)), frame::flow_id(Sid(entry.to))}], entry);
        else put(rules.by_gateways[{id_of(entry.from), id_of(entry.to)}], entry);
    }
    return rules;
}

}  // namespace

void Device::apply(const control::DevicePolicy& policy) {
    control::PolicyAnswer answer{policy.version, std::nullopt};
    if (const auto checked = check(policy, config_.info.buffer); !checked) {
        answer.refused = checked.error();
        tell("policy " + std::to_string(policy.version) + " is refused: " + checked.error().message());
    } else {
        policy_ = policy;
        set_policy();
    }
    orchestrator_.send(0, answer);
}

void Device::set_policy() {
    if (port_.started()) port_.set_policy(rules_of(policy_, table_));
}

void Device::tell_abnormal(const mesh::relay::Abnormal& abnormal) {
    control::AbnormalState state{abnormal.kind, abnormal.neighbour.value(), abnormal.since, {}};
    for (const auto& flow : abnormal.flows) {
        control::AbnormalFlow row{TaskId(flow.sids.task), Sid(flow.sids.source), Sid(flow.sids.destination), {}};
        for (const mesh::RoutingId id : flow.way) row.path.push_back(id.value());
        state.flows.push_back(std::move(row));
    }
    orchestrator_.send(0, state);
}

}  // namespace divisi::router
