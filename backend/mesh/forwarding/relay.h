// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/mesh/forwarding/flow_router.h"
#include "backend/mesh/forwarding/load_reports.h"
#include "backend/mesh/forwarding/quality_reports.h"
#include "backend/mesh/forwarding/result_supply.h"

namespace divisi::mesh::inline forwarding {

/// The forwarder of a gateway (MG) or service router (SR), without sockets and without a clock. Chunks are forwarded
/// before their tensor is complete, in order within a flow. Flows take turns (DeficitRoundRobin). A chunk is sent only
/// to a neighbour that has promised memory for it. The sender's gateway alone chooses the path. The path is sent in
/// PATH before the first frame, and is part of each frame. A router that finds no further path answers with PathErr and
/// drops the flow. The previous device still holds all chunks that the later devices have not freed. That device sends
/// a PathErr to the device before it, and so on back to the gateway. The gateway sends the chunks over another path. If
/// a device dies, chunks may still be lost. The sender repeats them, because it keeps tensors until they are
/// acknowledged (frame::DataFlow).
///
/// A relay owns the objects that do this work, and passes each event to them.
class Relay {
public:
    using Counters = relay::Counters;
    using FlowView = relay::FlowView;
    using NeighbourView = relay::NeighbourView;
    using BreakerView = relay::BreakerView;

    /// Creates a relay. Its reservations get higher numbers than the reservations of earlier processes of this device.
    explicit Relay(RelayConfig config);
    Relay(const Relay&) = delete;
    Relay& operator=(const Relay&) = delete;

    /// Processes one event. `now` must never decrease.
    relay::Actions step(relay::Event event, TimePoint now);

    const Counters& counters() const { return context_.counters; }
    std::vector<BreakerView> breakers() const { return routes_.breakers().views(); }
    std::vector<FlowView> flows() const;
    std::vector<NeighbourView> neighbours() const;
    /// Returns the number of the period that the qualities describe.
    std::uint64_t period() const { return quality_reports_.period(); }
    /// Returns the bytes of chunks buffered here. The result is at most promised() plus the bytes from this MIC's
    /// instances; tensor slots limit the instances' bytes.
    std::uint64_t held() const { return limits_.held(); }
    std::uint64_t promised() const { return limits_.promised(); }
    /// Returns whether a path leads to this gateway now. If a link of the path has refused and is being retried, the
    /// path does not count at first. The path counts again after a chunk has passed this link, or after longest_trial
    /// without a refusal.
    bool reaches(RoutingId gateway) { return routes_.reaches(gateway); }
    /// Returns the cache of results, which uses memory outside the buffer; nothing at a gateway.
    const std::optional<ResultCache>& cache() const { return results_.cache(); }

private:
    void on(relay::Table& event);
    void on(relay::Up& event);
    void on(relay::Down& event);
    void on(relay::Data& event);
    void on(relay::Lane& event);
    void on(relay::Signal& event);
    void on(relay::Beat& event) { record_life(event.from); }
    void on(relay::Load& event);
    void on(relay::Measured& event);
    void on(relay::Room& event) { sender_.send_next(event.exit); }
    void on(relay::Policy& event);
    void on(relay::Tick& event);

    FlowParts parts() { return {context_, neighbours_, limits_, flows_, routes_, promises_, credit_, sender_}; }
    void record_life(RoutingId neighbour);
    void fail(RoutingId neighbour, const std::string& why);
    void fail_silent();
    void measure();
    void forward_lane(relay::Lane& lane);
    bool try_lane(RoutingId from, std::uint64_t source);

    RelayContext context_;
    NeighbourLinks neighbours_;
    UsageLimits limits_;
    FlowTable flows_;
    RouteFinder routes_;
    UpstreamPromises promises_;
    DownstreamCredit credit_;
    FlowSender sender_;
    FlowRouter router_;
    ResultSupply results_;
    LoadReports load_reports_;
    QualityReports quality_reports_;
};

}  // namespace divisi::mesh::inline forwarding
