// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/relay.h"

#include <algorithm>
#include <array>
#include <utility>

#include "backend/mesh/route/hops.h"

namespace divisi::mesh::inline forwarding {
namespace {

/// Bytes that a flow may send in its turn; one chunk of any size fits.
constexpr std::uint64_t quantum = frame::max_chunk_bytes;
/// Beats that a neighbour may miss while it owes no credit, because nothing waits for it.
constexpr int idle_beats = 20;

FlowKey key_of(const frame::FrameHeader& header) {
    return {header.key.task, header.source.sid, header.destination.sid, 0, class_of(header)};
}

}  // namespace

relay::Actions Relay::step(relay::Event event, TimePoint now) {
    now_ = now;
    actions_ = {};
    visit([&](auto& one) { on(one); }, event);
    return std::exchange(actions_, {});
}

// --- route table and neighbours -----------------------------------------------------------------

void Relay::on(relay::Table& event) {
    forget_paths();
    topology_ = std::move(event.topology);
    places_ = std::move(event.places);
    for (auto neighbour = neighbours_.begin(); neighbour != neighbours_.end();) {
        if (topology_.link(config_.self, neighbour->first)) {
            ++neighbour;
            continue;
        }
        lose(neighbour->first);
        loads_.forget(neighbour->first);
        neighbour = neighbours_.erase(neighbour);
    }
    std::erase_if(instance_lanes_, [&](const auto& entry) { return !places_.contains(entry.first); });
    avoided_links_.keep_only(topology_);
    by_address_.clear();
    for (const Device& device : topology_.devices()) by_address_[device_address(device.id)] = device.id;
    std::vector<FlowKey> over;
    for (const auto& [key, flow] : flows_) {
        const bool left = !places_.contains(key.source) || !places_.contains(key.destination);
        if (left && (ours(flow) || flow.name.destination == config_.self)) over.push_back(key);
    }
    for (const FlowKey& key : over) close(key);
    std::erase_if(round_robins_, [&](const auto& line) {
        return line.first.device.value() == 0 && !places_.contains(line.first.sid);
    });
    look_up_names();
    if (cache_) cache_->keep_only([&](RoutingId gateway) { return topology_.device(gateway) != nullptr; });
    choose_all();
}

void Relay::choose_all() {
    forget_paths();
    for (auto& [key, flow] : flows_) choose(flow);
}

void Relay::on(relay::Up& event) {
    lose(event.neighbour);  // it may be another process than before
    loads_.forget(event.neighbour);
    Neighbour& neighbour = neighbours_[event.neighbour];
    neighbour.up = true;
    const bool back = std::exchange(neighbour.failed, false);
    neighbour.heard = now_;
    choose_all();
    if (back) say_abnormal(AbnormalKind::neighbour_back, event.neighbour, now_, flows_by(event.neighbour));
}

void Relay::on(relay::Down& event) {
    fail(event.neighbour, "its connection ended");
    neighbours_[event.neighbour].up = false;
}

void Relay::on(relay::Beat& event) { heard(event.from); }

/// Records a sign of life; a failed neighbour becomes usable again.
void Relay::heard(RoutingId id) {
    const auto neighbour = neighbours_.find(id);
    if (neighbour == neighbours_.end()) return;
    neighbour->second.heard = now_;
    if (!std::exchange(neighbour->second.failed, false)) return;
    choose_all();
    say_abnormal(AbnormalKind::neighbour_back, id, now_, flows_by(id));
}

bool Relay::usable(RoutingId id) const {
    const auto neighbour = neighbours_.find(id);
    return neighbour != neighbours_.end() && neighbour->second.up && !neighbour->second.failed;
}

/// Takes back the chunks that were sent to the neighbour and not freed. They go out again before all others.
void Relay::take_back(Flow& flow, RoutingId neighbour, Downstream& next) {
    counters_.rerouted += next.out.size();
    if (const auto known = neighbours_.find(neighbour); known != neighbours_.end())
        known->second.again += next.out.size();
    flow.meter.retried(next.out.size());
    for (const Held& held : next.out) flow.queued += held.bytes();
    flow.queue.insert(flow.queue.begin(), std::make_move_iterator(next.out.begin()),
                      std::make_move_iterator(next.out.end()));
    next.out.clear();
    next.freed = 0;
}

/// Marks a neighbour as failed. Chunks that it has not freed take another path; chunks that came from it no longer
/// count against its promise.
void Relay::fail(RoutingId id, const std::string& why) {
    Neighbour& neighbour = neighbours_[id];
    if (neighbour.failed || !neighbour.up) return;
    neighbour.failed = true;
    ++counters_.failures;
    const Device* device = topology_.device(id);
    refuse(ErrorCode::unavailable, (device ? device->name : "a neighbour") + " has failed: " + why, id);
    count_failure(id);
    const std::vector<FlowKey> concerned = flows_by(id);
    lose(id);
    loads_.forget(id);
    choose_all();
    say_abnormal(AbnormalKind::neighbour_silent, id, neighbour.heard, concerned);
}

void Relay::lose(RoutingId id) {
    for (auto& [key, flow] : flows_) {
        if (auto lost = flow.downstream.extract(id)) take_back(flow, id, lost.mapped());
        drop_upstream(flow, id);
    }
}

// --- frames -------------------------------------------------------------------------------------

void Relay::on(relay::Data& event) {
    const frame::FrameHeader& header = event.chunk.header;
    Flow* flow = flow_of(header, event.from);
    if (!flow) return;
    const std::uint64_t bytes = event.chunk.payload.size();
    std::uint64_t reservation = 0;
    if (event.from.value() != 0) {
        heard(event.from);
        const auto upstream = flow->upstream.find(event.from);
        // A chunk is stale if its reservation has expired. Its sender takes it back as soon as it learns of the new
        // reservation.
        const bool stale =
            upstream == flow->upstream.end() || reservation_of(header) < upstream->second.promise.incarnation();
        if (stale && bytes > 0) return void(++counters_.stale_frames);
        if (upstream != flow->upstream.end() && !upstream->second.promise.take(bytes)) {
            ++counters_.refused_frames;
            flow->meter.refused();
            return refuse(ErrorCode::exhausted, "a chunk of " + std::to_string(bytes) + " bytes was not promised",
                          event.from);
        }
        if (upstream == flow->upstream.end()) return;
        upstream->second.refreshed = now_;
        reservation = upstream->second.promise.incarnation();
        adopt(*flow, route_of(header));
        if (!flow->upstream.contains(event.from)) return;  // there is no further path, and the sender has been told
        widen(*flow, event.from);
    }
    if (header.key.kind == frame::FrameKind::offer && supply(*flow, header)) return ready(*flow);
    keep_result(*flow, event.chunk);
    held_ += bytes;
    flow->queued += bytes;
    flow->queue.push_back({std::move(event.chunk), event.from, reservation, now_});
    ready(*flow);
}

/// Returns the flow of a frame. The sender's gateway opens the flow; elsewhere a PATH has opened it.
Relay::Flow* Relay::flow_of(const frame::FrameHeader& header, RoutingId from) {
    FlowKey key = key_of(header);
    key.path_index = from.value() == 0 ? deal(header) : path_index_of(header);
    const auto known = flows_.find(key);
    if (known != flows_.end() && (from.value() != 0 || ours(known->second))) return &known->second;
    const auto source = places_.find(key.source), destination = places_.find(key.destination);
    if (from.value() != 0) {
        ++counters_.refused_frames;
        refuse(ErrorCode::not_found, "a frame of a flow without a PATH", from);
        return nullptr;
    }
    if (source == places_.end() || destination == places_.end()) {
        ++counters_.unserved;
        refuse(ErrorCode::not_found, "nobody serves the SID that a frame is for, or is from", from);
        return nullptr;
    }
    const bool own = source->second.gateway == config_.self && source->second.task == destination->second.task &&
                     key.task == frame::flow_id(source->second.task);
    if (!own) {
        ++counters_.refused_frames;
        refuse(ErrorCode::denied, "a frame from an instance of another MIC, or between tasks", from);
        return nullptr;
    }
    if (key.flow_class != class_of(source->second.task)) {
        ++counters_.refused_frames;
        refuse(ErrorCode::denied, "a frame of another class than its SID's flows have", from);
        return nullptr;
    }
    if (flows_.size() >= most_flows) {
        ++counters_.refused_frames;
        refuse(ErrorCode::exhausted, "more than " + std::to_string(most_flows) + " flows", from);
        return nullptr;
    }
    FlowName name{config_.self, destination->second.gateway, 0};
    do name.number = ++last_number_;
    while (name.number == 0 || names_.contains(name));
    return &open(key, name, {source->second.task.value(), source->second.sid.value(), destination->second.sid.value()});
}

Relay::Flow& Relay::open(const FlowKey& key, const FlowName& name, FlowSids sids) {
    Flow& flow = flows_[key];
    flow.name = name;
    flow.path_index = key.path_index;
    flow.flow_class = key.flow_class;
    flow.sids = std::move(sids);
    flow.named = is_named(key, flow.sids);
    if (!flow.named) ++unnamed_flows_;
    names_[name] = key;
    flow.had_upstream = now_;
    choose(flow);
    return flow;
}

/// Forwards a lane frame. Lane frames need no credit, and their sender repeats lost ones. The sender's gateway sends
/// them over both paths, because it is not told if a lane frame finds no further path. A duplicate changes nothing.
void Relay::on(relay::Lane& event) {
    if (event.from.value() != 0) heard(event.from);
    if (!within_lane_limit(event.from, event.header.source.sid)) {
        ++counters_.refused_frames;
        return refuse(ErrorCode::exhausted, "more lane frames than one end may send", event.from);
    }
    const auto place = places_.find(event.header.destination.sid);
    const Path rest = event.from.value() == 0 ? Path() : path_from(route_of(event.header).path, config_.self);
    const RoutingId last = place != places_.end() ? place->second.gateway : rest.empty() ? RoutingId() : rest.back();
    if (last.value() == 0) {
        ++counters_.unserved;
        return;
    }
    if (last == config_.self) {
        actions_.lane.push_back({{RoutingId(), event.header.destination.sid}, event.header, std::move(event.payload)});
        return;
    }
    if (event.from.value() == 0) {
        for (const Path& path : {lane_paths(last).primary, lane_paths(last).backup}) {
            if (path.size() < 2) continue;
            set_route(event.header, {0, path});
            actions_.lane.push_back({{path[1], 0}, event.header, event.payload});
        }
    } else if (rest.size() > 1 && usable(rest[1])) {
        actions_.lane.push_back({{rest[1], 0}, std::move(event.header), std::move(event.payload)});
    } else {
        ++counters_.lost_lane_frames;
    }
}

const Paths& Relay::lane_paths(RoutingId last) {
    const auto [known, fresh] = lane_paths_.try_emplace(last);
    if (!fresh) return known->second;
    Avoid avoid = unusable();
    if (!paths_from_ || paths_from_->avoid() != avoid) paths_from_.emplace(topology_, config_.self, std::move(avoid));
    known->second = paths_from_->to(last).value_or(Paths());
    return known->second;
}

bool Relay::reaches(RoutingId gateway) {
    if (gateway == config_.self) return true;
    const Paths& paths = lane_paths(gateway);
    return std::ranges::any_of(std::array{&paths.primary, &paths.backup},
                               [&](const Path* path) { return !path->empty() && !avoided_links_.doubts(*path, now_); });
}

void Relay::forget_paths() {
    lane_paths_.clear();
    paths_from_.reset();
}

// --- turns --------------------------------------------------------------------------------------

bool Relay::may_send(const Flow& flow) const {
    if (flow.queue.empty()) return false;
    if (flow.exit.device.value() == 0) return flow.exit.sid != 0;
    const auto next = flow.downstream.find(flow.exit.device);
    const Held& first = flow.queue.front();
    // An offer may be the first frame of its flow, so it waits until the next hop knows the flow.
    const bool offer = first.chunk.header.key.kind == frame::FrameKind::offer;
    const bool free = first.bytes() == 0 && !offer;
    return usable(flow.exit.device) &&
           (free || (next != flow.downstream.end() && next->second.allowance.fits(first.bytes())));
}

/// Puts the flow in the queue of its exit if it has something that may be sent.
void Relay::ready(Flow& flow) {
    note(flow);
    if (flow.waits_turn || !may_send(flow)) return;
    flow.waits_turn = true;
    round_robins_.try_emplace(flow.exit, quantum).first->second.join(names_.at(flow.name));
    actions_.ready.push_back(flow.exit);
}

void Relay::on(relay::Room& event) {
    const auto round_robin = round_robins_.find(event.exit);
    if (round_robin == round_robins_.end()) return;
    const auto next = round_robin->second.next([&](const FlowKey& key) -> std::optional<std::uint64_t> {
        const auto found = flows_.find(key);
        if (found == flows_.end() || found->second.exit != event.exit) return std::nullopt;
        if (may_send(found->second)) return found->second.queue.front().bytes();
        found->second.waits_turn = false;
        return std::nullopt;
    });
    if (next) actions_.chunk = take(flows_.at(*next));
    else round_robins_.erase(round_robin);
}

std::optional<frame::Chunk> Relay::take(Flow& flow) {
    Held held = std::move(flow.queue.front());
    flow.queue.pop_front();
    const std::uint64_t bytes = held.bytes();
    flow.queued -= bytes;
    ++counters_.frames;
    counters_.bytes += bytes;
    if (flow.exit.device.value() == 0) {
        flow.meter.delivered(bytes, now_ - held.since);
        freed(held, flow);
        note(flow);
        return std::move(held.chunk);
    }
    set_route(held.chunk.header, flow.route);
    set_path_index(held.chunk.header, flow.path_index);
    if (bytes == 0) {
        if (const auto next = flow.downstream.find(flow.exit.device); next != flow.downstream.end())
            next->second.doubtful = true;
        return std::move(held.chunk);
    }
    frame::Chunk chunk = held.chunk;  // one is sent, one is kept until the next hop frees it
    held.since = now_;
    Downstream& next = flow.downstream.at(flow.exit.device);
    set_reservation(chunk.header, next.allowance.incarnation());
    next.allowance.spend(bytes);
    Neighbour& neighbour = neighbours_.at(flow.exit.device);
    neighbour.sent += bytes;
    ++neighbour.chunks;
    next.used = now_;
    next.out.push_back(std::move(held));
    note(flow);
    return chunk;
}

/// Counts a chunk whose memory is free again, and tells its sender.
void Relay::freed(const Held& held, Flow& flow) {
    count_out(held);
    const auto upstream = flow.upstream.find(held.from);
    if (upstream == flow.upstream.end() || upstream->second.promise.incarnation() != held.reservation) return;
    upstream->second.promise.give_back(held.bytes());
    tell(flow, held.from, false);
}

// --- routes -------------------------------------------------------------------------------------

/// Returns the devices and links that this device knows to be unusable.
Avoid Relay::unusable() const {
    Avoid avoid;
    for (const auto& [id, neighbour] : neighbours_) {
        if (usable(id)) continue;
        avoid.devices.insert(id);
        // avoids the link instead, because a device at a path's end is never avoided
        avoid.links.insert(link_key(config_.self, id));
    }
    for (const auto& [id, until] : bad_devices_) avoid.devices.insert(id);
    avoided_links_.add_to(avoid);
    avoid.links.merge(loads_.failed_links());
    return avoid;
}

/// Chooses the flow's exit: its receiver, or the next device on its route.
void Relay::choose(Flow& flow) {
    const Exit before = flow.exit;
    flow.exit = {};
    if (flow.name.destination == config_.self) {
        flow.exit.sid = names_.at(flow.name).destination;
    } else {
        if (ours(flow)) find_route(flow);
        if (flow.path.size() > 1 && usable(flow.path[1])) flow.exit.device = flow.path[1];
        else if (flow.path.size() > 1 && !ours(flow)) return refuse_unroutable(flow);
    }
    if (flow.exit != before) flow.waits_turn = false;  // its place in the old exit's queue no longer counts
    if (flow.exit.device.value() != 0 && !flow.downstream.contains(flow.exit.device)) ask(flow, flow.exit.device);
    ready(flow);
}

/// Chooses the better of two paths that share as few routers as possible; path index 1 takes the other. A new route is
/// sent ahead of the frames over the lane. All devices on it thus switch to the route even if their buffers are full.
void Relay::find_route(Flow& flow) {
    Paths paths = paths_for(flow).value_or(Paths());
    if (flow.route.version == 0 && flow.path_index == 0 && second_is_shorter(flow, paths)) {
        flow.by_second = true;
        std::swap(paths.primary, paths.backup);
    }
    if (paths.primary == flow.path && paths.backup == flow.backup_path && flow.route.version > 0) return;
    flow.path = paths.primary;
    flow.backup_path = paths.backup;
    flow.route = {flow.route.version + 1, paths.primary};
    flow.backup = {flow.route.version, paths.backup};
    flow.routed = now_;
    ask_ahead(flow);
}

/// Adopts the backup route: a router keeps a promise on the backup path, and requests one from the next device on it.
void Relay::adopt_backup(Flow& flow, const Route& route) {
    if (route.version < flow.backup.version) return;
    flow.backup = route;
    flow.backup_path = path_from(route.path, config_.self);
}

/// Adopts a newer route and passes it on. If the new route does not contain this router, the frames that remain here
/// take the old route.
void Relay::adopt(Flow& flow, const Route& route) {
    if (ours(flow) || (route.version <= flow.route.version && !flow.path.empty())) return;
    Path path = path_from(route.path, config_.self);
    if (path.empty() || (path.size() > 1 && !topology_.link(config_.self, path[1]))) return;
    flow.route = route;
    flow.path = std::move(path);
    choose(flow);
}

void Relay::on(relay::Tick&) {
    const bool beat = now_ - last_beat_ >= config_.heartbeat;
    if (beat) last_beat_ = now_;
    for (auto& [id, neighbour] : neighbours_) {
        if (!neighbour.up) continue;
        if (beat) actions_.beats.push_back(id);
        if (neighbour.failed || now_ - neighbour.heard < config_.beats * config_.heartbeat) continue;
        const RoutingId silent = id;
        const bool owes = std::ranges::any_of(flows_, [&](const auto& entry) {
            const auto next = entry.second.downstream.find(silent);
            return next != entry.second.downstream.end() && !next->second.out.empty();
        });
        if (owes || now_ - neighbour.heard >= idle_beats * config_.heartbeat) fail(id, "it is silent");
    }
    const auto past = [&](const auto& entry) { return now_ >= entry.second; };
    const bool tried = avoided_links_.tick(now_);
    if (std::erase_if(bad_devices_, past) > 0 || tried) choose_all();
    if (loads_.drop_old(now_)) choose_all();
    look_after_breakers();
    if (now_ - measured_ >= quality_period) measure();
    look_for_full_buffers();
    std::vector<FlowKey> over;
    for (auto& [key, flow] : flows_) {
        look_after(flow);
        if (dealt_nothing(flow)) over.push_back(key);
        if (!flow.upstream.empty()) flow.had_upstream = now_;
        const bool lapsed = now_ - flow.had_upstream >= lapse_after;
        if (!ours(flow) && flow.upstream.empty() && (flow.queue.empty() || lapsed)) over.push_back(key);
    }
    for (const FlowKey& key : over) close(key);
    tell_load();
}

std::vector<Relay::FlowView> Relay::flows() const {
    std::vector<FlowView> views;
    for (const auto& [key, flow] : flows_) {
        FlowView view{key, flow.sids, flow.exit, flow.path, flow.queued};
        if (const auto next = flow.downstream.find(flow.exit.device); next != flow.downstream.end()) {
            view.credit = next->second.allowance.left();
            view.out = next->second.allowance.out();
        }
        for (const auto& [id, upstream] : flow.upstream) view.promised += upstream.promise.window();
        view.quality = flow.quality;
        views.push_back(std::move(view));
    }
    return views;
}

std::vector<Relay::NeighbourView> Relay::neighbours() const {
    std::vector<NeighbourView> views;
    for (const auto& [id, neighbour] : neighbours_) {
        NeighbourView view{id, usable(id), neighbour.sent, 0, 0, neighbour.quality, loads_.of(id)};
        for (const auto& [key, flow] : flows_) {
            if (flow.exit.device != id) continue;
            view.queued += flow.queued;
            view.quality.busy = std::max(view.quality.busy, flow.quality.busy);
            view.quality.credit_wait = std::max(view.quality.credit_wait, flow.quality.credit_wait);
            view.quality.retries += flow.quality.retries;
            view.quality.refusals += flow.quality.refusals;
            if (const auto next = flow.downstream.find(id); next != flow.downstream.end())
                view.credit += next->second.allowance.left();
        }
        views.push_back(view);
    }
    return views;
}

void Relay::refuse(ErrorCode code, std::string what, RoutingId from) {
    const Device* device = topology_.device(from);
    actions_.refused.push_back({code, std::move(what), device ? device->name : "an instance of this MIC", ""});
}

}  // namespace divisi::mesh::inline forwarding
