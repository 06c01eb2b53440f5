// SPDX-License-Identifier: Apache-2.0
// divisictl drain: takes a node out of use while the cluster continues to train.
#include <cstdio>

#include "backend/control/state/drain_state.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"

namespace divisi::ctl {
namespace {

using control::DrainState;

/// Tracks the state of a node that is being drained, from the cluster's events.
class DrainWatch {
public:
    DrainWatch(NodeId node, bool json) : node_(std::move(node)), json_(json) {}

    void begin(control::ClusterState state) {
        state_ = std::move(state);
        print_progress();
    }
    /// Applies the message; returns whether the drain is still in progress.
    bool take(const control::Message& message) {
        if (const auto* snapshot = get_if<control::Snapshot>(&message)) begin(snapshot->state);
        if (const auto* push = get_if<control::EventPush>(&message))
            for (const control::Event& event : push->events) take(event);
        return state() == DrainState::draining;
    }
    DrainState state() const { return control::drain_state(state_, node_); }

private:
    std::vector<const control::InstanceView*> running() const { return control::running_on(state_, node_); }
    void take(const control::Event& event) {
        control::apply(state_, event);
        const auto* noted = get_if<control::Noted>(&event.body);
        if (noted && noted->severity == Severity::warning && runs_there(TaskId(noted->task)))
            std::fprintf(stderr, "task %s: %s\n", noted->task.c_str(), noted->text.c_str());
        if (running().size() != told_ || state() != told_state_) print_progress();
    }
    bool runs_there(const TaskId& task) const {
        for (const control::InstanceView* one : running())
            if (one->task == task) return true;
        return false;
    }
    void print_progress() {
        const auto instances = running();
        told_ = instances.size();
        told_state_ = state();
        if (json_) {
            auto names = nlohmann::ordered_json::array();
            for (const control::InstanceView* one : instances) names.push_back(one->id.value());
            print_json({{"node", node_.value()}, {"drain", to_string(told_state_)}, {"instances", names}});
        } else if (told_state_ == DrainState::drained) {
            std::printf("node %s is drained: nothing runs there\n", node_.value().c_str());
        } else if (told_state_ == DrainState::none) {
            std::printf("node %s accepts instances\n", node_.value().c_str());
        } else {
            std::printf("node %s is being drained: %s there\n", node_.value().c_str(),
                        counted(static_cast<std::int64_t>(told_), "instance").c_str());
        }
        std::fflush(stdout);
    }

    NodeId node_;
    bool json_;
    control::ClusterState state_;
    std::size_t told_ = 0;
    DrainState told_state_ = DrainState::none;
};

}  // namespace

int drain_node(const Common& common, const control::DrainNode& wanted, bool wait) {
    auto session = open_session(common, control::Role::operate);
    if (!session) return print_error(session.error());
    const auto reply = (*session)->ask<control::Done>(wanted);
    if (!reply) return print_error(reply.error());
    auto state = (*session)->snapshot();
    if (!state) return print_error(state.error());
    DrainWatch watch(wanted.node, common.json);
    watch.begin(std::move(*state));
    if (!wait || watch.state() != DrainState::draining) return 0;
    const auto followed = (*session)->follow([&](const control::Message& message) { return watch.take(message); },
                                             [&] { (*session)->leave(); });
    if (!followed) return print_error(followed.error());
    if (watch.state() == DrainState::drained) return 0;
    return print_error({ErrorCode::conflict, "the node is not drained: another operator cancelled the drain",
                        "node " + wanted.node.value(), "ask again with 'divisictl drain'"});
}

}  // namespace divisi::ctl
