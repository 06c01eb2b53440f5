// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backend/mesh/forwarding/relay.h"
#include "backend/mesh/route/hops.h"

namespace divisi::mesh::inline forwarding {
namespace {

/// Time after which a PATH is repeated: if it was not answered, if the flow waits for credit, or if nothing was heard
/// of sent chunks.
constexpr Duration ask_again = std::chrono::milliseconds(300);
/// Time after which a promise that the flow's paths do not use is returned.
constexpr Duration unused_after = std::chrono::seconds(1);
/// RFC 2205, appendix B: admission control failure, requested bandwidth unavailable.
constexpr std::uint8_t admission_failure = 1;
constexpr std::uint16_t no_buffer = 2;
/// RFC 3209, 7.3: routing problem, no route available toward destination.
constexpr std::uint8_t routing_problem = 24;
constexpr std::uint16_t no_route = 5;
/// How long a device is avoided after it had no room.
constexpr Duration avoided_for = std::chrono::seconds(5);

FlowKey key_of(const FlowSids& sids) {
    return {frame::flow_id(sids.task), frame::flow_id(sids.source), frame::flow_id(sids.destination)};
}

/// Returns the link by which the path leaves the device.
std::optional<LinkKey> link_behind(const Path& path, RoutingId device) {
    const auto at = std::ranges::find(path, device);
    if (at == path.end() || at + 1 == path.end()) return std::nullopt;
    return link_key(*at, *(at + 1));
}

}  // namespace

void Relay::on(relay::Signal& event) {
    const auto refuse_signal = [&](const Error& error) {
        ++counters_.refused_signals;
        refuse(error.code, error.what + (error.where.empty() ? "" : " (" + error.where + ")"), event.from);
    };
    auto message = decode(event.bytes);
    if (!message) return refuse_signal(message.error());
    if (!neighbours_.contains(event.from))
        return refuse_signal({ErrorCode::denied, "RSVP from a device that is no neighbour", "", ""});
    heard(event.from);
    if (!within_lane_limit(event.from, 0))
        return refuse_signal({ErrorCode::exhausted, "more messages than a neighbour may send", "", ""});
    switch (message->type) {
        case RsvpType::credit_path: return path(event.from, *message);
        case RsvpType::credit_resv: return resv(event.from, *message);
        case RsvpType::path_error: return path_error(event.from, *message);
        case RsvpType::path_tear: return tear(event.from, *message);
    }
}

/// Returns the flow that a message names; null if this device does not know it.
Relay::Flow* Relay::flow_named(const RsvpMessage& message) {
    const auto source = by_address_.find(message.sender.source), last = by_address_.find(message.session.destination);
    if (source == by_address_.end() || last == by_address_.end()) return nullptr;
    const auto key = names_.find({source->second, last->second, message.session.port});
    return key == names_.end() ? nullptr : &flows_.at(key->second);
}

// --- PATH ---------------------------------------------------------------------------------------

/// Promises the sender of the PATH what the buffer allows, and forwards the PATH along the flow's two routes.
void Relay::path(RoutingId from, const RsvpMessage& message) {
    const auto refuse_path = [&](ErrorCode code, const std::string& what) {
        ++counters_.refused_signals;
        refuse(code, what, from);
    };
    const auto source = by_address_.find(message.sender.source), last = by_address_.find(message.session.destination);
    if (source == by_address_.end() || last == by_address_.end())
        return refuse_path(ErrorCode::not_found, "PATH between gateways that the route table does not have");
    if (source->second == config_.self)
        return refuse_path(ErrorCode::denied, "PATH that has come back to the gateway that sent it");
    for (const RouteUse use : {RouteUse::primary, RouteUse::backup})
        if (const Route route = route_of(message, use);
            route.version > 0 && path_from(route.path, config_.self).empty())
            return refuse_path(ErrorCode::denied, "PATH with a way that is a circle, or does not lead here");
    const FlowName name{source->second, last->second, message.session.port};
    FlowKey key = key_of(*message.sids);
    key.path_index = path_index_of(message);
    key.flow_class = class_of(message);
    const auto played = [&](std::uint64_t sid, RoutingId gateway) {
        const auto place = places_.find(sid);
        return place == places_.end() || place->second.gateway == gateway;  // the table may not have arrived yet
    };
    const auto known = flows_.find(key);
    if (!played(key.source, name.source) || !played(key.destination, name.destination) ||
        (known != flows_.end() && ours(known->second)))
        return refuse_path(ErrorCode::denied, "PATH for SIDs that are played elsewhere");
    if (key.flow_class != class_of(TaskId(message.sids->task)))
        return refuse_path(ErrorCode::denied, "PATH of another class than its SIDs' flows have");
    if (known == flows_.end() || known->second.name != name) {
        close(key);
        // An earlier process of that gateway had given the number to another flow.
        if (const auto other = names_.find(name); other != names_.end()) close(other->second);
        if (!try_charge_new_flow(from, is_named(key, *message.sids)))
            return refuse_path(ErrorCode::exhausted, "no room for another flow of this neighbour");
    }
    Flow& flow = flows_.contains(key) ? flows_.at(key) : open(key, name, *message.sids);
    const Route route = route_of(message, RouteUse::primary), backup = route_of(message, RouteUse::backup);
    const std::uint32_t known_version = std::max(flow.route.version, flow.backup.version);
    if (const PathFigures link = path_figures_of(message); link != PathFigures()) neighbours_.at(from).link_here = link;
    const auto held = flow.upstream.find(from);
    const bool fresh = held == flow.upstream.end() || held->second.boot != message.hop.interface_handle;
    if (fresh && !reserve(flow, from, message.hop.interface_handle)) return;
    flow.upstream.at(from).refreshed = now_;
    tell(flow, from, true);
    if (route.version > 0) adopt(flow, route);
    if (backup.version > 0) adopt_backup(flow, backup);
    // Each device repeats PATHs on its own (RFC 2205, 3.7). If there is no further path, the sender has been told.
    const bool news = fresh || std::max(flow.route.version, flow.backup.version) > known_version;
    if (news && flow.upstream.contains(from)) ask_ahead(flow);
}

/// Makes a promise to the neighbour. If not even one chunk fits, refuses the flow and returns false.
bool Relay::reserve(Flow& flow, RoutingId upstream, std::uint32_t boot) {
    drop_upstream(flow, upstream);
    // Buffered chunks of expired promises take memory too.
    const std::uint64_t left = buffer_left_for(flow, upstream);
    if (left < frame::max_chunk_bytes) {
        ++counters_.refused_signals;
        refuse(ErrorCode::exhausted, "no buffer left for flow " + flow.sids.source + " to " + flow.sids.destination,
               upstream);
        flow.meter.refused();
        refuse_flow(flow, upstream, {device_address(config_.self), 0, admission_failure, no_buffer});
        return false;
    }
    // The other half is left for later flows.
    const std::uint64_t half = std::max<std::uint64_t>(left / 2, frame::max_chunk_bytes);
    const std::uint64_t window = std::min(half, window_for(flow, upstream));
    flow.upstream.emplace(upstream, Upstream{Promise(++last_incarnation_, window), boot, now_});
    count_promise(flow, upstream, 1, static_cast<std::int64_t>(window));
    return true;
}

void Relay::refuse_flow(const Flow& flow, RoutingId upstream, const ErrorSpec& why) {
    RsvpMessage message;
    message.type = RsvpType::path_error;
    message.error = why;
    if (usable(upstream)) send(upstream, std::move(message), flow);
}

void Relay::refuse_unroutable(Flow& flow) {
    give_up(flow, {device_address(config_.self), 0, routing_problem, no_route});
}

/// Ends the flow here. The upstream devices still have everything that is not freed, and are told the reason.
void Relay::give_up(Flow& flow, const ErrorSpec& why) {
    while (!flow.upstream.empty()) {
        const RoutingId upstream = flow.upstream.begin()->first;
        refuse_flow(flow, upstream, why);
        drop_upstream(flow, upstream);
    }
    while (!flow.downstream.empty()) {
        take_back(flow, flow.downstream.begin()->first, flow.downstream.begin()->second);
        let_go(flow, flow.downstream.begin()->first);
    }
    for (const Held& held : flow.queue) count_out(held);
    flow.queue.clear();
    flow.queued = 0;
    flow.path.clear();
    flow.exit = {};
    flow.waits_turn = false;
}

/// Returns the window to promise: the full window on the flow's chosen path, elsewhere one chunk, so that idle paths do
/// not fill buffers.
std::uint64_t Relay::window_for(const Flow& flow, RoutingId upstream) const {
    const auto paths = two_paths(topology_, flow.name.source, flow.name.destination);
    if (!paths) return frame::max_chunk_bytes;
    const RoutingId hop[] = {upstream, config_.self};
    const Path& path = flow.path_index == 1 && !paths->backup.empty() ? paths->backup : paths->primary;
    const bool chosen = std::search(path.begin(), path.end(), std::begin(hop), std::end(hop)) != path.end();
    return chosen ? window_of_flow(flow, upstream) : frame::max_chunk_bytes;
}

/// Enlarges the promise to the full window, because the flow actually uses this device, whatever was expected before.
void Relay::widen(Flow& flow, RoutingId upstream) {
    Promise& promise = flow.upstream.at(upstream).promise;
    const std::uint64_t wanted = window_of_flow(flow, upstream);
    if (promise.window() >= wanted) return;
    const std::uint64_t left = buffer_left_for(flow, upstream);
    const std::uint64_t window = std::min(wanted, (promise.window() + left) / 2);  // see reserve()
    if (window <= promise.window()) return;
    count_promise(flow, upstream, 0, static_cast<std::int64_t>(window - promise.window()));
    promise.widen(window);
    tell(flow, upstream, true);
}

void Relay::ask_ahead(Flow& flow) {
    for (const Path* path : {&flow.path, &flow.backup_path})
        if (path->size() > 1 && topology_.link(config_.self, (*path)[1])) ask(flow, (*path)[1]);
}

void Relay::ask(Flow& flow, RoutingId neighbour) {
    if (!usable(neighbour) || flow.paused) return;
    const auto [known, fresh] = flow.downstream.try_emplace(neighbour);
    Downstream& next = known->second;
    if (fresh) next.handle = config_.boot + ++last_handle_;
    if (next.asked == now_) return;
    next.asked = now_;
    next.doubtful = false;
    if (next.used == TimePoint()) next.used = now_;
    RsvpMessage message;
    message.type = RsvpType::credit_path;
    message.refresh = refresh_interval;
    message.sids = flow.sids;
    set_path_index(message, flow.path_index);
    set_class(message, flow.flow_class);
    set_path_figures(message, neighbours_.at(neighbour).link_there);
    const auto passes = [&](const Path& path) { return path.size() > 1 && path[1] == neighbour; };
    if (passes(flow.path)) set_route(message, RouteUse::primary, flow.route);
    if (passes(flow.backup_path)) set_route(message, RouteUse::backup, flow.backup);
    send(neighbour, std::move(message), flow);
}

void Relay::send(RoutingId to, RsvpMessage message, const Flow& flow) {
    message.send_ttl = most_hops;
    message.session = {device_address(flow.name.destination), 6, 0, flow.name.number};
    message.sender = {device_address(flow.name.source), flow.name.number};
    if (message.type != RsvpType::path_error) {
        const auto next = flow.downstream.find(to);
        message.hop = {device_address(config_.self), next == flow.downstream.end() ? 0 : next->second.handle};
    }
    if (auto bytes = encode(message)) actions_.signals.push_back({to, *std::move(bytes)});
    else refuse(bytes.error().code, bytes.error().what, to);
}

// --- RESV ---------------------------------------------------------------------------------------

/// Sends the neighbour its total allowance; with `always`, even if the neighbour already knows it.
void Relay::tell(Flow& flow, RoutingId upstream, bool always) {
    Upstream& up = flow.upstream.at(upstream);
    if (!always && !up.promise.worth_telling()) return;
    RsvpMessage message;
    message.type = RsvpType::credit_resv;
    if (!std::exchange(up.told, true)) message.credit_megabytes = megabytes(up.promise.window());
    message.credit = Credit{flow.name.number, up.promise.incarnation(), up.promise.allowed()};
    set_window(message, up.promise.window());
    set_path_figures(message, downstream_figures(flow));
    up.promise.told();
    send(upstream, std::move(message), flow);
}

void Relay::resv(RoutingId from, const RsvpMessage& message) {
    const auto refuse_resv = [&](ErrorCode code, const std::string& what) {
        ++counters_.refused_signals;
        refuse(code, what, from);
    };
    Flow* flow = flow_named(message);
    if (!flow) return refuse_resv(ErrorCode::not_found, "RESV for an unknown flow");
    const auto next = flow->downstream.find(from);
    if (next == flow->downstream.end() || next->second.asked == TimePoint())
        return refuse_resv(ErrorCode::not_found, "RESV that nobody asked for");
    if (!message.credit) return refuse_resv(ErrorCode::unsupported, "RESV without cumulative credit (C-Type 2)");
    if (message.credit->flow != flow->name.number)
        return refuse_resv(ErrorCode::corrupt, "RESV whose credit is another flow's");
    if (message.credit_megabytes && *message.credit_megabytes != megabytes(window_of(message)))
        return refuse_resv(ErrorCode::corrupt, "RESV whose megabytes (C-Type 1) are not those of its window");
    if (message.credit->incarnation < next->second.allowance.incarnation())
        return refuse_resv(ErrorCode::conflict, "RESV of a reservation that is over");
    const bool anew = message.credit->incarnation > next->second.allowance.incarnation();
    const auto freed =
        next->second.allowance.grant(message.credit->incarnation, message.credit->allowed_bytes, window_of(message));
    if (!freed) {
        refuse_resv(freed.error().code, freed.error().what);
        if (freed.error().code == ErrorCode::conflict) return;
        // The counts of the two sides differ: both start again.
        auto parted = flow->downstream.extract(from);
        take_back(*flow, from, parted.mapped());
        return choose(*flow);
    }
    if (anew) take_back(*flow, from, next->second);
    next->second.behind = path_figures_of(message);
    release(*flow, from, next->second, *freed);
    ready(*flow);
    const auto breaker = breakers_.find(from);
    if (*freed > 0 && breaker != breakers_.end() && breaker->second.succeeded(names_.at(flow->name), now_))
        choose_all();
}

/// Releases chunks, oldest first, after the next hop has freed this many bytes.
void Relay::release(Flow& flow, RoutingId to, Downstream& next, std::uint64_t bytes) {
    next.freed += bytes;
    bool passed = false;  // a chunk sent since the route was chosen, so it has passed the whole route
    while (!next.out.empty() && next.out.front().bytes() <= next.freed) {
        const Held held = std::move(next.out.front());
        next.out.pop_front();
        next.freed -= held.bytes();
        flow.meter.delivered(held.bytes(), now_ - held.since);
        if (const auto neighbour = neighbours_.find(to); neighbour != neighbours_.end())
            neighbour->second.meter.delivered(held.bytes(), now_ - held.since);
        passed = passed || held.since > flow.routed;
        freed(held, flow);
    }
    if (passed && ours(flow) && flow.exit.device == to) avoided_links_.passed(flow.path);
}

void Relay::path_error(RoutingId from, const RsvpMessage& message) {
    Flow* flow = flow_named(message);
    if (!flow || !flow->downstream.contains(from)) {
        ++counters_.refused_signals;
        return refuse(ErrorCode::not_found, "PathErr for an unknown flow", from);
    }
    const ErrorSpec why = *message.error;
    flow->meter.refused();
    auto refused = flow->downstream.extract(from);
    take_back(*flow, from, refused.mapped());
    if (!ours(*flow)) {
        if (flow->exit.device == from) give_up(*flow, why);
        else ready(*flow);
        return;
    }
    go_around(*flow, why);
    choose(*flow);
}

/// Makes the gateway avoid, for a while, the device or link that refused the flow. The receiver's gateway cannot be
/// avoided, so the flow pauses instead. The flow may meanwhile have left the refused path for its other path.
void Relay::go_around(Flow& flow, const ErrorSpec& refusal) {
    const auto device = by_address_.find(refusal.node);
    if (device == by_address_.end()) return;
    auto link = link_behind(flow.path, device->second);
    if (!link) link = link_behind(flow.backup_path, device->second);
    if (refusal.code == routing_problem && link) avoided_links_.refused(*link, now_);
    else if (device->second == flow.name.destination) flow.paused = now_ + avoided_for;
    else bad_devices_[device->second] = now_ + avoided_for;
    forget_paths();
}

// --- the end of a flow --------------------------------------------------------------------------

void Relay::tear(RoutingId from, const RsvpMessage& message) {
    Flow* flow = flow_named(message);
    if (!flow) return;  // the flow has already ended here
    drop_upstream(*flow, from);
    if (flow->upstream.empty() && flow->name.source != config_.self) close(names_.at(flow->name));
}

void Relay::drop_upstream(Flow& flow, RoutingId from) {
    const auto upstream = flow.upstream.find(from);
    if (upstream == flow.upstream.end()) return;
    count_promise(flow, from, -1, -static_cast<std::int64_t>(upstream->second.promise.window()));
    flow.upstream.erase(upstream);
}

void Relay::let_go(Flow& flow, RoutingId neighbour) {
    RsvpMessage message;
    message.type = RsvpType::path_tear;
    if (usable(neighbour)) send(neighbour, std::move(message), flow);
    flow.downstream.erase(neighbour);
}

/// Ends the flow here and downstream. Its remaining chunks are dropped, because its task is over or its sender is gone.
void Relay::close(FlowKey key) {
    const auto it = flows_.find(key);
    if (it == flows_.end()) return;
    Flow& flow = it->second;
    if (!flow.named) --unnamed_flows_;
    while (!flow.downstream.empty()) {
        for (const Held& held : flow.downstream.begin()->second.out) count_out(held);
        let_go(flow, flow.downstream.begin()->first);
    }
    while (!flow.upstream.empty()) drop_upstream(flow, flow.upstream.begin()->first);
    for (const Held& held : flow.queue) count_out(held);
    names_.erase(flow.name);
    if (!flows_.contains(with_other_path(key))) {
        key.path_index = 0;
        dealt_.erase(key);
    }
    flows_.erase(it);
}

/// Handles what is due for a flow: repeats messages, and returns promises that are no longer needed.
void Relay::look_after(Flow& flow) {
    std::erase_if(flow.upstream, [&](const auto& entry) {
        const bool lapsed = now_ - entry.second.refreshed >= lapse_after;
        if (lapsed) count_promise(flow, entry.first, -1, -static_cast<std::int64_t>(entry.second.promise.window()));
        return lapsed;
    });
    if (flow.paused && now_ >= *flow.paused) {
        flow.paused.reset();
        choose(flow);
    }
    if (flow.exit.device.value() == 0 && flow.exit.sid == 0 && !flow.queue.empty()) {
        if (ours(flow)) choose(flow);
        else return refuse_unroutable(flow);
    }
    std::vector<RoutingId> unused;
    for (auto& [id, next] : flow.downstream) {
        const bool here = flow.exit.device == id;
        const bool kept = here || (flow.backup_path.size() > 1 && flow.backup_path[1] == id);
        const bool blocked = here && !flow.queue.empty() && !may_send(flow);
        const bool owed = !next.out.empty() && now_ - next.used >= ask_again;
        const bool soon = blocked || owed || next.doubtful || !next.allowance.open();
        if (!kept && next.out.empty() && now_ - next.used >= unused_after) unused.push_back(id);
        else if (now_ - next.asked >= (soon ? ask_again : refresh_interval)) ask(flow, id);
    }
    for (const RoutingId id : unused) let_go(flow, id);
}

}  // namespace divisi::mesh::inline forwarding
