// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "backend/frame/outbox.h"
#include "backend/frame/reassembler.h"

namespace divisi::frame {

/// What DataFlow is told and what it wants done.
namespace flow {

/// From now on only frames of this generation count for the task; what was under way in older ones is dropped. A
/// generation that is not higher than the present one is ignored.
struct Enter {
    std::uint64_t task = 0;
    Generation generation = 0;
};
struct Leave {
    std::uint64_t task = 0;
};
/// A peer that tensors will be sent to. A higher incarnation than the known one takes its place.
struct Reach {
    End peer;
};
struct Forget {
    std::uint64_t sid = 0;
};
/// A tensor for a peer. Refused: `not_found` without Reach; `conflict` for another generation than the one in force, or
/// a key that was sent before; `invalid_input` when no frame can describe it; `exhausted`: see most_unreleased.
struct Send {
    std::uint64_t sid = 0;
    TensorFrame frame;
};
/// A tensor for a peer that is not made yet: a router on the way may have it (Offers). Refused as Send. Either it
/// arrives, or it is declined, and is then to be sent.
struct Offer {
    std::uint64_t sid = 0;
    TensorKey key;
    ContentKey content;
};
/// This tensor and all before it on its edge, by (step, micro-batch), are no longer held.
struct Release {
    TensorKey key;
};
/// A new data connection, or a new lane, to a peer that was named by Reach.
struct DataUp {
    std::uint64_t sid = 0;
};
struct LaneUp {
    std::uint64_t sid = 0;
};
/// The data connection to the peer takes another frame.
struct Room {
    std::uint64_t sid = 0;
};
/// A frame with its payload, from a data connection or a lane.
struct Received {
    FrameHeader header;
    std::span<const std::byte> payload;
};
/// Comes every tick_interval.
struct Tick {};
using Event = std::variant<Enter, Leave, Reach, Forget, Send, Offer, Release, DataUp, LaneUp, Room, Received, Tick>;

/// A frame for the lane to a peer. It may be lost, for what it says is said again.
struct Message {
    End to;
    FrameHeader header;
    std::string payload;
};

/// Frames of an earlier process or generation, or for one, which are dropped.
struct Stale {
    End source;
    std::string what;
};

/// To be done in this order.
struct Actions {
    std::vector<Message> messages;
    std::optional<Chunk> chunk;          ///< the answer to Room: for that data connection, in order
    std::optional<TensorFrame> arrived;  ///< a whole tensor, once a generation
    std::vector<TensorKey> declined;     ///< these tensors that were offered are to be sent
    std::vector<TensorKey> released;     ///< consumers no longer hold these tensors that were sent
    std::vector<std::uint64_t> ready;    ///< peers for which frames wait: Room, as soon as there is some
    std::optional<Error> refused;        ///< the event was refused, or the frame that came with it
    std::optional<Stale> stale;          ///< for the log: the first such frame of a peer's process and generation
};

}  // namespace flow

/// The flow of whole tensors between this end and its peers, without sockets and without a clock: chunks,
/// acknowledgements, tensor slots, repetition, and one delivery of each tensor a generation.
///
/// Ends are told apart by SID and incarnation. Frames of an older incarnation than the known one are dropped and
/// counted; a higher one is a new process, which is sent all that its predecessor did not acknowledge. A tensor waits
/// until its consumer says that it is in the tensor's generation (hello and welcome), so that a change of generation
/// costs one message. The receiver asks for chunks that it sees missing; the sender asks about tensors after a new
/// connection or a silence, on the data connection behind their chunks, and the answer names what is missing.
class DataFlow {
public:
    struct Counters {
        std::uint64_t bytes_sent = 0, bytes_received = 0;  ///< payload, repetitions included
        std::uint64_t tensors_sent = 0, tensors_received = 0;
        std::uint64_t chunks_resent = 0, duplicates = 0;
        std::uint64_t stale = 0;  ///< frames of another generation or of an older incarnation
        std::uint64_t refused = 0;
    };

    /// `self` has an incarnation above 0.
    explicit DataFlow(End self);

    /// `now` never goes back.
    flow::Actions step(flow::Event event, TimePoint now);

    /// Tensors that no consumer has acknowledged yet.
    std::size_t unacknowledged() const;
    /// Bytes of tensors that have arrived in part.
    std::uint64_t partial_bytes() const { return reassembler_.partial_bytes(); }
    Counters counters() const;
    /// For tests and benchmarks; a power of two from 4 KiB to 1 MiB.
    void set_chunk_bytes(std::uint32_t bytes) { chunk_bytes_ = bytes; }

private:
    using Flow = std::tuple<std::uint64_t, FrameKind, std::uint32_t>;  ///< task, kind, edge
    struct Peer {
        End end;
        bool reached = false;                         ///< by Reach; the others have only spoken to us
        std::map<std::uint64_t, Generation> entered;  ///< of our tasks, as it has said
        Outbox outbox;
        TimePoint heard{};
    };
    struct Consumed {
        Generation generation = 0;
        std::set<std::uint64_t> producers;                              ///< SIDs; of data several may have a part
        std::optional<std::pair<std::int64_t, std::int32_t>> position;  ///< none: nothing is released yet
    };

    void on(flow::Enter& event, flow::Actions& actions);
    void on(flow::Leave& event, flow::Actions& actions);
    void on(flow::Reach& event, flow::Actions& actions);
    void on(flow::Forget& event, flow::Actions& actions);
    void on(flow::Send& event, flow::Actions& actions);
    void on(flow::Offer& event, flow::Actions& actions);
    void on(flow::Release& event, flow::Actions& actions);
    void on(flow::DataUp& event, flow::Actions& actions);
    void on(flow::LaneUp& event, flow::Actions& actions);
    void on(flow::Room& event, flow::Actions& actions);
    void on(flow::Received& event, flow::Actions& actions);
    void on(flow::Tick& event, flow::Actions& actions);

    // Frames, by kind.
    void hello(Peer& peer, const FrameHeader& header, flow::Actions& actions);
    void tensor(Peer& peer, const flow::Received& event, flow::Actions& actions);
    void asked(Peer& peer, const TensorKey& key, flow::Actions& actions);
    void missing(Peer& peer, const flow::Received& event, flow::Actions& actions);
    void offered(Peer& peer, const TensorKey& key, flow::Actions& actions);
    void answered(const FrameHeader& header, flow::Actions& actions);

    Result<void> put(flow::Send& event, flow::Actions& actions);
    Result<Peer*> consumer_of(std::uint64_t sid, const TensorKey& key);
    static void tell_declined(Peer& peer, flow::Actions& actions);
    Peer* meet(const FrameHeader& header, flow::Actions& actions);
    void replace(Peer& peer, Incarnation incarnation);
    void meet_in(std::uint64_t task, Peer& peer);
    void drop(std::uint64_t task);
    void say(const Peer& peer, FrameKind kind, const TensorKey& about, flow::Actions& actions,
             std::string payload = {}) const;
    void say_hello(const Peer& peer, flow::Actions& actions) const;
    void say_released(const Flow& flow, const Consumed& consumed, std::uint64_t producer, flow::Actions& actions) const;
    void refuse(Error error, flow::Actions& actions);
    void drop_stale(const FrameHeader& header, flow::Actions& actions);
    void tell_stale(const FrameHeader& header, flow::Actions& actions);
    bool is_told(const FrameHeader& header);
    bool in_force(const TensorKey& key) const;

    const End self_;
    std::uint32_t chunk_bytes_ = max_chunk_bytes;
    std::map<std::uint64_t, Generation> generations_;
    std::map<std::uint64_t, Peer> peers_;
    Reassembler reassembler_;
    std::map<Flow, Consumed> consumed_;
    Counters counters_;
    /// Stale frames that were told: source, incarnation that they are for, task and generation.
    std::set<std::tuple<End, Incarnation, std::uint64_t, Generation>> told_;
    TimePoint now_{};
};

/// Kinds of stale frames that are told: more than the peers of an instance, too few to fill memory or a log.
inline constexpr std::size_t most_told_stale = 256;
/// Hellos and freed slots are repeated at this pace: what a lost one costs at most.
inline constexpr Duration tick_interval = std::chrono::seconds(1);
/// Who was silent for longer and speaks again was out of reach, and what was said to it meanwhile is lost.
inline constexpr Duration out_of_reach_after = 2 * tick_interval;
/// Peers that this end was not told of and that have spoken to it. A task has fewer instances; who comes beyond is
/// somebody who makes up SIDs.
inline constexpr std::size_t most_peers = 4096;

}  // namespace divisi::frame
