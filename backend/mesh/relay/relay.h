// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "backend/frame/outbox.h"
#include "backend/mesh/base/place.h"
#include "backend/mesh/relay/breaker.h"
#include "backend/mesh/relay/credit.h"
#include "backend/mesh/relay/fair_share.h"
#include "backend/mesh/relay/flow_policy.h"
#include "backend/mesh/relay/meter.h"
#include "backend/mesh/relay/result_cache.h"
#include "backend/mesh/relay/turns.h"
#include "backend/mesh/route/avoided_links.h"
#include "backend/mesh/route/hops.h"
#include "backend/mesh/route/paths_from.h"
#include "backend/mesh/signaling/load_advert.h"
#include "backend/mesh/signaling/rsvp.h"

namespace divisi::mesh::inline relay {

/// Where frames leave a device: towards a neighbour, or, at a gateway, to an instance of its MIC.
struct Exit {
    RoutingId device;
    std::uint64_t sid = 0;  ///< of the instance, where there is no device
    auto operator<=>(const Exit&) const = default;
};

struct RelayConfig {
    RoutingId self;
    DeviceRole role = DeviceRole::router;
    /// Bytes of chunks that neighbours may have here together: what all promises together never exceed.
    std::uint64_t buffer = 256u << 20;
    /// What a flow on its chosen path is promised at least, if the buffer allows: twice bandwidth times delay of a link
    /// with 1 GB/s and 4 ms. Where measured links need more, it is promised that; see Relay::measured_window().
    std::uint64_t window = 8u << 20;
    /// Likewise a flow of a blob, at most: what a tensor finds before it on a link that such a flow has filled.
    std::uint64_t blob_window = 1u << 20;
    /// Neighbours beat at this pace; one that owes a credit and is silent for `beats` of them has failed.
    Duration heartbeat = std::chrono::milliseconds(100);
    int beats = 3;
    /// Tells this process from an earlier one of the same name, so that neighbours begin their counts anew.
    std::uint32_t boot = 1;
    /// Bytes of results that a router keeps beside the buffer; 0: none.
    std::uint64_t cache = 0;
    ResultCache::Hash content_hash = {};  ///< needed for a cache
};

/// What Relay is told and what it wants done.
namespace relay {

/// Signaling type 2: who is where. By flow_id of the SID.
struct Table {
    Topology topology;
    std::map<std::uint64_t, Place> places;
};
/// The connection that this device made to a neighbour.
struct Up {
    RoutingId neighbour;
};
struct Down {
    RoutingId neighbour;
};
/// A frame from a data connection; `from` is 0 where an instance of the own MIC sent it.
struct Data {
    RoutingId from;
    frame::Chunk chunk;
};
/// A frame from a lane: acknowledgements, freed slots, greetings.
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
/// Signaling type 4, of a router next to this gateway.
struct Load {
    RoutingId from;
    LoadAdvert said;
};
/// A probe has measured the link to a neighbour.
struct Measured {
    RoutingId neighbour;
    WayFigures link;
};
/// The data connection of this exit takes another frame.
struct Room {
    Exit exit;
};
/// What the SMO has set. It holds for tensors that come from now on, and for promises that are made from now on; a
/// larger window also for those that are there.
struct Policy {
    FlowPolicy policy;
    BreakerConfig breaker = {};                   ///< of each neighbour
    Duration full_for = std::chrono::seconds(1);  ///< a promise that is used up for so long is an abnormal state
};
/// Comes at least every heartbeat; four times as often, a silent neighbour is noticed a quarter of one late at most.
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
    std::vector<RoutingId> to;  ///< gateways
    LoadAdvert advert;
};

/// An abnormal state (draft 002, 5.5) that began or ended, for the SMO.
struct Abnormal {
    AbnormalKind kind = AbnormalKind::neighbour_silent;
    RoutingId neighbour;  ///< which is silent, or whose promise is used up here
    TimePoint since{};    ///< what began, when it did
    struct Concerned {
        FlowSids sids;
        Path way;  ///< from here on, as it is after the local repair; empty: there is none
    };
    std::vector<Concerned> flows;
};

/// To be done in this order.
struct Actions {
    std::vector<SignalTo> signals;
    std::vector<RoutingId> beats;
    std::optional<LoadTo> load;
    std::vector<LaneFrame> lane;
    std::optional<frame::Chunk> chunk;  ///< the answer to Room: for that data connection, in order
    std::vector<Exit> ready;            ///< exits for which frames wait: Room, as soon as there is some
    std::vector<Error> refused;         ///< for the log; each is counted
    std::vector<Abnormal> abnormal;
};

}  // namespace relay

/// A gateway (MG) or service router (SR) as the forwarder that it is, without sockets and without a clock: chunks are
/// sent on before their tensor is whole, in order within a flow, flows take turns (Turns), and nothing goes to a
/// neighbour that has not promised memory for it.
///
/// The gateway of the sender alone chooses the path. It goes ahead in PATH and stands in each frame. A router that
/// finds no way on says so with PathErr and drops the flow: the device before it still has all that was not freed
/// behind it, and so on back to the gateway, which sends it another way. What is lost all the same, with a device that
/// dies, is repeated by its sender, which keeps tensors until they are acknowledged (frame::DataFlow).
class Relay {
public:
    struct Counters {
        std::uint64_t frames = 0, bytes = 0;  ///< forwarded, payload
        std::uint64_t rerouted = 0;           ///< chunks that went another way after a failure
        std::uint64_t refused_frames = 0;     ///< not promised, of no known flow, of no neighbour
        std::uint64_t stale_frames = 0;       ///< of a reservation that was over
        std::uint64_t refused_signals = 0;    ///< RSVP and type 4 that do not check, or are about nothing known
        std::uint64_t lost_lane_frames = 0;   ///< without a way
        std::uint64_t unserved = 0;           ///< for SIDs that nobody plays
        std::uint64_t failures = 0;           ///< neighbours taken for failed
        std::uint64_t ejections = 0;          ///< of neighbours that failed again and again
    };
    /// How one flow stands at this device, for reports (signaling types 4 and 5) and tests.
    struct FlowView {
        FlowKey key;
        FlowSids sids;
        Exit exit;
        Path path;  ///< from this device on; empty: there is none now
        std::uint64_t queued = 0, credit = 0, out = 0, promised = 0;
        Quality quality;  ///< of the last whole period
    };

    /// Reservations are numbered above those of every earlier process of this device.
    explicit Relay(RelayConfig config) : config_(config), last_incarnation_(std::uint64_t{config.boot} << 32) {
        if (config.cache > 0 && config.role == DeviceRole::router) cache_.emplace(config.cache, config.content_hash);
    }
    Relay(const Relay&) = delete;
    Relay& operator=(const Relay&) = delete;

    /// `now` never goes back.
    relay::Actions step(relay::Event event, TimePoint now);

    const Counters& counters() const { return counters_; }
    struct NeighbourView {
        RoutingId id;
        bool usable = false;
        std::uint64_t sent = 0;                 ///< bytes of chunks
        std::uint64_t queued = 0, credit = 0;   ///< of all flows that go there
        Quality quality;                        ///< of the last whole period
        const LoadBook::Heard* load = nullptr;  ///< what it said last, at a gateway; valid until the next step
    };
    /// A neighbour that routes avoid, or that one flow tries.
    struct BreakerView {
        RoutingId id;
        bool half_open = false;
    };
    std::vector<BreakerView> breakers() const;
    std::vector<FlowView> flows() const;
    std::vector<NeighbourView> neighbours() const;
    /// Numbers the period that the qualities are of.
    std::uint64_t period() const { return period_; }
    /// Bytes of chunks that are here, and what neighbours may bring to it: held <= promised() + what the own MIC's
    /// instances have sent, whose tensor slots bound it.
    std::uint64_t held() const { return held_; }
    /// Whether some way leads to this gateway now. One that was refused and is tried again is none until something has
    /// come through by it, or it has not refused for longest_trial.
    bool reaches(RoutingId gateway);
    std::uint64_t promised() const { return promised_; }
    /// Results that are kept, in memory of their own; none at a gateway.
    const std::optional<ResultCache>& cache() const { return cache_; }

private:
    struct Held {
        frame::Chunk chunk;
        RoutingId from;
        std::uint64_t reservation = 0;  ///< incarnation of the promise that it is counted for
        TimePoint since{};              ///< when it came, or, once it was sent on, when that was
        bool cached = false;            ///< its memory is the cache's
        std::uint64_t bytes() const { return chunk.payload.size(); }
    };
    /// What this device promised an upstream neighbour.
    struct Upstream {
        Promise promise;
        std::uint32_t boot = 0;
        TimePoint refreshed{};
        bool told = false;              ///< the first RESV, which has both kinds of credit, has gone out
        std::optional<TimePoint> full;  ///< since when no chunk fits
    };
    /// What a downstream neighbour has promised this device.
    struct Downstream {
        Allowance allowance;
        std::uint32_t handle = 0;  ///< tells it from those before, of which the neighbour may know still
        std::deque<Held> out;      ///< sent, and not known to be freed there
        std::uint64_t freed = 0;   ///< bytes freed there that do not make a whole chunk yet
        WayFigures behind;         ///< what it has said of the way from it on
        TimePoint asked{};         ///< the last PATH
        /// A frame without payload went there since. It needs no credit, so nothing else would show that the neighbour
        /// knows the flow no longer, as after a PathErr that was lost.
        bool doubtful = false;
        TimePoint used{};
    };
    struct Flow {
        FlowSids sids;
        FlowName name;
        bool named = false;  ///< the table has both SIDs, of its task
        std::map<RoutingId, Upstream> upstream;
        std::map<RoutingId, Downstream> downstream;
        std::deque<Held> queue;
        std::uint64_t queued = 0;
        Exit exit;
        Route route;
        Path path;                        ///< of the route, from here on, this device first
        Route backup;                     ///< shares no router with the route, where there is such a path
        Path backup_path;                 ///< of it, from here on
        std::optional<TimePoint> paused;  ///< until then: its receiver's gateway has no room for it
        TimePoint had_upstream{};         ///< when it last had a device before this one
        bool waits_turn = false;
        std::uint8_t strand = 0;
        FlowClass flow_class = FlowClass::tensor;
        Meter meter;
        Quality quality;
        bool by_second = false;  ///< of two equal paths it began on the second; see second_is_shorter()
        TimePoint routed{};      ///< at its sender's gateway: since when it has this route
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
    bool may_open(RoutingId from, bool named);
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
    void no_way(Flow& flow);
    void close(FlowKey key);
    void look_after(Flow& flow);

    // Policy and type 5 (relay_quality.cpp).
    FlowRule rule_for(const Flow& flow) const;
    std::uint64_t window_of_flow(const Flow& flow, RoutingId upstream) const;
    std::uint64_t measured_window(const Flow& flow, RoutingId upstream) const;
    WayFigures way_behind(const Flow& flow) const;
    std::uint8_t deal(const frame::FrameHeader& header);
    std::uint8_t strand_by_policy(const frame::FrameHeader& header);
    bool dealt_nothing(const Flow& flow) const;
    void note(Flow& flow);
    void measure();
    std::vector<FlowKey> flows_by(RoutingId neighbour) const;
    void say_abnormal(AbnormalKind kind, RoutingId neighbour, TimePoint since, const std::vector<FlowKey>& flows);
    using FullBuffer = std::pair<FlowKey, RoutingId>;  ///< the flow, and the neighbour that is promised too little
    std::map<FullBuffer, TimePoint> full_buffers();
    void look_for_full_buffers();

    // Type 4 (relay_load.cpp).
    std::vector<LinkLoad> link_loads() const;
    std::vector<PrefixLoad> prefix_loads() const;
    void tell_load();
    std::optional<std::uint64_t> queue_behind(const Path& path) const;
    bool second_is_shorter(const Flow& flow, const Paths& paths) const;

    // Results that were made before (relay_cache.cpp).
    bool nearest_to_consumer(const Flow& flow) const;
    bool supply(Flow& flow, const frame::FrameHeader& offer);
    void keep_result(const Flow& flow, const frame::Chunk& chunk);

    // Ways.
    Flow* flow_of(const frame::FrameHeader& header, RoutingId from);
    Flow& open(const FlowKey& key, const FlowName& name, FlowSids sids);
    void choose(Flow& flow);
    void adopt(Flow& flow, const Route& route);
    void find_route(Flow& flow);
    void adopt_backup(Flow& flow, const Route& route);
    Avoid unusable() const;
    // Neighbours that keep failing, at the gateway that chooses routes (relay_breakers.cpp).
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
        std::uint64_t promised = 0, flows = 0;  ///< that it has here
        WayFigures link_there, link_here;       ///< by probes: as this device has it, and as the neighbour says
        TokenBucket lane{neighbour_lane_per_s, neighbour_lane_at_once};
        TokenBucket new_flows{new_flows_per_s, new_flows_at_once};
        TimePoint heard{};
        Meter meter;
        Quality quality;
        std::uint64_t chunks = 0, again = 0;  ///< of this period: that went there, and that were taken back
        double loss = 0;                      ///< of the last whole period
    };
    std::map<RoutingId, Neighbour> neighbours_;
    std::map<std::uint64_t, TokenBucket> instance_lanes_;  ///< by SIDs of the own MIC
    Flows flows_;
    std::map<FlowName, FlowKey> names_;
    /// The tensor of a flow whose chunks came last from its instance, and the strand that it goes by, also where policy
    /// has changed since: a chunk that overtakes another of its tensor counts as lost.
    struct Dealt {
        frame::TensorKey tensor;
        std::uint8_t strand = 0;
    };
    std::map<FlowKey, Dealt> dealt_;  ///< by the key of the first strand
    std::map<Exit, Turns> turns_;
    std::map<Ipv6, RoutingId> by_address_;
    AvoidedLinks avoided_links_;                  ///< at a gateway: no way on there for its flows
    std::map<RoutingId, TimePoint> bad_devices_;  ///< likewise: no room, until when
    BreakerConfig breaker_;
    std::map<RoutingId, Breaker> breakers_;  ///< of neighbours that have failed
    std::map<FullBuffer, TimePoint> full_;   ///< since when; told
    LoadTeller load_teller_;                 ///< of a router
    std::uint32_t last_load_ = 0;
    LoadBook loads_;                         ///< of a gateway
    std::map<RoutingId, Paths> lane_paths_;  ///< of the present table and neighbours, as they were asked for
    std::optional<PathsFrom> paths_from_;    ///< what finds them, in topology_
    std::uint64_t held_ = 0, promised_ = 0;
    std::uint64_t unnamed_promised_ = 0, unnamed_flows_ = 0;  ///< of flows that are not Flow::named
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

/// RFC 2205, 3.7: reservations are soft state. Who holds one says so at this pace, and it lapses after three times.
inline constexpr Duration refresh_interval = std::chrono::seconds(10);
inline constexpr Duration lapse_after = 3 * refresh_interval + std::chrono::seconds(5);
/// A strand to which policy deals nothing gives back its promises after this time.
inline constexpr Duration strand_idle = std::chrono::seconds(10);
/// Flows at one device; a plan has some edges, a cluster some hundred tasks.
inline constexpr std::size_t most_flows = 16'384;
/// Parts of the buffer: one flow's measured window has one at most, and all windows have two before a further one is
/// larger than configured.
inline constexpr std::uint64_t parts_for_windows = 4;

}  // namespace divisi::mesh::inline relay
