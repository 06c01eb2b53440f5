// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/relay_context.h"

#include <utility>

#include "backend/mesh/forwarding/relay_flow.h"

namespace divisi::mesh::inline forwarding {

bool RelayContext::owns(const RelayFlow& flow) const { return flow.name.source == config.self; }

FlowRule RelayContext::rule_for(const RelayFlow& flow) const {
    return policy.rule_for(flow.key, flow.name.source, flow.name.destination);
}

ErrorSpec RelayContext::no_route_here() const { return {device_address(config.self), 0, routing_problem, no_route}; }

void RelayContext::refuse(ErrorCode code, std::string what, RoutingId from) {
    actions.refused.push_back({code, std::move(what), table.name_of(from, "an instance of this MIC"), ""});
}

void RelayContext::refuse_frame(ErrorCode code, std::string what, RoutingId from) {
    ++counters.refused_frames;
    refuse(code, std::move(what), from);
}

void RelayContext::refuse_signal(ErrorCode code, std::string what, RoutingId from) {
    ++counters.refused_signals;
    refuse(code, std::move(what), from);
}

void RelayContext::send(RoutingId to, RsvpMessage message, const RelayFlow& flow) {
    message.send_ttl = most_hops;
    message.session = {device_address(flow.name.destination), 6, 0, flow.name.number};
    message.sender = {device_address(flow.name.source), flow.name.number};
    if (message.type != RsvpType::path_error) {
        const auto next = flow.downstream.find(to);
        message.hop = {device_address(config.self), next == flow.downstream.end() ? 0 : next->second.handle};
    }
    if (auto bytes = encode(message)) actions.signals.push_back({to, *std::move(bytes)});
    else refuse(bytes.error().code, bytes.error().what, to);
}

}  // namespace divisi::mesh::inline forwarding
