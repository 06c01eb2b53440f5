// SPDX-License-Identifier: Apache-2.0
#include "backend/control/orchestrator.h"

#include <algorithm>

#include "backend/control/door.h"
#include "backend/control/extent.h"
#include "backend/control/snapshot_pages.h"

namespace divisi::control {
namespace {

/// A key may come as any role whose rights are among those of its own: operators also watch.
bool covers(Role own, Role asked) {
    for (const Right right : {Right::watch, Right::submit, Right::administer, Right::serve})
        if (allowed(asked, right) && !allowed(own, right)) return false;
    return true;
}

/// Whether a queued task that had to wait might start after this.
bool concerns_queue(const Event::Body& body) {
    if (const auto* phase = std::get_if<PhaseChanged>(&body)) return phase->phase == TaskPhase::queued;
    return std::holds_alternative<NodeJoined>(body) || std::holds_alternative<NodeEnded>(body) ||
           std::holds_alternative<TaskEnded>(body) || std::holds_alternative<TaskHeld>(body) ||
           std::holds_alternative<ClusterStarted>(body);
}

}  // namespace

Orchestrator::Orchestrator(OrchestratorLimits limits) : limits_(limits) {}

void Orchestrator::replay(const Event& event) { apply(state_, event); }

void Orchestrator::restore(ClusterState state, std::vector<Finding> findings) {
    state_ = std::move(state);
    findings_ = std::move(findings);
}

/// What the log could not give back: a line for each, and the end of the task that it concerns, which is shown even if
/// it was its submission that could not be read.
void Orchestrator::tell_findings() {
    for (const Finding& finding : std::exchange(findings_, {})) {
        append(Noted{Severity::error, "event log", finding.task.value(), finding.what});
        const auto found = state_.tasks.find(finding.task);
        const bool lost = found == state_.tasks.end() && finding.kind == kind_name(TaskSubmitted{});
        if (lost) append(TaskSubmitted{finding.task, finding.task.value(), "", "", "", {}, "", 0});
        if (lost || (found != state_.tasks.end() && !found->second.over()))
            append(TaskEnded{finding.task, Outcome::failed,
                             Error{ErrorCode::corrupt, finding.what, finding.task.value(), "submit the task again"}});
    }
}

/// Which nodes hold a task's files is forgotten at a restart, so it might start where they are not.
void Orchestrator::end_with_brought_files() {
    std::vector<TaskId> concerned;
    for (const auto& [id, task] : state_.tasks)
        if (task.phase == TaskPhase::queued &&
            std::any_of(task.files.begin(), task.files.end(), [](const FileRef& file) { return !file.hash.empty(); }))
            concerned.push_back(id);
    for (const TaskId& task : concerned) {
        const bool arrived = state_.tasks.at(task).phase_detail != waiting_for_files;
        append(TaskEnded{task, Outcome::failed,
                         Error{ErrorCode::failed,
                               arrived ? "the orchestrator was restarted and does not know which nodes hold its files"
                                       : "the orchestrator was restarted before all its files were there",
                               task.value(), "submit it again; what has arrived is kept"}});
    }
}

Output Orchestrator::start(const std::string& name, const std::string& version, TimePoint now, bool hold) {
    now_ = now;
    lived_ = time_.at(now);
    append(ClusterStarted{name, version, stated_links_});
    tell_findings();
    std::vector<TaskId> interrupted;
    end_with_brought_files();
    end_without_model();
    for (const auto& [id, task] : state_.tasks)
        if (!task.over() && task.phase != TaskPhase::queued) interrupted.push_back(id);
    for (const TaskId& task : interrupted) {
        for (const auto& [id, instance] : std::map(state_.instances))
            if (instance.task == task && instance.state < InstanceState::finished)
                append(InstanceChanged{id, InstanceState::failed, "its orchestrator was restarted"});
        append(TaskEnded{task, Outcome::failed,
                         Error{ErrorCode::failed, "the orchestrator was restarted while the task ran", task.value(),
                               "submit it again"}});
    }
    std::vector<TaskId> left;
    for (const auto& [id, task] : state_.tasks)
        if (hold && !task.over() && !task.held) left.push_back(id);
    for (const TaskId& task : left) append(TaskHeld{task, true});
    return take_output();
}

Output Orchestrator::step(const Input& input, TimePoint now) {
    now_ = now;
    lived_ = time_.at(now);
    std::visit([this](const auto& one) { on(one); }, input);
    // Most inputs are heartbeats and steps, which let no queued task start.
    while (std::exchange(queue_changed_, false)) admit();
    survey_links();
    return take_output();
}

void Orchestrator::on(const Received& received) {
    const auto found = peers_.find(received.peer);
    if (found == peers_.end()) return;
    Session& peer = found->second;
    if (!peer.role && !std::holds_alternative<Hello>(received.message)) {
        return refuse(received, {ErrorCode::denied, std::string(kind_name(received.message)) + " before hello",
                                 peer.credentials.name, "say hello first"});
    }
    if (peer.role && !allowed(*peer.role, needed_right(received.message))) {
        const bool anybody = std::holds_alternative<Hello>(received.message) ||
                             std::holds_alternative<Heartbeat>(received.message) ||
                             std::holds_alternative<Goodbye>(received.message);
        if (!anybody) {
            const std::string who = peer.credentials.name + " (" + to_string(*peer.role) + ")";
            log_denial(peer, std::string("denied: ") + kind_name(received.message) + " from " + who);
            return refuse(received, {ErrorCode::denied,
                                     std::string("the role ") + to_string(*peer.role) + " may not " +
                                         to_string(needed_right(received.message)),
                                     kind_name(received.message), "ask an admin of the cluster for another role"});
        }
    }
    if (const auto other = peers_.not_its_own(received.peer, received.message, state_))
        return deny(received, {ErrorCode::denied, std::string(kind_name(received.message)) + " about " + *other,
                               peer.credentials.name, "only " + *other + " itself may say that"});
    std::visit([&](const auto& message) { handle(received, message); }, received.message);
}

void Orchestrator::on(const Tick&) {
    if (!loads_.empty()) {
        for (const auto& [id, peer] : peers_)
            if (peer.subscribed) send(id, LoadPush{loads_});
        loads_.clear();
    }
    notes_due();
    check_deadlines();
}

void Orchestrator::handle(const Received& received, const Hello& message) {
    if (auto fits = check_key({message.key, {}, message.role, false}); !fits) return refuse(received, fits.error());
    Session& peer = peers_.at(received.peer);
    const auto& own = peer.credentials.role;
    const bool granted = peer.credentials.owner || (own && covers(*own, message.role));
    if (!granted) {
        log_denial(peer, "denied: " + peer.credentials.name + " asked to come as " + to_string(message.role));
        const std::string has = peer.credentials.role ? to_string(*peer.credentials.role) : "no role";
        return refuse(received, {ErrorCode::denied, std::string("the key may not come as ") + to_string(message.role),
                                 peer.credentials.name, "its role is " + has + "; use a key with the role needed"});
    }
    peer.role = message.role;
    peer.program = message.program;
    peer.process = message.process;
    if (peer.credentials.owner && allowed(message.role, Right::submit)) peer.key = message.key;
    if (!peer.key.empty()) send_policy();
    supersede(received.peer);
    answer(received, Welcome{state_.name, state_.version, message.role, state_.sequence});
}

/// One page holds most clusters. Pages of a larger one are all of one moment, and are kept until they are fetched.
void Orchestrator::handle(const Received& received, const Subscribe&) {
    peers_.at(received.peer).subscribed = true;
    open_snapshots_.erase(received.peer);
    std::vector<InstanceLoad> loads;
    for (const auto& [task, run] : runs_)
        for (const auto& [instance, load] : run.loads) loads.push_back(load);
    std::vector<Snapshot> pages = snapshot_pages(state_, loads);
    Snapshot first = pages.front();
    if (pages.size() > 1) {
        const auto older = [](const auto& a, const auto& b) {
            return a.second.front().state.sequence < b.second.front().state.sequence;
        };
        if (open_snapshots_.size() >= most_open_snapshots)
            open_snapshots_.erase(std::min_element(open_snapshots_.begin(), open_snapshots_.end(), older));
        open_snapshots_[received.peer] = std::move(pages);
    }
    answer(received, std::move(first));
}

void Orchestrator::handle(const Received& received, const FetchSnapshotPage& message) {
    const auto pages = open_snapshots_.find(received.peer);
    if (pages == open_snapshots_.end() || message.page >= pages->second.size())
        return refuse(received, {ErrorCode::conflict, "page " + std::to_string(message.page) + " is not kept",
                                 kind_name(received.message), "subscribe again"});
    answer(received, pages->second[message.page]);
    if (message.page + 1 == pages->second.size()) open_snapshots_.erase(pages);
}

void Orchestrator::handle(const Received& received, const StopTask& message) {
    const auto found = state_.tasks.find(message.task);
    if (found == state_.tasks.end())
        return refuse(received,
                      {ErrorCode::not_found, "no such task", message.task.value(), "list them with 'divisictl tasks'"});
    if (found->second.over())
        return refuse(received, {ErrorCode::conflict, "the task has already ended", message.task.value(),
                                 "see how with 'divisictl tasks'"});
    if (const auto run = runs_.find(message.task); run != runs_.end()) {
        if (!run->second.ending) {
            run->second.outcome = Outcome::stopped;
            end_instances(message.task, run->second, message.reason.empty() ? "stopped" : message.reason);
        }
    } else {
        append(TaskEnded{message.task, Outcome::stopped, std::nullopt});
    }
    answer(received, Done{});
}

void Orchestrator::handle(const Received& received, const ReleaseTask& message) {
    const auto found = state_.tasks.find(message.task);
    if (found == state_.tasks.end())
        return refuse(received,
                      {ErrorCode::not_found, "no such task", message.task.value(), "list them with 'divisictl tasks'"});
    if (!found->second.held)
        return refuse(received, {ErrorCode::conflict, "the task is not held", message.task.value(),
                                 "list them with 'divisictl tasks'"});
    append(TaskHeld{message.task, false});
    answer(received, Done{});
}

void Orchestrator::handle(const Received& received, const ChangeKey& message) {
    if (auto fits = check_key(message.change); !fits) return refuse(received, fits.error());
    if (message.change.revoked && !state_.keys.contains(message.change.public_key))
        return refuse(received, {ErrorCode::not_found, "no such key", message.change.public_key,
                                 "list them with 'divisictl keys'; those of the cluster file are taken out there"});
    append(message.change);
    send_policy();
    answer(received, Done{});
    // ZAP asks at the handshake only; who is connected already goes now.
    std::vector<PeerId> holders;
    for (const auto& [id, peer] : peers_) {
        const bool same_name = peer.node.value().empty() || peer.node.value() == message.change.name;
        const bool kept =
            !message.change.revoked && same_name && (!peer.role || covers(message.change.role, *peer.role));
        if (peer.credentials.key == message.change.public_key && !kept) holders.push_back(id);
    }
    const Error why{ErrorCode::denied,
                    message.change.revoked ? "its key was revoked" : "its key has another role or name now",
                    message.change.name, "ask an admin of the cluster"};
    for (const PeerId holder : holders) close(holder, why);
}

void Orchestrator::handle(const Received& received, const Shutdown& message) {
    append(Noted{Severity::info, "orchestrator", "", "shutting down: " + message.reason});
    for (const auto& [task, run] : runs_)
        for (const InstanceId& instance : run.instances)
            if (const auto peer = peer_of(instance)) send(*peer, EndInstance{"the cluster is shutting down"});
    answer(received, Done{});
    for (const auto& [id, peer] : peers_) send(id, Goodbye{message.reason});
    output_.exit = true;
}

void Orchestrator::handle(const Received& received, const Note& message) {
    if (peers_.at(received.peer).notes.pass(message.note.text, now_)) append(message.note);
}

void Orchestrator::handle(const Received&, const Heartbeat&) {}

void Orchestrator::handle(const Received& received, const Goodbye& message) {
    // The socket may stay up for a moment; what it still says is not heard.
    output_.closes.push_back(received.peer);
    forget(received.peer, NodeState::left, message.reason);
}

/// What was left out meanwhile.
void Orchestrator::notes_due() {
    for (auto& [id, peer] : peers_)
        if (const auto line = peer.notes.due(now_))
            append(Noted{Severity::warning, peer.program + " " + peer.credentials.name, "", *line});
    for (auto& [name, denials] : denials_)
        if (const auto line = denials.due(now_)) append(Noted{Severity::warning, "orchestrator", "", *line});
}

void Orchestrator::append(Event::Body body) {
    Event event{state_.sequence + 1, now_, clipped(std::move(body))};
    apply(state_, event);
    if (concerns_queue(event.body)) {
        queue_changed_ = true;
        quiet_since_ = next_survey_ = now_;
    }
    if (const auto* ended = std::get_if<TaskEnded>(&event.body)) {
        deliveries_.erase(ended->task);
        plans_.erase(ended->task);
    }
    if (std::holds_alternative<TaskEnded>(event.body))
        std::erase_if(skeletons_, [&](const auto& entry) {
            if (state_.tasks.contains(entry.first)) return false;
            output_.forgotten.push_back(entry.first);
            return true;
        });
    output_.events.push_back(std::move(event));
}

void Orchestrator::send(PeerId peer, Message message, std::uint64_t correlation) {
    output_.sends.push_back({peer, correlation, std::move(message)});
}

void Orchestrator::answer(const Received& received, Message message) {
    send(received.peer, std::move(message), received.correlation);
}

void Orchestrator::refuse(const Received& received, Error error) {
    if (received.correlation != 0) answer(received, Refused{clipped(std::move(error))});
}

Error Orchestrator::unexpected(const Message& message) {
    return {ErrorCode::invalid_input, std::string("the orchestrator does not take ") + kind_name(message),
            "control plane", "check that both sides run the same version"};
}

/// To all who watch, in as many pushes as it takes.
void Orchestrator::push(const std::vector<Event>& events) {
    auto first = events.begin();
    while (first != events.end()) {
        Extent extent;
        auto last = first;
        do {
            extent += extent_of(*last++);
        } while (last != events.end() && (extent + extent_of(*last)).within(page_fill));
        for (const auto& [id, peer] : peers_)
            if (peer.subscribed) send(id, EventPush{{first, last}});
        first = last;
    }
}

Output Orchestrator::take_output() {
    push(output_.events);
    return std::exchange(output_, {});
}

std::optional<TimePoint> Orchestrator::next_deadline() const {
    std::optional<TimePoint> next;
    const auto consider = [&](TimePoint time) {
        if (!next || time < *next) next = time;
    };
    const auto consider_lived = [&](TimePoint time) { consider(now_ + (time - lived_)); };
    for (const auto& [task, run] : runs_)
        if (run.deadline) consider_lived(*run.deadline);
    if (const auto away = peers_.next_deadline()) consider_lived(*away);
    if (probe_) consider_lived(probe_->deadline);
    return next;
}

}  // namespace divisi::control
