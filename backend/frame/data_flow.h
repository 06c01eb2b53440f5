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

/// Events that DataFlow receives and actions that it requests.
namespace flow {

/// Sets the generation whose frames are accepted for the task from now on; drops unfinished work of older generations.
/// A generation that is not higher than the current one is ignored.
struct Enter {
    std::uint64_t task = 0;
    Generation generation = 0;
};
struct Leave {
    std::uint64_t task = 0;
};
/// Adds a peer to which tensors will be sent. A higher incarnation replaces the known incarnation.
struct Reach {
    End peer;
};
struct Forget {
    std::uint64_t sid = 0;
};
/// Sends a tensor to a peer. Refused with `not_found` if no Reach named the peer; with `invalid_input` if no frame can
/// describe the tensor; with `exhausted` at the limit most_unreleased. Refused with `conflict` if the generation is not
/// current or the key was sent before.
struct Send {
    std::uint64_t sid = 0;
    TensorFrame frame;
};
/// Offers a peer a tensor before it is computed, in case a router on the way has it already (Offers). Refused in the
/// same cases as Send. The tensor either arrives from a router, or is declined and must then be sent.
struct Offer {
    std::uint64_t sid = 0;
    TensorKey key;
    ContentKey content;
};
/// Reports that this tensor and all earlier tensors on its edge, by (step, micro-batch), are no longer held.
struct Release {
    TensorKey key;
};
/// Reports a new data connection, or a new lane, to a peer that was named by Reach.
struct DataUp {
    std::uint64_t sid = 0;
};
struct LaneUp {
    std::uint64_t sid = 0;
};
/// Reports that the data connection to the peer accepts another frame.
struct Room {
    std::uint64_t sid = 0;
};
/// Delivers a frame with its payload, from a data connection or a lane.
struct Received {
    FrameHeader header;
    std::span<const std::byte> payload;
};
/// Occurs every tick_interval.
struct Tick {};
using Event = std::variant<Enter, Leave, Reach, Forget, Send, Offer, Release, DataUp, LaneUp, Room, Received, Tick>;

/// A frame for the lane to a peer. Losing such a frame is harmless, because its content is repeated later.
struct Message {
    End to;
    FrameHeader header;
    std::string payload;
};

/// Describes dropped frames: from or for an earlier process, of an earlier generation, or of an unknown task.
struct Stale {
    End source;
    std::string what;
};

/// Actions that the caller must carry out, in this order.
struct Actions {
    std::vector<Message> messages;
    std::optional<Chunk> chunk;          ///< the answer to Room: the frame to send next on that data connection
    std::optional<TensorFrame> arrived;  ///< an arrived tensor, whole and delivered once per generation
    std::vector<TensorKey> declined;     ///< offered tensors that must be sent after all
    std::vector<TensorKey> released;     ///< sent tensors that consumers no longer hold
    std::vector<std::uint64_t> ready;    ///< peers with queued frames: report Room as soon as a data connection to the
                                         ///< peer accepts a frame
    std::optional<Error> refused;        ///< set if the event, or the frame that came with it, was refused
    std::optional<Stale> stale;          ///< for the log: set for the first stale frame that a process of a peer sends
                                         ///< in a generation
};

}  // namespace flow

/// Transfers whole tensors between this end and its peers, without sockets and without a clock. Handles chunks,
/// acknowledgements, tensor slots and repetition, and delivers each tensor once per generation.
///
/// Ends are identified by SID and incarnation. Frames of an older incarnation than the known one are dropped and
/// counted. A higher incarnation means a new process, which is sent everything that its predecessor did not
/// acknowledge. A tensor waits until its consumer reports that it has entered the tensor's generation (hello and
/// welcome). A change of generation thus costs one message.
///
/// The receiver asks for missing chunks. After a new connection or a silence, the sender asks which chunks of a tensor
/// have arrived. The question follows the tensor's chunks on the data connection. The answer names the missing chunks.
class DataFlow {
public:
    struct Counters {
        std::uint64_t bytes_sent = 0, bytes_received = 0;  ///< payload, including repetitions
        std::uint64_t tensors_sent = 0, tensors_received = 0;
        std::uint64_t chunks_resent = 0, duplicates = 0;
        std::uint64_t stale = 0;  ///< frames of another generation or of an older incarnation
        std::uint64_t refused = 0;
    };

    /// `self` must have an incarnation above 0.
    explicit DataFlow(End self);

    /// Processes one event. `now` must never decrease.
    flow::Actions step(flow::Event event, TimePoint now);

    /// Counts the tensors that no consumer has acknowledged yet.
    std::size_t unacknowledged() const;
    /// Counts the bytes of tensors that have arrived in part.
    std::uint64_t partial_bytes() const { return reassembler_.partial_bytes(); }
    Counters counters() const;
    /// Sets the chunk size, for blobs, tests and benchmarks: a power of two from 4 KiB to 1 MiB.
    void set_chunk_bytes(std::uint32_t bytes) { chunk_bytes_ = bytes; }

private:
    using Flow = std::tuple<std::uint64_t, FrameKind, std::uint32_t>;  ///< task, kind and edge of a flow
    struct Peer {
        End end;
        bool reached = false;                         ///< whether Reach named this peer; otherwise the peer has only
                                                      ///< sent frames to this end
        std::map<std::uint64_t, Generation> entered;  ///< generation of the peer in each of our tasks, as it reports
        Outbox outbox;
        TimePoint heard{};
    };
    struct Consumed {
        Generation generation = 0;
        std::set<std::uint64_t> producers;  ///< SIDs of the producers; several may each produce a part of the data
        std::optional<std::pair<std::int64_t, std::int32_t>> position;  ///< the last released step and micro-batch;
                                                                        ///< none: no tensor has been released yet
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

    // Handlers of frames, by kind.
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
    bool mark_told(const FrameHeader& header);
    bool in_force(const TensorKey& key) const;

    const End self_;
    std::uint32_t chunk_bytes_ = max_chunk_bytes;
    std::map<std::uint64_t, Generation> generations_;
    std::map<std::uint64_t, Peer> peers_;
    Reassembler reassembler_;
    std::map<Flow, Consumed> consumed_;
    Counters counters_;
    /// Stale frames already reported: source, incarnation that they are addressed to, task and generation.
    std::set<std::tuple<End, Incarnation, std::uint64_t, Generation>> told_;
    TimePoint now_{};
};

/// Limit on reported kinds of stale frames. The limit exceeds the number of peers of an instance, but is too small to
/// fill memory or a log.
inline constexpr std::size_t most_told_stale = 256;
/// Interval at which hellos and reports of freed slots are repeated. A lost message delays the peer by at most this
/// time.
inline constexpr Duration tick_interval = std::chrono::seconds(1);
/// A peer that was silent for longer than this may have been out of reach. Frames that were sent to the peer during
/// the silence may be lost, so the questions about these frames become due soon.
inline constexpr Duration out_of_reach_after = 2 * tick_interval;
/// Limit on peers, including peers that only sent frames to this end. A task has fewer instances; peers beyond the
/// limit use invented SIDs.
inline constexpr std::size_t most_peers = 4096;

}  // namespace divisi::frame
