// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "backend/base/result.h"
#include "backend/link/event_loop.h"
#include "backend/metrics/figures.h"

namespace divisi::launch {

/// An agent that runs on the event loop of its program. It runs until it calls end().
class Agent {
public:
    explicit Agent(link::EventLoop& loop) : loop_(loop) {}
    Agent(const Agent&) = delete;
    Agent& operator=(const Agent&) = delete;
    virtual ~Agent() = default;

    virtual Result<void> start() = 0;
    /// Ends the agent in an orderly way. `reason`: the signal, or the end of the parent process.
    virtual void terminate(const std::string& reason) = 0;
    /// Called once after start() if figures are requested.
    virtual void begin_figures() {}
    /// Returns the figures for Prometheus; called once a second after begin_figures().
    virtual metrics::Figures figures() = 0;

    /// Returns the error that ended the agent; none if it ended on request.
    const std::optional<Error>& failure() const { return failure_; }
    /// Returns the exit status of an agent that ended without a failure: 0, or one of process/lifeline.h.
    int exit_status() const { return exit_status_; }

protected:
    /// Ends the event loop, and with it the program. If end() is called several times, as when a signal follows a
    /// goodbye, the program returns the first exit status that is not 0.
    void end(int exit_status = 0) {
        if (exit_status_ == 0) exit_status_ = exit_status;
        loop_.stop();
    }
    /// Sets the error that the program reports at its end.
    void set_failure(const Error& error) { failure_ = error; }

    link::EventLoop& loop_;

private:
    std::optional<Error> failure_;
    int exit_status_ = 0;
};

}  // namespace divisi::launch
