// SPDX-License-Identifier: Apache-2.0
#include "backend/control/dispatch/orchestrator.h"

#include <tuple>
#include <utility>

#include "backend/control/state/needed_blobs.h"
#include "backend/task/parse.h"

namespace divisi::control::inline dispatch {
namespace {

/// Calls `call` with each state machine of a tuple of references, in order.
template <typename Machines, typename Call>
void for_each(Machines machines, Call call) {
    std::apply([&call](auto&... machine) { (call(machine), ...); }, machines);
}

Error unexpected(const Message& message) {
    return {ErrorCode::invalid_input, std::string("the orchestrator does not take ") + kind_name(message),
            "control plane", "check that both sides run the same version"};
}

}  // namespace

Orchestrator::Orchestrator(OrchestratorLimits limits) : context_(limits) {
    context_.follow([this](const Event& event) { follow(event); });
}

void Orchestrator::restore(ClusterState state, std::vector<Finding> findings) {
    context_.restore(std::move(state));
    findings_ = std::move(findings);
}

Output Orchestrator::start(const std::string& name, const std::string& version, TimePoint now, bool hold) {
    context_.set_time(now);
    context_.append(ClusterStarted{name, version, stated_links_, pools_, rules_});
    tell_findings();
    for_each(state_machines(), [hold](auto& machine) {
        if constexpr (requires { machine.adopt(hold); }) machine.adopt(hold);
        else if constexpr (requires { machine.adopt(); }) machine.adopt();
    });
    std::vector<TaskId> left;
    for (const auto& [id, task] : state().tasks)
        if (hold && task.phase == TaskPhase::queued && !task.held) left.push_back(id);
    for (const TaskId& task : left) context_.append(TaskHeld{task, true});
    exceptions_.settle();
    versions_.settle();
    return take_output();
}

/// Logs one line for each part of the log that could not be restored, and ends the task it belongs to. If the lost
/// event was the task's submission, adds a placeholder task so that its failure is shown.
void Orchestrator::tell_findings() {
    for (const Finding& finding : std::exchange(findings_, {})) {
        context_.append(Noted{Severity::error, "event log", finding.task.value(), finding.what});
        const auto found = state().tasks.find(finding.task);
        const bool lost = found == state().tasks.end() && finding.kind == kind_name(TaskSubmitted{});
        if (lost) context_.append(TaskSubmitted{finding.task, finding.task.value(), "", "", "", {}, "", 0});
        if (lost || (found != state().tasks.end() && !found->second.over()))
            context_.append(
                TaskEnded{finding.task, Outcome::failed,
                          Error{ErrorCode::corrupt, finding.what, finding.task.value(), "submit the task again"}});
    }
}

Output Orchestrator::step(const Input& input, TimePoint now) {
    context_.set_time(now);
    detector_.live(now, context_.lived());
    visit([this](const auto& one) { on(one); }, input);
    recuts_.poll();
    drains_.poll();
    modules_.poll();
    admit();
    survey_.poll();
    device_leases_.poll();
    const bool ways_changed = devices_.advertise();
    if (ways_changed) runs_.lifecycle().tell_peers();
    transfers_.poll(ways_changed);
    checkpoints_.poll();
    policies_.poll();
    mics_.poll();
    services_.tell();
    alerts_.settle();
    exceptions_.settle();
    versions_.settle();
    for (const Modules::CutOff& one : modules_.take_cut_off()) close(one.peer, one.why);
    wake_adviser();
    return take_output();
}

/// Reports causes for a re-cut search to the adviser: advice taken, stalled chains and degraded paths. The adviser
/// follows new policies itself and searches at the next tick.
void Orchestrator::wake_adviser() {
    for (const Modules::TakenAdvice& one : modules_.take_taken())
        adviser_.module_advised(one.module, one.advice, one.without);
    for (const Mics::Stalled& one : mics_.take_stalled()) adviser_.chain_stalled(one.task, one.gateway, one.what);
    for (const Policies::Degraded& one : policies_.take_degraded())
        adviser_.path_degraded(one.task, one.ends, one.what);
}

/// Starts queued tasks if the queue has changed. Most inputs are heartbeats and step reports, which cannot let a queued
/// task start.
void Orchestrator::admit() {
    while (queue_.changed() && modules_.consult_before_placement())
        for (const TaskQueue::Start& one : queue_.admit()) {
            if (!one.advised.empty())
                context_.append(Noted{Severity::info, "orchestrator", one.task.value(),
                                      "is not placed on what modules advise to avoid: " + one.advised});
            runs_.lifecycle().start(one.task, one.plan, one.nodes);
        }
    if (queue_.changed()) return;  // functional modules are asked first
    modules_.placed();
    leases_.settle();
    kept_.settle();
}

void Orchestrator::follow(const Event& event) {
    for_each(state_machines(), [&event](auto& machine) {
        if constexpr (requires { machine.follow(event); }) machine.follow(event);
    });
}

template <typename M>
void Orchestrator::pass(const Received& received, const M& message) {
    if constexpr (requires { this->handle(received, message); }) return handle(received, message);
    bool taken = false;
    for_each(state_machines(), [&](auto& machine) {
        if constexpr (requires { machine.handle(received, message); })
            if (!std::exchange(taken, true)) machine.handle(received, message);
    });
    if (!taken) context_.refuse(received, unexpected(received.message));
}

std::optional<Error> Orchestrator::not_allowed(const Received& received, const Session& peer) const {
    const Message& message = received.message;
    const bool hello = holds_alternative<Hello>(message);
    if (!peer.role) {
        if (hello) return std::nullopt;
        return Error{ErrorCode::denied, std::string(kind_name(message)) + " before hello", peer.credentials.name,
                     "say hello first"};
    }
    const bool anybody = hello || holds_alternative<Heartbeat>(message) || holds_alternative<Goodbye>(message);
    const bool asks = peer.role == Role::module && Modules::may_ask(message);
    if (anybody || asks || allowed(*peer.role, needed_right(message))) return std::nullopt;
    return Error{ErrorCode::denied,
                 std::string("the role ") + to_string(*peer.role) + " may not " + to_string(needed_right(message)),
                 kind_name(message), "ask an admin of the cluster for another role"};
}

void Orchestrator::on(const Received& received) {
    Sessions& sessions = context_.sessions();
    const auto found = sessions.find(received.peer);
    if (found == sessions.end()) return;
    const Session& peer = found->second;
    if (const auto error = not_allowed(received, peer)) {
        if (peer.role)
            context_.log_denial(peer, std::string("denied: ") + kind_name(received.message) + " from " +
                                          peer.credentials.name + " (" + to_string(*peer.role) + ")");
        return context_.refuse(received, *error);
    }
    if (const auto other = sessions.not_its_own(received.peer, received.message, state()))
        return context_.deny(received,
                             {ErrorCode::denied, std::string(kind_name(received.message)) + " about " + *other,
                              peer.credentials.name, "only " + *other + " itself may say that"});
    if (peer.role == Role::module && Modules::may_ask(received.message))
        if (const auto let = modules_.let_ask(received); !let) return context_.refuse(received, let.error());
    visit([&](const auto& message) { pass(received, message); }, received.message);
}

void Orchestrator::on(const Tick&) {
    const std::vector<InstanceLoad> loads = runs_.reports().take_new_loads();
    watchers_.push(loads);
    watchers_.push_nodes();
    mics_.pass_on(loads);
    adviser_.take(loads);
    adviser_.poll();
    context_.notes_due();
    check_away_nodes();
    for_each(state_machines(), [](auto& machine) {
        if constexpr (requires { machine.check_deadlines(); }) machine.check_deadlines();
    });
    alerts_.poll();
    lines_.poll();
    spans_.poll();
}

void Orchestrator::on(const JobDone& input) {
    const auto asked = context_.jobs().close(input.id);
    if (!asked) return;
    if (const auto* plan = get_if<Result<PlanSummary>>(&input.answer))
        return asked->recut.value().empty() ? queue_.planned(*asked, *plan) : recuts_.planned(*asked, *plan);
    const auto* backup = get_if<Result<BackedUp>>(&input.answer);
    if (backup) note(*backup);
    if (const auto* trial = get_if<Result<RecutTrial>>(&input.answer)) return adviser_.tried(*asked, *trial);
    if (!context_.sessions().contains(asked->peer)) return;
    const Received received{asked->peer, asked->correlation, {}};
    const auto answer = [&](const auto& result) {
        if (!result) context_.refuse(received, result.error());
        else if (received.correlation != 0) context_.answer(received, *result);
    };
    if (const auto* page = get_if<Result<LogPage>>(&input.answer)) answer(*page);
    else if (const auto* lines = get_if<Result<LinesPage>>(&input.answer)) answer(*lines);
    else if (const auto* trial = get_if<Result<PolicyTrial>>(&input.answer)) answer(*trial);
    else if (backup) answer(*backup);
    else answer(get<Result<ModelSegmented>>(input.answer));
}

void Orchestrator::handle(const Received& received, const QueryLog& message) {
    const auto begun = context_.begin({received.peer, received.correlation}, message, context_.limits().log_queries);
    if (!begun) context_.refuse(received, begun.error());
}

void Orchestrator::handle(const Received& received, const QueryLines& message) {
    const auto begun = context_.begin({received.peer, received.correlation}, message, context_.limits().line_queries);
    if (!begun) context_.refuse(received, begun.error());
}

void Orchestrator::handle(const Received& received, const OrderCheckpoint& message) {
    const auto ordered = checkpoints_.order(message.task);
    modules_.order_answered(received.peer, message.task, ordered);
    if (!ordered) return context_.refuse(received, ordered.error());
    context_.answer(received, CheckpointOrdered{*ordered});
}

/// Refuses bad fields at once. Plans the rest as a job outside the main loop, since a search may take long.
void Orchestrator::handle(const Received& received, const SegmentModel& message) {
    std::vector<Error> errors = task::split_errors(message.split);
    if (!errors.empty()) {
        Refused refused{errors.front(), {std::next(errors.begin()), errors.end()}};
        if (received.correlation != 0) context_.answer(received, std::move(refused));
        return;
    }
    ClusterState nodes;
    nodes.name = state().name;
    nodes.nodes = state().nodes;
    nodes.links = state().links;
    nodes.stated_links = state().stated_links;
    nodes.devices = state().devices;
    nodes.pools = state().pools;
    const auto begun = context_.begin({received.peer, received.correlation}, Segmentation{message, std::move(nodes)},
                                      context_.limits().segmentations);
    if (!begun) context_.refuse(received, begun.error());
}

void Orchestrator::handle(const Received& received, const BackUp& message) {
    if (message.folder.size() > longest_path)
        return context_.refuse(
            received, {ErrorCode::invalid_input, "a path is no longer than " + std::to_string(longest_path) + " bytes",
                       "backup", "name another folder"});
    const auto begun = context_.begin({received.peer, received.correlation}, message, context_.limits().backups);
    if (!begun) context_.refuse(received, begun.error());
}

/// Logs the result of a backup, so that operators can find the newest one even if no client waited for the answer.
void Orchestrator::note(const Result<BackedUp>& backup) {
    if (backup)
        context_.append(Noted{Severity::info, "orchestrator", "",
                              "backed up to " + backup->folder + ": the log up to event " +
                                  std::to_string(backup->sequence) + ", " + format_bytes(backup->bytes)});
    else context_.append(Noted{Severity::warning, "orchestrator", "", "no backup: " + backup.error().message()});
}

void Orchestrator::handle(const Received& received, const WhichBlobs& message) {
    context_.answer(received, NeededBlobs{needed_blobs(state(), message.hashes, checkpoints_.pending_blobs())});
}

void Orchestrator::handle(const Received& received, const Note& message) {
    if (context_.sessions().at(received.peer).notes.pass(message.note.text, context_.now()))
        context_.append(message.note);
}

void Orchestrator::handle(const Received& received, const Heartbeat&) { detector_.hear(received.peer); }

void Orchestrator::handle(const Received& received, const Shutdown& message) {
    context_.append(Noted{Severity::info, "orchestrator", "", "shutting down: " + message.reason});
    runs_.lifecycle().shut_down();
    context_.answer(received, Done{});
    for (const auto& [id, peer] : context_.sessions()) context_.send(id, Goodbye{message.reason});
    context_.output().exit = true;
}

Output Orchestrator::take_output() {
    watchers_.push(context_.output().events);
    return std::exchange(context_.output(), {});
}

std::optional<TimePoint> Orchestrator::next_deadline() const {
    std::optional<TimePoint> next = context_.sessions().next_deadline();
    for_each(state_machines(), [&next](const auto& machine) {
        if constexpr (requires { machine.next_deadline(); })
            if (const auto one = machine.next_deadline(); one && (!next || *one < *next)) next = one;
    });
    if (!next) return std::nullopt;
    return context_.now() + (*next - context_.lived());
}

std::optional<TimePoint> Orchestrator::question_due() const {
    const auto due = modules_.question_due();
    if (!due) return std::nullopt;
    return context_.now() + (*due - context_.lived());
}

}  // namespace divisi::control::inline dispatch
