// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/control/dispatch/orchestrator.h"
#include "backend/control/state/journal.h"
#include "backend/link/control_server.h"
#include "backend/link/loop.h"

namespace divisi::orchestrator {

/// divisid without its adapters: the orchestrator's state machine, its control server and its journal on an event loop.
/// Events of one round of the loop are made durable in one commit, with one wait for the disk. Actions are carried out
/// only after that.
class OrchestratorHost {
public:
    /// Callbacks for effects outside this class, called on the loop's thread.
    struct Callbacks {
        /// Makes a submitted model durable before the event that names the model.
        std::function<Result<void>(const TaskId&, const std::string& skeleton)> keep_model;
        std::function<void(const TaskId&)> drop_model;
        std::function<void(std::span<const control::Event>)> logged;  ///< called with the events once they are durable
        std::function<void(control::Job)> begin;  ///< starts a job, whose result is fed back as JobDone
        std::function<void()> over;               ///< called after a request to end, or if failure() is set
        link::ControlServer::Ended ended = link::process_has_ended;
        /// called with lines for the log that are not events
        std::function<void(std::vector<control::LogLine>)> wrote = {};
    };

    OrchestratorHost(link::Loop& loop, control::Journal& journal, Callbacks callbacks);

    /// Rebuilds the state from the journal; start() reports the parts that could not be read.
    Result<std::vector<control::Finding>> restore();
    /// Produces the first events. Call it after restore() and after all other settings of core() are made.
    Result<void> start(const std::string& name, const std::string& version, bool hold);
    void feed(const control::Input& input);
    /// Sends a goodbye to every peer, makes pending events durable, and ends.
    void end(const std::string& reason);

    control::Orchestrator& core() { return core_; }
    link::ControlServer& sockets() { return sockets_; }
    /// Returns the error of a failed journal. The state is then ahead of the journal, and no further action is carried
    /// out.
    const std::optional<Error>& failure() const { return failure_; }
    /// Returns the number of inputs whose actions wait until their events are durable.
    std::size_t waiting() const { return outputs_.size(); }

private:
    void tick();
    void take(control::Output output);
    void commit();
    bool wait_for_journal(const Error& why);
    Result<void> make_durable(std::span<const control::Event> events);
    void carry_out(control::Output output);
    void save_state();
    void finish();

    link::Loop& loop_;
    control::Journal& journal_;
    Callbacks callbacks_;
    control::Orchestrator core_;
    link::ControlServer sockets_;
    link::Timer tick_timer_, commit_timer_, retry_timer_, exit_timer_, question_timer_;
    bool whole_ = true;  ///< whether the journal could be read completely
    std::optional<Error> failure_;
    std::vector<control::Event> events_;    ///< events of outputs_, which are not durable yet
    std::vector<control::Output> outputs_;  ///< outputs of this round of the loop, in order: not carried out yet
    std::optional<TimePoint> blocked_since_;
};

}  // namespace divisi::orchestrator
