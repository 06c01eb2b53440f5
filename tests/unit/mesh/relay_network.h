// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "backend/frame/crc32c.h"
#include "backend/mesh/forwarding/relay.h"

namespace divisi::mesh {

/// A network of gateways and routers, each a Relay, and the links between them in simulated time. In each direction, a
/// link has a data connection that accepts `room` frames at a time, and a lane. Instances send and receive single
/// chunks.
class RelayNetwork {
public:
    struct LinkModel {
        Duration latency = std::chrono::microseconds(50);
        double bytes_per_s = 1e9;
        bool silent = false;  ///< frames wait until silence() ends this; a disconnection drops them
        std::uint64_t connection = 0;
        std::deque<std::function<void()>> stalled;
        TimePoint busy_a{}, busy_b{};
    };
    static constexpr std::size_t room = 4;

    frame::FrameKind kind = frame::FrameKind::activation;  ///< kind of the frames that tasks send
    RelayConfig config;                                    ///< for all devices added from now on
    std::function<bool(RoutingId from, RoutingId to, const RsvpMessage&)> lose_signal;
    /// Returns the delay of each copy of a signal beyond its link's latency; unset: one copy without delay.
    std::function<std::vector<Duration>(const RsvpMessage&)> spread_signal;
    std::function<void(RoutingId at)> after_step;
    std::function<void(RoutingId at, const relay::Abnormal&)> on_abnormal;
    std::function<void(const frame::FrameHeader&)> on_delivery;
    /// Receives signaling type 4. Routers send it to gateways only if this is set.
    std::function<void(RoutingId from, RoutingId to, const LoadAdvert&)> on_load;

    void gateway(std::uint16_t id, const std::string& mic) { add(id, DeviceRole::gateway, mic); }
    void router(std::uint16_t id) { add(id, DeviceRole::router, {}); }
    void link(std::uint16_t a, std::uint16_t b, Duration latency = std::chrono::microseconds(50),
              double bytes_per_s = 1e9) {
        LinkModel model;
        model.latency = latency;
        model.bytes_per_s = bytes_per_s;
        links_[link_key(RoutingId(a), RoutingId(b))] = model;
    }
    /// Removes a link from the next install() on.
    void unlink(std::uint16_t a, std::uint16_t b) { unlinked_.insert(link_key(RoutingId(a), RoutingId(b))); }
    void place(const std::string& sid, std::uint16_t gateway, const std::string& task = "task") {
        places_[frame::flow_id(Sid(sid))] = {TaskId(task), Sid(sid), RoutingId(gateway)};
    }
    void remove(const std::string& sid) { places_.erase(frame::flow_id(Sid(sid))); }

    /// Sends the table to all devices. The first call also opens all connections.
    void install() {
        std::vector<Link> links;
        for (const auto& [key, model] : links_)
            if (!unlinked_.contains(key))
                links.push_back({key.first, key.second, std::chrono::duration<double>(model.latency).count(),
                                 model.bytes_per_s, 0, true});
        Topology topology;
        if (!topology.set(devices_, links)) std::abort();
        for (auto& [id, process] : processes_) step(id, relay::Table{topology, places_});
        for (const auto& [key, model] : links_)
            if (!unlinked_.contains(key)) connect(key.first, key.second);
    }
    void connect(RoutingId a, RoutingId b) {
        if (!connected_.insert(link_key(a, b)).second) return;
        links_.at(link_key(a, b)).silent = false;
        links_.at(link_key(a, b)).busy_a = links_.at(link_key(a, b)).busy_b = TimePoint();
        if (processes_.contains(a) && processes_.contains(b)) {
            step(a, relay::Up{b});
            step(b, relay::Up{a});
        }
    }
    /// Reports these probe figures of a link to both of its devices.
    void measure(std::uint16_t a, std::uint16_t b, double round_trip_s, double bytes_per_s) {
        const PathFigures found = path_figures(round_trip_s, bytes_per_s);
        step(RoutingId(a), relay::Measured{RoutingId(b), found});
        step(RoutingId(b), relay::Measured{RoutingId(a), found});
    }
    /// Reports probe figures that match the link models.
    void measure_all() {
        for (const auto& [key, model] : links_)
            measure(key.first.value(), key.second.value(), 2 * std::chrono::duration<double>(model.latency).count(),
                    model.bytes_per_s);
    }
    void disconnect(std::uint16_t a, std::uint16_t b) {
        const LinkKey key = link_key(RoutingId(a), RoutingId(b));
        LinkModel& model = links_.at(key);
        ++model.connection;  // frames in transit are lost with the old connection
        model.stalled.clear();
        model.silent = true;
        in_flight_.erase({key.first, key.second});
        in_flight_.erase({key.second, key.first});
        connected_.erase(key);
        step(RoutingId(a), relay::Down{RoutingId(b)});
        step(RoutingId(b), relay::Down{RoutingId(a)});
    }
    void silence(std::uint16_t a, std::uint16_t b, bool silent = true) {
        LinkModel& model = links_.at(link_key(RoutingId(a), RoutingId(b)));
        model.silent = silent;
        while (!model.silent && !model.stalled.empty()) {
            const auto arrive = std::move(model.stalled.front());
            model.stalled.pop_front();
            arrive();
        }
    }
    /// Ends the process of a device; its neighbours only notice silence.
    void kill(std::uint16_t id) {
        processes_.erase(RoutingId(id));
        for (auto& [key, model] : links_)
            if (key.first == RoutingId(id) || key.second == RoutingId(id)) model.silent = true;
    }

    /// Ends the process of a device; its neighbours notice immediately that their connections have ended.
    void end(std::uint16_t id) {
        processes_.erase(RoutingId(id));
        std::vector<LinkKey> own;
        for (const auto& [key, model] : links_)
            if (key.first == RoutingId(id) || key.second == RoutingId(id)) own.push_back(key);
        for (const LinkKey& key : own) disconnect(key.first.value(), key.second.value());
    }
    /// Starts another process for a device that has ended, and connects all neighbours to it.
    void start_again(std::uint16_t id) {
        config.boot += 1;
        start(id, std::ranges::find(devices_, RoutingId(id), &Device::id)->role);
        install();
    }
    /// Ends a device and starts another process for it immediately.
    void begin_anew(std::uint16_t id) {
        end(id);
        start_again(id);
    }

    /// Sends a tensor of one chunk, or a chunk of a blob if the SID sends blobs.
    void send(const std::string& from, const std::string& to, std::int64_t number, std::size_t bytes) {
        send_chunk(from, to, number, bytes, 0, 1);
    }
    /// Sends one of the equally large chunks of a tensor.
    void send_chunk(const std::string& from, const std::string& to, std::int64_t number, std::size_t bytes,
                    std::uint32_t index, std::uint32_t count) {
        frame::Chunk chunk;
        auto payload = std::make_shared<std::vector<std::byte>>(bytes);
        chunk.payload = *payload;
        chunk.owner = payload;
        frame::FrameHeader& header = chunk.header;
        header.source = {frame::flow_id(Sid(from)), 1};
        const TaskId& task = places_.at(header.source.sid).task;
        header.key.task = frame::flow_id(task);
        header.key.kind = class_of(task) == FlowClass::blob ? frame::FrameKind::blob_chunk : kind;
        header.key.step = number;
        header.destination = {frame::flow_id(Sid(to)), 1};
        header.dtype = graph::DType::uint8;
        header.dims = {static_cast<std::int64_t>(bytes * count)};
        header.total_bytes = bytes * count;
        header.chunk_index = index;
        header.chunk_count = count;
        header.payload_bytes = static_cast<std::uint32_t>(bytes);
        header.payload_crc = frame::crc32c(*payload);
        step(places_.at(header.source.sid).gateway, relay::Data{RoutingId(), std::move(chunk)});
    }
    void send_lane(const std::string& from, const std::string& to) {
        frame::FrameHeader header;
        header.key.kind = frame::FrameKind::hello;
        header.source = {frame::flow_id(Sid(from)), 1};
        header.destination = {frame::flow_id(Sid(to)), 1};
        step(places_.at(header.source.sid).gateway, relay::Lane{RoutingId(), header, {}});
    }
    /// Makes the instance accept nothing until let_go().
    void stop(const std::string& sid) { stopped_.insert(frame::flow_id(Sid(sid))); }
    void let_go(const std::string& sid) {
        stopped_.erase(frame::flow_id(Sid(sid)));
        const RoutingId gateway = places_.at(frame::flow_id(Sid(sid))).gateway;
        pump(gateway, {RoutingId(), frame::flow_id(Sid(sid))});
    }
    void inject(std::uint16_t to, std::uint16_t from, const std::string& rsvp) {
        step(RoutingId(to), relay::Signal{RoutingId(from), std::as_bytes(std::span(rsvp))});
    }
    void step(RoutingId id, relay::Event event) {
        const auto it = processes_.find(id);
        if (it == processes_.end()) return;
        relay::Actions actions = it->second->step(std::move(event), now_);
        for (const relay::SignalTo& signal : actions.signals) dispatch_signal(id, signal);
        for (const RoutingId to : actions.beats) transmit(id, to, 0, [this, id, to] { step(to, relay::Beat{id}); });
        if (actions.load && on_load) dispatch_load(id, *actions.load);
        for (relay::LaneFrame& lane : actions.lane) dispatch_lane(id, std::move(lane));
        for (const Error& error : actions.refused) refused.push_back(error);
        if (on_abnormal)
            for (const relay::Abnormal& one : actions.abnormal) on_abnormal(id, one);
        for (const Exit& exit : actions.ready) pump(id, exit);
        if (after_step) after_step(id);
    }
    void run_for(Duration duration) {
        const TimePoint end = now_ + duration;
        while (true) {
            const TimePoint next = tasks_.empty() ? TimePoint::max() : tasks_.begin()->first.first;
            const TimePoint tick = last_tick_ + config.heartbeat;
            if (std::min(next, tick) > end) break;
            now_ = std::min(next, tick);
            if (next <= tick) {
                tasks_.extract(tasks_.begin()).mapped()();
            } else {
                last_tick_ = tick;
                for (const Device& device : devices_) step(device.id, relay::Tick{});
            }
        }
        now_ = end;
    }

    TimePoint now() const { return now_; }
    Relay& at(std::uint16_t id) { return *processes_.at(RoutingId(id)); }
    std::vector<std::int64_t> numbers(const std::string& sid) {
        std::vector<std::int64_t> all;
        for (const frame::FrameHeader& header : delivered[frame::flow_id(Sid(sid))]) all.push_back(header.key.step);
        return all;
    }

    std::map<std::uint64_t, std::vector<frame::FrameHeader>> delivered, delivered_lane;
    std::vector<Error> refused;
    std::map<LinkKey, std::uint64_t> carried;  ///< bytes of chunks
    std::uint64_t signals = 0;

private:
    void add(std::uint16_t id, DeviceRole role, const std::string& mic) {
        const std::string name = (role == DeviceRole::gateway ? "mg-" : "sr-") + std::to_string(id);
        devices_.push_back({RoutingId(id), name, role, MicId(mic), "mem://" + name, {}, true, 0});
        start(id, role);
    }
    void start(std::uint16_t id, DeviceRole role) {
        RelayConfig own = config;
        own.self = RoutingId(id);
        own.role = role;
        processes_[RoutingId(id)] = std::make_unique<Relay>(own);
    }
    void pump(RoutingId id, Exit exit) {
        if (exit.device.value() == 0 && stopped_.contains(exit.sid)) return;
        while (processes_.contains(id) && (exit.device.value() == 0 || in_flight_[{id, exit.device}] < room)) {
            relay::Actions actions = processes_.at(id)->step(relay::Room{exit}, now_);
            for (const relay::SignalTo& signal : actions.signals) dispatch_signal(id, signal);
            if (!actions.chunk) return;
            if (exit.device.value() == 0) {
                delivered[exit.sid].push_back(actions.chunk->header);
                if (on_delivery) on_delivery(actions.chunk->header);
                continue;
            }
            ++in_flight_[{id, exit.device}];
            auto chunk = std::make_shared<frame::Chunk>(*std::move(actions.chunk));
            const std::string wire = frame::encode_header(chunk->header).value();
            chunk->header = frame::decode_header(std::as_bytes(std::span(wire))).value();
            carried[link_key(id, exit.device)] += chunk->payload.size();
            const RoutingId to = exit.device;
            transmit(id, to, chunk->payload.size(), [this, id, to, chunk] {
                --in_flight_[{id, to}];
                step(to, relay::Data{id, *chunk});
                pump(id, {to, 0});
            });
        }
    }
    void dispatch_signal(RoutingId from, const relay::SignalTo& signal) {
        ++signals;
        const auto message = [&] { return decode(std::as_bytes(std::span(signal.bytes))).value(); };
        if (lose_signal && lose_signal(from, signal.to, message())) return;
        const auto arrive = [this, from, signal] {
            step(signal.to, relay::Signal{from, std::as_bytes(std::span(signal.bytes))});
        };
        for (const Duration late : spread_signal ? spread_signal(message()) : std::vector{Duration{}}) {
            if (late == Duration{}) transmit(from, signal.to, 0, arrive);
            else
                tasks_.emplace(std::pair(now_ + late, ++order_),
                               [this, from, signal, arrive] { transmit(from, signal.to, 0, arrive); });
        }
    }
    void dispatch_load(RoutingId from, const relay::LoadTo& load) {
        for (const RoutingId to : load.to) {
            on_load(from, to, load.advert);
            transmit(from, to, 0, [this, from, to, said = load.advert] { step(to, relay::Load{from, said}); });
        }
    }
    void dispatch_lane(RoutingId from, relay::LaneFrame lane) {
        if (lane.to.device.value() == 0) return delivered_lane[lane.to.sid].push_back(lane.header);
        transmit(from, lane.to.device, 0, [this, from, lane] {
            step(lane.to.device, relay::Lane{from, lane.header, lane.payload});
        });
    }
    /// Transmits a frame over a link. Lanes do not wait for data.
    void transmit(RoutingId from, RoutingId to, std::size_t bytes, std::function<void()> arrive) {
        LinkModel& model = links_.at(link_key(from, to));
        if (!connected_.contains(link_key(from, to))) return;
        TimePoint begin = now_;
        if (bytes > 0) {
            TimePoint& busy = from < to ? model.busy_a : model.busy_b;
            busy = std::max(now_, busy) + std::chrono::nanoseconds(static_cast<std::int64_t>(
                                              1e9 * static_cast<double>(bytes) / model.bytes_per_s));
            begin = busy;
        }
        tasks_.emplace(std::pair(begin + model.latency, ++order_),
                       [&model, connection = model.connection, arrive = std::move(arrive)] {
                           if (model.connection != connection) return;
                           if (model.silent) model.stalled.push_back(arrive);
                           else arrive();
                       });
    }

    std::vector<Device> devices_;
    std::map<LinkKey, LinkModel> links_;
    std::set<LinkKey> connected_, unlinked_;
    std::map<std::uint64_t, Place> places_;
    std::map<RoutingId, std::unique_ptr<Relay>> processes_;
    std::map<std::pair<RoutingId, RoutingId>, std::size_t> in_flight_;
    std::set<std::uint64_t> stopped_;
    std::map<std::pair<TimePoint, std::uint64_t>, std::function<void()>> tasks_;
    std::uint64_t order_ = 0;
    TimePoint now_{std::chrono::hours(1)}, last_tick_{std::chrono::hours(1)};
};

}  // namespace divisi::mesh
