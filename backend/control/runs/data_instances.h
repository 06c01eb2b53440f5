// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/network/mesh_devices.h"
#include "backend/control/runs/leases.h"
#include "backend/control/runs/task_part.h"
#include "backend/control/types/restart_budget.h"

namespace divisi::control::inline runs {

/// Manages the data instances to which micro-batches are dealt. A running task can continue while one data instance is
/// missing. A data instance that dies, or leaves a drained node, is started again under its SID.
class DataInstances final : public TaskPart {
public:
    DataInstances(OrchestratorContext& context, const MeshDevices& devices, Leases& leases, TaskControl& control)
        : context_(context), devices_(devices), leases_(leases), control_(control) {}

    void handle(const Received& received, const ScaleData& message);
    /// Checks that a data instance of the task could run on a node other than `from`. Fails (unavailable) if no other
    /// node may run it or can read the data.
    Result<void> can_move(const TaskId& task, const NodeId& from) const;
    /// Ends a data instance of a training task and starts the next incarnation of its SID on another node. Its
    /// micro-batches are dealt again. `why` is for the log. Fails as can_move() does, and then changes nothing.
    Result<void> move(const InstanceId& instance, const std::string& why);
    void follow(const Event& event);

    // Functions of TaskPart.
    void open(const TaskId& task) override { books_.try_emplace(task); }
    /// Starts a successor of each failed data instance that has none. A data instance that is still starting gets its
    /// full time limit again.
    void adopt(const TaskId& task, TimePoint until, const std::string& why) override;
    void started(const InstanceView& instance) override;
    void begin_generation(const TaskId& task) override;
    /// Starts replacements for the dead data instances that have no replacement yet.
    void generation_placed(const TaskId& task) override;
    /// Drops a failed data instance if the task can continue without it. Its micro-batches are dealt to other data
    /// instances. Without other data instances, the stages wait for the next process of the SID.
    bool handle_fault(const TaskId& task, const InstanceId& culprit, Error& error, Fault fault) override;
    void node_refused(const TaskId& task, const NodeId& node) override { books_.at(task).unfit.insert(node); }
    void node_joined(const NodeId& node) override;
    void node_settled(const NodeId&) override { check_deadlines(); }
    /// Adds the data instance that the stages wait for, if none is running.
    void add_awaited(const TaskId& task, std::set<std::string>& awaited) const override;
    /// Fails data instances that are not ready in time. Starts missing data instances as soon as a node can run them.
    void check_deadlines() override;
    std::optional<TimePoint> next_deadline() const override;

private:
    /// A data instance that died and for which there is currently no node.
    struct Vacancy {
        InstanceId last;    ///< the last instance of the SID
        std::string why;    ///< reason of the instance's death
        TimePoint until{};  ///< time at which the search for a node ends, in lived time
    };
    /// Restart bookkeeping of a task's data instances. A restarted orchestrator counts from zero.
    struct Book {
        std::map<Sid, RestartBudget> restarts;
        std::map<Sid, Vacancy> vacant;
        std::map<Sid, Vacancy> unplaced;           ///< vacancies of the old generation, until the next one is placed
        std::map<InstanceId, TimePoint> arriving;  ///< deadlines of instances started while the task runs, lived time
        std::set<NodeId> unfit;                    ///< nodes that could not start a data instance since they joined
    };

    bool is_open(const TaskId& task) const;
    void add(const TaskId& task, const NodeId& node);
    InstanceId start(const TaskId& task, const Sid& sid, const NodeId& node);
    void end(const InstanceId& instance, const std::string& reason);
    // Functions for restarts (data_replacements.cpp).
    std::optional<std::string> charge_restart_budget(const TaskId& task, const Sid& sid, const Error& error);
    void expect(const InstanceView& instance);
    void fill_vacancies(const TaskId& task);
    void fail_late(const TaskId& task);
    void give_up(const TaskId& task, const Sid& sid);
    // Functions that choose nodes (data_replacements.cpp).
    bool can_start_on(const TaskId& task, const NodeId& node) const;
    std::optional<NodeId> node_with_data(const TaskId& task, const NodeId& leaving = {}) const;
    std::optional<NodeId> node_for_replacement(const TaskId& task, const InstanceId& last) const;
    std::optional<NodeId> other_node(const TaskId& task, const NodeId& leaving = {}) const;
    std::optional<NodeId> node_away_from(const TaskId& task, const NodeId& leaving) const;

    OrchestratorContext& context_;
    const MeshDevices& devices_;
    Leases& leases_;
    TaskControl& control_;
    std::map<TaskId, Book> books_;  ///< book of each running task
};

}  // namespace divisi::control::inline runs
