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

/// divisid without its adapters: the orchestrator's state machine, its control server and its journal on a loop. What
/// comes in one round of the loop is made durable together: one commit, one wait for the disk. Then it is carried out.
class Conductor {
public:
    /// What is done outside. Called on the loop's thread.
    struct Hands {
        /// Makes a submitted model durable, before the event that names it.
        std::function<Result<void>(const TaskId&, const std::string& skeleton)> keep_model;
        std::function<void(const TaskId&)> drop_model;
        std::function<void(std::span<const control::Event>)> logged;  ///< they are durable
        std::function<void(control::Job)> begin;                      ///< the job's end is fed as JobDone
        std::function<void()> over;                                   ///< asked to end, or failure() says why
        link::ControlServer::Ended ended = link::process_has_ended;
        std::function<void(std::vector<control::LogLine>)> wrote = {};  ///< lines for the log beside the events
    };

    Conductor(link::Loop& loop, control::Journal& journal, Hands hands);

    /// Folds the journal in; what could not be read is told by start().
    Result<std::vector<control::Finding>> restore();
    /// The first events; after restore() and whatever core() is to know before.
    Result<void> start(const std::string& name, const std::string& version, bool hold);
    void feed(const control::Input& input);
    /// Says goodbye to everybody, makes durable what has come, and is over.
    void end(const std::string& reason);

    control::Orchestrator& core() { return core_; }
    link::ControlServer& sockets() { return sockets_; }
    /// The journal failed: the state is ahead of it, and nothing more is done.
    const std::optional<Error>& failure() const { return failure_; }
    /// Inputs whose events are not durable yet, because somebody holds the journal.
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
    Hands hands_;
    control::Orchestrator core_;
    link::ControlServer sockets_;
    link::Timer tick_timer_, commit_timer_, retry_timer_, exit_timer_, question_timer_;
    bool whole_ = true;  ///< all of the journal could be read
    std::optional<Error> failure_;
    std::vector<control::Event> events_;    ///< of the outputs: not durable yet
    std::vector<control::Output> outputs_;  ///< of this round of the loop, in order: not carried out
    std::optional<TimePoint> blocked_since_;
};

}  // namespace divisi::orchestrator
