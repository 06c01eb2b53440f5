// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "agents/launch/agent.h"
#include "agents/node/blob_collector.h"
#include "agents/node/energy_meter.h"
#include "agents/node/hardware_reader.h"
#include "agents/node/machine_meter.h"
#include "agents/node/node_figures.h"
#include "agents/node/output_reader.h"
#include "agents/node/prober.h"
#include "agents/node/store_reader.h"
#include "backend/control/agent/node_agent.h"
#include "backend/link/agent_link.h"
#include "backend/link/line_sender.h"
#include "backend/link/sockets.h"
#include "backend/link/zmq_transport.h"
#include "backend/process/child.h"

namespace divisi::node {

struct DriverConfig {
    control::NodeInfo info;
    link::Uplink uplink;                 ///< its connection file is passed to instances
    std::filesystem::path data;          ///< this node's folder: logs, stores
    std::filesystem::path blobs;         ///< folder of the node's blob store
    std::filesystem::path keys;          ///< key file for instances; empty on ipc
    std::string listen;                  ///< address where instances receive data: ipc folder or tcp address
    std::filesystem::path metrics = {};  ///< folder for the files that name instances' metrics ports; empty: no metrics
};

/// Carries out the node agent's decisions: starts processes, sends signals and messages.
class Driver final : public launch::Agent {
public:
    Driver(link::EventLoop& loop, link::Context& context, std::unique_ptr<BlobHost> blobs, DriverConfig config);
    Result<void> start() override;
    void terminate(const std::string& reason) override;
    void begin_figures() override;
    metrics::Figures figures() override;

private:
    void feed(const control::node::Input& input);
    void spawn(const control::StartInstance& what);
    void keep(const InstanceId& instance);
    void pause(const control::node::Pause& what);
    [[noreturn]] void die();
    void pass_on(const control::node::PassOn& passing);
    std::filesystem::path make_folder(const InstanceId& instance) const;
    link::AgentLink::Events events();
    bool take(const control::Message& message);
    void say_later(const control::Message& message);
    void engage_courier();
    bool pass_to_courier(const control::Message& message);
    void follow(const control::AccessKeys& list);
    void clean_up_after(const InstanceId& instance);
    void reap();
    std::map<InstanceId, control::Usage> measure();
    std::vector<control::InstanceUsage> usages();
    void measure_energy(std::map<InstanceId, control::Usage>& used);
    void tell(const std::string& trouble, Severity severity = Severity::warning);
    control::MachineFigures machine();
    void look_at_blobs();
    void pass_output_on(const InstanceId& instance, OutputReader& output, bool ended = false);

    /// A process and the instance that it runs.
    struct Running {
        process::Child child;
        std::int64_t cpu_before_ms = 0;  ///< CPU time of earlier instances of the process
        bool kept = false;               ///< whether its instance has ended
        OutputReader output;             ///< output of the process
        TimePoint paused_until{};        ///< time at which the last of the overlapping pauses ends
    };
    /// Returns the part of the process's usage that the instance consumed.
    static control::Usage share_of(const Running& running, const process::ProcessUsage& used);

    std::unique_ptr<BlobHost> blobs_;
    DriverConfig config_;
    control::NodeAgent agent_;
    link::Context& context_;
    std::set<std::string> allowed_;   ///< keys that the last complete list allows
    std::set<std::string> arriving_;  ///< keys of a list whose last page has not arrived
    link::ZmqTransport transport_;
    link::AgentLink orchestrator_;
    link::LineSender lines_;
    Prober prober_;
    BlobCollector keeper_;
    StoreReader stores_;
    std::map<InstanceId, Running> children_;
    EnergyMeter energy_;
    MachineMeter machine_;
    std::optional<BlobService::Holding> blobs_held_;
    std::optional<HardwareReader> hardware_;  ///< reader of the machine's sensors and GPUs; set by start()
};

}  // namespace divisi::node
