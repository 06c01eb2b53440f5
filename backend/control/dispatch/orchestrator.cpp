// SPDX-License-Identifier: Apache-2.0
#include "backend/control/dispatch/orchestrator.h"

#include <tuple>
#include <utility>

#include "backend/control/dispatch/state_machines.h"
#include "backend/control/protocol/all_messages.h"
#include "backend/control/state/needed_blobs.h"
#include "backend/control/types/error_texts.h"
#include "backend/task/parse.h"

namespace divisi::control::inline dispatch {
namespace {

/// Calls `call` on each state machine in a tuple of references, in order.
template <typename Machines, typename Call>
void for_each(Machines machines, Call call) {
    std::apply([&call](auto&... machine) { (call(machine), ...); }, machines);
}

Error unexpected(const Message& message) {
    return make_error(error_text("message-not-taken"), "control plane", {kind_name(message)});
}

}  // namespace

Orchestrator::Orchestrator(OrchestratorLimits limits)
    : context_(limits), machines_(std::make_unique<StateMachines>(context_)) {
    context_.follow([this](const Event& event) { follow(event); });
}

Orchestrator::~Orchestrator() = default;

const MeshDevices& Orchestrator::mesh() const { return machines_->devices; }

const Mics& Orchestrator::mics() const { return machines_->mics; }

const std::map<TaskId, std::string>& Orchestrator::skeletons() const { return machines_->models.all(); }

void Orchestrator::allow_always(std::vector<KeyChanged> keys) {
    machines_->devices.allow_always(keys);
    fixed_keys_ = std::move(keys);
}

void Orchestrator::allow_faults() {
    machines_->devices.allow_faults();
    machines_->process_faults.allow();
}

void Orchestrator::seal_receipts(ReceiptSeal seal) { machines_->leases.seal(std::move(seal)); }

void Orchestrator::state_policies(std::vector<PolicySetting> settings) {
    machines_->policies.state(std::move(settings));
}

void Orchestrator::state_alerts(const task::AlertRules& rules) { machines_->alerts.set_rules(rules); }

void Orchestrator::restore_skeleton(const TaskId& task, std::string bytes) {
    machines_->models.restore(task, std::move(bytes));
}

void Orchestrator::on(const DiskMeasured& input) { machines_->alerts.own_disk(input.disk, input.free); }

void Orchestrator::restore(ClusterState state, std::vector<Finding> findings) {
    context_.restore(std::move(state));
    findings_ = std::move(findings);
}

Output Orchestrator::start(const std::string& name, const std::string& version, TimePoint now, bool hold) {
    context_.set_time(now);
    context_.append(ClusterStarted{name, version, stated_links_, pools_, rules_});
    tell_findings();
    for_each(machines_->all(), [hold](auto& machine) {
        if constexpr (requires { machine.adopt(hold); }) machine.adopt(hold);
        else if constexpr (requires { machine.adopt(); }) machine.adopt();
    });
    std::vector<TaskId> left;
    for (const auto& [id, task] : state().tasks)
        if (hold && task.phase == TaskPhase::queued && !task.held) left.push_back(id);
    for (const TaskId& task : left) context_.append(TaskHeld{task, true});
    machines_->exceptions.settle();
    machines_->versions.settle();
    return take_output();
}

/// Logs one line for each part of the log that could not be restored, and ends the task to which the part belongs. If
/// the lost event was the submission of the task, adds a placeholder task so that its failure is shown.
void Orchestrator::tell_findings() {
    for (const Finding& finding : std::exchange(findings_, {})) {
        context_.append(Noted{Severity::error, "event log", finding.task.value(), finding.what});
        const auto found = state().tasks.find(finding.task);
        const bool lost = found == state().tasks.end() && finding.kind == kind_name(TaskSubmitted{});
        if (lost) context_.append(TaskSubmitted{finding.task, finding.task.value(), "", "", "", {}, "", 0});
        if (lost || (found != state().tasks.end() && !found->second.over()))
            context_.append(
                TaskEnded{finding.task, Outcome::failed,
                          make_error(error_text("task-log-damaged"), finding.task.value(), {finding.what})});
    }
}

Output Orchestrator::step(const Input& input, TimePoint now) {
    context_.set_time(now);
    detector_.live(now, context_.lived());
    visit([this](const auto& one) { on(one); }, input);
    machines_->recuts.poll();
    machines_->drains.poll();
    machines_->modules.poll();
    admit();
    machines_->survey.poll();
    machines_->device_leases.poll();
    const bool ways_changed = machines_->devices.advertise();
    if (ways_changed) machines_->runs.lifecycle().tell_peers();
    machines_->transfers.poll(ways_changed);
    machines_->checkpoints.poll();
    machines_->policies.poll();
    machines_->mics.poll();
    machines_->services.tell();
    machines_->alerts.settle();
    machines_->exceptions.settle();
    machines_->versions.settle();
    for (const Modules::CutOff& one : machines_->modules.take_cut_off()) close(one.peer, one.why);
    wake_adviser();
    return take_output();
}

/// Reports causes for a re-cut search to the adviser: accepted advice, stalled chains and degraded paths. The adviser
/// follows new policies itself and searches at the next tick.
void Orchestrator::wake_adviser() {
    for (const Modules::TakenAdvice& one : machines_->modules.take_taken())
        machines_->adviser.module_advised(one.module, one.advice, one.without);
    for (const Mics::Stalled& one : machines_->mics.take_stalled())
        machines_->adviser.chain_stalled(one.task, one.gateway, one.what);
    for (const Policies::Degraded& one : machines_->policies.take_degraded())
        machines_->adviser.path_degraded(one.task, one.ends, one.what);
}

/// Starts queued tasks if the queue has changed. Most inputs are heartbeats and step reports, which cannot let a queued
/// task start.
void Orchestrator::admit() {
    while (machines_->queue.changed() && machines_->modules.consult_before_placement())
        for (const TaskQueue::Start& one : machines_->queue.admit()) {
            if (!one.advised.empty())
                context_.append(Noted{Severity::info, "orchestrator", one.task.value(),
                                      "is not placed on nodes that modules advise to avoid: " + one.advised});
            machines_->runs.lifecycle().start(one.task, one.plan, one.nodes);
        }
    if (machines_->queue.changed()) return;  // functional modules have not answered yet
    machines_->modules.placed();
    machines_->leases.settle();
    machines_->kept.settle();
}

void Orchestrator::follow(const Event& event) {
    for_each(machines_->all(), [&event](auto& machine) {
        if constexpr (requires { machine.follow(event); }) machine.follow(event);
    });
}

template <typename M>
void Orchestrator::pass(const Received& received, const M& message) {
    if constexpr (requires { this->handle(received, message); }) return handle(received, message);
    bool taken = false;
    for_each(machines_->all(), [&](auto& machine) {
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
        return make_error(error_text("message-before-hello"), peer.credentials.name, {kind_name(message)});
    }
    const bool anybody = hello || holds_alternative<Heartbeat>(message) || holds_alternative<Goodbye>(message);
    const bool asks = peer.role == Role::module && Modules::may_ask(message);
    if (anybody || asks || allowed(*peer.role, needed_right(message))) return std::nullopt;
    return make_error(error_text("role-not-allowed"), kind_name(message),
                      {to_string(*peer.role), to_string(needed_right(message))});
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
        return context_.deny(received, make_error(error_text("message-about-another"), peer.credentials.name,
                                                  {kind_name(received.message), *other}));
    if (peer.role == Role::module && Modules::may_ask(received.message))
        if (const auto let = machines_->modules.let_ask(received); !let) return context_.refuse(received, let.error());
    visit([&](const auto& message) { pass(received, message); }, received.message);
}

void Orchestrator::on(const Tick&) {
    const std::vector<InstanceLoad> loads = machines_->runs.reports().take_new_loads();
    machines_->watchers.push(loads);
    machines_->watchers.push_nodes();
    machines_->mics.pass_on(loads);
    machines_->adviser.take(loads);
    machines_->adviser.poll();
    context_.notes_due();
    check_away_nodes();
    for_each(machines_->all(), [](auto& machine) {
        if constexpr (requires { machine.check_deadlines(); }) machine.check_deadlines();
    });
    machines_->alerts.poll();
    machines_->lines.poll();
    machines_->spans.poll();
}

void Orchestrator::on(const JobDone& input) {
    const auto asked = context_.jobs().close(input.id);
    if (!asked) return;
    if (const auto* plan = get_if<Result<PlanSummary>>(&input.answer))
        return asked->recut.value().empty() ? machines_->queue.planned(*asked, *plan)
                                            : machines_->recuts.planned(*asked, *plan);
    const auto* backup = get_if<Result<BackedUp>>(&input.answer);
    if (backup) note(*backup);
    if (const auto* trial = get_if<Result<RecutTrial>>(&input.answer)) return machines_->adviser.tried(*asked, *trial);
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
    const auto ordered = machines_->checkpoints.order(message.task);
    machines_->modules.order_answered(received.peer, message.task, ordered);
    if (!ordered) return context_.refuse(received, ordered.error());
    context_.answer(received, CheckpointOrdered{*ordered});
}

/// Refuses invalid fields immediately. Computes the plan in a job outside the main loop, since a search may take long.
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
        return context_.refuse(received,
                               make_error(error_text("backup-path-length"), "backup", {std::to_string(longest_path)}));
    const auto begun = context_.begin({received.peer, received.correlation}, message, context_.limits().backups);
    if (!begun) context_.refuse(received, begun.error());
}

/// Logs the result of a backup, so that operators find the newest backup even if no client waited for the answer.
void Orchestrator::note(const Result<BackedUp>& backup) {
    if (backup)
        context_.append(Noted{Severity::info, "orchestrator", "",
                              "backed up to " + backup->folder + ": the log up to event " +
                                  std::to_string(backup->sequence) + ", " + format_bytes(backup->bytes)});
    else context_.append(Noted{Severity::warning, "orchestrator", "", "no backup: " + backup.error().message()});
}

void Orchestrator::handle(const Received& received, const WhichBlobs& message) {
    context_.answer(received,
                    NeededBlobs{needed_blobs(state(), message.hashes, machines_->checkpoints.pending_blobs())});
}

void Orchestrator::handle(const Received& received, const Note& message) {
    if (context_.sessions().at(received.peer).notes.pass(message.note.text, context_.now()))
        context_.append(message.note);
}

void Orchestrator::handle(const Received& received, const Heartbeat&) { detector_.hear(received.peer); }

void Orchestrator::handle(const Received& received, const Shutdown& message) {
    context_.append(Noted{Severity::info, "orchestrator", "", "shutting down: " + message.reason});
    machines_->runs.lifecycle().shut_down();
    context_.answer(received, Done{});
    for (const auto& [id, peer] : context_.sessions()) context_.send(id, Goodbye{message.reason});
    context_.output().exit = true;
}

Output Orchestrator::take_output() {
    machines_->watchers.push(context_.output().events);
    return std::exchange(context_.output(), {});
}

std::optional<TimePoint> Orchestrator::next_deadline() const {
    std::optional<TimePoint> next = context_.sessions().next_deadline();
    for_each(machines_->all(), [&next](const auto& machine) {
        if constexpr (requires { machine.next_deadline(); })
            if (const auto one = machine.next_deadline(); one && (!next || *one < *next)) next = one;
    });
    if (!next) return std::nullopt;
    return context_.now() + (*next - context_.lived());
}

std::optional<TimePoint> Orchestrator::question_due() const {
    const auto due = machines_->modules.question_due();
    if (!due) return std::nullopt;
    return context_.now() + (*due - context_.lived());
}

}  // namespace divisi::control::inline dispatch
