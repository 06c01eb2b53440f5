// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "backend/mesh/forwarding/neighbour_links.h"
#include "backend/mesh/forwarding/relay_context.h"
#include "backend/mesh/forwarding/relay_flow.h"
#include "backend/mesh/forwarding/usage_limits.h"

namespace divisi::mesh::inline forwarding {

/// Makes this device's promises to upstream neighbours, and sends their credit in RESV messages. Each promise gets a
/// higher incarnation than all earlier promises, including promises of earlier processes of this device.
class UpstreamPromises {
public:
    UpstreamPromises(RelayContext& context, const NeighbourLinks& neighbours, UsageLimits& limits)
        : context_(context),
          neighbours_(neighbours),
          limits_(limits),
          last_incarnation_(std::uint64_t{context.config.boot} << 32) {}

    /// Makes a promise to the neighbour. If not even one chunk fits, refuses the flow and returns false.
    bool try_reserve(RelayFlow& flow, RoutingId upstream, std::uint32_t boot);
    /// Enlarges the promise to the full window, because frames of the flow arrive here, even if this device was not on
    /// the flow's chosen path. The flow must have a promise to the neighbour.
    void widen(RelayFlow& flow, RoutingId upstream);
    /// Sends the neighbour its total allowance; with `always`, even if the neighbour already knows the allowance.
    void tell(RelayFlow& flow, RoutingId upstream, bool always);
    /// Counts an arrived frame and returns the incarnation of its promise. If the frame was not promised or its
    /// reservation has expired, counts the reason and returns nothing.
    std::optional<std::uint64_t> take(RelayFlow& flow, RoutingId upstream, const frame::FrameHeader& header,
                                      std::uint64_t bytes);
    /// Counts a chunk whose memory is free again, and notifies its sender.
    void free(const RelayFlow::Held& held, RelayFlow& flow);
    /// Ends the promise to the neighbour, if there is one.
    void drop(RelayFlow& flow, RoutingId upstream);
    /// Ends the promises that were not refreshed in time.
    void drop_lapsed(RelayFlow& flow);
    /// Sends the neighbour a PathErr with the reason.
    void refuse(const RelayFlow& flow, RoutingId upstream, const ErrorSpec& why);

private:
    std::uint64_t window_for(const RelayFlow& flow, RoutingId upstream) const;
    std::uint64_t window_of_flow(const RelayFlow& flow, RoutingId upstream) const;
    std::uint64_t measured_window(const RelayFlow& flow, RoutingId upstream) const;
    PathFigures downstream_figures(const RelayFlow& flow) const;
    void count_end(const RelayFlow& flow, RoutingId upstream, const Promise& promise);

    RelayContext& context_;
    const NeighbourLinks& neighbours_;
    UsageLimits& limits_;
    std::uint64_t last_incarnation_;
};

/// Number of equal parts of the buffer. One flow's measured window takes at most one part. Windows above the configured
/// size stop growing once all promises together take two parts.
inline constexpr std::uint64_t parts_for_windows = 4;

}  // namespace divisi::mesh::inline forwarding
