// SPDX-License-Identifier: Apache-2.0
#include "backend/control/node_agent.h"

#include <utility>

namespace divisi::control {

node::Output NodeAgent::step(const node::Input& input, TimePoint now) {
    now_ = now;
    std::visit([this](const auto& one) { on(one); }, input);
    if (ending_ && children_.empty() && !output_.exit) {
        output_.exit = true;
        if (connected_) output_.sends.push_back({0, Goodbye{"it was told to end"}});
    }
    return std::exchange(output_, {});
}

void NodeAgent::on(const node::Connected&) {
    connected_ = true;
    // Whatever ran belongs to a connection that is gone; its task has ended or will be ended.
    for (auto& [instance, child] : children_) ask_to_end(instance, child);
    orphaned_.reset();
    output_.sends.push_back({1, RegisterNode{info_}});
}

void NodeAgent::on(const node::Disconnected&) {
    connected_ = false;
    if (!children_.empty() && !orphaned_) orphaned_ = now_;
}

void NodeAgent::on(const node::FromOrchestrator& input) {
    if (const auto* start = std::get_if<StartInstance>(&input.message)) {
        if (ending_ || children_.contains(start->instance)) {
            const Error error{ErrorCode::conflict, ending_ ? "the node is ending" : "the instance runs already",
                              info_.id.value(), "submit the task again when it has ended"};
            output_.sends.push_back({0, InstanceFailed{start->instance, error}});
            if (!children_.contains(start->instance))
                output_.sends.push_back({0, InstanceExited{start->instance, 1, 0, ""}});
            return;
        }
        children_[start->instance] = {};
        output_.spawns.push_back({*start});
    } else if (const auto* stop = std::get_if<StopInstance>(&input.message)) {
        const auto child = children_.find(stop->instance);
        if (child != children_.end()) ask_to_end(child->first, child->second);
        else output_.sends.push_back({0, InstanceExited{stop->instance, 0, 0, ""}});
    } else if (const auto* refused = std::get_if<Refused>(&input.message); refused && input.correlation == 1) {
        // The connection was lost meanwhile; Connected registers again.
        if (refused->error.code == ErrorCode::unavailable) return;
        // Or the orchestrator has not noticed yet that this name's last connection ended.
        if (!refused_since_) refused_since_ = now_;
        const bool transient = refused->error.code == ErrorCode::conflict || refused->error.code == ErrorCode::deadline;
        if (transient && now_ < *refused_since_ + 3 * peer_timeout) {
            register_again_ = true;
            return;
        }
        // Registration refused: nothing this process can mend.
        output_.failed = refused->error;
        output_.sends.push_back({0, Note{{Severity::error, "node " + info_.id.value(), "", refused->error.message()}}});
        on(node::Terminate{});
    } else if (input.correlation == 1) {
        refused_since_.reset();
    }
}

void NodeAgent::on(const node::Spawned& input) {
    if (const auto child = children_.find(input.instance); child != children_.end()) child->second.pid = input.pid;
}

void NodeAgent::on(const node::SpawnFailed& input) {
    children_.erase(input.instance);
    output_.sends.push_back({0, InstanceFailed{input.instance, input.error}});
    output_.sends.push_back({0, InstanceExited{input.instance, 127, 0, input.error.message()}});
}

void NodeAgent::on(const node::ChildExited& input) {
    children_.erase(input.instance);
    if (children_.empty()) orphaned_.reset();
    output_.sends.push_back({0, InstanceExited{input.instance, input.code, input.signal, input.output}});
}

void NodeAgent::on(const node::Load& input) {
    if (orphaned_ && now_ >= *orphaned_ + orphan_grace)
        for (auto& [instance, child] : children_) ask_to_end(instance, child);
    for (auto& [instance, child] : children_) {
        if (!child.kill_at || now_ < *child.kill_at || child.forced) continue;
        child.forced = true;
        output_.signals.push_back({instance, true});
    }
    if (!connected_) return;
    if (std::exchange(register_again_, false)) output_.sends.push_back({1, RegisterNode{info_}});
    NodeReport report{info_.id, input.load, input.memory_free, {}};
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
