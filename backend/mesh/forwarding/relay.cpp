// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/relay.h"

#include <algorithm>
#include <utility>

#include "backend/mesh/forwarding/rsvp_handler.h"

namespace divisi::mesh::inline forwarding {
namespace {

/// Number of beats that a neighbour may miss while it owes no credit. A failure may be detected late then, because no
/// chunk waits for the neighbour.
constexpr int idle_beats = 20;

}  // namespace

Relay::Relay(RelayConfig config)
    : context_{std::move(config)},
      limits_(context_.config.buffer),
      routes_(context_, neighbours_),
      promises_(context_, neighbours_, limits_),
      credit_(context_, neighbours_, promises_),
      sender_(context_, flows_, neighbours_, promises_),
      router_(parts()),
      results_(context_.config),
      quality_reports_(context_, flows_) {}

relay::Actions Relay::step(relay::Event event, TimePoint now) {
    context_.now = now;
    context_.actions = {};
    visit([&](auto& one) { on(one); }, event);
    return std::exchange(context_.actions, {});
}

// --- route table and neighbours -----------------------------------------------------------------

void Relay::on(relay::Table& event) {
    routes_.forget_paths();
    context_.table.set(std::move(event.topology), std::move(event.places));
    const Topology& topology = context_.table.topology();
    std::vector<RoutingId> gone;
    for (const auto& [id, link] : neighbours_)
        if (!topology.link(context_.config.self, id)) gone.push_back(id);
    for (const RoutingId id : gone) {
        router_.lose(id);
        routes_.loads().forget(id);
        neighbours_.erase(id);
        limits_.erase_neighbour(id);
    }
    limits_.keep_instances([&](std::uint64_t sid) { return context_.table.place(sid) != nullptr; });
    routes_.keep_links_of_table();
    results_.keep_gateways([&](RoutingId gateway) { return topology.device(gateway) != nullptr; });
    router_.apply_table();
}

void Relay::on(relay::Up& event) {
    router_.lose(event.neighbour);  // the neighbour may be a different process now
    routes_.loads().forget(event.neighbour);
    const bool back = neighbours_.connect(event.neighbour, context_.now);
    limits_.add_neighbour(event.neighbour);
    router_.choose_all();
    if (back)
        quality_reports_.report(AbnormalKind::neighbour_back, event.neighbour, context_.now,
                                quality_reports_.flows_by(event.neighbour));
}

void Relay::on(relay::Down& event) {
    fail(event.neighbour, "its connection ended");
    neighbours_.disconnect(event.neighbour);
    limits_.add_neighbour(event.neighbour);
}

/// Records a sign of life; a failed neighbour becomes usable again.
void Relay::record_life(RoutingId id) {
    if (!neighbours_.record_life(id, context_.now)) return;
    router_.choose_all();
    quality_reports_.report(AbnormalKind::neighbour_back, id, context_.now, quality_reports_.flows_by(id));
}

/// Marks a neighbour as failed. Chunks that the neighbour has not freed take another path; chunks that came from the
/// neighbour no longer count against the promise to it.
void Relay::fail(RoutingId id, const std::string& why) {
    if (!neighbours_.try_fail(id)) return;
    ++context_.counters.failures;
    context_.refuse(ErrorCode::unavailable, context_.table.name_of(id, "a neighbour") + " has failed: " + why, id);
    routes_.record_failure(id);
    const std::vector<FlowKey> concerned = quality_reports_.flows_by(id);
    router_.lose(id);
    routes_.loads().forget(id);
    router_.choose_all();
    quality_reports_.report(AbnormalKind::neighbour_silent, id, neighbours_.find(id)->heard, concerned);
}

void Relay::on(relay::Measured& event) {
    if (NeighbourLinks::Link* link = neighbours_.find(event.neighbour)) link->link_there = event.link;
}

void Relay::on(relay::Policy& event) {
    context_.policy = std::move(event.policy);
    routes_.breakers().set(event.breaker);
    quality_reports_.set_full_for(event.full_for);
}

// --- messages of neighbours ---------------------------------------------------------------------

void Relay::on(relay::Signal& event) {
    const auto refuse = [&](ErrorCode code, std::string what) {
        context_.refuse_signal(code, std::move(what), event.from);
    };
    const auto message = decode(event.bytes);
    if (!message) {
        const Error& error = message.error();
        return refuse(error.code, error.what + (error.where.empty() ? "" : " (" + error.where + ")"));
    }
    if (!neighbours_.find(event.from)) return refuse(ErrorCode::denied, "RSVP from a device that is not a neighbour");
    record_life(event.from);
    if (!try_lane(event.from, 0)) return refuse(ErrorCode::exhausted, "more messages than a neighbour may send");
    RsvpHandler(parts(), router_).handle(event.from, *message);
}

void Relay::on(relay::Load& event) {
    const auto refuse = [&](ErrorCode code, std::string what) {
        context_.refuse_signal(code, std::move(what), event.from);
    };
    const Topology& topology = context_.table.topology();
    const Device* sender = topology.device(event.from);
    if (!topology.link(context_.config.self, event.from))
        return refuse(ErrorCode::denied, "type 4 from a device that is not a neighbour");
    if (!neighbours_.find(event.from))
        return;  // the neighbour is not connected yet; its next message will be
                 // processed
    record_life(event.from);
    if (!try_lane(event.from, 0)) return refuse(ErrorCode::exhausted, "more messages than a neighbour may send");
    if (context_.config.role != DeviceRole::gateway || !sender || sender->role != DeviceRole::router)
        return refuse(ErrorCode::denied, "type 4, which only routers send to gateways");
    const auto taken = routes_.loads().take(event.from, std::move(event.said), context_.now);
    if (!taken) return refuse(taken.error().code, taken.error().what);
    if (*taken) router_.choose_all();
}

// --- frames -------------------------------------------------------------------------------------

void Relay::on(relay::Data& event) {
    const frame::FrameHeader& header = event.chunk.header;
    RelayFlow* flow = router_.flow_of(header, event.from);
    if (!flow) return;
    const std::uint64_t bytes = event.chunk.payload.size();
    std::uint64_t reservation = 0;
    if (event.from.value() != 0) {
        record_life(event.from);
        const auto taken = promises_.take(*flow, event.from, header, bytes);
        if (!taken) return;
        reservation = *taken;
        router_.adopt(*flow, route_of(header));
        if (!flow->upstream.contains(event.from)) return;  // no further path exists, and the sender got a PathErr
        promises_.widen(*flow, event.from);
    }
    if (header.key.kind == frame::FrameKind::offer) {
        if (auto answer = results_.supply(*flow, header, context_.now)) {
            relay::Lane lane{RoutingId(), *std::move(answer), {}};
            on(lane);
            return sender_.schedule(*flow);
        }
    }
    results_.keep(*flow, event.chunk);
    limits_.count_in(bytes);
    flow->queued += bytes;
    flow->queue.push_back({std::move(event.chunk), event.from, reservation, context_.now});
    sender_.schedule(*flow);
}

void Relay::on(relay::Lane& event) {
    if (event.from.value() != 0) record_life(event.from);
    if (try_lane(event.from, event.header.source.sid)) return forward_lane(event);
    context_.refuse_frame(ErrorCode::exhausted, "more lane frames than one sender may send", event.from);
}

/// Returns whether a lane frame is within its sender's limit, and charges it. An instance is identified by its SID,
/// once its gateway has admitted it; SIDs that are not in the route table share one limit.
bool Relay::try_lane(RoutingId from, std::uint64_t source) {
    if (from.value() != 0) return limits_.try_lane(from, context_.now);
    return limits_.try_instance_lane(context_.table.place(source) ? source : 0, context_.now);
}

/// Forwards a lane frame. Lane frames need no credit, and their sender repeats lost frames. The sender's gateway sends
/// these frames over both paths, because no error reaches the gateway if a lane frame finds no further path. A
/// duplicate has no effect.
void Relay::forward_lane(relay::Lane& event) {
    const RoutingId self = context_.config.self;
    std::vector<relay::LaneFrame>& out = context_.actions.lane;
    const Place* place = context_.table.place(event.header.destination.sid);
    const Path rest = event.from.value() == 0 ? Path() : path_from(route_of(event.header).path, self);
    const RoutingId last = place ? place->gateway : rest.empty() ? RoutingId() : rest.back();
    if (last.value() == 0) {
        ++context_.counters.unserved;
    } else if (last == self) {
        out.push_back({{RoutingId(), event.header.destination.sid}, event.header, std::move(event.payload)});
    } else if (event.from.value() == 0) {
        const Paths& paths = routes_.lane_paths(last);
        for (const Path* path : {&paths.primary, &paths.backup}) {
            if (path->size() < 2) continue;
            set_route(event.header, {0, *path});
            out.push_back({{(*path)[1], 0}, event.header, event.payload});
        }
    } else if (rest.size() > 1 && neighbours_.is_usable(rest[1])) {
        out.push_back({{rest[1], 0}, std::move(event.header), std::move(event.payload)});
    } else {
        ++context_.counters.lost_lane_frames;
    }
}

// --- time ---------------------------------------------------------------------------------------

void Relay::on(relay::Tick&) {
    context_.actions.beats = neighbours_.take_beats(context_.now, context_.config.heartbeat);
    fail_silent();
    if (routes_.end_avoidances()) router_.choose_all();
    if (routes_.loads().drop_old(context_.now)) router_.choose_all();
    const bool tried = routes_.breakers().tick(
        context_.now, [&](RoutingId id) { return neighbours_.find(id) != nullptr; },
        [&](const FlowKey& key) { return flows_.contains(key); });
    if (tried) router_.choose_all();
    if (quality_reports_.try_begin_period()) measure();
    quality_reports_.report_full_buffers();
    router_.tick();
    load_reports_.tell(context_, neighbours_, flows_);
}

void Relay::fail_silent() {
    const RelayConfig& config = context_.config;
    for (const auto& [id, link] : neighbours_) {
        const Duration silent = context_.now - link.heard;
        if (!link.is_usable() || silent < config.beats * config.heartbeat) continue;
        const RoutingId neighbour = id;
        const bool owes =
            std::ranges::any_of(flows_, [&](const auto& entry) { return entry.second.is_owed_by(neighbour); });
        if (owes || silent >= idle_beats * config.heartbeat) fail(id, "it is silent");
    }
}

void Relay::measure() {
    for (auto& [key, flow] : flows_) {
        sender_.update_meter(flow);
        flow.quality = flow.meter.take(context_.now);
    }
    neighbours_.measure(context_.now);
}

// --- views --------------------------------------------------------------------------------------

std::vector<Relay::FlowView> Relay::flows() const {
    std::vector<FlowView> views;
    for (const auto& [key, flow] : flows_) {
        FlowView view{key, flow.sids, flow.exit, flow.path, flow.queued};
        if (const RelayFlow::Downstream* next = flow.next()) {
            view.credit = next->allowance.left();
            view.out = next->allowance.out();
        }
        for (const auto& [id, upstream] : flow.upstream) view.promised += upstream.promise.window();
        view.quality = flow.quality;
        views.push_back(std::move(view));
    }
    return views;
}

std::vector<Relay::NeighbourView> Relay::neighbours() const {
    std::vector<NeighbourView> views;
    for (const auto& [id, link] : neighbours_) {
        NeighbourView view{id, link.is_usable(), link.sent, 0, 0, link.quality, routes_.loads().of(id)};
        for (const auto& [key, flow] : flows_) {
            if (flow.exit.device != id) continue;
            view.queued += flow.queued;
            view.quality.busy = std::max(view.quality.busy, flow.quality.busy);
            view.quality.credit_wait = std::max(view.quality.credit_wait, flow.quality.credit_wait);
            view.quality.retries += flow.quality.retries;
            view.quality.refusals += flow.quality.refusals;
            if (const RelayFlow::Downstream* next = flow.next()) view.credit += next->allowance.left();
        }
        views.push_back(view);
    }
    return views;
}

}  // namespace divisi::mesh::inline forwarding
