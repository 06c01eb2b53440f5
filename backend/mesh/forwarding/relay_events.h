// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "backend/frame/chunk.h"
#include "backend/mesh/base/place.h"
#include "backend/mesh/forwarding/breaker.h"
#include "backend/mesh/forwarding/flow_policy.h"
#include "backend/mesh/forwarding/meter.h"
#include "backend/mesh/forwarding/result_cache.h"
#include "backend/mesh/route/hops.h"
#include "backend/mesh/signaling/load_advert.h"
#include "backend/mesh/signaling/rsvp.h"

namespace divisi::mesh::inline forwarding {

/// The place where frames leave a device: towards a neighbour or, at a gateway, towards an instance of its MIC.
struct Exit {
    RoutingId device;
    std::uint64_t sid = 0;  ///< the instance's SID, if the exit does not lead to a device
    auto operator<=>(const Exit&) const = default;
};

struct RelayConfig {
    RoutingId self;
    DeviceRole role = DeviceRole::router;
    /// Limit on the bytes of chunks that all neighbours together may have buffered here, and on the sum of promises.
    std::uint64_t buffer = 256u << 20;
    /// Minimum promise to a flow on its chosen path, if the buffer allows: twice bandwidth times delay of a link with 1
    /// GB/s and 4 ms. If the measured links need a larger window, more is promised; see UpstreamPromises.
    std::uint64_t window = 8u << 20;
    /// Maximum promise to a flow of blobs. On a link that such a flow has filled, a tensor waits behind this number of
    /// bytes.
    std::uint64_t blob_window = 1u << 20;
    /// Interval of beats between neighbours. A neighbour that owes credit and is silent for `beats` intervals has
    /// failed.
    Duration heartbeat = std::chrono::milliseconds(100);
    int beats = 3;
    /// A number that differs for each process of the same name, so that neighbours restart their counters.
    std::uint32_t boot = 1;
    /// Bytes of results that a router caches in addition to the buffer; 0: none.
    std::uint64_t cache = 0;
    ResultCache::Hash content_hash = {};  ///< hash function for content; required for a cache
};

/// Events that Relay receives and actions that it requests.
namespace relay {

/// Signaling type 2: the devices, and the place of each SID, by its flow_id.
struct Table {
    Topology topology;
    std::map<std::uint64_t, Place> places;
};
/// The connection from this device to a neighbour is up.
struct Up {
    RoutingId neighbour;
};
struct Down {
    RoutingId neighbour;
};
/// A frame from a data connection; `from` is 0 if an instance of this MIC sent it.
struct Data {
    RoutingId from;
    frame::Chunk chunk;
};
/// A frame from a lane, such as an acknowledgement, a freed slot or a hello.
struct Lane {
    RoutingId from;
    frame::FrameHeader header;
    std::string payload;
};
/// An RSVP message from a neighbour.
struct Signal {
    RoutingId from;
    std::span<const std::byte> bytes;
};
struct Beat {
    RoutingId from;
};
/// A load message (signaling type 4) from a router next to this gateway.
struct Load {
    RoutingId from;
    LoadAdvert said;
};
/// A probe has measured the link to a neighbour.
struct Measured {
    RoutingId neighbour;
    PathFigures link;
};
/// The data connection of this exit accepts another frame.
struct Room {
    Exit exit;
};
/// The policy that the SMO has set. It applies to tensors and promises from now on; a larger window also applies to
/// existing promises.
struct Policy {
    FlowPolicy policy;
    BreakerConfig breaker = {};                   ///< settings of the circuit breaker of each neighbour
    Duration full_for = std::chrono::seconds(1);  ///< a promise that stays used up for this long is an abnormal state
};
/// Must occur at least every heartbeat. At four ticks per heartbeat, a silent neighbour is noticed at most a quarter of
/// a heartbeat late.
struct Tick {};
using Event = std::variant<Table, Up, Down, Data, Lane, Signal, Beat, Load, Measured, Room, Policy, Tick>;

struct LaneFrame {
    Exit to;
    frame::FrameHeader header;
    std::string payload;
};
struct SignalTo {
    RoutingId to;
    std::string bytes;
};
struct LoadTo {
    std::vector<RoutingId> to;  ///< identifiers of the gateways
    LoadAdvert advert;
};

/// An abnormal state (draft 002, 5.5) that began or ended; reported to the SMO.
struct Abnormal {
    AbnormalKind kind = AbnormalKind::neighbour_silent;
    RoutingId neighbour;  ///< the silent neighbour, or the neighbour that has used up this device's promise
    TimePoint since{};    ///< time at which the state began or ended
    struct Concerned {
        FlowSids sids;
        Path way;  ///< path from this device on, after the local repair; empty: no path
    };
    std::vector<Concerned> flows;
};

/// Actions that the caller must carry out, in this order.
struct Actions {
    std::vector<SignalTo> signals;
    std::vector<RoutingId> beats;
    std::optional<LoadTo> load;
    std::vector<LaneFrame> lane;
    std::optional<frame::Chunk> chunk;  ///< the answer to Room: the frame to send next on that data connection
    std::vector<Exit> ready;            ///< exits with waiting frames: report Room as soon as the exit accepts a frame
    std::vector<Error> refused;         ///< errors for the log; each error is also counted
    std::vector<Abnormal> abnormal;
};

/// The counts of a relay since it began.
struct Counters {
    std::uint64_t frames = 0, bytes = 0;  ///< forwarded frames, and their payload
    std::uint64_t rerouted = 0;           ///< chunks sent over another path after a failure
    std::uint64_t refused_frames = 0;     ///< frames without a promise or a valid flow, and lane frames above the limit
    std::uint64_t stale_frames = 0;       ///< frames of an expired reservation
    std::uint64_t refused_signals = 0;    ///< RSVP and type 4 messages that fail a check or refer to something unknown
    std::uint64_t lost_lane_frames = 0;   ///< lane frames dropped because no further path exists
    std::uint64_t unserved = 0;           ///< frames for SIDs that no instance serves
    std::uint64_t failures = 0;           ///< neighbours considered failed
    std::uint64_t ejections = 0;          ///< ejections of neighbours that failed repeatedly
};
/// The state of one flow at this device, for reports (signaling types 4 and 5) and tests.
struct FlowView {
    FlowKey key;
    FlowSids sids;
    Exit exit;
    Path path;  ///< path from this device on; empty: no path now
    std::uint64_t queued = 0, credit = 0, out = 0, promised = 0;
    Quality quality;  ///< quality of the last full period
};
struct NeighbourView {
    RoutingId id;
    bool usable = false;
    std::uint64_t sent = 0;                 ///< bytes of chunks sent to the neighbour
    std::uint64_t queued = 0, credit = 0;   ///< sums over all flows that use this neighbour
    Quality quality;                        ///< quality of the last full period
    const LoadBook::Heard* load = nullptr;  ///< its latest load message, at a gateway; valid until the next step
};
/// A neighbour that routes avoid, or that one flow is trying.
struct BreakerView {
    RoutingId id;
    bool half_open = false;
};

}  // namespace relay

}  // namespace divisi::mesh::inline forwarding
