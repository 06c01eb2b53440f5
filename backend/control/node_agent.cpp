// SPDX-License-Identifier: Apache-2.0
#include "backend/control/node_agent.h"

#include <utility>

namespace divisi::control {

node::Output NodeAgent::step(const node::Input& input, TimePoint now) {
    now_ = now;
    lived_ = time_.at(now);
    std::visit([this](const auto& one) { on(one); }, input);
    if (ending_ && children_.empty() && !output_.exit) {
        output_.exit = true;
        if (connected_) output_.sends.push_back({0, Goodbye{"it was told to end"}});
    }
    return std::exchange(output_, {});
}

void NodeAgent::on(const node::Connected&) {
    connected_ = true;
    farewell_ = false;
    orphaned_.reset();
    register_node();
}

/// Its instances go on; the orchestrator says which of them it still knows.
void NodeAgent::register_node() {
    RegisterNode message{info_, {}};
    for (const auto& [instance, child] : children_) message.instances.push_back(instance);
    for (const InstanceExited& exited : unsaid_) message.instances.push_back(exited.instance);
    output_.sends.push_back({1, std::move(message)});
}

void NodeAgent::on(const node::Disconnected&) {
    connected_ = registered_ = false;
    if (!children_.empty() && !orphaned_) orphaned_ = lived_;
}

void NodeAgent::on(const node::FromOrchestrator& input) {
    if (const auto* start = std::get_if<StartInstance>(&input.message)) {
        if (ending_ || children_.contains(start->instance)) {
            const Error error{ErrorCode::conflict, ending_ ? "the node is ending" : "the instance runs already",
                              info_.id.value(), "submit the task again when it has ended"};
            output_.sends.push_back({0, InstanceFailed{start->instance, error}});
            if (!children_.contains(start->instance)) say_exited({start->instance, 1, 0, ""});
            return;
        }
        children_[start->instance] = {};
        output_.spawns.push_back({*start});
    } else if (const auto* stop = std::get_if<StopInstance>(&input.message)) {
        const auto child = children_.find(stop->instance);
        if (child != children_.end()) ask_to_end(child->first, child->second);
        else say_exited({stop->instance, 0, 0, ""});
    } else if (std::holds_alternative<Goodbye>(input.message)) {
        farewell_ = true;
    } else if (const auto* no = std::get_if<Refused>(&input.message); no && input.correlation == 1) {
        refused(no->error);
    } else if (input.correlation == 1) {
        registered_ = true;
        refused_since_.reset();
        for (InstanceExited& exited : std::exchange(unsaid_, {})) say_exited(std::move(exited));
    }
}

void NodeAgent::refused(const Error& error) {
    // The connection was lost meanwhile; Connected registers again.
    if (error.code == ErrorCode::unavailable) return;
    // Or the last process of this name is still waited for, or nobody has answered in time.
    if (!refused_since_) refused_since_ = lived_;
    const bool transient = error.code == ErrorCode::conflict || error.code == ErrorCode::deadline;
    output_.told = error;
    if (transient && lived_ < *refused_since_ + registration_grace) {
        register_again_ = true;
        return;
    }
    // Nothing that this process can mend.
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
    children_.erase(input.instance);
    if (children_.empty()) orphaned_.reset();
    say_exited({input.instance, input.code, input.signal, input.output, input.usage});
}

void NodeAgent::say_exited(InstanceExited exited) {
    if (registered_) output_.sends.push_back({0, std::move(exited)});
    else unsaid_.push_back(std::move(exited));
}

void NodeAgent::on(const node::Load& input) {
    if (orphaned_ && lived_ >= *orphaned_ + (farewell_ ? farewell_grace : orphan_grace))
        for (auto& [instance, child] : children_) ask_to_end(instance, child);
    for (auto& [instance, child] : children_) {
        if (!child.kill_at || now_ < *child.kill_at || child.forced) continue;
        child.forced = true;
        output_.signals.push_back({instance, true});
    }
    if (!connected_) return;
    if (std::exchange(register_again_, false)) register_node();
    if (!registered_) return;
    NodeReport report{info_.id, input.load, input.memory_free, {}, input.usages};
    for (const auto& [instance, child] : children_) report.instances.push_back(instance);
    output_.sends.push_back({0, std::move(report)});
}

void NodeAgent::on(const node::Terminate&) {
    // Said first: "killed by signal 15" would be true, and explain nothing.
    const Error why{ErrorCode::unavailable, "its node is ending", info_.id.value(),
                    "submit the task again when the node is back"};
    for (auto& [instance, child] : children_) {
        if (!ending_ && connected_) output_.sends.push_back({0, InstanceFailed{instance, why}});
        ask_to_end(instance, child);
    }
    ending_ = true;
}

void NodeAgent::ask_to_end(const InstanceId& instance, Child& child) {
    if (child.kill_at) return;
    child.kill_at = now_ + kill_grace;
    output_.signals.push_back({instance, false});
}

}  // namespace divisi::control
