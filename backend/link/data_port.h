// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>

#include "backend/frame/data_flow.h"
#include "backend/frame/demand.h"
#include "backend/link/dialer.h"
#include "backend/mesh/relay/activation.h"

namespace divisi::link {

/// The data plane of one instance: the sockets around a DataFlow, which decides what goes over them. Data and lane
/// (acknowledgements, freed slots) are sockets of their own, so that neither waits for the other. Who produces connects
/// to who consumes. Everything on the loop's thread.
class DataPort {
public:
    struct Events {
        std::function<void(frame::TensorFrame)> tensor;
        /// The consumer no longer holds a tensor that we sent.
        std::function<void(const frame::TensorKey&)> released;
        /// For the log: frames that were refused or came too late, peers that cannot be reached.
        std::function<void(const Error&)> trouble;
        /// A gateway has dealt to us what the header's source is to get: all of it, also what was said before.
        std::function<void(const frame::FrameHeader&, const frame::Demand&)> demand = {};
        /// A tensor that was offered is to be sent.
        std::function<void(const frame::TensorKey&)> declined = {};
        /// The first data came with the lease that is held (hold()).
        std::function<void(const mesh::Activation&)> activated = {};
    };
    using Counters = frame::DataFlow::Counters;

    /// The process that plays `sid`; `incarnation` is above 0, and above that of every process before it.
    DataPort(Loop& loop, Transport& transport, const Sid& sid, frame::Incarnation incarnation, Events events);
    ~DataPort();

    /// `endpoint` is ipc:///path/without-ending, tcp://host:0 or mem://name. Returns what peers pass to
    /// connect(): the endpoints of both sockets in one text.
    Result<std::string> listen(const std::string& endpoint, bool allow_remote = false);
    const std::string& endpoint() const { return endpoint_; }

    /// See frame::flow::Enter.
    void enter(std::uint64_t task, Generation generation);
    void leave(std::uint64_t task);

    /// Where a peer is; its incarnation is 0 as long as only the peer itself can tell. Connecting goes on in the
    /// background; what is sent before waits. Again with the same address: nothing happens; with another one: the peer
    /// has moved, and is sent what it did not acknowledge.
    void connect(const Sid& peer, frame::Incarnation incarnation, const std::string& endpoint,
                 const std::string& server_key = {});
    void disconnect(const Sid& peer);

    /// The ends of the frame are filled in here. Errors: see frame::flow::Send.
    Result<void> send(const Sid& peer, frame::TensorFrame frame);
    /// A tensor that is not made yet: see frame::flow::Offer.
    Result<void> offer(const Sid& peer, const frame::TensorKey& key, const frame::ContentKey& content);
    /// See frame::flow::Release.
    void release(const frame::TensorKey& key);

    /// The lease under which this instance works: data that name another one are refused.
    void hold(mesh::Activation lease) { activation_.expect(std::move(lease)); }

    // Asking for data (data_port_demand.cpp).
    /// The gateway of our MIC; empty: there is none now.
    void set_gateway(const std::string& endpoint, const std::string& server_key);
    /// Asks whoever answers for the prefix for all these micro-batches, in place of what was asked for before. It is
    /// said again until nothing is wanted; the gateway chooses who sends them.
    void ask(const Sid& prefix, std::uint64_t task, Generation generation, std::vector<frame::DataPlace> places,
             std::uint64_t microbatch_bytes);

    /// Tensors that no consumer has acknowledged yet.
    std::size_t unacknowledged() const { return flow_.unacknowledged(); }
    Counters counters() const;
    /// Refusals by gateways that have come.
    std::uint64_t refusals() const { return refused_; }
    /// For tests and benchmarks; a power of two from 4 KiB to 1 MiB.
    void set_chunk_bytes(std::uint32_t bytes) { flow_.set_chunk_bytes(bytes); }

private:
    /// The connections to one address: a peer's own, or its gateway's, where they serve all peers behind it.
    struct Route {
        std::set<std::uint64_t> peers;  ///< by flow_id of the SID
        std::string names;              ///< of the peers, for messages
        std::unique_ptr<Dialer> data, lane;
        Parts waiting;           ///< a frame for which the data socket has had no room
        std::uint64_t last = 0;  ///< peer that had the last turn
    };

    /// The error where the flow refuses the event; everything else that it wants is done.
    Result<void> step(frame::flow::Event event);
    std::unique_ptr<Route> make_route(const Address& data);
    Route& open_route(const Address& data, const Address& lane);
    void leave_route(std::uint64_t sid);
    Route* route_to(std::uint64_t sid);
    void pump(Route& route);
    bool next_frame(Route& route);
    void say(const frame::flow::Message& message);
    void on_frame(bool data, const std::string& from, const Parts& parts);
    void refused(const frame::FrameHeader& header, std::span<const std::byte> why);
    void tell_stale(const frame::flow::Stale& stale);
    void say_demand();
    void demanded(const frame::FrameHeader& header, std::span<const std::byte> payload);
    void housekeeping();
    void trouble(const Error& error);

    Loop& loop_;
    Transport& transport_;
    const frame::End self_;
    Events events_;
    std::string endpoint_;
    frame::DataFlow flow_;
    std::uint64_t foreign_ = 0;  ///< messages that are no frames
    std::uint64_t refused_ = 0;
    mesh::ActivationCheck activation_;
    std::map<std::uint64_t, Sid> names_;                ///< of peers, by flow_id
    std::map<Address, std::unique_ptr<Route>> routes_;  ///< by the address of the data socket
    std::map<std::uint64_t, Address> peers_;            ///< who goes by which route
    std::optional<Address> gateway_;                    ///< of its data socket
    frame::FrameHeader asking_;                         ///< of the demand
    frame::Demand demand_;
    std::unique_ptr<Listener> data_listener_, lane_listener_;
    Timer timer_;
};

}  // namespace divisi::link
