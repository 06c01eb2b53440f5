// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/base/log.h"
#include "backend/control/protocol/line_buffer.h"
#include "backend/link/agent_link.h"

namespace divisi::link {

/// The log of an agent: what it writes stands on its standard error and goes to the orchestrator. Of the loop's thread.
class LineSender final : public Log {
public:
    /// `name` begins each line on standard error: "divisi-node mic-1/node-1".
    LineSender(const Clock& clock, AgentLink& orchestrator, std::string name)
        : clock_(clock), orchestrator_(orchestrator), name_(std::move(name)) {}

    void write(Severity severity, std::string_view component, std::string_view text) override;
    /// On standard error alone: what the orchestrator has said in its log, of its own knowledge.
    void print(std::string_view text) const;
    /// A line of somebody else's, `component` says whose.
    void pass_on(const std::string& component, const std::string& text);
    /// Likewise what somebody said before it ended: the newest lines reach the orchestrator however many there were.
    void pass_on_last(const std::string& component, const std::vector<std::string>& texts);
    /// What waits, where the orchestrator is there. Now and then.
    void send();

private:
    control::LogLine line_of(const std::string& component, const std::string& text) const;

    const Clock& clock_;
    AgentLink& orchestrator_;
    std::string name_;
    control::LineBuffer buffer_;
};

}  // namespace divisi::link
