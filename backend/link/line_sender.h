// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/base/log.h"
#include "backend/control/protocol/line_buffer.h"
#include "backend/link/agent_link.h"

namespace divisi::link {

/// The log of an agent: writes each line to standard error and sends it to the orchestrator. Used on the loop's thread
/// only.
class LineSender final : public Log {
public:
    /// `name` begins each line on standard error: "divisi-node mic-1/node-1".
    LineSender(const Clock& clock, AgentLink& orchestrator, std::string name)
        : clock_(clock), orchestrator_(orchestrator), name_(std::move(name)) {}

    void write(Severity severity, std::string_view component, std::string_view text) override;
    /// Writes a line unless it repeats the last line of write_new() and print_new(). Used for the state of a
    /// connection, which each attempt reports.
    void write_new(Severity severity, std::string_view component, std::string_view text);
    /// Writes to standard error only. Used for events that the orchestrator has already logged.
    void print(std::string_view text) const;
    /// Prints a line unless it repeats the last line of write_new() and print_new().
    void print_new(std::string_view text);
    /// Passes on another process's line; `component` names that process.
    void pass_on(const std::string& component, const std::string& text);
    /// Passes on the output of a process that has ended. If there are too many lines, only the newest reach the
    /// orchestrator.
    void pass_on_last(const std::string& component, const std::vector<std::string>& texts);
    /// Sends the waiting lines if the orchestrator is connected. Called from time to time.
    void send();

private:
    bool remember(std::string_view text);
    control::LogLine line_of(const std::string& component, const std::string& text) const;

    const Clock& clock_;
    AgentLink& orchestrator_;
    std::string name_;
    control::LineBuffer buffer_;
    std::string last_;  ///< the last line of write_new() or print_new()
};

}  // namespace divisi::link
