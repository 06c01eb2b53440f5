// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "backend/frame/data_flow.h"

namespace divisi::frame {

/// A set of processes, each with a DataFlow, and their connections in simulated time. Between two processes there are a
/// data connection and a lane in each direction. A data connection accepts `room` frames at a time. Frames cross both
/// connections as bytes.
class FlowNetwork {
public:
    struct Faults {
        double lost = 0, doubled = 0;  ///< shares of lost and of duplicated frames
        /// if unequal, frames overtake each other
        Duration fastest = std::chrono::microseconds(50), slowest = fastest;
    };
    struct Seen {
        std::vector<TensorFrame> arrived;
        std::vector<TensorKey> released, declined;
        std::vector<Error> refused;
        std::vector<flow::Stale> stale;
    };

    explicit FlowNetwork(std::uint64_t seed = 1) : rng_(seed) {}

    Faults faults;
    std::size_t room = 8;
    std::function<bool(const FrameHeader&)> lose;  ///< called for each frame; returns whether the frame is lost
    std::function<void(std::uint64_t sid, const TensorFrame&)> on_arrived;
    std::function<void(std::uint64_t sid, const TensorKey&)> on_released;
    std::function<void(std::uint64_t sid, const TensorKey&)> on_declined;
    std::function<bool(const FrameHeader&)> supply;  ///< called for each offer; returns whether a router answers

    /// Starts a process. The previous process of the SID ends with its connections, but the frames it sent still
    /// arrive.
    void start(End end) {
        processes_.erase(end.sid);
        Process& fresh = processes_[end.sid];
        fresh.flow = std::make_unique<DataFlow>(end);
        fresh.flow->set_chunk_bytes(min_chunk_bytes);
        fresh.next_tick = now_ + tick_interval;
        fresh.born = last_connection_;
        for (auto& [sid, process] : processes_)
            if (process.connections.contains(end.sid)) connect(sid, end.sid);
    }
    void stop(std::uint64_t sid) { processes_.erase(sid); }

    /// Lets `from` send to `to`. If `from` does not know the incarnation, the incarnation in `to` is 0.
    void reach(std::uint64_t from, End to) {
        step(from, flow::Reach{to});
        connect(from, to.sid);
    }
    /// Opens a new data connection and a new lane. Frames in transit on the old data connection are lost.
    void connect(std::uint64_t from, std::uint64_t to) {
        processes_.at(from).connections[to] = {++last_connection_, 0};
        step(from, flow::LaneUp{to});
        step(from, flow::DataUp{to});
    }

    void step(std::uint64_t sid, flow::Event event) {
        const auto it = processes_.find(sid);
        if (it == processes_.end()) return;
        auto actions = it->second.flow->step(std::move(event), now_);
        for (auto& message : actions.messages) dispatch(0, sid, message.to.sid, message.header, message.payload);
        Seen& seen = it->second.seen;
        for (const TensorKey& key : actions.released) seen.released.push_back(key);
        for (const TensorKey& key : actions.declined) seen.declined.push_back(key);
        if (actions.refused) seen.refused.push_back(*actions.refused);
        if (actions.stale) seen.stale.push_back(*actions.stale);
        if (actions.arrived) seen.arrived.push_back(*actions.arrived);
        for (const std::uint64_t peer : actions.ready) pump(sid, peer);
        // The callbacks come last, since they may step or end this process.
        if (actions.arrived && on_arrived) on_arrived(sid, *actions.arrived);
        if (on_released)
            for (const TensorKey& key : actions.released) on_released(sid, key);
        if (on_declined)
            for (const TensorKey& key : actions.declined) on_declined(sid, key);
    }
    /// Injects a frame without a connection.
    void inject(std::uint64_t to, const FrameHeader& header, std::span<const std::byte> payload = {}) {
        step(to, flow::Received{header, payload});
    }
    /// Runs `task` after a delay.
    void after(Duration delay, std::function<void()> task) {
        tasks_.emplace(std::pair(now_ + delay, ++order_), std::move(task));
    }

    void run_for(Duration duration) {
        run_until([] { return false; }, duration);
    }
    /// Returns false if the condition does not hold within the time.
    template <typename Condition>
    bool run_until(Condition condition, Duration duration) {
        const TimePoint end = now_ + duration;
        while (!condition()) {
            auto ticking = processes_.end();
            for (auto it = processes_.begin(); it != processes_.end(); ++it)
                if (ticking == processes_.end() || it->second.next_tick < ticking->second.next_tick) ticking = it;
            const TimePoint tick = ticking == processes_.end() ? end : ticking->second.next_tick;
            const TimePoint task = tasks_.empty() ? end : tasks_.begin()->first.first;
            if (std::min(tick, task) >= end) {
                now_ = end;
                return condition();
            }
            now_ = std::min(tick, task);
            if (task <= tick) {
                tasks_.extract(tasks_.begin()).mapped()();
            } else {
                ticking->second.next_tick += tick_interval;
                step(ticking->first, flow::Tick{});
            }
        }
        return true;
    }

    TimePoint now() const { return now_; }
    Seen& seen(std::uint64_t sid) { return processes_.at(sid).seen; }
    DataFlow& flow(std::uint64_t sid) { return *processes_.at(sid).flow; }
    bool runs(std::uint64_t sid) const { return processes_.contains(sid); }

private:
    struct Connection {
        std::uint64_t number = 0;
        std::size_t under_way = 0;
    };
    struct Process {
        std::unique_ptr<DataFlow> flow;
        std::map<std::uint64_t, Connection> connections;  ///< data connections, by the other end
        std::uint64_t born = 0;                           ///< connections up to this number are of the previous process
        TimePoint next_tick{};
        Seen seen;
    };

    void pump(std::uint64_t from, std::uint64_t to) {
        const auto process = processes_.find(from);
        if (process == processes_.end()) return;
        const auto connection = process->second.connections.find(to);
        if (connection == process->second.connections.end()) return;
        while (connection->second.under_way < room) {
            auto chunk = process->second.flow->step(flow::Room{to}, now_).chunk;
            if (!chunk) return;
            ++connection->second.under_way;
            dispatch(connection->second.number, from, to, chunk->header,
                     {reinterpret_cast<const char*>(chunk->payload.data()), chunk->payload.size()});
        }
    }

    /// `connection` is the number of the data connection; 0: the lane.
    void dispatch(std::uint64_t connection, std::uint64_t from, std::uint64_t to, const FrameHeader& header,
                  const std::string& payload) {
        std::uniform_real_distribution<double> share(0, 1);
        const bool lost = (lose && lose(header)) || share(rng_) < faults.lost;
        const std::string bytes = encode_header(header).value();
        for (int copies = share(rng_) < faults.doubled ? 2 : 1; copies > 0; --copies) {
            std::uniform_int_distribution<Duration::rep> delay(faults.fastest.count(), faults.slowest.count());
            after(Duration(delay(rng_)), [=, this, last = copies == 1] {
                deliver(connection, from, to, lost ? std::string() : bytes, payload, last);
            });
        }
    }

    void deliver(std::uint64_t connection, std::uint64_t from, std::uint64_t to, const std::string& header,
                 const std::string& payload, bool last) {
        // Frames of an ended process still arrive, but not frames of a connection that has been replaced.
        const auto sender = processes_.find(from);
        if (connection != 0 && sender != processes_.end() && connection > sender->second.born) {
            const auto current = sender->second.connections.find(to);
            if (current == sender->second.connections.end() || current->second.number != connection) return;
            if (last) --current->second.under_way;
        }
        const auto offered = [&] {
            const auto decoded = decode_header(std::as_bytes(std::span(header)));
            return decoded->key.kind == FrameKind::offer && supply && supply(*decoded);
        };
        if (!header.empty() && !offered() && processes_.contains(to))
            step(to, flow::Received{decode_header(std::as_bytes(std::span(header))).value(),
                                    std::as_bytes(std::span(payload))});
        if (connection != 0 && last) pump(from, to);
    }

    std::mt19937_64 rng_;
    TimePoint now_{std::chrono::seconds(1000)};
    std::uint64_t last_connection_ = 0, order_ = 0;
    std::map<std::uint64_t, Process> processes_;
    std::map<std::pair<TimePoint, std::uint64_t>, std::function<void()>> tasks_;
};

}  // namespace divisi::frame
