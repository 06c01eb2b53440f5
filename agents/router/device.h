// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "agents/router/admission_controller.h"
#include "agents/router/alarms.h"
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
    Bytes window = 0;                 ///< bytes promised to a flow; 0: the default
    Bytes cache = 0;                  ///< of a router: bytes for cached results; 0: no cache
    mesh::AdmissionConfig admission;  ///< set on a gateway
    mesh::ShaperConfig rates;         ///< of a gateway
    bool srv6 = false;                ///< see segment_steering.h
    std::string srv6_folder;          ///< folder for segment_steering.h
};

/// A gateway or router as a process: registers, forwards by the route table that the orchestrator sends, and reports.
/// While the orchestrator is away, it continues with the last table.
class Device {
public:
    Device(link::EventLoop& loop, link::Context& context, DeviceConfig config);

    /// Shows its figures on this board once a second. Call it before start(); the board must outlive the device.
    void show_on(metrics::Board& board) { board_ = &board; }
    Result<void> start();
    void terminate();
    const std::optional<Error>& failure() const { return failure_; }
    /// Returns whether the orchestrator said goodbye.
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
    // Dealing among data instances (device_dealing.cpp).
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
    // Figures for Prometheus (device_figures.cpp).
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
    std::optional<AdmissionController> admission_controller_;  ///< of a gateway
    std::optional<mesh::Dealer> dealer_;                       ///< set on a gateway
    link::MeshPort port_;
    link::AgentLink orchestrator_;
    link::LineSender lines_;
    std::optional<SegmentSteering> steering_;
    std::uint32_t id_ = 0, boots_ = 0;
    control::MeshTable table_;
    control::DevicePolicy policy_;                ///< the applied part of the last policy
    std::set<std::string> table_keys_;            ///< keys of all peers in the last table; other keys are refused
    std::vector<control::SignalRecord> signals_;  ///< signaling messages since the last report
    std::size_t loads_ = 0;                       ///< how many of signals_ are of type 4
    OpenStates open_states_;
    Alarms alarms_;
    std::uint64_t p99_of_ = 0;  ///< the period in which worst_p99_s_ was measured
    double worst_p99_s_ = 0;
    std::optional<mesh::mic::Dependencies> dependencies_;  ///< set on a gateway: the dependencies in its MIC
    control::NoteLimiter troubles_;
    link::HandshakeNews handshakes_;
    metrics::Board* board_ = nullptr;  ///< null if no figures are requested
    std::string told_;
    std::optional<Error> failure_;
    bool dismissed_ = false;
};

}  // namespace divisi::router
