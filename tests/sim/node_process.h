// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/control/node_agent.h"
#include "backend/link/agent_link.h"
#include "tests/sim/process.h"

namespace divisi::sim {

/// One node agent: its state machine and its connection are the real ones, its children are simulated processes.
class NodeProcess final : public Process {
public:
    struct Events {
        std::function<void(const InstanceId&)> spawn;
        std::function<void(const InstanceId&, bool force)> signal;
        std::function<void()> exit;
    };
    NodeProcess(Surroundings around, Place place, NodeId id, Events events);

    /// The kernel says that a child has ended.
    void child_ended(const InstanceId& instance, int code, int signal);

private:
    void feed(const control::node::Input& input);
    void tick();

    Events events_;
    control::NodeAgent agent_;
    link::AgentLink orchestrator_;
    link::Timer timer_;
};

}  // namespace divisi::sim
