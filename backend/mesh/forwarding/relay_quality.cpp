// SPDX-License-Identifier: Apache-2.0
// Applies the SMO's settings at a device, and reports to the SMO: policy, type 5 and abnormal states.
#include <algorithm>
#include <utility>

#include "backend/mesh/forwarding/relay.h"
#include "backend/mesh/route/hops.h"

namespace divisi::mesh::inline forwarding {

// --- policy -------------------------------------------------------------------------------------

void Relay::on(relay::Policy& event) {
    policy_ = std::move(event.policy);
    breaker_ = event.breaker;
    full_for_ = event.full_for;
    for (auto& [id, breaker] : breakers_) breaker.set(breaker_);
}

FlowRule Relay::rule_for(const Flow& flow) const {
    return policy_.rule_for(names_.at(flow.name), flow.name.source, flow.name.destination);
}

// --- windows ------------------------------------------------------------------------------------

void Relay::on(relay::Measured& event) {
    if (const auto neighbour = neighbours_.find(event.neighbour); neighbour != neighbours_.end())
        neighbour->second.link_there = event.link;
}

std::uint64_t Relay::window_of_flow(const Flow& flow, RoutingId upstream) const {
    const std::optional<std::uint64_t> set = rule_for(flow).window;
    std::uint64_t window = set.value_or(config_.window);
    if (flow.flow_class == FlowClass::blob) window = std::min(window, config_.blob_window);
    else if (!set) window = std::max(window, measured_window(flow, upstream));
    return std::max<std::uint64_t>(window, frame::max_chunk_bytes);
}

/// Returns twice bandwidth times delay, from the neighbour to the end of the flow. A byte counts as buffered here until
/// the next device has freed it, and the next device waits for the one behind it. Unmeasured links add nothing. Half of
/// the buffer is left for other flows.
std::uint64_t Relay::measured_window(const Flow& flow, RoutingId upstream) const {
    const auto neighbour = neighbours_.find(upstream);
    if (neighbour == neighbours_.end()) return 0;
    const double need = 2 * bytes_on(joined(neighbour->second.link_here, downstream_figures(flow)));
    const auto known = flow.upstream.find(upstream);
    const std::uint64_t present = known == flow.upstream.end() ? 0 : known->second.promise.window();
    const std::uint64_t part = config_.buffer / parts_for_windows;
    const std::uint64_t left = 2 * part - std::min(2 * part, std::max(promised_, held_));
    const std::uint64_t most = std::min({part, most_window, present + left});
    return static_cast<std::uint64_t>(std::min(need, static_cast<double>(most)));
}

/// Returns the figures of the links from here to the end of the flow; empty for a flow that ends here.
PathFigures Relay::downstream_figures(const Flow& flow) const {
    const auto neighbour = neighbours_.find(flow.exit.device);
    const auto next = flow.downstream.find(flow.exit.device);
    if (neighbour == neighbours_.end() || next == flow.downstream.end()) return {};
    return joined(neighbour->second.link_there, next->second.behind);
}

// --- path indexes -------------------------------------------------------------------------------

/// Returns the path index for a frame from an instance of this MIC.
std::uint8_t Relay::deal(const frame::FrameHeader& header) {
    const FlowKey key{header.key.task, header.source.sid, header.destination.sid, 0, class_of(header)};
    const bool known = flows_.contains(key) || flows_.contains(with_other_path(key));
    if (header.chunk_count == 1 || !known) return path_index_by_policy(header);
    Dealt& dealt = dealt_[key];
    const bool goes_on = header.chunk_index > 0 && dealt.tensor == header.key;
    if (!goes_on) dealt = {header.key, path_index_by_policy(header)};
    return dealt.path_index;
}

/// Returns the path index by policy; always 0 if there is only one path.
std::uint8_t Relay::path_index_by_policy(const frame::FrameHeader& header) {
    const auto destination = places_.find(header.destination.sid);
    if (destination == places_.end()) return 0;
    const FlowKey key{header.key.task, header.source.sid, header.destination.sid, 0, class_of(header)};
    const RoutingId last = destination->second.gateway;
    const std::uint8_t share = policy_.rule_for(key, config_.self, last).first_share.value_or(100);
    return share >= 100 || lane_paths(last).backup.empty() ? 0 : path_index_of_tensor(header, share);
}

/// Returns whether this path of the flow is idle and gets no tensors under the current policy.
bool Relay::dealt_nothing(const Flow& flow) const {
    if (!ours(flow) || !flow.queue.empty()) return false;
    const std::uint8_t share = rule_for(flow).first_share.value_or(100);
    if (share != (flow.path_index == 0 ? 0 : 100)) return false;
    return std::ranges::all_of(flow.downstream, [&](const auto& entry) {
        return entry.second.out.empty() && now_ - entry.second.used >= path_idle;
    });
}

// --- type 5 -------------------------------------------------------------------------------------

/// Updates the flow's meter. Must be called after anything may have started or stopped waiting.
void Relay::note(Flow& flow) {
    const bool out = std::ranges::any_of(flow.downstream, [](const auto& next) { return !next.second.out.empty(); });
    const bool queued = !flow.queue.empty();
    flow.meter.set_busy(queued || out, now_);
    flow.meter.set_waiting(queued && flow.exit.device.value() != 0 && !may_send(flow), now_);
}

void Relay::measure() {
    measured_ = now_;
    ++period_;
    for (auto& [key, flow] : flows_) {
        note(flow);
        flow.quality = flow.meter.take(now_);
    }
    for (auto& [id, neighbour] : neighbours_) {
        neighbour.quality = neighbour.meter.take(now_);
        const std::uint64_t again = std::exchange(neighbour.again, 0), chunks = std::exchange(neighbour.chunks, 0);
        // Chunks that were taken back may have been sent in the period before.
        neighbour.loss = again == 0 ? 0 : static_cast<double>(again) / static_cast<double>(std::max(again, chunks));
    }
}

// --- abnormal states ----------------------------------------------------------------------------

std::vector<FlowKey> Relay::flows_by(RoutingId neighbour) const {
    std::vector<FlowKey> found;
    for (const auto& [key, flow] : flows_) {
        const auto next = flow.downstream.find(neighbour);
        const bool owed = next != flow.downstream.end() && !next->second.out.empty();
        if (owed || flow.exit.device == neighbour) found.push_back(key);
    }
    return found;
}

void Relay::say_abnormal(AbnormalKind kind, RoutingId neighbour, TimePoint since, const std::vector<FlowKey>& flows) {
    relay::Abnormal abnormal{kind, neighbour, since, {}};
    for (const FlowKey& key : flows)
        if (const auto flow = flows_.find(key); flow != flows_.end())
            abnormal.flows.push_back({flow->second.sids, flow->second.path});
    actions_.abnormal.push_back(std::move(abnormal));
}

/// Returns the flows for which no chunk has fitted for a while, with the start of that state. Blobs are excluded,
/// because they are expected to wait. The two paths of a flow are reported as one.
std::map<Relay::FullBuffer, TimePoint> Relay::full_buffers() {
    std::map<FullBuffer, TimePoint> full;
    for (auto& [key, flow] : flows_) {
        if (flow.flow_class == FlowClass::blob) continue;
        for (auto& [id, upstream] : flow.upstream) {
            const Promise& promise = upstream.promise;
            if (promise.window() - promise.held() >= frame::max_chunk_bytes) upstream.full.reset();
            else if (!upstream.full) upstream.full = now_;
            if (!upstream.full) continue;
            FlowKey both = key;
            both.path_index = 0;
            // A reported state stays reported while the buffer is full, even if a new policy allows more time.
            const bool told = full_.contains({both, id});
            if (!told && now_ - *upstream.full < full_for_) continue;
            TimePoint& since = full.try_emplace({both, id}, *upstream.full).first->second;
            since = std::min(since, *upstream.full);
        }
    }
    return full;
}

void Relay::look_for_full_buffers() {
    std::map<FullBuffer, TimePoint> full = full_buffers();
    const auto say = [&](AbnormalKind kind, const FullBuffer& one, TimePoint since) {
        const FlowKey& key = flows_.contains(one.first) ? one.first : with_other_path(one.first);
        if (flows_.contains(key)) say_abnormal(kind, one.second, since, {key});
    };
    for (const auto& [one, since] : full_)
        if (!full.contains(one)) say(AbnormalKind::buffer_free, one, now_);
    for (const auto& [one, since] : full)
        if (!full_.contains(one)) say(AbnormalKind::buffer_full, one, since);
    full_ = std::move(full);
}

}  // namespace divisi::mesh::inline forwarding
