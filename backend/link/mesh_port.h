// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "backend/link/dialer.h"
#include "backend/link/impaired_line.h"
#include "backend/link/neighbour_probe.h"
#include "backend/mesh/admission/admission.h"
#include "backend/mesh/deal/dealer.h"
#include "backend/mesh/relay/activation.h"
#include "backend/mesh/relay/relay.h"
#include "backend/mesh/relay/shaper.h"

namespace divisi::link {

/// The sockets around a mesh::Relay: the data plane of one gateway or router. It listens for neighbours and, as a
/// gateway, for the instances of its MIC; it connects to the neighbours and instances that it sends to. Data and lane
/// are sockets of their own; what neighbours say to each other, RSVP and beats, goes over the lane too. Everything on
/// the loop's thread.
class MeshPort {
public:
    struct Events {
        /// For the log: what was refused, who cannot be reached or has failed.
        std::function<void(const Error&)> trouble;
        /// An RSVP message that was sent, for a capture.
        std::function<void(mesh::RoutingId to, std::string_view bytes)> signal;
        std::function<void(const mesh::relay::Abnormal&)> abnormal = {};
        /// Signaling type 4 that was sent, likewise: wire::encode_load().
        std::function<void(mesh::RoutingId to, std::string_view bytes)> load = {};
    };
    /// Where an instance of this MIC takes tensors: the endpoint of DataPort::listen.
    using Instances = std::map<std::uint64_t, Address>;

    MeshPort(Loop& loop, Transport& transport, std::string name, Events events);
    ~MeshPort();

    /// As DataPort::listen.
    Result<std::string> listen(const std::string& endpoint, bool allow_remote = false);
    /// Begins to forward, under this routing identifier.
    void start(const mesh::RelayConfig& config);
    bool started() const { return relay_.has_value(); }

    /// Signaling type 2. Connects to new neighbours, and lets go of those that are no longer there.
    void set_table(mesh::Topology topology, std::map<std::uint64_t, mesh::Place> places, Instances instances);

    /// What instances send is asked about there first. Before start(), and only at a gateway; it outlives the port.
    void admit_by(mesh::Admission& admission) { admission_ = &admission; }

    /// Deals what instances ask for. Before start(), and only at a gateway; it outlives the port.
    void deal_by(mesh::Dealer& dealer) { dealer_ = &dealer; }
    /// Among whom. After set_table().
    void set_servers(mesh::DealServers servers);

    /// The leases of all who play a SID, which it writes into the first data for them (at a gateway).
    void set_leases(std::map<std::uint64_t, mesh::Activation> leases) { activator_.set_leases(std::move(leases)); }

    /// How much instances may send from now on. Only at a gateway.
    void limit(mesh::ShaperConfig rates);
    /// Chunks that had to wait for that.
    std::uint64_t delayed() const { return shaper_.delayed(); }
    /// Signaling type 5, downwards.
    void set_policy(mesh::relay::Policy policy) { step(std::move(policy)); }

    /// Makes these faults of links to neighbours, and ends all others. What is forwarded, and how, stays as it is: the
    /// relay notices a fault by what it does not hear.
    void impair(std::map<mesh::RoutingId, Impairment> all);

    /// Measures the link to a neighbour, in place of whatever is measured now (mesh_port_probe.cpp). Fails with
    /// `unavailable` where it is not there; `ended` may begin the next.
    Result<void> probe(mesh::RoutingId neighbour, std::uint64_t number, Duration deadline, ProbeSeries::Ended ended);
    void end_probe();

    const mesh::Relay& relay() const { return *relay_; }
    /// Messages that are no frames, do not decode, or come from nobody in the table.
    std::uint64_t foreign() const { return foreign_; }

private:
    struct Link {
        std::string endpoint, key;
        std::unique_ptr<Dialer> data, lane;
        bool up = false;                         ///< both
        Parts waiting;                           ///< a frame for which the data socket has had no room
        std::unique_ptr<ImpairedLine> impaired;  ///< once it had a fault
    };

    void step(mesh::relay::Event event);
    Link* link_to(const mesh::Exit& exit);
    Link& connect(const mesh::Exit& exit, const Address& address, const std::string& name);
    void changed(const mesh::Exit& exit);
    void pump(const mesh::Exit& exit);
    void impair(const mesh::Exit& exit, Link& link);
    bool cut(mesh::RoutingId neighbour) const;
    void pump_probe(const mesh::Exit& exit, Link& link);
    void echo(mesh::RoutingId from, const Parts& parts);
    void pass_lane(Link& link, Parts parts);
    void send_lane(const mesh::relay::LaneFrame& lane);
    void send_signals(std::vector<mesh::relay::SignalTo>& signals);
    void send_load(const mesh::relay::LoadTo& load);
    void take_load(mesh::RoutingId from, const Part& part);
    void send_control(mesh::RoutingId to, std::uint16_t type, std::string bytes);
    void on_frame(bool data, const std::string& route, const Credentials& sender, const Parts& parts);
    void on_control(mesh::RoutingId from, const Parts& parts);
    mesh::RoutingId sender_of(const std::string& route, const Credentials& sender) const;
    bool plays(const Credentials& sender, std::uint64_t sid) const;
    void deal(const Credentials& sender, const frame::FrameHeader& header, const Parts& parts);
    void pass(std::vector<mesh::Order> orders);
    void say_refused(std::uint64_t task, std::uint64_t destination, const frame::End& sender, const std::string& why);
    void take(frame::Chunk chunk);
    void pass_due();
    void answer_refusals();
    void look_for_ways();
    void beat();
    void refuse(std::string what, const std::string& where);

    Loop& loop_;
    Transport& transport_;
    const std::string name_;
    Events events_;
    std::optional<mesh::Relay> relay_;
    mesh::RelayConfig config_;
    mesh::Admission* admission_ = nullptr;
    mesh::Dealer* dealer_ = nullptr;
    mesh::Shaper shaper_{{}};
    mesh::Activator activator_;
    std::map<mesh::RoutingId, std::string> gateways_;  ///< behind which SIDs are played
    std::map<std::string, mesh::RoutingId> names_;
    Instances instances_;
    std::map<mesh::RoutingId, Impairment> impairments_;
    std::map<mesh::Exit, std::unique_ptr<Link>> links_;
    std::unique_ptr<Listener> data_listener_, lane_listener_;
    std::uint64_t foreign_ = 0;
    mesh::Exit probed_;  ///< the neighbour that `probe_` measures the link to
    std::unique_ptr<NeighbourProbe> probe_;
    Timer timer_;
};

}  // namespace divisi::link
