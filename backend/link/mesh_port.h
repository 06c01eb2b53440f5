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
#include "backend/mesh/forwarding/activation.h"
#include "backend/mesh/forwarding/relay.h"
#include "backend/mesh/forwarding/shaper.h"

namespace divisi::link {

/// The sockets around a mesh::Relay: the data plane of one gateway or router. Listens for neighbours and, at a
/// gateway, for the instances of the gateway's MIC. Connects to the neighbours and instances that it sends to. Data
/// and lane use separate sockets; the lane also carries RSVP messages and beats between neighbours. Everything runs on
/// the loop's thread.
class MeshPort {
public:
    struct Events {
        /// Called for problems to be logged: refused frames, and devices that are unreachable or have failed.
        std::function<void(const Error&)> trouble;
        /// Called for each RSVP message, just before it is sent; used to record captures.
        std::function<void(mesh::RoutingId to, std::string_view bytes)> signal;
        std::function<void(const mesh::relay::Abnormal&)> abnormal = {};
        /// Called for each signaling message of type 4 (wire::encode_load()), just before it is sent; for captures.
        std::function<void(mesh::RoutingId to, std::string_view bytes)> load = {};
    };
    /// The addresses at which the instances of this MIC accept tensors: the endpoints from DataPort::listen, by flow_id
    /// of the SID.
    using Instances = std::map<std::uint64_t, Address>;

    MeshPort(Loop& loop, Transport& transport, std::string name, Events events);
    ~MeshPort();

    /// Listens like DataPort::listen.
    Result<std::string> listen(const std::string& endpoint, bool allow_remote = false);
    /// Starts to forward under this routing identifier.
    void start(const mesh::RelayConfig& config);
    bool started() const { return relay_.has_value(); }

    /// Applies signaling type 2. Connects to new neighbours, and disconnects from removed neighbours.
    void set_table(mesh::Topology topology, std::map<std::uint64_t, mesh::Place> places, Instances instances);

    /// Sets the admission that checks what instances send. Call before start(), and only at a gateway. `admission` must
    /// outlive the port.
    void admit_by(mesh::Admission& admission) { admission_ = &admission; }

    /// Sets the dealer for the instances' requests for data. Call before start(), and only at a gateway. `dealer` must
    /// outlive the port.
    void deal_by(mesh::Dealer& dealer) { dealer_ = &dealer; }
    /// Sets the data instances to which requests are assigned. Call after set_table().
    void set_servers(mesh::DealServers servers);

    /// Sets the leases of all instances that hold one, by flow_id of the SID. A gateway writes each lease into the
    /// first data for its instance.
    void set_leases(std::map<std::uint64_t, mesh::Activation> leases) { activator_.set_leases(std::move(leases)); }

    /// Limits how much instances may send from now on. Only at a gateway.
    void limit(mesh::ShaperConfig rates);
    /// Counts the chunks that were delayed by these limits.
    std::uint64_t delayed() const { return shaper_.delayed(); }
    /// Applies signaling type 5 from the orchestrator.
    void set_policy(mesh::relay::Policy policy) { step(std::move(policy)); }

    /// Applies these faults to links to neighbours, and ends all other faults. Routes do not change: the relay notices
    /// a fault only by the missing frames.
    void impair(std::map<mesh::RoutingId, Impairment> all);

    /// Measures the link to a neighbour, replacing any probe in progress (mesh_port_probe.cpp). Fails with
    /// `unavailable` if there is no connection to the neighbour. `ended` may start the next probe.
    Result<void> probe(mesh::RoutingId neighbour, std::uint64_t number, Duration deadline, ProbeSeries::Ended ended);
    void end_probe();

    const mesh::Relay& relay() const { return *relay_; }
    /// Counts messages that are not valid frames, do not decode, or come from a sender outside the route table.
    std::uint64_t foreign() const { return foreign_; }

private:
    struct Link {
        std::string endpoint, key;
        std::unique_ptr<Dialer> data, lane;
        bool up = false;                         ///< both connections are up
        Parts waiting;                           ///< a frame that the data socket had no room for
        std::unique_ptr<ImpairedLine> impaired;  ///< set once a fault was injected into the link
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
    std::map<mesh::RoutingId, std::string> gateways_;  ///< gateways that serve SIDs, with their names
    std::map<std::string, mesh::RoutingId> names_;
    Instances instances_;
    std::map<mesh::RoutingId, Impairment> impairments_;
    std::map<mesh::Exit, std::unique_ptr<Link>> links_;
    std::unique_ptr<Listener> data_listener_, lane_listener_;
    std::uint64_t foreign_ = 0;
    mesh::Exit probed_;  ///< the neighbour whose link `probe_` measures
    std::unique_ptr<NeighbourProbe> probe_;
    Timer timer_;
};

}  // namespace divisi::link
