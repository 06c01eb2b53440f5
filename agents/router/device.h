// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>

#include "agents/launch/agent.h"
#include "agents/router/admission_controller.h"
#include "agents/router/alarms.h"
#include "agents/router/open_states.h"
#include "agents/router/segment_steering.h"
#include "backend/control/protocol/mesh_messages.h"
#include "backend/control/types/mesh_types.h"
#include "backend/control/types/note_limiter.h"
#include "backend/link/agent_link.h"
#include "backend/link/line_sender.h"
#include "backend/link/mesh_port.h"
#include "backend/link/sockets.h"
#include "backend/link/zmq_transport.h"
#include "backend/mesh/route/mic_topology.h"
#include "backend/metrics/figures.h"

namespace divisi::router {

struct DeviceConfig {
    control::DeviceInfo info;  ///< description of the device, without its endpoint and key
    link::Uplink uplink;
    std::string listen;               ///< endpoint for neighbours and instances
    Bytes window = 0;                 ///< bytes of credit that a flow gets; 0: the default
    Bytes cache = 0;                  ///< size of a router's cache for results; 0: no cache
    mesh::AdmissionConfig admission;  ///< admission settings of a gateway
    mesh::ShaperConfig rates;         ///< rate limits of a gateway
    bool srv6 = false;                ///< whether the device steers traffic with SRv6; see segment_steering.h
    std::string srv6_folder;          ///< folder in which segment_steering.h keeps its state
};

/// A gateway or router as a process: registers, forwards by the route table that the orchestrator sends, and reports.
/// While the orchestrator cannot be reached, the device continues with the last table.
class Device final : public launch::Agent {
public:
    Device(link::EventLoop& loop, link::Context& context, DeviceConfig config);

    Result<void> start() override;
    void terminate(const std::string& reason) override;
    metrics::Figures figures() override;  ///< implemented in device_figures.cpp

private:
    link::AgentRegistration registration();
    void registered(std::uint32_t id);
    void apply(const control::MeshTable& table);
    void use_table();
    Result<void> steer();
    void apply(const control::DeviceFaults& faults);
    void probe(const control::ProbeNeighbour& what);
    void apply(const control::AdmissionPolicy& policy);
    void apply(const control::DevicePolicy& policy);
    void watch_dependencies();
    void set_policy();
    void set_alarms();
    std::optional<std::int64_t> set_here(control::PolicyKey key) const;
    Duration duration_here(control::PolicyKey key, Duration by_default) const;
    void set_limits();
    // Functions that assign micro-batches to data instances (in device_dealing.cpp).
    void set_servers();
    void set_balancing();
    std::vector<control::DealtReport> dealt() const;
    control::CacheReport cached() const;
    void tell_abnormal(const mesh::relay::Abnormal& abnormal);
    void drop_ended_states();
    void tell_open_states();
    void allow(const std::string& key, const std::string& name);
    void report();
    control::DeviceReport measure();
    void add_figures(metrics::Figures& shown);
    void look_for_alarms();
    QualityFigures quality();
    void look_at_handshakes();
    void record(mesh::RoutingId to, std::string_view bytes, control::SignalKind kind);
    control::RouterLoad load_of(const mesh::Relay::NeighbourView& neighbour) const;
    void trouble(const Error& error);
    void tell(const std::string& text, Severity severity = Severity::warning);
    link::AgentLink::Events events();
    bool take(const control::Message& message);

    link::Context& context_;
    DeviceConfig config_;
    link::ZmqTransport transport_;
    std::optional<AdmissionController> admission_controller_;  ///< admission controller of a gateway
    std::optional<mesh::Dealer> dealer_;                       ///< assigns data to instances; only in a gateway
    link::MeshPort port_;
    link::AgentLink orchestrator_;
    link::LineSender lines_;
    std::optional<SegmentSteering> steering_;
    std::uint32_t id_ = 0, boots_ = 0;
    control::MeshTable table_;
    control::DevicePolicy policy_;                ///< the entries of the last policy that were applied
    std::set<std::string> table_keys_;            ///< keys of all peers in the last table; other keys are refused
    std::vector<control::SignalRecord> signals_;  ///< signaling messages since the last report
    std::size_t loads_ = 0;                       ///< number of messages of type 4 in signals_
    OpenStates open_states_;
    Alarms alarms_;
    std::uint64_t p99_of_ = 0;  ///< number of the period in which worst_p99_s_ was measured
    double worst_p99_s_ = 0;
    std::optional<mesh::mic::Dependencies> dependencies_;  ///< dependencies in the MIC of a gateway
    control::NoteLimiter troubles_;
    link::HandshakeNews handshakes_;
};

}  // namespace divisi::router
