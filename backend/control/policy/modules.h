// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backend/control/network/services.h"
#include "backend/control/policy/advice_book.h"
#include "backend/control/queue/task_queue.h"
#include "backend/control/runs/task_reports.h"
#include "backend/control/types/note_limiter.h"
#include "backend/mesh/base/token_bucket.h"

namespace divisi::control::inline policy {

/// Manages functional modules for the SMO (draft 002, 4.2): the connected modules, their observations, and the process
/// whose advice counts. A placement waits at most sync_answer for answers. A module gets no periodic observation before
/// it has answered the previous one. Cuts off modules that send too much, send invalid advice or hang; the cluster then
/// works as if the module had never connected. Nothing is durable: modules describe themselves over every new
/// connection. All times are lived time (OrchestratorContext::lived()).
class Modules {
public:
    Modules(OrchestratorContext& context, const MeshDevices& devices, Policies& policies, TaskQueue& queue,
            Services& services, const TaskReports& reports)
        : context_(context),
          devices_(devices),
          policies_(policies),
          queue_(queue),
          services_(services),
          reports_(reports),
          book_(context, devices, policies) {}

    void handle(const Received& received, const DescribeModule& message);
    void handle(const Received& received, const Advise& message);
    void handle(const Received& received, const QueryModules& message);
    void handle(const Received& received, const ChangeModule& message);
    /// Handles a lost connection. `left`: the module said goodbye.
    void peer_gone(PeerId peer, const std::string& why, bool left);
    void follow(const Event& event);

    // Requests besides advice (module_questions.cpp).
    /// Returns whether a module may send this request regardless of its role's rights. A module may read state stores
    /// and order checkpoints.
    static bool may_ask(const Message& message);
    /// Checks whether this module may make this request now. Fails if the module does not advise, sends too much or
    /// orders too often. Also fails if the task file or the policy forbids the module to order checkpoints. Call this
    /// first. The request is then handled like the request of any client.
    Result<void> let_ask(const Received& received);
    /// Logs and counts the result of a checkpoint order that let_ask() permitted: the step at whose end it is taken, or
    /// the error. Ignores orders of other clients.
    void order_answered(PeerId peer, const TaskId& task, const Result<std::int64_t>& ordered);

    /// Returns whether tasks may be placed now. No task is placed while modules may still answer the question about the
    /// placement (up to 10 ms).
    bool consult_before_placement();
    /// Closes the question about the placement once all tasks that can start were placed.
    void placed() { question_.reset(); }
    /// Handles expired advice and changed states of modules. Called after each input.
    void poll();
    /// Sends due observations, and handles answers that are late. Called with each tick.
    void check_deadlines();
    std::optional<TimePoint> next_deadline() const;
    /// Returns the time until which a placement waits for answers; none if no placement waits.
    std::optional<TimePoint> question_due() const;

    /// A connection to close, after sending the reason.
    struct CutOff {
        PeerId peer;
        Error why;
    };
    std::vector<CutOff> take_cut_off() { return std::exchange(cut_off_, {}); }
    /// Advice that was accepted and has changed something.
    struct TakenAdvice {
        std::string module;
        Advice advice;
        std::vector<TaskId> without;  ///< tasks for which the module is off
    };
    /// Returns the advice accepted since the last call.
    std::vector<TakenAdvice> take_taken() { return std::exchange(taken_, {}); }

private:
    struct Process {
        ModuleView view;
        std::optional<PeerId> peer;
        std::uint64_t asked = 0, answered = 0;  ///< numbers of the last observation sent and answered
        TimePoint asked_at{}, next_at{};
        std::vector<double> answers_ms;  ///< latencies of the module's newest answers
        int missed = 0;                  ///< placements in a row without an answer in time
        int refused = 0;                 ///< pieces of invalid advice in a row
        std::size_t excess = 0;
        mesh::TokenBucket rate;
        NoteLimiter notes;
        std::optional<ControlModule> told;
        TimePoint closed_until{};  ///< end of the ban after a cut-off
        bool advises() const { return peer && view.state == ModuleState::advises; }
    };
    struct Question {
        TimePoint until{};
        std::vector<PeerId> open;  ///< modules that have not answered yet
    };

    Result<void> check(PeerId peer, const ModuleInfo& info) const;
    Process* find(PeerId peer);
    Process* advising(const std::string& name);
    void settle(const std::string& name);
    void tell(Process& process);
    void ask(Process& process, bool placing);
    bool within_rate(Process& process, std::size_t advices);
    Result<void> let_order(const Process& process, const TaskId& task);
    void note_refused_order(Process& process, const TaskId& task, const Error& why);
    void weigh(Process& process, const std::vector<Advice>& advice);
    void record(Process& process, const AdviceEcho& echo);
    void revoke(const std::string& name, const std::string& why);
    void cut_off(Process& process, const std::string& why);
    void note(Process& process, Severity severity, const std::string& text);
    void say(const Process& process, Severity severity, const std::string& text);

    OrchestratorContext& context_;
    const MeshDevices& devices_;
    Policies& policies_;
    TaskQueue& queue_;
    Services& services_;
    const TaskReports& reports_;
    AdviceBook book_;
    std::vector<Process> processes_;  ///< processes in order of arrival
    std::optional<Question> question_;
    /// time of each task's last checkpoint order by a module, for the last few seconds
    std::map<TaskId, TimePoint> ordered_;
    std::vector<CutOff> cut_off_;
    std::vector<TakenAdvice> taken_;
    bool standing_changed_ = false;  ///< whether the policy has changed since the last poll()
    bool advice_changed_ = false;
};

// Limits for modules.
inline constexpr std::size_t most_modules = 64;
inline constexpr std::int64_t least_period_ms = 100, most_period_ms = 60'000;
/// Rate and burst of one module's messages and pieces of advice. The rate is more than enough for a piece of advice
/// about one link each second. The burst allows advice about a whole mesh at once.
inline constexpr double advice_per_s = 20, advice_burst = 100;
/// Number of messages and pieces of advice beyond the rate that are tolerated before the module is cut off. A module
/// that continues after hundreds of refusals will not stop by itself.
inline constexpr std::size_t most_excess = 500;
/// Pieces of invalid advice in a row after which a module is cut off.
inline constexpr int most_refused = 100;
/// Time limit for a module's answer to an observation. After a longer time, its advice would concern the past.
inline constexpr Duration module_patience = std::chrono::seconds(10);
/// After this many placements in a row without its answer, a module is not asked before placements until it answers.
inline constexpr int most_missed = 3;
/// Time for which a module stays excluded after a cut-off.
inline constexpr Duration cut_off_time = std::chrono::minutes(1);

}  // namespace divisi::control::inline policy
