// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backend/control/network/services.h"
#include "backend/control/policy/advice_book.h"
#include "backend/control/queue/task_queue.h"
#include "backend/control/runs/runs.h"
#include "backend/control/types/note_limiter.h"
#include "backend/mesh/base/token_bucket.h"

namespace divisi::control::inline policy {

/// The SMO's side of functional modules (draft 002, 4.2): who is there, what each observes and when, and whose advice
/// counts. It waits for none of them beyond sync_answer, holds at most one observation open with each, and cuts off
/// those that flood, lie or hang; the cluster does without them as if they had never come. Not durable: modules
/// describe themselves over every new connection. Times are lived.
class Modules {
public:
    Modules(Desk& desk, const MeshDevices& devices, Policies& policies, TaskQueue& queue, Services& services,
            const Runs& runs)
        : desk_(desk),
          devices_(devices),
          policies_(policies),
          queue_(queue),
          services_(services),
          runs_(runs),
          book_(desk, devices, policies) {}

    void handle(const Received& received, const DescribeModule& message);
    void handle(const Received& received, const Advise& message);
    void handle(const Received& received, const QueryModules& message);
    void handle(const Received& received, const ChangeModule& message);
    /// `left`: it said goodbye.
    void peer_gone(PeerId peer, const std::string& why, bool left);
    void follow(const Event& event);

    // What they ask beside their advice (module_questions.cpp).
    /// Questions about state stores, and orders of checkpoints: a module may ask them, whatever its role's rights are.
    static bool may_ask(const Message& message);
    /// Before a module's question is answered like anybody's: whether this module may ask it now. Refused are those
    /// that do not advise, and orders of checkpoints that a task's file or the policy does not want.
    Result<void> let_ask(const Received& received);
    /// What Checkpoints answered an order that it was let to give: at the end of which step it is taken, or why it was
    /// refused. Says so in the log, and counts what was ordered. Of others' orders it says nothing.
    void order_answered(PeerId peer, const TaskId& task, const Result<std::int64_t>& ordered);

    /// Before tasks are placed: whether that may be done now. It may not for the 10 ms in which modules that are to be
    /// asked may answer.
    bool may_place();
    /// All that can be placed is.
    void placed() { question_.reset(); }
    /// After each input: advice that has expired, and standings that have changed.
    void look();
    /// With each tick: observations that are due, and answers that are not coming.
    void check_deadlines();
    std::optional<TimePoint> next_deadline() const;
    /// Until when a placement waits for an answer.
    std::optional<TimePoint> question_due() const;

    /// Connections to be closed, with the reason that is sent there before.
    struct CutOff {
        PeerId peer;
        Error why;
    };
    std::vector<CutOff> take_cut_off() { return std::exchange(cut_off_, {}); }
    /// Advice that was taken and has changed something.
    struct TakenAdvice {
        std::string module;
        Advice advice;
        std::vector<TaskId> without;  ///< tasks for which the module is off
    };
    /// Since the last call.
    std::vector<TakenAdvice> take_taken() { return std::exchange(taken_, {}); }

private:
    struct Process {
        ModuleView view;
        std::optional<PeerId> peer;
        std::uint64_t asked = 0, answered = 0;  ///< numbers of observations
        TimePoint asked_at{}, next_at{};
        std::vector<double> answers_ms;  ///< how long its newest answers took
        int missed = 0;                  ///< placements in a row
        int refused = 0;                 ///< advices in a row that did not check
        std::size_t excess = 0;
        mesh::TokenBucket rate;
        NoteLimiter notes;
        std::optional<ControlModule> told;
        TimePoint closed_until{};  ///< of one that was cut off
        bool advises() const { return peer && view.state == ModuleState::advises; }
    };
    struct Question {
        TimePoint until{};
        std::vector<PeerId> open;  ///< who has not answered
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

    Desk& desk_;
    const MeshDevices& devices_;
    Policies& policies_;
    TaskQueue& queue_;
    Services& services_;
    const Runs& runs_;
    AdviceBook book_;
    std::vector<Process> processes_;  ///< in the order of their arrival
    std::optional<Question> question_;
    std::map<TaskId, TimePoint> ordered_;  ///< checkpoints, by modules' orders of the last seconds
    std::vector<CutOff> cut_off_;
    std::vector<TakenAdvice> taken_;
    bool standing_changed_ = false;  ///< the policy, or a task has ended
    bool advice_changed_ = false;
};

// The bounds of a module's doing.
inline constexpr std::size_t most_modules = 64;
inline constexpr std::int64_t least_period_ms = 100, most_period_ms = 60'000;
/// Suggestions and messages of one module: a link's worth of advice a second, and a mesh's at once.
inline constexpr double advice_per_s = 20, advice_burst = 100;
/// Beyond the rate, until it fills up again: who goes on after hundreds of refusals will not stop by itself.
inline constexpr std::size_t most_excess = 500;
/// In a row, without one that could be taken.
inline constexpr int most_refused = 100;
/// Without an answer to an observation. A module that thinks for longer than that advises about the past.
inline constexpr Duration module_patience = std::chrono::seconds(10);
/// Placements in a row that had to do without its answer, before it is asked no longer.
inline constexpr int most_missed = 3;
/// Who was cut off may come back then.
inline constexpr Duration cut_off_time = std::chrono::minutes(1);

}  // namespace divisi::control::inline policy
