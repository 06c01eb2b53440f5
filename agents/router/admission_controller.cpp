// SPDX-License-Identifier: Apache-2.0
#include "agents/router/admission_controller.h"

#include "backend/control/protocol/mesh_messages.h"
#include "backend/control/protocol/policy_messages.h"

namespace divisi::router {
namespace {

mesh::Rule rule_of(const control::AdmissionRule& said) {
    mesh::Rule rule;
    if (said.key.empty()) rule.subject = mesh::Owner{};
    else rule.subject = mesh::PublicKey{said.key};
    rule.actions = {mesh::Action::send};
    rule.sid_prefix = said.sid_prefix;
    rule.allow = true;
    rule.as = {said.as, said.incarnation};
    return rule;
}

/// Returns the flow's current path.
std::vector<std::uint32_t> path_of(const mesh::Request& request, const std::vector<control::FlowReport>& flows) {
    for (const control::FlowReport& flow : flows)
        if (flow.source.value() == request.source && flow.destination.value() == request.destination) return flow.path;
    return {};
}

}  // namespace

Result<void> AdmissionController::take(const control::AdmissionPolicy& policy, TimePoint now) {
    // An orchestrator that was restarted without its log counts versions from the beginning.
    if (!std::exchange(current_, true) && policy.version < admission_.policy_version()) admission_.forget_policy();
    mesh::PolicySnapshot snapshot{policy.version, now, {}, {policy.revoked_keys.begin(), policy.revoked_keys.end()}};
    for (const control::AdmissionRule& rule : policy.rules) snapshot.rules.push_back(rule_of(rule));
    for (const control::AdmissionOrder& order : policy.orders)
        snapshot.orders.push_back({{order.as, order.incarnation}, order.sid_prefix, order.allow, order.text});
    auto taken = admission_.set_policy(std::move(snapshot), now);
    if (!taken) {
        // The policy is invalid, so admit nothing: the previous policy may admit peers that the new policy excludes.
        current_ = false;
        admission_.close(now);
    }
    return taken;
}

void AdmissionController::connected(TimePoint now) {
    if (current_) admission_.renew(now);
}

std::optional<std::string> AdmissionController::news(TimePoint now) {
    const auto why = admission_.closed(now);
    const bool before = std::exchange(closed_, why.has_value());
    if (before == closed_) return std::nullopt;
    if (why) return "no longer admits flows: " + *why;
    return "admits flows by policy version " + std::to_string(admission_.policy_version());
}

void AdmissionController::count(control::DeviceReport& report) const {
    const mesh::Admission::Counters& counted = admission_.counters();
    report.guard.policy = admission_.policy_version();
    control::GuardCounters& all = report.guard.counters;
    all.admitted = counted.admitted;
    all.denied = counted.denied;
    all.unserved = counted.unserved;
    all.limited = counted.limited;
    all.retries = counted.retries;
    all.refused_frames = counted.refused_frames;
    all.unlogged = counted.unlogged;
}

void AdmissionController::fill(control::DeviceReport& report) {
    for (const mesh::Request& request : admission_.take_requests(control::most_reported_requests)) {
        control::RequestRecord record;
        record.time = request.at;
        record.subject = request.subject;
        record.task = TaskId(request.task);
        record.source = request.source;
        record.destination = request.destination;
        record.incarnation = request.incarnation;
        record.outcome = request.outcome;
        record.reason = request.reason;
        record.policy = request.policy;
        record.took_s = std::chrono::duration<double>(request.took).count();
        record.path = path_of(request, report.flows);
        report.requests.push_back(std::move(record));
    }
}

}  // namespace divisi::router
