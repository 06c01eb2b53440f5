// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "agents/launch/agent.h"
#include "agents/module/module.h"
#include "agents/module/module_figures.h"
#include "backend/link/agent_link.h"
#include "backend/link/line_sender.h"
#include "backend/link/sockets.h"
#include "backend/link/zmq_transport.h"

namespace divisi::module {

struct PortConfig {
    std::string name;
    link::Uplink uplink;
};

/// Connects a module to the orchestrator: describes the module, turns observations into features, and sends its advice.
/// Waits while the orchestrator cannot be reached.
class Port final : public launch::Agent {
public:
    Port(link::EventLoop& loop, link::Context& context, PortConfig config, std::unique_ptr<Module> module);

    Result<void> start() override;
    /// Sends a goodbye and ends.
    void terminate(const std::string& reason) override;
    metrics::Figures figures() override;

private:
    link::AgentLink::Events events();
    link::AgentRegistration registration();
    void take(const control::Message& message);
    void take(const control::Observe& observed);
    void take(const control::ControlModule& control);
    void ask(const Question& question);

    PortConfig config_;
    std::unique_ptr<Module> module_;
    link::ZmqTransport transport_;
    link::AgentLink orchestrator_;
    link::LineSender lines_;  ///< prints lines to standard error, but does not send them to the orchestrator
    Features features_;
    bool advises_ = false;
    ModuleFigures figures_;  ///< figures of the module, for Prometheus
};

}  // namespace divisi::module
