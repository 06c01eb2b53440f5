// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "agents/router/alarms.h"
#include "agents/router/gatekeeper.h"
#include "agents/router/open_states.h"
#include "agents/router/segment_steering.h"
#include "backend/control/types/mesh_types.h"
#include "backend/control/types/note_limiter.h"
#include "backend/link/agent_link.h"
#include "backend/link/line_sender.h"
#include "backend/link/mesh_port.h"
#include "backend/link/sockets.h"
#include "backend/link/zmq_transport.h"
#include "backend/metrics/figures.h"

namespace divisi::router {

struct DeviceConfig {
    control::DeviceInfo info;  ///< without its endpoint and key
    link::Connection orchestrator;
    std::filesystem::path connection_file;
    link::SocketSecurity security;
    std::string listen;               ///< endpoint for neighbours and instances
    Bytes window = 0;                 ///< bytes that a flow is promised; 0: by default
    Bytes cache = 0;                  ///< of a router: for results; 0: none
    mesh::AdmissionConfig admission;  ///< of a gateway
    mesh::ShaperConfig rates;         ///< likewise
    bool srv6 = false;                ///< see segment_steering.h
    std::string srv6_folder;          ///< likewise
};

/// A gateway or router as a process: it registers, forwards by the table that the orchestrator sends, and reports.
/// While the orchestrator is away it goes on with the last table.
class Device {
public:
    Device(link::EventLoop& loop, link::Context& context, DeviceConfig config);

    /// Before start(): it hands over its figures there once a second. The board outlives it.
    void show_on(metrics::Board& board) { board_ = &board; }
    Result<void> start();
    void terminate();
    const std::optional<Error>& failure() const { return failure_; }
    /// The orchestrator said goodbye.
    bool dismissed() const { return dismissed_; }

private:
    void register_here();
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
    // Data instances (device_dealing.cpp).
    void set_servers();
    void set_balancing();
    std::vector<control::DealtReport> dealt() const;
    control::CacheReport cached() const;
    void tell_abnormal(const mesh::relay::Abnormal& abnormal);
    void drop_ended_states();
    void tell_open_states();
    void allow(const std::string& key, const std::string& name);
    void report();
    control::DeviceReport figures();
    // For Prometheus (device_figures.cpp).
    void show_figures();
    void add_figures(metrics::Figures& shown);
    void look_for_alarms();
    QualityFigures quality();
    void look_at_handshakes();
    void record(mesh::RoutingId to, std::string_view bytes, control::SignalKind kind);
    control::RouterLoad load_of(const mesh::Relay::NeighbourView& neighbour) const;
    void refused(const Error& error);
    void trouble(const Error& error);
    void tell(const std::string& text, Severity severity = Severity::warning);
    link::AgentLink::Events events();
    bool take(const control::Message& message);

    link::EventLoop& loop_;
    link::Context& context_;
    DeviceConfig config_;
    link::ZmqTransport transport_;
    std::optional<Gatekeeper> gatekeeper_;  ///< of a gateway
    std::optional<mesh::Dealer> dealer_;    ///< likewise
    link::MeshPort port_;
    link::AgentLink orchestrator_;
    link::LineSender lines_;
    std::optional<SegmentSteering> steering_;
    std::uint32_t id_ = 0, boots_ = 0;
    control::MeshTable table_;
    control::DevicePolicy policy_;                ///< what was applied of the last one
    std::set<std::string> table_keys_;            ///< of all who are in the last table; others are not let in
    std::vector<control::SignalRecord> signals_;  ///< since the last report
    std::size_t loads_ = 0;                       ///< of those that are of type 4
    OpenStates open_states_;
    Alarms alarms_;
    std::uint64_t p99_of_ = 0;  ///< the period that `worst_p99_s_` is of
    double worst_p99_s_ = 0;
    std::optional<mesh::mic::Dependencies> dependencies_;  ///< of a gateway: its MIC acts here
    control::NoteLimiter troubles_;
    link::HandshakeNews handshakes_;
    metrics::Board* board_ = nullptr;  ///< none where nobody asked for figures
    std::string told_;
    std::optional<Error> failure_;
    bool dismissed_ = false;
};

}  // namespace divisi::router
