// SPDX-License-Identifier: Apache-2.0
#include "backend/control/agent/node_agent.h"

#include <algorithm>
#include <utility>

#include "backend/control/protocol/connection_messages.h"
#include "backend/control/protocol/fault_messages.h"
#include "backend/control/protocol/instance_messages.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline agent {

node::Output NodeAgent::step(const node::Input& input, TimePoint now) {
    now_ = now;
    lived_ = time_.at(now);
    visit([this](const auto& one) { on(one); }, input);
    if (ending_ && children_.empty() && !output_.exit) {
        output_.exit = true;
        output_.dismissed = dismissed_;
        if (connected_) output_.sends.push_back({0, Goodbye{"it was told to end"}});
    }
    return std::exchange(output_, {});
}

void NodeAgent::on(const node::Connected&) {
    connected_ = true;
    farewell_ = dismissed_ = false;
    orphaned_.reset();
    register_node();
}

/// Registers the node with its instances. The orchestrator sends StopInstance for each instance that it does not know.
void NodeAgent::register_node() {
    RegisterNode message{info_, {}};
    for (const auto& [instance, child] : children_)
        if (!child.kept_until) message.instances.push_back(instance);
    for (const auto& [instance, child] : children_)
        if (child.next) message.instances.push_back(child.next->instance);
    for (const InstanceExited& exited : unsaid_) message.instances.push_back(exited.instance);
    output_.sends.push_back({1, std::move(message)});
}

void NodeAgent::on(const node::Disconnected&) {
    connected_ = registered_ = false;
    end_kept();  // no orchestrator can assign instances to the kept processes
    if ((farewell_ || !children_.empty()) && !orphaned_) orphaned_ = lived_;
}

void NodeAgent::on(const node::FromOrchestrator& input) {
    if (const auto* what = get_if<StartInstance>(&input.message)) {
        start(*what);
    } else if (const auto* stop = get_if<StopInstance>(&input.message)) {
        const auto child = children_.find(stop->instance);
        if (child != children_.end() && stop->keep && !child->second.kill_at) {
            child->second.keeping = true;
            output_.keeps.push_back(child->first);
        } else if (child != children_.end()) ask_to_end(child->first, child->second);
        else forget(stop->instance);
    } else if (const auto* fault = get_if<FaultInstance>(&input.message)) {
        make_fault(*fault);
    } else if (holds_alternative<KillDevice>(input.message)) {
        output_.die = true;
    } else if (holds_alternative<Goodbye>(input.message)) {
        farewell_ = true;
    } else if (const auto* no = get_if<Refused>(&input.message); no && input.correlation == 1) {
        refused(no->error);
    } else if (input.correlation == 1) {
        registered_ = true;
        refused_since_.reset();
        for (InstanceExited& exited : std::exchange(unsaid_, {})) say_exited(std::move(exited));
    }
}

/// Reports the end of an instance that is not on this node, or that was still waiting for a kept process.
void NodeAgent::forget(const InstanceId& instance) {
    for (auto& [holder, child] : children_)
        if (child.next && child.next->instance == instance) child.next.reset();
    say_exited({instance, 0, 0, ""});
}

/// Injects a fault into a process whose instance has not ended. The end of the process is reported like any other.
void NodeAgent::make_fault(const FaultInstance& what) {
    const auto child = children_.find(what.instance);
    if (child == children_.end() || child->second.keeping || child->second.kept_until) return;
    if (!(what.pause_s > 0)) return output_.signals.push_back({what.instance, true});
    const std::chrono::duration<double> time(std::min(what.pause_s, most_pause_s));
    output_.pauses.push_back({what.instance, std::chrono::duration_cast<Duration>(time)});
}

void NodeAgent::start(const StartInstance& what) {
    if (ending_ || children_.contains(what.instance)) {
        const Error error =
            make_error(ending_ ? error_text("node-is-ending") : error_text("instance-runs-already"), info_.id.value());
        output_.sends.push_back({0, InstanceFailed{what.instance, error}});
        if (!children_.contains(what.instance)) say_exited({what.instance, 1, 0, ""});
        return;
    }
    const auto kept = children_.find(what.from);
    if (kept != children_.end() && kept->second.keeping && !kept->second.kept_until && !kept->second.kill_at) {
        kept->second.next = what;
        return;
    }
    if (kept == children_.end() || !kept->second.kept_until || kept->second.kill_at) {
        children_[what.instance] = {};
        output_.spawns.push_back({what});
        return;
    }
    auto child = children_.extract(kept);
    child.key() = what.instance;
    child.mapped() = {child.mapped().pid};
    children_.insert(std::move(child));
    output_.passes.push_back({what.from, what});
}

/// Handles the confirmation that a process is kept. The process's instance then counts as ended.
void NodeAgent::on(const node::Kept& input) {
    const auto child = children_.find(input.instance);
    if (child == children_.end()) return;  // the process ended after all, and its end was reported
    child->second.kept_until = lived_ + kept_grace;
    say_exited({input.instance, 0, 0, "", input.usage});
    if (ending_ || !connected_) ask_to_end(child->first, child->second);
    start_next(child->second);
}

/// Starts the instance that waited for this child to be kept or to end.
void NodeAgent::start_next(Child& child) {
    if (const auto next = std::exchange(child.next, std::nullopt)) start(*next);
}

void NodeAgent::on(const node::KeepFailed& input) {
    const auto child = children_.find(input.instance);
    if (child == children_.end()) return;
    ask_to_end(child->first, child->second);
    start_next(child->second);
}

/// Ends the kept processes. No other instance has been assigned to them.
void NodeAgent::end_kept() {
    for (auto& [instance, child] : children_)
        if (child.kept_until) ask_to_end(instance, child);
}

void NodeAgent::refused(const Error& error) {
    // The connection was lost; Connected registers again.
    if (error.code == ErrorCode::unavailable) return;
    // A transient error: the orchestrator still waits for the previous process of this name, or the answer timed out.
    if (!refused_since_) refused_since_ = lived_;
    const bool transient = error.code == ErrorCode::conflict || error.code == ErrorCode::deadline;
    output_.told = error;
    if (transient && lived_ < *refused_since_ + registration_grace) {
        register_again_ = true;
        return;
    }
    // The error is permanent, so end this process.
    output_.failed = error;
    on(node::Terminate{});
}

void NodeAgent::on(const node::Spawned& input) {
    if (const auto child = children_.find(input.instance); child != children_.end()) child->second.pid = input.pid;
}

void NodeAgent::on(const node::SpawnFailed& input) {
    children_.erase(input.instance);
    output_.sends.push_back({0, InstanceFailed{input.instance, input.error}});
    say_exited({input.instance, 127, 0, input.error.message()});
}

void NodeAgent::on(const node::ChildExited& input) {
    auto child = children_.extract(input.instance);
    if (children_.empty() && !farewell_) orphaned_.reset();
    const bool was_over = !child.empty() && child.mapped().kept_until;
    if (!was_over) say_exited({input.instance, input.code, input.signal, input.output, input.usage});
    if (!child.empty()) start_next(child.mapped());
}

void NodeAgent::say_exited(InstanceExited exited) {
    if (registered_) output_.sends.push_back({0, std::move(exited)});
    else unsaid_.push_back(std::move(exited));
}

void NodeAgent::on(const node::Load& input) {
    if (orphaned_ && lived_ >= *orphaned_ + (farewell_ ? farewell_grace : orphan_grace)) {
        for (auto& [instance, child] : children_) ask_to_end(instance, child);
        if (farewell_ && !ending_) ending_ = dismissed_ = true;
    }
    for (auto& [instance, child] : children_)
        if (child.kept_until && lived_ >= *child.kept_until) ask_to_end(instance, child);
    for (auto& [instance, child] : children_) {
        if (!child.kill_at || now_ < *child.kill_at || child.forced) continue;
        child.forced = true;
        output_.signals.push_back({instance, true});
    }
    if (!connected_) return;
    if (std::exchange(register_again_, false)) register_node();
    if (!registered_) return;
    NodeReport report{info_.id, input.load, input.memory_free, {}, input.usages, input.machine};
    for (const auto& [instance, child] : children_)
        if (!child.kept_until) report.instances.push_back(instance);
    output_.sends.push_back({0, std::move(report)});
}

void NodeAgent::on(const node::Terminate&) {
    // Report this reason before the exit status: "killed by signal 15" alone would not explain why the instance ended.
    const Error why = make_error(error_text("instance-node-ending"), info_.id.value());
    for (auto& [instance, child] : children_) {
        if (!ending_ && connected_ && !child.kept_until) output_.sends.push_back({0, InstanceFailed{instance, why}});
        ask_to_end(instance, child);
    }
    ending_ = true;
}

void NodeAgent::ask_to_end(const InstanceId& instance, Child& child) {
    if (child.kill_at) return;
    child.kill_at = now_ + kill_grace;
    output_.signals.push_back({instance, false});
}

}  // namespace divisi::control::inline agent
