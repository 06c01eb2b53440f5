// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/rsvp_handler.h"

#include <algorithm>
#include <utility>

namespace divisi::mesh::inline forwarding {
namespace {

FlowKey key_of(const RsvpMessage& message) {
    const FlowSids& sids = *message.sids;
    return {frame::flow_id(sids.task), frame::flow_id(sids.source), frame::flow_id(sids.destination),
            path_index_of(message), class_of(message)};
}

Error refusal(ErrorCode code, const char* what) { return {code, what, "", ""}; }

}  // namespace

void RsvpHandler::handle(RoutingId from, const RsvpMessage& message) {
    switch (message.type) {
        case RsvpType::credit_path: return path(from, message);
        case RsvpType::credit_resv: return resv(from, message);
        case RsvpType::path_error: return path_error(from, message);
        case RsvpType::path_tear: return tear(from, message);
    }
}

/// Returns the name of the flow that a message is about; nothing if the route table lacks the flow's gateways.
std::optional<FlowName> RsvpHandler::name_of(const RsvpMessage& message) const {
    const RouteTable& table = parts_.context.table;
    const auto source = table.device_at(message.sender.source), last = table.device_at(message.session.destination);
    if (!source || !last) return std::nullopt;
    return FlowName{*source, *last, message.session.port};
}

/// Returns the flow that a message names; null if this device does not know it.
RelayFlow* RsvpHandler::flow_named(const RsvpMessage& message) {
    const auto name = name_of(message);
    return name ? parts_.flows.find(*name) : nullptr;
}

// --- PATH ---------------------------------------------------------------------------------------

/// Makes the sender of the PATH a promise if the buffer allows, and forwards the PATH along the flow's two routes.
void RsvpHandler::path(RoutingId from, const RsvpMessage& message) {
    const auto refuse = [&](const Error& why) { parts_.context.refuse_signal(why.code, why.what, from); };
    const auto name = name_of(message);
    if (!name) return refuse(refusal(ErrorCode::not_found, "PATH between gateways that the route table does not have"));
    const FlowKey key = key_of(message);
    if (const auto checked = check_path(key, *name, message); !checked) return refuse(checked.error());
    const RelayFlow* known = parts_.flows.find(key);
    if (!known || known->name != *name) {
        router_.close(key);
        // An earlier process of that gateway used the number for another flow.
        if (const RelayFlow* other = parts_.flows.find(*name)) router_.close(other->key);
        const bool named = parts_.context.table.has_flow(key, *message.sids);
        if (!parts_.limits.try_new_flow(from, named, parts_.flows.size(), parts_.context.now))
            return refuse(refusal(ErrorCode::exhausted, "no room for another flow of this neighbour"));
        router_.open(key, *name, *message.sids);
    }
    RelayFlow& flow = *parts_.flows.find(key);
    const Route route = route_of(message, RouteUse::primary), backup = route_of(message, RouteUse::backup);
    const std::uint32_t known_version = std::max(flow.route.version, flow.backup.version);
    if (const PathFigures link = path_figures_of(message); link != PathFigures())
        parts_.neighbours.find(from)->link_here = link;
    const auto held = flow.upstream.find(from);
    const bool fresh = held == flow.upstream.end() || held->second.boot != message.hop.interface_handle;
    if (fresh && !parts_.promises.try_reserve(flow, from, message.hop.interface_handle)) return;
    flow.upstream.at(from).refreshed = parts_.context.now;
    parts_.promises.tell(flow, from, true);
    if (route.version > 0) router_.adopt(flow, route);
    if (backup.version > 0) router_.adopt_backup(flow, backup);
    // A repeated PATH is not passed on, because each device repeats PATHs on its own (RFC 2205, 3.7). If there is no
    // further path, the sender has already got a PathErr.
    const bool news = fresh || std::max(flow.route.version, flow.backup.version) > known_version;
    if (news && flow.upstream.contains(from)) parts_.credit.ask_ahead(flow);
}

Result<void> RsvpHandler::check_path(const FlowKey& key, const FlowName& name, const RsvpMessage& message) const {
    const RelayContext& context = parts_.context;
    if (name.source == context.config.self)
        return refusal(ErrorCode::denied, "PATH that has returned to the gateway that sent it");
    for (const RouteUse use : {RouteUse::primary, RouteUse::backup})
        if (const Route route = route_of(message, use);
            route.version > 0 && path_from(route.path, context.config.self).empty())
            return refusal(ErrorCode::denied, "PATH with a route that has a loop, or does not lead here");
    const auto played = [&](std::uint64_t sid, RoutingId gateway) {
        const Place* place = context.table.place(sid);
        return !place || place->gateway == gateway;  // the route table may not have arrived yet
    };
    const RelayFlow* known = parts_.flows.find(key);
    if (!played(key.source, name.source) || !played(key.destination, name.destination) ||
        (known && context.owns(*known)))
        return refusal(ErrorCode::denied, "PATH for SIDs of other gateways");
    if (key.flow_class != class_of(TaskId(message.sids->task)))
        return refusal(ErrorCode::denied, "PATH whose class does not match the flows of its SIDs");
    return {};
}

// --- RESV ---------------------------------------------------------------------------------------

void RsvpHandler::resv(RoutingId from, const RsvpMessage& message) {
    RelayContext& context = parts_.context;
    const auto refuse = [&](const Error& why) { context.refuse_signal(why.code, why.what, from); };
    RelayFlow* flow = flow_named(message);
    if (!flow) return refuse(refusal(ErrorCode::not_found, "RESV for an unknown flow"));
    if (const auto checked = check_resv(*flow, from, message); !checked) return refuse(checked.error());
    Allowance& allowance = flow->downstream.at(from).allowance;
    const bool anew = message.credit->incarnation > allowance.incarnation();
    const auto freed = allowance.grant(message.credit->incarnation, message.credit->allowed_bytes, window_of(message));
    if (!freed) {
        refuse(freed.error());
        if (freed.error().code == ErrorCode::conflict) return;
        // The counts of the two sides differ, so both sides start again.
        parts_.credit.withdraw(*flow, from);
        return router_.choose(*flow);
    }
    if (anew) parts_.credit.take_back(*flow, from);
    flow->downstream.at(from).behind = path_figures_of(message);
    const bool passed = parts_.credit.release(*flow, from, *freed);
    if (passed && context.owns(*flow) && flow->exit.device == from) parts_.routes.record_passage(flow->path);
    parts_.sender.schedule(*flow);
    if (*freed > 0 && parts_.routes.breakers().record_success(from, flow->key, context.now)) router_.choose_all();
}

Result<void> RsvpHandler::check_resv(const RelayFlow& flow, RoutingId from, const RsvpMessage& message) const {
    const auto next = flow.downstream.find(from);
    if (next == flow.downstream.end() || next->second.asked == TimePoint())
        return refusal(ErrorCode::not_found, "RESV that was not requested");
    if (!message.credit) return refusal(ErrorCode::unsupported, "RESV without cumulative credit (C-Type 2)");
    if (message.credit->flow != flow.name.number)
        return refusal(ErrorCode::corrupt, "RESV with the credit of another flow");
    if (message.credit_megabytes && *message.credit_megabytes != megabytes(window_of(message)))
        return refusal(ErrorCode::corrupt, "RESV whose megabytes (C-Type 1) do not match its window");
    if (message.credit->incarnation < next->second.allowance.incarnation())
        return refusal(ErrorCode::conflict, "RESV of an expired reservation");
    return {};
}

// --- PathErr and PathTear -----------------------------------------------------------------------

void RsvpHandler::path_error(RoutingId from, const RsvpMessage& message) {
    RelayFlow* flow = flow_named(message);
    if (!flow || !flow->downstream.contains(from))
        return parts_.context.refuse_signal(ErrorCode::not_found, "PathErr for an unknown flow", from);
    const ErrorSpec why = *message.error;
    flow->meter.refused();
    parts_.credit.withdraw(*flow, from);
    if (!parts_.context.owns(*flow)) {
        if (flow->exit.device == from) router_.give_up(*flow, why);
        else parts_.sender.schedule(*flow);
        return;
    }
    parts_.routes.record_refusal(*flow, why);
    router_.choose(*flow);
}

void RsvpHandler::tear(RoutingId from, const RsvpMessage& message) {
    RelayFlow* flow = flow_named(message);
    if (!flow) return;  // the flow has already ended here
    parts_.promises.drop(*flow, from);
    if (flow->upstream.empty() && !parts_.context.owns(*flow)) router_.close(flow->key);
}

}  // namespace divisi::mesh::inline forwarding
