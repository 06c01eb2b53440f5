// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/upstream_promises.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace divisi::mesh::inline forwarding {

bool UpstreamPromises::try_reserve(RelayFlow& flow, RoutingId upstream, std::uint32_t boot) {
    drop(flow, upstream);
    // Buffered chunks of expired promises take memory too.
    const std::uint64_t left = limits_.buffer_left_for(upstream, flow.named);
    if (left < frame::max_chunk_bytes) {
        context_.refuse_signal(ErrorCode::exhausted,
                               "no buffer left for flow " + flow.sids.source + " to " + flow.sids.destination,
                               upstream);
        flow.meter.refused();
        refuse(flow, upstream, {device_address(context_.config.self), 0, admission_failure, no_buffer});
        return false;
    }
    // The other half is reserved for later flows.
    const std::uint64_t half = std::max<std::uint64_t>(left / 2, frame::max_chunk_bytes);
    const std::uint64_t window = std::min(half, window_for(flow, upstream));
    flow.upstream.emplace(upstream, RelayFlow::Upstream{Promise(++last_incarnation_, window), boot, context_.now});
    limits_.count_promise(upstream, flow.named, 1, static_cast<std::int64_t>(window));
    return true;
}

void UpstreamPromises::widen(RelayFlow& flow, RoutingId upstream) {
    Promise& promise = flow.upstream.at(upstream).promise;
    const std::uint64_t wanted = window_of_flow(flow, upstream);
    if (promise.window() >= wanted) return;
    const std::uint64_t left = limits_.buffer_left_for(upstream, flow.named);
    const std::uint64_t window = std::min(wanted, (promise.window() + left) / 2);  // see try_reserve()
    if (window <= promise.window()) return;
    limits_.count_promise(upstream, flow.named, 0, static_cast<std::int64_t>(window - promise.window()));
    promise.widen(window);
    tell(flow, upstream, true);
}

void UpstreamPromises::tell(RelayFlow& flow, RoutingId upstream, bool always) {
    RelayFlow::Upstream& up = flow.upstream.at(upstream);
    if (!always && !up.promise.worth_telling()) return;
    RsvpMessage message;
    message.type = RsvpType::credit_resv;
    if (!std::exchange(up.told, true)) message.credit_megabytes = megabytes(up.promise.window());
    message.credit = Credit{flow.name.number, up.promise.incarnation(), up.promise.allowed()};
    set_window(message, up.promise.window());
    set_path_figures(message, downstream_figures(flow));
    up.promise.told();
    context_.send(upstream, std::move(message), flow);
}

std::optional<std::uint64_t> UpstreamPromises::take(RelayFlow& flow, RoutingId from, const frame::FrameHeader& header,
                                                    std::uint64_t bytes) {
    const auto upstream = flow.upstream.find(from);
    const bool has_promise = upstream != flow.upstream.end();
    // A chunk is stale if its reservation has expired. Its sender takes the chunk back as soon as it learns of the new
    // reservation.
    const bool stale = !has_promise || reservation_of(header) < upstream->second.promise.incarnation();
    if (stale && bytes > 0) {
        ++context_.counters.stale_frames;
        return std::nullopt;
    }
    if (!has_promise) return std::nullopt;
    if (!upstream->second.promise.take(bytes)) {
        flow.meter.refused();
        context_.refuse_frame(ErrorCode::exhausted, "a chunk of " + std::to_string(bytes) + " bytes was not promised",
                              from);
        return std::nullopt;
    }
    upstream->second.refreshed = context_.now;
    return upstream->second.promise.incarnation();
}

void UpstreamPromises::free(const RelayFlow::Held& held, RelayFlow& flow) {
    limits_.count_out(held.buffered_bytes());
    const auto upstream = flow.upstream.find(held.from);
    if (upstream == flow.upstream.end() || upstream->second.promise.incarnation() != held.reservation) return;
    upstream->second.promise.give_back(held.bytes());
    tell(flow, held.from, false);
}

void UpstreamPromises::drop(RelayFlow& flow, RoutingId from) {
    const auto upstream = flow.upstream.find(from);
    if (upstream == flow.upstream.end()) return;
    count_end(flow, from, upstream->second.promise);
    flow.upstream.erase(upstream);
}

void UpstreamPromises::drop_lapsed(RelayFlow& flow) {
    std::erase_if(flow.upstream, [&](const auto& entry) {
        const bool lapsed = context_.now - entry.second.refreshed >= lapse_after;
        if (lapsed) count_end(flow, entry.first, entry.second.promise);
        return lapsed;
    });
}

void UpstreamPromises::count_end(const RelayFlow& flow, RoutingId upstream, const Promise& promise) {
    limits_.count_promise(upstream, flow.named, -1, -static_cast<std::int64_t>(promise.window()));
}

void UpstreamPromises::refuse(const RelayFlow& flow, RoutingId upstream, const ErrorSpec& why) {
    RsvpMessage message;
    message.type = RsvpType::path_error;
    message.error = why;
    if (neighbours_.is_usable(upstream)) context_.send(upstream, std::move(message), flow);
}

/// Returns the window to promise: the full window on the flow's chosen path, elsewhere one chunk, so that idle paths do
/// not fill buffers.
std::uint64_t UpstreamPromises::window_for(const RelayFlow& flow, RoutingId upstream) const {
    const auto paths = two_paths(context_.table.topology(), flow.name.source, flow.name.destination);
    if (!paths) return frame::max_chunk_bytes;
    const RoutingId hop[] = {upstream, context_.config.self};
    const Path& path = flow.key.path_index == 1 && !paths->backup.empty() ? paths->backup : paths->primary;
    const bool chosen = std::search(path.begin(), path.end(), std::begin(hop), std::end(hop)) != path.end();
    return chosen ? window_of_flow(flow, upstream) : frame::max_chunk_bytes;
}

std::uint64_t UpstreamPromises::window_of_flow(const RelayFlow& flow, RoutingId upstream) const {
    const RelayConfig& config = context_.config;
    const std::optional<std::uint64_t> set = context_.rule_for(flow).window;
    std::uint64_t window = set.value_or(config.window);
    if (flow.key.flow_class == FlowClass::blob) window = std::min(window, config.blob_window);
    else if (!set) window = std::max(window, measured_window(flow, upstream));
    return std::max<std::uint64_t>(window, frame::max_chunk_bytes);
}

/// Returns twice bandwidth times delay of the path from the neighbour to the end of the flow. A byte counts as buffered
/// at this device until the next device has freed it. The next device in turn waits for the device after it. Unmeasured
/// links add nothing. Half of the buffer is left for other flows.
std::uint64_t UpstreamPromises::measured_window(const RelayFlow& flow, RoutingId upstream) const {
    const NeighbourLinks::Link* neighbour = neighbours_.find(upstream);
    if (!neighbour) return 0;
    const double need = 2 * bytes_on(joined(neighbour->link_here, downstream_figures(flow)));
    const auto known = flow.upstream.find(upstream);
    const std::uint64_t present = known == flow.upstream.end() ? 0 : known->second.promise.window();
    const std::uint64_t part = context_.config.buffer / parts_for_windows;
    const std::uint64_t left = 2 * part - std::min(2 * part, std::max(limits_.promised(), limits_.held()));
    const std::uint64_t most = std::min({part, most_window, present + left});
    return static_cast<std::uint64_t>(std::min(need, static_cast<double>(most)));
}

/// Returns the figures of the links from this device to the end of the flow; empty at the end of the flow.
PathFigures UpstreamPromises::downstream_figures(const RelayFlow& flow) const {
    const NeighbourLinks::Link* neighbour = neighbours_.find(flow.exit.device);
    const RelayFlow::Downstream* next = flow.next();
    return neighbour && next ? joined(neighbour->link_there, next->behind) : PathFigures();
}

}  // namespace divisi::mesh::inline forwarding
