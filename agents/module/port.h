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

/// The module's end of the port: describes it, turns what it observes into features, and brings its advice to the
/// orchestrator. It waits for an orchestrator that is away.
class Port {
public:
    Port(link::EventLoop& loop, link::Context& context, PortConfig config, Module& module);

    /// Before start(): it hands over its figures there once a second. The board outlives it.
    void show_on(metrics::Board& board) { board_ = &board; }
    void start();
    /// Says goodbye and stops the loop.
    void terminate(const std::string& reason);
    /// Why it ended by itself.
    const std::optional<Error>& failure() const { return failure_; }
    /// The orchestrator said goodbye.
    bool dismissed() const { return dismissed_; }
    /// The orchestrator told it to end.
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
    metrics::Board* board_ = nullptr;  ///< none where nobody asked for figures
    ModuleFigures figures_;            ///< what it counts
    std::string told_;
    std::optional<Error> failure_;
    bool dismissed_ = false, stopped_ = false;
};

}  // namespace divisi::module
