// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "backend/control/instance_life.h"
#include "backend/link/agent_link.h"
#include "backend/link/data_port.h"
#include "tests/sim/process.h"
#include "tests/sim/stage_engine.h"

namespace divisi::sim {

/// One microservice instance: its life, its connection to the orchestrator and its data port are the real ones.
class InstanceProcess final : public Process {
public:
    struct Events {
        std::function<void(int status)> exit;
        std::function<bool()> work_fails;  ///< asked before preparing and before each step
    };
    InstanceProcess(Surroundings around, Place place, InstanceId id, Events events);

    const InstanceId& id() const { return id_; }
    void terminate() { feed(control::instance::Terminate{}); }

private:
    void feed(const control::instance::Input& input);
    void prepare(const control::instance::Prepare& what);
    void run();
    void tick();
    link::AgentLink::Events link_events();
    link::DataPort::Events port_events();
    StageEngine::Outlet outlet();

    InstanceId id_;
    Events events_;
    link::DataPort port_;
    std::optional<control::InstanceLife> life_;
    link::AgentLink orchestrator_;
    link::Timer tick_timer_, work_timer_, exit_timer_;
    StageConfig stage_;
    std::string plan_hash_;
    std::map<std::int32_t, Sid> peers_;  ///< by stage
    std::optional<StageEngine> engine_;
};

}  // namespace divisi::sim
