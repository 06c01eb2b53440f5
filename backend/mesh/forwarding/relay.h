// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "backend/frame/outbox.h"
#include "backend/mesh/base/paths_from.h"
#include "backend/mesh/base/place.h"
#include "backend/mesh/forwarding/breaker.h"
#include "backend/mesh/forwarding/credit.h"
#include "backend/mesh/forwarding/deficit_round_robin.h"
#include "backend/mesh/forwarding/fair_share.h"
#include "backend/mesh/forwarding/flow_policy.h"
#include "backend/mesh/forwarding/meter.h"
#include "backend/mesh/forwarding/result_cache.h"
#include "backend/mesh/route/avoided_links.h"
#include "backend/mesh/route/hops.h"
#include "backend/mesh/signaling/load_advert.h"
#include "backend/mesh/signaling/rsvp.h"

namespace divisi::mesh::inline forwarding {

/// The place where frames leave a device: to a neighbour or, at a gateway, to an instance of its MIC.
struct Exit {
    RoutingId device;
    std::uint64_t sid = 0;  ///< the instance's SID, if there is no device
    auto operator<=>(const Exit&) const = default;
};

struct RelayConfig {
    RoutingId self;
    DeviceRole role = DeviceRole::router;
    /// Bytes of chunks that all neighbours together may have buffered here; the sum of all promises never exceeds this.
    std::uint64_t buffer = 256u << 20;
    /// Minimum promise to a flow on its chosen path, if the buffer allows: twice bandwidth times delay of a link with 1
    /// GB/s and 4 ms. If measured links need more, more is promised; see Relay::measured_window().
    std::uint64_t window = 8u << 20;
    /// Maximum promise to a flow of blobs. On a link that such a flow has filled, a tensor waits behind this many
    /// bytes.
    std::uint64_t blob_window = 1u << 20;
    /// Interval of beats between neighbours. A neighbour that owes credit and is silent for `beats` intervals has
    /// failed.
    Duration heartbeat = std::chrono::milliseconds(100);
    int beats = 3;
    /// Distinguishes this process from an earlier one of the same name, so that neighbours restart their counts.
    std::uint32_t boot = 1;
    /// Bytes of results that a router caches in addition to the buffer; 0: none.
    std::uint64_t cache = 0;
    ResultCache::Hash content_hash = {};  ///< required for a cache
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
/// Signaling type 4 from a router next to this gateway.
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
    BreakerConfig breaker = {};                   ///< for each neighbour
    Duration full_for = std::chrono::seconds(1);  ///< a promise that is used up for this long is an abnormal state
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
    std::vector<RoutingId> to;  ///< the gateways
    LoadAdvert advert;
};

/// An abnormal state (draft 002, 5.5) that began or ended; reported to the SMO.
struct Abnormal {
    AbnormalKind kind = AbnormalKind::neighbour_silent;
    RoutingId neighbour;  ///< the silent neighbour, or the one whose promise here is used up
    TimePoint since{};    ///< when the state began or ended
    struct Concerned {
        FlowSids sids;
        Path way;  ///< from this device on, after the local repair; empty: there is none
    };
    std::vector<Concerned> flows;
};

/// Actions that the caller must carry out, in this order.
struct Actions {
    std::vector<SignalTo> signals;
    std::vector<RoutingId> beats;
    std::optional<LoadTo> load;
    std::vector<LaneFrame> lane;
    std::optional<frame::Chunk> chunk;  ///< the answer to Room: send on that data connection, in order
    std::vector<Exit> ready;            ///< exits with waiting frames: report Room as soon as there is some
    std::vector<Error> refused;         ///< for the log; each error is also counted
    std::vector<Abnormal> abnormal;
};

}  // namespace relay

/// The forwarder of a gateway (MG) or service router (SR), without sockets and without a clock. Chunks are forwarded
/// before their tensor is complete, in order within a flow. Flows take turns (DeficitRoundRobin). Nothing is sent to a
/// neighbour that has not promised memory for it. The sender's gateway alone chooses the path. The path is sent ahead
/// in PATH and is part of each frame. A router that finds no further path answers with PathErr and drops the flow. The
/// previous device still holds all chunks that were not freed behind it, and answers in the same way, and so on back to
/// the gateway. The gateway sends the chunks over another path. If a device dies, chunks may still be lost. The sender
/// repeats them, because it keeps tensors until they are acknowledged (frame::DataFlow).
class Relay {
public:
    struct Counters {
        std::uint64_t frames = 0, bytes = 0;  ///< forwarded frames, and their payload
        std::uint64_t rerouted = 0;           ///< chunks sent over another path after a failure
        std::uint64_t refused_frames = 0;     ///< not promised, of an unknown flow, or from no neighbour
        std::uint64_t stale_frames = 0;       ///< frames of an expired reservation
        std::uint64_t refused_signals = 0;    ///< RSVP and type 4 that fail a check or refer to something unknown
        std::uint64_t lost_lane_frames = 0;   ///< lane frames without a further path
        std::uint64_t unserved = 0;           ///< frames for SIDs that nobody plays
        std::uint64_t failures = 0;           ///< neighbours considered failed
        std::uint64_t ejections = 0;          ///< ejections of neighbours that failed repeatedly
    };
    /// The state of one flow at this device, for reports (signaling types 4 and 5) and tests.
    struct FlowView {
        FlowKey key;
        FlowSids sids;
        Exit exit;
        Path path;  ///< from this device on; empty: there is none now
        std::uint64_t queued = 0, credit = 0, out = 0, promised = 0;
        Quality quality;  ///< quality of the last full period
    };

    /// Creates a relay. Its reservations get higher numbers than those of every earlier process of this device.
    explicit Relay(RelayConfig config) : config_(config), last_incarnation_(std::uint64_t{config.boot} << 32) {
        if (config.cache > 0 && config.role == DeviceRole::router) cache_.emplace(config.cache, config.content_hash);
    }
    Relay(const Relay&) = delete;
    Relay& operator=(const Relay&) = delete;

    /// Processes one event. `now` must never decrease.
    relay::Actions step(relay::Event event, TimePoint now);

    const Counters& counters() const { return counters_; }
    struct NeighbourView {
        RoutingId id;
        bool usable = false;
        std::uint64_t sent = 0;                 ///< bytes of chunks
        std::uint64_t queued = 0, credit = 0;   ///< sums over all flows that use this neighbour
        Quality quality;                        ///< quality of the last full period
        const LoadBook::Heard* load = nullptr;  ///< its latest load message, at a gateway; valid until the next step
    };
    /// A neighbour that routes avoid, or that one flow is trying.
    struct BreakerView {
        RoutingId id;
        bool half_open = false;
    };
    std::vector<BreakerView> breakers() const;
    std::vector<FlowView> flows() const;
    std::vector<NeighbourView> neighbours() const;
    /// Returns the number of the period that the qualities describe.
    std::uint64_t period() const { return period_; }
    /// Returns the bytes of chunks buffered here. They are at most promised() plus what this MIC's instances have sent;
    /// the instances' tensor slots bound the latter.
    std::uint64_t held() const { return held_; }
    /// Returns whether a path leads to this gateway now. A path whose link refused and is being retried does not count
    /// at first. It counts again once something has passed it, or it has not refused for longest_trial.
    bool reaches(RoutingId gateway);
    std::uint64_t promised() const { return promised_; }
    /// Returns the cached results, which use memory of their own; none at a gateway.
    const std::optional<ResultCache>& cache() const { return cache_; }

private:
    struct Held {
        frame::Chunk chunk;
        RoutingId from;
        std::uint64_t reservation = 0;  ///< incarnation of the promise that the chunk counts for
        TimePoint since{};              ///< when it arrived or, once sent on, when it was sent
        bool cached = false;            ///< its memory belongs to the cache
        std::uint64_t bytes() const { return chunk.payload.size(); }
    };
    /// This device's promise to an upstream neighbour.
    struct Upstream {
        Promise promise;
        std::uint32_t boot = 0;
        TimePoint refreshed{};
        bool told = false;              ///< the first RESV, with both kinds of credit, was sent
        std::optional<TimePoint> full;  ///< since when no further chunk fits
    };
    /// A downstream neighbour's promise to this device.
    struct Downstream {
        Allowance allowance;
        std::uint32_t handle = 0;  ///< distinguishes it from earlier ones that the neighbour may still know
        std::deque<Held> out;      ///< sent, but not known to be freed there
        std::uint64_t freed = 0;   ///< freed bytes that do not complete a chunk yet
        PathFigures behind;        ///< the neighbour's figures of the links behind it
        TimePoint asked{};         ///< when the last PATH was sent
        /// Set if a frame without payload was sent since the last PATH. Such a frame needs no credit. Nothing else
        /// would show that the neighbour has forgotten the flow, as after a lost PathErr.
        bool doubtful = false;
        TimePoint used{};
    };
    struct Flow {
        FlowSids sids;
        FlowName name;
        bool named = false;  ///< the table has both SIDs, with the flow's task
        std::map<RoutingId, Upstream> upstream;
        std::map<RoutingId, Downstream> downstream;
        std::deque<Held> queue;
        std::uint64_t queued = 0;
        Exit exit;
        Route route;
        Path path;                        ///< part of the route from this device on, inclusive
        Route backup;                     ///< shares no router with the route, if such a path exists
        Path backup_path;                 ///< part of the backup route from this device on
        std::optional<TimePoint> paused;  ///< end of the pause while the receiver's gateway has no room
        TimePoint had_upstream{};         ///< when it last had an upstream device
        bool waits_turn = false;
        std::uint8_t path_index = 0;
        FlowClass flow_class = FlowClass::tensor;
        Meter meter;
        Quality quality;
        bool by_second = false;  ///< started on the second of two equal paths; see second_is_shorter()
        TimePoint routed{};      ///< since when it has this route, at its sender's gateway
    };
    using Flows = std::map<FlowKey, Flow>;

    void on(relay::Table& event);
    void on(relay::Up& event);
    void on(relay::Down& event);
    void on(relay::Data& event);
    void on(relay::Lane& event);
    void on(relay::Signal& event);
    void on(relay::Beat& event);
    void on(relay::Load& event);
    void on(relay::Measured& event);
    void on(relay::Room& event);
    void on(relay::Policy& event);
    void on(relay::Tick& event);

    // RSVP (relay_signals.cpp).
    void path(RoutingId from, const RsvpMessage& message);
    void resv(RoutingId from, const RsvpMessage& message);
    void path_error(RoutingId from, const RsvpMessage& message);
    void go_around(Flow& flow, const ErrorSpec& refusal);
    void tear(RoutingId from, const RsvpMessage& message);
    Flow* flow_named(const RsvpMessage& message);
    bool try_charge_new_flow(RoutingId from, bool named);
    bool reserve(Flow& flow, RoutingId upstream, std::uint32_t boot);
    void widen(Flow& flow, RoutingId upstream);
    void ask(Flow& flow, RoutingId neighbour);
    void ask_ahead(Flow& flow);
    void tell(Flow& flow, RoutingId upstream, bool always);
    void release(Flow& flow, RoutingId to, Downstream& next, std::uint64_t bytes);
    void take_back(Flow& flow, RoutingId neighbour, Downstream& next);
    void drop_upstream(Flow& flow, RoutingId from);
    void count_promise(const Flow& flow, RoutingId upstream, std::int64_t flows, std::int64_t bytes);
    std::uint64_t buffer_left_for(const Flow& flow, RoutingId upstream) const;
    void look_up_names();
    bool is_named(const FlowKey& key, const FlowSids& sids) const;
    void let_go(Flow& flow, RoutingId neighbour);
    void send(RoutingId to, RsvpMessage message, const Flow& flow);
    std::uint64_t window_for(const Flow& flow, RoutingId upstream) const;
    void refuse_flow(const Flow& flow, RoutingId upstream, const ErrorSpec& why);
    void give_up(Flow& flow, const ErrorSpec& why);
    void refuse_unroutable(Flow& flow);
    void close(FlowKey key);
    void look_after(Flow& flow);

    // Policy and type 5 (relay_quality.cpp).
    FlowRule rule_for(const Flow& flow) const;
    std::uint64_t window_of_flow(const Flow& flow, RoutingId upstream) const;
    std::uint64_t measured_window(const Flow& flow, RoutingId upstream) const;
    PathFigures downstream_figures(const Flow& flow) const;
    std::uint8_t deal(const frame::FrameHeader& header);
    std::uint8_t path_index_by_policy(const frame::FrameHeader& header);
    bool dealt_nothing(const Flow& flow) const;
    void note(Flow& flow);
    void measure();
    std::vector<FlowKey> flows_by(RoutingId neighbour) const;
    void say_abnormal(AbnormalKind kind, RoutingId neighbour, TimePoint since, const std::vector<FlowKey>& flows);
    using FullBuffer = std::pair<FlowKey, RoutingId>;  ///< the flow, and the neighbour whose promise is too small
    std::map<FullBuffer, TimePoint> full_buffers();
    void look_for_full_buffers();

    // Type 4 (relay_load.cpp).
    std::vector<LinkLoad> link_loads() const;
    std::vector<PrefixLoad> prefix_loads() const;
    void tell_load();
    std::optional<std::uint64_t> queue_behind(const Path& path) const;
    bool second_is_shorter(const Flow& flow, const Paths& paths) const;

    // Cached results (relay_cache.cpp).
    bool nearest_to_consumer(const Flow& flow) const;
    bool supply(Flow& flow, const frame::FrameHeader& offer);
    void keep_result(const Flow& flow, const frame::Chunk& chunk);

    // Routes.
    Flow* flow_of(const frame::FrameHeader& header, RoutingId from);
    Flow& open(const FlowKey& key, const FlowName& name, FlowSids sids);
    void choose(Flow& flow);
    void adopt(Flow& flow, const Route& route);
    void find_route(Flow& flow);
    void adopt_backup(Flow& flow, const Route& route);
    Avoid unusable() const;
    // Neighbours that fail repeatedly, at the gateway that chooses routes (relay_breakers.cpp).
    std::optional<Paths> paths_for(const Flow& flow);
    void count_failure(RoutingId neighbour);
    void look_after_breakers();
    bool ours(const Flow& flow) const { return flow.name.source == config_.self; }
    const Paths& lane_paths(RoutingId last);
    void forget_paths();
    void ready(Flow& flow);
    bool may_send(const Flow& flow) const;
    std::optional<frame::Chunk> take(Flow& flow);
    void freed(const Held& held, Flow& flow);
    void count_out(const Held& held) { held_ -= held.cached ? 0 : held.bytes(); }
    void fail(RoutingId neighbour, const std::string& why);
    void lose(RoutingId neighbour);
    void heard(RoutingId neighbour);
    void choose_all();
    bool usable(RoutingId neighbour) const;
    bool within_lane_limit(RoutingId from, std::uint64_t source);
    void refuse(ErrorCode code, std::string what, RoutingId from);

    RelayConfig config_;
    Topology topology_;
    std::map<std::uint64_t, Place> places_;
    struct Neighbour {
        bool up = false;
        bool failed = false;
        std::uint64_t sent = 0;
        std::uint64_t promised = 0, flows = 0;  ///< its promises and flows here
        /// link to the neighbour, as probed by this device; link from the neighbour, as the neighbour reports
        PathFigures link_there, link_here;
        TokenBucket lane{neighbour_lane_per_s, neighbour_lane_at_once};
        TokenBucket new_flows{new_flows_per_s, new_flows_at_once};
        TimePoint heard{};
        Meter meter;
        Quality quality;
        std::uint64_t chunks = 0, again = 0;  ///< in this period: chunks sent there, and chunks taken back
        double loss = 0;                      ///< share of chunks taken back, in the last full period
    };
    std::map<RoutingId, Neighbour> neighbours_;
    std::map<std::uint64_t, TokenBucket> instance_lanes_;  ///< by SID, for SIDs of this MIC
    Flows flows_;
    std::map<FlowName, FlowKey> names_;
    /// The tensor of a flow whose chunks last arrived from its instance, with its path index. The path index stays even
    /// if the policy changes, because a chunk that overtakes another of its tensor counts as lost.
    struct Dealt {
        frame::TensorKey tensor;
        std::uint8_t path_index = 0;
    };
    std::map<FlowKey, Dealt> dealt_;  ///< by the key of path index 0
    std::map<Exit, DeficitRoundRobin> round_robins_;
    std::map<Ipv6, RoutingId> by_address_;
    AvoidedLinks avoided_links_;                  ///< at a gateway: links behind which its flows found no path
    std::map<RoutingId, TimePoint> bad_devices_;  ///< at a gateway: devices without room, with the end of the avoidance
    BreakerConfig breaker_;
    std::map<RoutingId, Breaker> breakers_;  ///< breakers of neighbours that have failed
    std::map<FullBuffer, TimePoint> full_;   ///< reported ones, with their start
    LoadReporter load_reporter_;             ///< used at a router
    std::uint32_t last_load_ = 0;
    LoadBook loads_;                         ///< used at a gateway
    std::map<RoutingId, Paths> lane_paths_;  ///< for the current table and neighbours, filled on demand
    std::optional<PathsFrom> paths_from_;    ///< searches paths in topology_
    std::uint64_t held_ = 0, promised_ = 0;
    std::uint64_t unnamed_promised_ = 0, unnamed_flows_ = 0;  ///< sums over flows that are not Flow::named
    std::optional<ResultCache> cache_;
    std::uint16_t last_number_ = 0;
    std::uint64_t last_incarnation_;
    std::uint32_t last_handle_ = 0;
    FlowPolicy policy_;
    Duration full_for_ = relay::Policy().full_for;
    std::uint64_t period_ = 0;
    TimePoint measured_{};
    Counters counters_;
    TimePoint now_{};
    TimePoint last_beat_{};
    relay::Actions actions_;
};

/// RFC 2205, 3.7: reservations are soft state. The holder refreshes at this interval, and a reservation lapses after
/// three missed refreshes.
inline constexpr Duration refresh_interval = std::chrono::seconds(10);
inline constexpr Duration lapse_after = 3 * refresh_interval + std::chrono::seconds(5);
/// If a path of a flow gets no tensors under the policy, its promises are returned after this time.
inline constexpr Duration path_idle = std::chrono::seconds(10);
/// Limit on flows at one device; a plan has a few edges, a cluster some hundred tasks.
inline constexpr std::size_t most_flows = 16'384;
/// Divides the buffer into parts. One flow's measured window takes at most one part. Windows above the configured size
/// stop growing once all promises together take two parts.
inline constexpr std::uint64_t parts_for_windows = 4;

}  // namespace divisi::mesh::inline forwarding
