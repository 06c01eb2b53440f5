// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "agents/module/module.h"
#include "agents/module/module_figures.h"
#include "backend/link/agent_link.h"
#include "backend/link/sockets.h"
#include "backend/link/zmq_transport.h"

namespace divisi::module {

struct PortConfig {
    std::string name;
    link::Connection orchestrator;
    std::filesystem::path connection_file;
    link::SocketSecurity security;
};

/// Connects a module to the orchestrator: describes the module, turns observations into features, and sends its advice.
/// Waits for an orchestrator that is away.
class Port {
public:
    Port(link::EventLoop& loop, link::Context& context, PortConfig config, Module& module);

    /// Shows its figures on this board once a second. Call it before start(); the board must outlive the port.
    void show_on(metrics::Board& board) { board_ = &board; }
    void start();
    /// Sends a goodbye and stops the loop.
    void terminate(const std::string& reason);
    /// Returns why it ended, if not on request.
    const std::optional<Error>& failure() const { return failure_; }
    /// Returns whether the orchestrator said goodbye.
    bool dismissed() const { return dismissed_; }
    /// Returns whether the orchestrator told it to end.
    bool stopped() const { return stopped_; }

private:
    link::AgentLink::Events events();
    void describe();
    void refused(const Error& error);
    void take(const control::Message& message);
    void take(const control::Observe& observed);
    void take(const control::ControlModule& control);
    void ask(const Question& question);
    void show_figures();
    void tell(const std::string& text);

    link::EventLoop& loop_;
    PortConfig config_;
    Module& module_;
    link::ZmqTransport transport_;
    link::AgentLink orchestrator_;
    Features features_;
    bool advises_ = false;
    metrics::Board* board_ = nullptr;  ///< null if no figures are requested
    ModuleFigures figures_;            ///< counters of this port
    std::string told_;
    std::optional<Error> failure_;
    bool dismissed_ = false, stopped_ = false;
};

}  // namespace divisi::module
