// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/flow_router.h"

#include <algorithm>
#include <utility>

namespace divisi::mesh::inline forwarding {

// --- beginning and end --------------------------------------------------------------------------

RelayFlow* FlowRouter::flow_of(const frame::FrameHeader& header, RoutingId from) {
    FlowKey key = key_of(header);
    key.path_index = from.value() == 0 ? path_index(header) : path_index_of(header);
    RelayFlow* known = parts_.flows.find(key);
    if (known && (from.value() != 0 || parts_.context.owns(*known))) return known;
    if (from.value() == 0) {
        RelayFlow* opened = open_own(key);
        // The tensor's other chunks take this path too.
        if (opened != nullptr) splitter_.path_index(key, header, [&] { return key.path_index; });
        return opened;
    }
    parts_.context.refuse_frame(ErrorCode::not_found, "a frame of a flow without a PATH", from);
    return nullptr;
}

/// Opens the flow of a frame from an instance of this MIC.
RelayFlow* FlowRouter::open_own(const FlowKey& key) {
    RelayContext& context = parts_.context;
    const auto refuse = [&](ErrorCode code, std::string what) {
        context.refuse_frame(code, std::move(what), RoutingId());
        return nullptr;
    };
    const Place *source = context.table.place(key.source), *destination = context.table.place(key.destination);
    if (!source || !destination) {
        ++context.counters.unserved;
        context.refuse(ErrorCode::not_found, "no instance serves the source or the destination SID of a frame",
                       RoutingId());
        return nullptr;
    }
    const bool own = source->gateway == context.config.self && source->task == destination->task &&
                     key.task == frame::flow_id(source->task);
    if (!own) return refuse(ErrorCode::denied, "a frame from an instance of another MIC, or between tasks");
    if (key.flow_class != class_of(source->task))
        return refuse(ErrorCode::denied, "a frame whose class does not match the flows of its SID");
    if (parts_.flows.size() >= most_flows)
        return refuse(ErrorCode::exhausted, "more than " + std::to_string(most_flows) + " flows");
    const FlowName name = parts_.flows.unused_name(context.config.self, destination->gateway);
    return &open(key, name, {source->task.value(), source->sid.value(), destination->sid.value()});
}

RelayFlow& FlowRouter::open(const FlowKey& key, const FlowName& name, FlowSids sids) {
    RelayFlow& flow = parts_.flows.add(key, name, std::move(sids));
    flow.named = parts_.context.table.has_flow(key, flow.sids);
    if (!flow.named) parts_.limits.count_unnamed_flow(1);
    flow.had_upstream = parts_.context.now;
    choose(flow);
    return flow;
}

void FlowRouter::close(const FlowKey& key) {
    RelayFlow* flow = parts_.flows.find(key);
    if (!flow) return;
    if (!flow->named) parts_.limits.count_unnamed_flow(-1);
    while (!flow->downstream.empty()) {
        for (const RelayFlow::Held& held : flow->downstream.begin()->second.out)
            parts_.limits.count_out(held.buffered_bytes());
        parts_.credit.let_go(*flow, flow->downstream.begin()->first);
    }
    while (!flow->upstream.empty()) parts_.promises.drop(*flow, flow->upstream.begin()->first);
    drop_queue(*flow);
    const FlowKey closed = key;  // a copy, because `key` may be a member of the flow
    parts_.flows.erase(closed);
    if (!parts_.flows.has_either_path(closed)) splitter_.forget(closed);
}

void FlowRouter::drop_queue(RelayFlow& flow) {
    for (const RelayFlow::Held& held : flow.queue) parts_.limits.count_out(held.buffered_bytes());
    flow.queue.clear();
    flow.queued = 0;
}

void FlowRouter::give_up(RelayFlow& flow, const ErrorSpec& why) {
    while (!flow.upstream.empty()) {
        const RoutingId upstream = flow.upstream.begin()->first;
        parts_.promises.refuse(flow, upstream, why);
        parts_.promises.drop(flow, upstream);
    }
    while (!flow.downstream.empty()) {
        const RoutingId next = flow.downstream.begin()->first;
        parts_.credit.take_back(flow, next);
        parts_.credit.let_go(flow, next);
    }
    drop_queue(flow);
    flow.path.clear();
    flow.exit = {};
    flow.waits_turn = false;
}

// --- path indexes -------------------------------------------------------------------------------

/// Returns the path index for a frame from an instance of this MIC.
std::uint8_t FlowRouter::path_index(const frame::FrameHeader& header) {
    const FlowKey key = key_of(header);
    if (!parts_.flows.has_either_path(key)) return path_index_by_policy(header);
    return splitter_.path_index(key, header, [&] { return path_index_by_policy(header); });
}

/// Returns the path index by policy; always 0 if there is only one path.
std::uint8_t FlowRouter::path_index_by_policy(const frame::FrameHeader& header) {
    const RelayContext& context = parts_.context;
    const Place* destination = context.table.place(header.destination.sid);
    if (!destination) return 0;
    const RoutingId last = destination->gateway;
    const FlowRule rule = context.policy.rule_for(key_of(header), context.config.self, last);
    const std::uint8_t share = rule.first_share.value_or(100);
    return share >= 100 || parts_.routes.lane_paths(last).backup.empty() ? 0 : path_index_of_tensor(header, share);
}

// --- routes -------------------------------------------------------------------------------------

void FlowRouter::choose(RelayFlow& flow) {
    const RelayContext& context = parts_.context;
    const Exit before = flow.exit;
    flow.exit = {};
    if (flow.name.destination == context.config.self) {
        flow.exit.sid = flow.key.destination;
    } else {
        if (context.owns(flow)) find_route(flow);
        if (flow.path.size() > 1 && parts_.neighbours.is_usable(flow.path[1])) flow.exit.device = flow.path[1];
        else if (flow.path.size() > 1 && !context.owns(flow)) return give_up(flow, context.no_route_here());
    }
    if (flow.exit != before) flow.waits_turn = false;  // its place in the old exit's queue no longer counts
    if (flow.exit.device.value() != 0 && !flow.next()) parts_.credit.ask(flow, flow.exit.device);
    parts_.sender.schedule(flow);
}

void FlowRouter::choose_all() {
    parts_.routes.forget_paths();
    for (auto& [key, flow] : parts_.flows) choose(flow);
}

/// Finds a route for the flow. Path index 0 takes the better of two paths that share as few routers as possible; path
/// index 1 takes the other. The device sends a new route over the lane, before any frame. All devices on the route thus
/// switch to it even if their buffers are full.
void FlowRouter::find_route(RelayFlow& flow) {
    Paths paths = parts_.routes.paths_for(flow).value_or(Paths());
    if (flow.route.version == 0 && flow.key.path_index == 0 && parts_.routes.second_is_shorter(flow, paths)) {
        flow.by_second = true;
        std::swap(paths.primary, paths.backup);
    }
    if (paths.primary == flow.path && paths.backup == flow.backup_path && flow.route.version > 0) return;
    flow.path = paths.primary;
    flow.backup_path = paths.backup;
    flow.route = {flow.route.version + 1, paths.primary};
    flow.backup = {flow.route.version, paths.backup};
    flow.routed = parts_.context.now;
    parts_.credit.ask_ahead(flow);
}

void FlowRouter::adopt_backup(RelayFlow& flow, const Route& route) {
    if (route.version < flow.backup.version) return;
    flow.backup = route;
    flow.backup_path = path_from(route.path, parts_.context.config.self);
}

void FlowRouter::adopt(RelayFlow& flow, const Route& route) {
    const RelayContext& context = parts_.context;
    if (context.owns(flow) || (route.version <= flow.route.version && !flow.path.empty())) return;
    Path path = path_from(route.path, context.config.self);
    if (path.empty() || (path.size() > 1 && !context.table.topology().link(context.config.self, path[1]))) return;
    flow.route = route;
    flow.path = std::move(path);
    choose(flow);
}

// --- events -------------------------------------------------------------------------------------

void FlowRouter::lose(RoutingId neighbour) {
    for (auto& [key, flow] : parts_.flows) {
        parts_.credit.withdraw(flow, neighbour);
        parts_.promises.drop(flow, neighbour);
    }
}

void FlowRouter::apply_table() {
    const RelayContext& context = parts_.context;
    std::vector<FlowKey> over;
    for (const auto& [key, flow] : parts_.flows) {
        const bool left = !context.table.place(key.source) || !context.table.place(key.destination);
        if (left && (context.owns(flow) || flow.name.destination == context.config.self)) over.push_back(key);
    }
    for (const FlowKey& key : over) close(key);
    parts_.sender.keep_exits_of_table();
    look_up_names();
    choose_all();
}

/// Determines again which flows are in the route table, and counts the flows that are not. A flow that is not in the
/// table is accepted, because the table may not have arrived yet.
void FlowRouter::look_up_names() {
    std::uint64_t unnamed = 0, promised = 0;
    for (auto& [key, flow] : parts_.flows) {
        flow.named = parts_.context.table.has_flow(key, flow.sids);
        if (flow.named) continue;
        ++unnamed;
        for (const auto& [id, upstream] : flow.upstream) promised += upstream.promise.window();
    }
    parts_.limits.set_unnamed(unnamed, promised);
}

void FlowRouter::tick() {
    std::vector<FlowKey> over;
    for (auto& [key, flow] : parts_.flows) {
        look_after(flow);
        if (!flow.upstream.empty()) flow.had_upstream = parts_.context.now;
        if (was_dealt_nothing(flow) || is_over(flow)) over.push_back(key);
    }
    for (const FlowKey& key : over) close(key);
}

/// Does the regular work for a flow: repeats messages, and returns promises that are no longer needed.
void FlowRouter::look_after(RelayFlow& flow) {
    const RelayContext& context = parts_.context;
    parts_.promises.drop_lapsed(flow);
    if (flow.paused && context.now >= *flow.paused) {
        flow.paused.reset();
        choose(flow);
    }
    if (flow.exit.device.value() == 0 && flow.exit.sid == 0 && !flow.queue.empty()) {
        if (context.owns(flow)) choose(flow);
        else return give_up(flow, context.no_route_here());
    }
    parts_.credit.refresh(flow, !flow.queue.empty() && !parts_.sender.may_send(flow));
}

/// Returns whether the flow has ended here: it has no upstream promise, and its queue is empty or has waited too long.
bool FlowRouter::is_over(const RelayFlow& flow) const {
    if (parts_.context.owns(flow) || !flow.upstream.empty()) return false;
    return flow.queue.empty() || parts_.context.now - flow.had_upstream >= lapse_after;
}

/// Returns whether this path of the flow is idle and gets no tensors under the current policy.
bool FlowRouter::was_dealt_nothing(const RelayFlow& flow) const {
    if (!parts_.context.owns(flow) || !flow.queue.empty()) return false;
    const std::uint8_t share = parts_.context.rule_for(flow).first_share.value_or(100);
    if (share != (flow.key.path_index == 0 ? 0 : 100)) return false;
    return std::ranges::all_of(flow.downstream, [&](const auto& entry) {
        return entry.second.out.empty() && parts_.context.now - entry.second.used >= path_idle;
    });
}

}  // namespace divisi::mesh::inline forwarding
