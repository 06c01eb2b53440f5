// SPDX-License-Identifier: Apache-2.0
// Applies the policy that the orchestrator sends in signaling type 5.
#include <algorithm>

#include "agents/router/device.h"
#include "agents/router/usable_policy.h"
#include "backend/control/types/policy_settings.h"
#include "backend/frame/end.h"

namespace divisi::router {
namespace {

using control::PolicyEntry;
using control::PolicyKey;

void put(mesh::FlowRule& rule, const PolicyEntry& entry) {
    if (entry.key == PolicyKey::share) rule.first_share = static_cast<std::uint8_t>(entry.value);
    if (entry.key == PolicyKey::blob_share) rule.blob_share = static_cast<std::uint8_t>(entry.value);
    if (entry.key == PolicyKey::window) rule.window = static_cast<std::uint64_t>(entry.value);
}

bool is_of_flows(PolicyKey key) {
    return key == PolicyKey::share || key == PolicyKey::blob_share || key == PolicyKey::window;
}

/// Returns the policy's rules for flows. Skips entries for gateways that this device does not know.
mesh::FlowPolicy rules_of(const control::DevicePolicy& policy, const control::MeshTable& table) {
    const auto id_of = [&](const std::string& name) {
        for (const control::TableDevice& device : table.devices)
            if (device.name == name) return mesh::RoutingId(static_cast<std::uint16_t>(device.id));
        return mesh::RoutingId();
    };
    mesh::FlowPolicy rules;
    for (const PolicyEntry& entry : policy.entries) {
        if (!is_of_flows(entry.key)) continue;
        if (entry.from.empty()) put(rules.all, entry);
        else if (entry.from.find('/') != std::string::npos)
            put(rules.by_sids[{frame::flow_id(Sid(entry.from)), frame::flow_id(Sid(entry.to))}], entry);
        else put(rules.by_gateways[{id_of(entry.from), id_of(entry.to)}], entry);
    }
    return rules;
}

}  // namespace

void Device::apply(const control::DevicePolicy& policy) {
    UsablePolicy taken = usable(policy, config_.info.buffer);
    policy_ = std::move(taken.policy);
    set_policy();
    if (taken.refused)
        lines_.print("policy " + std::to_string(policy.version) + " is partly refused: " + taken.refused->message());
    orchestrator_.send(0, control::PolicyAnswer{policy.version, taken.refused});
}

void Device::set_policy() {
    if (port_.started()) {
        mesh::relay::Policy policy{rules_of(policy_, table_)};
        const auto duration = [&](PolicyKey key, Duration by_default) { return duration_here(key, by_default); };
        if (const auto failures = set_here(PolicyKey::breaker)) policy.breaker.failures = static_cast<int>(*failures);
        policy.breaker.window = duration(PolicyKey::breaker_window, policy.breaker.window);
        policy.breaker.shortest = duration(PolicyKey::breaker_open, policy.breaker.shortest);
        policy.breaker.longest = std::max(policy.breaker.longest, policy.breaker.shortest);
        policy.full_for = duration(PolicyKey::alarm_full, policy.full_for);
        port_.set_policy(std::move(policy));
    }
    set_alarms();
    set_limits();
    set_balancing();
}

/// Sets the thresholds above which figures are reported to the orchestrator immediately.
void Device::set_alarms() {
    AlarmThresholds thresholds;
    if (const auto count = set_here(PolicyKey::alarm_retries)) thresholds.retries = static_cast<std::uint64_t>(*count);
    if (const auto count = set_here(PolicyKey::alarm_refusals))
        thresholds.refusals = static_cast<std::uint64_t>(*count);
    thresholds.latency = duration_here(PolicyKey::alarm_latency, thresholds.latency);
    alarms_.set(thresholds);
}

Duration Device::duration_here(PolicyKey key, Duration by_default) const {
    const auto ms = set_here(key);
    return ms ? std::chrono::milliseconds(*ms) : by_default;
}

/// Returns the policy's value for this device. Returns none if the policy has no value; the device then uses its
/// command-line option or the default.
std::optional<std::int64_t> Device::set_here(PolicyKey key) const {
    return control::value_of(policy_.entries, key, config_.info.name);
}

void Device::set_limits() {
    if (!admission_controller_) return;
    mesh::ShaperConfig rates = config_.rates;
    if (const auto rate = set_here(PolicyKey::mic_rate)) rates.mic_bytes_per_s = static_cast<double>(*rate);
    if (const auto rate = set_here(PolicyKey::task_rate)) rates.task_bytes_per_s = static_cast<double>(*rate);
    port_.limit(rates);
    const auto retries = set_here(PolicyKey::retries);
    admission_controller_->admission().set_retries(retries ? static_cast<double>(*retries)
                                                           : config_.admission.retries_per_s);
}

void Device::tell_abnormal(const mesh::relay::Abnormal& abnormal) {
    control::AbnormalState state{abnormal.kind, abnormal.neighbour.value(), abnormal.since, {}};
    for (const auto& flow : abnormal.flows) {
        control::AbnormalFlow row{TaskId(flow.sids.task), Sid(flow.sids.source), Sid(flow.sids.destination), {}};
        for (const mesh::RoutingId id : flow.way) row.path.push_back(id.value());
        state.flows.push_back(std::move(row));
    }
    open_states_.take(state);
    orchestrator_.send(0, state);
}

void Device::drop_ended_states() {
    if (!port_.started()) return;
    std::set<std::uint32_t> neighbours;
    std::set<std::pair<std::string, std::string>> flows;
    for (const mesh::Relay::NeighbourView& one : port_.relay().neighbours()) neighbours.insert(one.id.value());
    for (const mesh::Relay::FlowView& flow : port_.relay().flows())
        flows.insert({flow.sids.source, flow.sids.destination});
    open_states_.keep_only(neighbours, flows);
}

/// Reports the open abnormal states again, because an orchestrator that was not connected has missed their start.
void Device::tell_open_states() {
    drop_ended_states();
    for (const control::AbnormalState& state : open_states_.all()) orchestrator_.send(0, state);
}

}  // namespace divisi::router
