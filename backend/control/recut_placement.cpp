// SPDX-License-Identifier: Apache-2.0
#include "backend/control/recut_placement.h"

#include <algorithm>

namespace divisi::control {
namespace {

/// One more stage of the plan, as a task of its own would look for a node.
PlanSummary another_stage(const PlanSummary& plan) {
    PlanSummary one;
    one.threads = plan.threads;
    one.memory = plan.memory;
    one.wish = plan.wish;
    one.device = plan.device;
    return one;
}

class Moves {
public:
    Moves(const ClusterState& state, const NodeUse& use, const TaskView& task, const PlanSummary& plan, TimePoint now)
        : state_(state),
          plan_(plan),
          one_(another_stage(plan)),
          seeker_{task.submitter, task.id, now, task.most_seconds},
          free_(state, use),
          nodes_(static_cast<std::size_t>(plan.stages)) {
        for (const InstanceView* instance : instances_of(state, task.id)) {
            all_.insert(instance->node);
            if (instance->stage >= 0) old_[instance->stage] = instance->node;
        }
    }

    Result<std::vector<NodeId>> place() {
        for (std::size_t i = 0; i < nodes_.size() && i < plan_.stage_nodes.size(); ++i)
            if (!plan_.stage_nodes[i].empty()) take(i, NodeId(plan_.stage_nodes[i]));
        if (plan_.data_apart() == 0 && !old_.empty() && is_open(0)) take(0, old_.begin()->second);
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            if (!heirs(i).empty()) take_if_unused(i, old_.at(heirs(i).front()));
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            for (const std::int32_t stage : heirs(i)) take_if_unused(i, old_.at(stage));
            for (const auto& [stage, node] : old_) take_if_unused(i, node);
        }
        take_free();
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            if (is_open(i)) take(i, heirs(i).empty() ? old_.begin()->second : old_.at(heirs(i).front()));
        DIVISI_TRY(check(nodes_));
        return nodes_;
    }
    Result<void> check(const std::vector<NodeId>& nodes) {
        for (const NodeId& node : nodes) DIVISI_TRY(check(node));
        return {};
    }

private:
    bool is_open(std::size_t stage) const { return nodes_[stage].value().empty(); }
    void take(std::size_t stage, const NodeId& node) {
        nodes_[stage] = node;
        used_.insert(node);
    }
    void take_if_unused(std::size_t stage, const NodeId& node) {
        if (is_open(stage) && !used_.contains(node)) take(stage, node);
    }
    /// Old stages that have operators of it, and run.
    std::vector<std::int32_t> heirs(std::size_t stage) const {
        std::vector<std::int32_t> found;
        if (stage < plan_.inherits.size())
            for (const std::int32_t one : plan_.inherits[stage])
                if (old_.contains(one)) found.push_back(one);
        return found;
    }
    void take_free() {
        const auto in_turn = free_.in_turn(one_, seeker_, state_.nodes.size());
        auto next = in_turn.begin();
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (!is_open(i)) continue;
            while (next != in_turn.end() &&
                   (all_.contains(*next) || used_.contains(*next) || free_.obstacle({*next}, one_, seeker_)))
                ++next;
            if (next != in_turn.end()) take(i, *next++);
        }
    }
    Result<void> check(const NodeId& node) {
        const auto found = state_.nodes.find(node);
        if (found == state_.nodes.end() || found->second.state != NodeState::ready)
            return Error{ErrorCode::unavailable, "the node that is to run a stage of the new plan is not ready",
                         "node " + node.value(), "bring it back, and ask again; 'divisictl nodes' lists all"};
        if (all_.contains(node)) return {};
        if (const auto obstacle = free_.obstacle({node}, one_, seeker_))
            return Error{ErrorCode::unavailable, *obstacle, "node " + node.value(),
                         "name another node for the stage, or ask again when it is free"};
        return {};
    }

    const ClusterState& state_;
    const PlanSummary& plan_;
    PlanSummary one_;
    Seeker seeker_;
    Vacancies free_;
    std::vector<NodeId> nodes_;           ///< by stage; empty: not yet
    std::map<std::int32_t, NodeId> old_;  ///< by stage of the old plan
    std::set<NodeId> all_, used_;         ///< of the task; by stages of the new plan
};

}  // namespace

Result<std::vector<NodeId>> place_next_plan(const ClusterState& state, const NodeUse& use, const TaskView& task,
                                            const PlanSummary& plan, TimePoint now) {
    return Moves(state, use, task, plan, now).place();
}

Result<void> check_next_nodes(const ClusterState& state, const NodeUse& use, const TaskView& task,
                              const PlanSummary& plan, const std::vector<NodeId>& nodes, TimePoint now) {
    return Moves(state, use, task, plan, now).check(nodes);
}

}  // namespace divisi::control
