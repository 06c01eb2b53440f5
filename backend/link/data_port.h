// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <set>

#include "backend/frame/reassembler.h"
#include "backend/link/dialer.h"

namespace divisi::link {

/// The data plane of one instance: whole tensors to peers and from them, in chunks, acknowledged, each
/// delivered once per generation. Data and lane (acknowledgements, freed slots) are sockets of their own, so
/// that neither waits for the other. Everything on the loop's thread.
///
/// Who produces connects to who consumes. A tensor is kept until its consumer acknowledges it and is sent
/// again after a reconnection or a long silence; the consumer discards what it has. Freed slots are told
/// cumulatively and repeated, so that none is ever lost.
class DataPort {
public:
    struct Events {
        std::function<void(frame::TensorFrame)> tensor;
        /// The consumer no longer holds a tensor that we sent.
        std::function<void(const frame::TensorKey&)> released;
        /// For the log: frames that were refused, peers that cannot be reached.
        std::function<void(const Error&)> trouble;
    };
    struct Counters {
        std::uint64_t bytes_sent = 0, bytes_received = 0;  ///< payload, repetitions included
        std::uint64_t tensors_sent = 0, tensors_received = 0;
        std::uint64_t chunks_resent = 0, duplicates = 0, stale = 0, refused = 0;
    };

    /// `name` is the instance's, unique in the cluster: under it consumers know this port.
    DataPort(Loop& loop, Transport& transport, std::string name, Events events);
    ~DataPort();

    /// `endpoint` is ipc:///path/without-ending, tcp://host:0 or mem://name. Returns what peers pass to
    /// connect(): the endpoints of both sockets in one text.
    Result<std::string> listen(const std::string& endpoint, bool allow_remote = false);
    const std::string& endpoint() const { return endpoint_; }

    /// From now on only frames of this generation count for the task; what was under way in older ones is
    /// dropped. A generation that is not higher than the present one is ignored.
    void enter(std::uint64_t task, Generation generation);
    void leave(std::uint64_t task);

    /// Where a peer is. Connecting goes on in the background; what is sent before waits. Again with the same
    /// address: nothing happens; with another one: the peer has moved, and is sent what it did not acknowledge.
    void connect(const std::string& peer, const std::string& endpoint, const std::string& server_key = {});
    void disconnect(const std::string& peer);

    /// `not_found`: connect() was not called for this peer. `conflict`: not the generation in force, or a key
    /// that was sent before. `invalid_input`: a tensor that no frame can describe.
    Result<void> send(const std::string& peer, frame::TensorFrame frame);
    /// Tells the producer that this tensor and all before it on its edge are no longer held. Tensors of an
    /// edge are consumed in ascending (step, micro-batch).
    void release(const frame::TensorKey& key);

    /// Tensors that no consumer has acknowledged yet.
    std::size_t unacknowledged() const;
    Counters counters() const;
    /// For tests and benchmarks; a power of two from 4 KiB to 1 MiB.
    void set_chunk_bytes(std::uint32_t bytes) { chunk_bytes_ = bytes; }

private:
    using Position = std::pair<std::int64_t, std::int32_t>;
    using Flow = std::tuple<std::uint64_t, frame::FrameKind, std::uint32_t>;  ///< task, kind, edge
    struct Outgoing {
        frame::TensorFrame frame;
        std::uint32_t next_chunk = 0;
        bool queued = true;
        TimePoint sent{};
    };
    struct Peer {
        std::string name;
        Address data, lane;
        std::unique_ptr<Dialer> data_link, lane_link;
        std::map<frame::TensorKey, Outgoing> kept;
        std::deque<frame::TensorKey> queue;
        std::map<Flow, std::set<Position>> unreleased;
    };
    struct Released {
        Generation generation = 0;
        std::optional<Position> position;  ///< none: nothing is released yet
        std::string route;                 ///< the flow's producer
    };

    void pump(Peer& peer);
    bool send_chunks(Peer& peer, Outgoing& outgoing);
    void requeue(Peer& peer);
    void say_hello(Peer& peer);
    void on_lane(Peer& peer, const Parts& parts);
    void on_data(const std::string& route, const Parts& parts);
    void on_lane_request(const std::string& route, const Parts& parts);
    void send_lane(const std::string& route, const frame::FrameHeader& header);
    void tell_released(const Flow& flow, const Released& released);
    void housekeeping();
    void trouble(const Error& error);
    static Flow flow_of(const frame::TensorKey& key) { return {key.task, key.kind, key.edge}; }

    Loop& loop_;
    Transport& transport_;
    std::string name_;
    Events events_;
    std::string endpoint_;
    std::uint32_t chunk_bytes_ = frame::max_chunk_bytes;
    std::map<std::uint64_t, Generation> generations_;
    frame::Reassembler reassembler_;
    std::map<std::string, std::unique_ptr<Peer>> peers_;
    std::map<Flow, Released> released_;
    Counters counters_;
    std::unique_ptr<Listener> data_listener_, lane_listener_;
    Timer timer_;
};

}  // namespace divisi::link
