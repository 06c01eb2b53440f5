// SPDX-License-Identifier: Apache-2.0
#include "backend/control/core/orchestrator_context.h"

#include "backend/control/protocol/input_limits.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline core {

void OrchestratorContext::set_time(TimePoint now) {
    now_ = now;
    lived_ = time_.at(now);
}

void OrchestratorContext::append(Event::Body body) {
    Event event{state_.sequence + 1, now_, clipped(std::move(body))};
    apply(state_, event);
    if (follower_) follower_(event);
    output_.events.push_back(std::move(event));
}

Result<void> OrchestratorContext::begin(JobBook::Asked asked, Job::What what, JobLimit limit) {
    DIVISI_ASSIGN(Job job, jobs_.open(std::move(asked), std::move(what), limit));
    output_.jobs.push_back(std::move(job));
    return {};
}

void OrchestratorContext::send(PeerId peer, Message message, std::uint64_t correlation) {
    output_.sends.push_back({peer, correlation, std::move(message)});
}

bool OrchestratorContext::tell(const NodeId& node, Message message) {
    const auto peer = sessions_.of(node);
    if (peer) send(*peer, std::move(message));
    return peer.has_value();
}

bool OrchestratorContext::tell(const InstanceId& instance, Message message) {
    const auto peer = sessions_.of(instance);
    if (peer) send(*peer, std::move(message));
    return peer.has_value();
}

void OrchestratorContext::answer(const Received& received, Message message) {
    send(received.peer, std::move(message), received.correlation);
}

void OrchestratorContext::refuse(const Received& received, Error error) {
    if (received.correlation != 0) answer(received, Refused{clipped(std::move(error))});
}

void OrchestratorContext::deny(const Received& received, Error error) {
    const Session& peer = sessions_.at(received.peer);
    const std::string who = peer.credentials.name + " (" + (peer.role ? to_string(*peer.role) : "no role") + ")";
    log_denial(peer, std::string("denied: ") + kind_name(received.message) + " from " + who + ": " + error.what);
    refuse(received, std::move(error));
}

void OrchestratorContext::tell_return(const std::string& who, const TaskId& task, const Sessions::Away& away) {
    if (away.peer == PeerId()) return;  // the orchestrator itself was away
    const Duration absence = lived_ - (away.until - limits_.away);
    append(Noted{Severity::info, "orchestrator", task.value(),
                 who + " is back after " + std::to_string(absence / std::chrono::milliseconds(1)) +
                     " ms: the fault was transient (" + away.why + "), and waiting resolved it"});
}

Error OrchestratorContext::no_such_task(const TaskId& task) const {
    constexpr int most_listed = 3;
    std::string ids;
    int found = 0;
    for (auto entry = state_.tasks.rbegin(); entry != state_.tasks.rend() && found < most_listed; ++entry) {
        if (entry->second.name != task.value()) continue;
        ids += (found++ == 0 ? "" : ", ") + entry->first.value();
    }
    return found == 0 ? make_error(error_text("unknown-task"), task.value())
                      : make_error(error_text("task-name-is-no-id"), task.value(), {ids});
}

void OrchestratorContext::log_denial(const Session& peer, const std::string& what) {
    ++denied_;
    if (const auto line = denials_[peer.credentials.name].pass(what, now_))
        append(Noted{Severity::warning, "orchestrator", "", *line});
}

void OrchestratorContext::notes_due() {
    for (auto& [id, peer] : sessions_)
        if (const auto line = peer.notes.due(now_))
            append(Noted{Severity::warning, peer.program + " " + peer.credentials.name, "", *line});
    for (auto& [name, denials] : denials_)
        if (const auto line = denials.due(now_)) append(Noted{Severity::warning, "orchestrator", "", *line});
}

}  // namespace divisi::control::inline core
