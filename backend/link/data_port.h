// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>

#include "backend/frame/data_flow.h"
#include "backend/frame/demand.h"
#include "backend/link/dialer.h"
#include "backend/mesh/forwarding/activation.h"

namespace divisi::link {

/// The data plane of one instance: the sockets around a DataFlow, which decides what is sent over them. Data and lane
/// (acknowledgements, freed slots) use separate sockets, so that neither has to wait for the other. Producers connect
/// to consumers. Everything runs on the loop's thread.
class DataPort {
public:
    struct Events {
        std::function<void(frame::TensorFrame)> tensor;
        /// Called when the consumer no longer holds a tensor that this instance sent.
        std::function<void(const frame::TensorKey&)> released;
        /// Called for problems to be logged: refused or late frames, and unreachable peers.
        std::function<void(const Error&)> trouble;
        /// Called when a gateway has assigned to this instance the micro-batches that the header's source must receive.
        /// The list is complete: it includes earlier assignments.
        std::function<void(const frame::FrameHeader&, const frame::Demand&)> demand = {};
        /// Called when an offered tensor must be sent after all.
        std::function<void(const frame::TensorKey&)> declined = {};
        /// Called when the first data that name the held lease (hold()) have arrived.
        std::function<void(const mesh::Activation&)> activated = {};
    };
    using Counters = frame::DataFlow::Counters;

    /// Creates the port of the process that serves `sid`. `incarnation` is greater than 0 and greater than the
    /// incarnation of every earlier process.
    DataPort(Loop& loop, Transport& transport, const Sid& sid, frame::Incarnation incarnation, Events events);
    ~DataPort();

    /// Listens on `endpoint`: ipc:///path/without-ending, tcp://host:0 or mem://name. Returns the text that peers pass
    /// to connect(): the endpoints of both sockets.
    Result<std::string> listen(const std::string& endpoint, bool allow_remote = false);
    const std::string& endpoint() const { return endpoint_; }

    /// Enters a generation of a task; see frame::flow::Enter.
    void enter(std::uint64_t task, Generation generation);
    void leave(std::uint64_t task);

    /// Sets a peer's address. The incarnation is 0 as long as only the peer knows it. Connects in the background;
    /// frames wait for the connection. Repeating the same address has no effect. A new address means that the peer has
    /// moved. The peer is then sent all tensors that it did not acknowledge.
    void connect(const Sid& peer, frame::Incarnation incarnation, const std::string& endpoint,
                 const std::string& server_key = {});
    void disconnect(const Sid& peer);

    /// Sends a tensor; fills in the frame's source and destination. Fails in the cases that frame::flow::Send lists.
    Result<void> send(const Sid& peer, frame::TensorFrame frame);
    /// Offers a tensor that is not computed yet; see frame::flow::Offer.
    Result<void> offer(const Sid& peer, const frame::TensorKey& key, const frame::ContentKey& content);
    /// Reports released tensors; see frame::flow::Release.
    void release(const frame::TensorKey& key);

    /// Sets the lease under which this instance works; data that name another lease are refused.
    void hold(mesh::Activation lease) { activation_.expect(std::move(lease)); }

    // Requests for data (data_port_demand.cpp).
    /// Sets the gateway of this instance's MIC; an empty endpoint means that there is no gateway now.
    void set_gateway(const std::string& endpoint, const std::string& server_key);
    /// Requests all these micro-batches from the instances that answer for the prefix, replacing the previous request.
    /// The request is repeated until no micro-batch is wanted. The gateway chooses which instance sends each
    /// micro-batch.
    void ask(const Sid& prefix, std::uint64_t task, Generation generation, std::vector<frame::DataPlace> places,
             std::uint64_t microbatch_bytes);

    /// Counts the tensors that no consumer has acknowledged yet.
    std::size_t unacknowledged() const { return flow_.unacknowledged(); }
    Counters counters() const;
    /// Counts the refusals received from gateways.
    std::uint64_t refusals() const { return refused_; }
    /// Sets the chunk size, for blobs, tests and benchmarks: a power of two from 4 KiB to 1 MiB.
    void set_chunk_bytes(std::uint32_t bytes) { flow_.set_chunk_bytes(bytes); }

private:
    /// The connections to one address. The address belongs to one peer, or to a gateway that serves all peers behind
    /// it.
    struct Route {
        std::set<std::uint64_t> peers;  ///< peers with this address, by flow_id of the SID
        std::string names;              ///< names of the peers, for error messages
        std::unique_ptr<Dialer> data, lane;
        Parts waiting;           ///< a frame that the data socket had no room for
        std::uint64_t last = 0;  ///< the peer whose frame was sent last
    };

    /// Feeds an event to the flow and carries out its actions. Returns the error if the flow refuses the event.
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
    std::uint64_t foreign_ = 0;  ///< messages that are not valid frames
    std::uint64_t refused_ = 0;
    mesh::ActivationCheck activation_;
    std::map<std::uint64_t, Sid> names_;                ///< SIDs of peers, by flow_id
    std::map<Address, std::unique_ptr<Route>> routes_;  ///< routes by the address of the data socket
    std::map<std::uint64_t, Address> peers_;            ///< the address of each peer's route
    std::optional<Address> gateway_;                    ///< address of the gateway's data socket
    frame::FrameHeader asking_;                         ///< header of the demand
    frame::Demand demand_;
    std::unique_ptr<Listener> data_listener_, lane_listener_;
    Timer timer_;
};

}  // namespace divisi::link
