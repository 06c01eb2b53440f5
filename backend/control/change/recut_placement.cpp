// SPDX-License-Identifier: Apache-2.0
#include "backend/control/change/recut_placement.h"

#include <algorithm>

#include "backend/control/state/data_place.h"
#include "backend/control/state/drain_state.h"
#include "backend/control/state/pools.h"
#include "backend/control/types/error_texts.h"
#include "backend/task/parse.h"

namespace divisi::control::inline change {
namespace {

/// Returns a summary with one stage of the plan. Placement can then find a node for the stage as for a separate task.
PlanSummary another_stage(const PlanSummary& plan) {
    PlanSummary one;
    one.threads = plan.threads;
    one.memory = plan.memory;
    one.wish = plan.wish;
    one.device = plan.device;
    return one;
}

/// Returns the nodes that hold standbys of the task.
std::set<NodeId> standby_nodes(const ClusterState& state, const TaskView& task) {
    std::set<NodeId> nodes;
    for (const InstanceView* one : standbys_of(state, task.id))
        if (!has_left(task, *one)) nodes.insert(one->node);
    return nodes;
}

/// Returns the load on all nodes, with one task fewer on a node that has only a standby of this task. The task's own
/// standbys therefore do not block its stages.
NodeUse without_standbys(const ClusterState& state, NodeUse use, const TaskView& task) {
    std::set<NodeId> alone = standby_nodes(state, task);
    for (const auto& [id, instance] : state.instances)
        if (instance.task == task.id && instance.stage != standby_stage && !has_left(task, instance))
            alone.erase(instance.node);
    for (const NodeId& node : alone)
        if (const auto load = use.nodes.find(node); load != use.nodes.end() && load->second.tasks > 0)
            --load->second.tasks;
    return use;
}

class Moves {
public:
    Moves(const ClusterState& state, const NodeUse& use, const TaskView& task, const PlanSummary& plan, TimePoint now)
        : state_(state),
          use_(use),
          task_(task),
          plan_(plan),
          one_(another_stage(plan)),
          request_{task.submitter, task.id, now, task.most_seconds},
          free_(state, without_standbys(state, use, task)),
          standbys_(standby_nodes(state, task)),
          nodes_(static_cast<std::size_t>(plan.stages)) {
        for (const InstanceView* instance : instances_of(state, task.id)) {
            all_.insert(instance->node);
            if (instance->stage >= 0) old_[instance->stage] = instance->node;
        }
    }

    Result<std::vector<NodeId>> place() {
        for (std::size_t i = 0; i < nodes_.size() && i < plan_.stage_nodes.size(); ++i)
            if (!plan_.stage_nodes[i].empty()) take_if_allowed(i, NodeId(plan_.stage_nodes[i]));
        if (plan_.data_apart() == 0 && !old_.empty()) DIVISI_TRY(stay_with_data(old_.begin()->second));
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            if (!heirs(i).empty()) take_if_unused(i, old_.at(heirs(i).front()));
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            for (const std::int32_t stage : heirs(i)) take_if_unused(i, old_.at(stage));
            for (const auto& [stage, node] : old_) take_if_unused(i, node);
        }
        take_free();
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            if (is_open(i)) DIVISI_TRY(share(i));
        DIVISI_TRY(check(nodes_));
        return nodes_;
    }
    void avoid(std::set<NodeId> nodes) { unfit_ = std::move(nodes); }
    void hold(const std::set<NodeId>& nodes) { all_.insert(nodes.begin(), nodes.end()); }
    Result<void> check(const std::vector<NodeId>& nodes) {
        for (const NodeId& node : nodes) DIVISI_TRY(check(node));
        return {};
    }

private:
    bool is_open(std::size_t stage) const { return nodes_[stage].value().empty(); }
    bool is_secure(const NodeId& node) const {
        const auto found = state_.nodes.find(node);
        return found != state_.nodes.end() && found->second.info.secure;
    }
    void take(std::size_t stage, const NodeId& node) {
        nodes_[stage] = node;
        used_.insert(node);
    }
    void take_if_allowed(std::size_t stage, const NodeId& node) {
        if (is_open(stage) && may_take(stage, node)) take(stage, node);
    }
    void take_if_unused(std::size_t stage, const NodeId& node) {
        if (!used_.contains(node)) take_if_allowed(stage, node);
    }
    /// Returns the running old stages that share operators with the new stage, largest share first.
    std::vector<std::int32_t> heirs(std::size_t stage) const {
        std::vector<std::int32_t> found;
        if (stage < plan_.inherits.size())
            for (const std::int32_t one : plan_.inherits[stage])
                if (old_.contains(one)) found.push_back(one);
        return found;
    }
    /// Returns whether the stage's old node is drained.
    bool is_displaced(std::size_t stage) const {
        const auto from = heirs(stage);
        return !from.empty() && is_draining(state_, old_.at(from.front()));
    }
    /// Returns whether the stage may use the node. A drained node is not allowed. A stage that leaves a drained secure
    /// node may use only a secure node.
    bool may_take(std::size_t stage, const NodeId& node) const {
        if (is_draining(state_, node)) return false;
        return !is_displaced(stage) || is_secure(node) || !is_secure(old_.at(heirs(stage).front()));
    }
    /// Keeps stage 0 on the node that reads the data. Stage 0 leaves a drained node only if another node can read the
    /// data.
    Result<void> stay_with_data(const NodeId& node) {
        if (!is_draining(state_, node)) {
            take_if_allowed(0, node);
            return {};
        }
        DIVISI_ASSIGN(const task::TaskSpec spec, task::parse_task(task_.text, task_.id.value()));
        if (reads_anywhere(task_, spec)) return {};
        return make_error(error_text("stage-reads-local-files"), "node " + node.value(), {task_.id.value()});
    }
    void take_free() {
        auto in_turn = free_.in_turn(one_, request_, state_.nodes.size());
        // Prefer nodes without standbys: a stage and a standby on one node are lost together if the node fails.
        std::stable_partition(in_turn.begin(), in_turn.end(),
                              [&](const NodeId& node) { return !standbys_.contains(node); });
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            for (const NodeId& node : in_turn)
                if (is_open(i) && !all_.contains(node) && !lack_of(node)) take_if_unused(i, node);
    }
    /// Places a stage on a node of the task that already runs another stage.
    Result<void> share(std::size_t stage) {
        std::vector<NodeId> nodes;
        for (const std::int32_t one : heirs(stage)) nodes.push_back(old_.at(one));
        for (const auto& [one, node] : old_) nodes.push_back(node);
        nodes.insert(nodes.end(), used_.begin(), used_.end());
        const auto can = [&](const NodeId& node) {
            return may_take(stage, node) && (!is_displaced(stage) || !lack_of_another(node));
        };
        const auto found = std::ranges::find_if(nodes, can);
        if (found == nodes.end()) return no_room(stage);
        ++shared_[*found];
        take(stage, *found);
        return {};
    }
    static std::string exhaustion_error(const NodeId& node) {
        return node.value() + " could not keep an instance of the task running";
    }
    /// Returns why a node without instances of the task cannot take a stage; none if it can.
    std::optional<std::string> lack_of(const NodeId& node) {
        if (unfit_.contains(node)) return exhaustion_error(node);
        if (auto obstacle = free_.obstacle({node}, one_, request_)) return obstacle;
        const auto found = state_.nodes.find(node);
        const bool told = found != state_.nodes.end() && (plan_.device == "cpu" || standbys_.contains(node));
        return told ? lack_of_memory(found->second.info) : std::nullopt;
    }
    /// Returns why a node of the task cannot run another stage; none if it can.
    std::optional<std::string> lack_of_another(const NodeId& node) {
        if (unfit_.contains(node)) return exhaustion_error(node);
        const auto found = state_.nodes.find(node);
        if (found == state_.nodes.end() || found->second.state != NodeState::ready) return node.value() + " is away";
        const NodeInfo& info = found->second.info;
        if (sharing_of(state_, info).shared) return free_.obstacle({node}, one_, request_);
        return lack_of_memory(info);
    }
    /// Returns why the node's memory is too small for another stage besides its present instances; none if the memory
    /// suffices.
    std::optional<std::string> lack_of_memory(const NodeInfo& info) {
        const auto load = use_.nodes.find(info.id);
        const Bytes has = load == use_.nodes.end() ? 0 : load->second.memory;
        const Bytes wants = (shared_[info.id] + 1) * (one_.memory + process_memory);
        const bool lacks = memory_of(info) > 0 && has + wants > memory_of(info);
        return lacks ? std::optional(info.id.value() + " has no memory for another stage") : std::nullopt;
    }
    Error no_room(std::size_t stage) {
        constexpr std::size_t most_told = 3;
        std::string why;
        std::size_t told = 0;
        for (const auto& [id, node] : state_.nodes) {
            if (node.draining || node.state != NodeState::ready || ++told > most_told) continue;
            const char* barred = !may_take(stage, id)                         ? " is not secure"
                                 : !may_run_on(state_, plan_.wish, node.info) ? " is excluded by the task file"
                                                                              : nullptr;
            const auto lack = all_.contains(id) ? lack_of_another(id) : lack_of(id);
            why += (why.empty() ? ": " : "; ") +
                   (barred ? id.value() + barred : lack.value_or(id.value() + " gets another stage"));
        }
        const auto from = heirs(stage);
        return make_error(error_text("no-room-for-stage"),
                          from.empty() ? "task " + task_.id.value() : "node " + old_.at(from.front()).value(),
                          {std::to_string(stage), task_.id.value(), why});
    }
    Result<void> check(const NodeId& node) {
        const auto found = state_.nodes.find(node);
        if (found == state_.nodes.end() || found->second.state != NodeState::ready)
            return make_error(error_text("recut-node-not-ready"), "node " + node.value());
        if (found->second.draining) return make_error(error_text("recut-node-drained"), "node " + node.value());
        if (all_.contains(node)) return {};
        if (const auto lack = lack_of(node))
            return make_error(error_text("recut-node-lacks-room"), "node " + node.value(), {*lack});
        return {};
    }

    const ClusterState& state_;
    const NodeUse& use_;
    const TaskView& task_;
    const PlanSummary& plan_;
    std::set<NodeId> unfit_;
    PlanSummary one_;
    PlacementRequest request_;
    Vacancies free_;
    std::set<NodeId> standbys_;           ///< nodes with a standby of the task
    std::vector<NodeId> nodes_;           ///< node of each stage; empty: not placed yet
    std::map<std::int32_t, NodeId> old_;  ///< node of each stage of the old plan
    std::set<NodeId> all_, used_;         ///< nodes of the task; nodes used by the new plan
    std::map<NodeId, Bytes> shared_;      ///< number of further stages placed on each node that already runs a stage
};

}  // namespace

Result<std::vector<NodeId>> place_next_plan(const ClusterState& state, const NodeUse& use, const TaskView& task,
                                            const PlanSummary& plan, TimePoint now, std::set<NodeId> unfit) {
    Moves moves(state, use, task, plan, now);
    moves.avoid(std::move(unfit));
    return moves.place();
}

Result<void> check_next_nodes(const ClusterState& state, const NodeUse& use, const TaskView& task,
                              const PlanSummary& plan, const std::vector<NodeId>& nodes, TimePoint now,
                              const std::set<NodeId>& held) {
    Moves moves(state, use, task, plan, now);
    moves.hold(held);
    return moves.check(nodes);
}

bool has_room_ahead(const ClusterState& state, const NodeUse& use, const PlanSummary& plan, const NodeId& node,
                    std::int64_t granted) {
    const auto found = state.nodes.find(node);
    if (found == state.nodes.end()) return false;
    const NodeInfo& info = found->second.info;
    if (plan.device == "cpu") {
        const auto load = use.nodes.find(node);
        const Bytes has = load == use.nodes.end() ? 0 : load->second.memory;
        return memory_of(info) == 0 || has + (1 + granted) * plan.memory <= memory_of(info);
    }
    // The memory that other processes use on a device is not tracked. A device for two stages therefore needs enough
    // memory for both.
    return std::ranges::any_of(info.devices, [&](const Device& device) {
        const bool is_meant = device.name == plan.device || device.name.starts_with(plan.device + ":");
        return is_meant && plan.memory > 0 && device.memory >= (2 + granted) * plan.memory;
    });
}

}  // namespace divisi::control::inline change
