// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "backend/control/change/blob_transfers.h"
#include "backend/control/change/checkpoint_maker.h"
#include "backend/control/core/orchestrator_context.h"
#include "backend/control/queue/models.h"
#include "backend/control/queue/task_queue.h"
#include "backend/control/runs/node_fitness.h"
#include "backend/control/runs/task_recovery.h"

namespace divisi::control::inline change {

/// Time limit from the planning of a re-cut until all processes are prepared. The same limit applies again until the
/// old stages are paused. Giving up before the plan takes effect is harmless. A step may take minutes, and the transfer
/// of a large model's files may take as long.
inline constexpr Duration recut_patience = std::chrono::minutes(10);
/// The old stages are paused at most for `stand_patience` plus the time to transfer the snapshots at `slowest_bring`
/// bytes a second. A slower transfer is considered broken.
inline constexpr Duration stand_patience = std::chrono::minutes(2);
inline constexpr Bytes slowest_bring = Bytes{4} << 20;

/// Returns whether the task is training and is not being ended.
bool trains_now(const TaskView& task);

/// Gives training tasks other plans. While the old plan trains, the new plan is compiled outside the main loop and in
/// every process that will run a part of it. Missing processes are started.
///
/// Then all stages pause at the end of the same step. The nodes of the new stages fetch the missing parts of that
/// step's checkpoint. The new plan takes effect after that step as the next generation, so that no step is repeated.
///
/// Until the new plan takes effect, no part of it is durable. After any fault, including a restart, the old plan
/// remains and its stages continue. Later faults are handled like any other fault of the task.
class Recuts final : public TransferListener {
public:
    Recuts(OrchestratorContext& context, const Models& models, const TaskQueue& queue, BlobTransfers& transfers,
           CheckpointMaker& checkpoints, TaskRecovery& recovery, const NodeFitness& fitness)
        : context_(context),
          models_(models),
          queue_(queue),
          transfers_(transfers),
          checkpoints_(checkpoints),
          recovery_(recovery),
          fitness_(fitness) {}

    void handle(const Received& received, const Recut& message);
    void handle(const Received& received, const PlanPrepared& message);
    /// Moves the stages of a training task off drained nodes: the plan stays the same, the placement changes. Fails in
    /// the same cases as a re-cut. take_moved() returns the result.
    Result<void> move(const TaskId& task, const std::string& by);
    /// Re-cuts a training task at these cuts, as if an operator had asked for them. Logs the progress.
    Result<void> follow_advice(const TaskId& task, const std::vector<std::string>& cuts);
    bool changes(const TaskId& task) const { return changes_.contains(task); }
    /// Returns the moves that ended since the last call, each with its error if it failed.
    std::map<TaskId, std::optional<Error>> take_moved() { return std::exchange(moved_, {}); }
    /// Handles the result of planning, from a job whose JobBook::Asked::recut is the task.
    void planned(const JobBook::Asked& asked, const Result<PlanSummary>& plan);
    void arrived(const std::string& hash, const NodeId& to, std::uint64_t order, Bytes size) override;
    void brought(const std::string& hash, const NodeId& to, std::uint64_t order,
                 const std::optional<Error>& error) override;
    /// Advances the re-cuts whose conditions are met. Call after each input.
    void poll();
    std::optional<TimePoint> next_deadline() const;  ///< earliest deadline, in lived time; poll() checks it

private:
    enum class Stage {
        planning,
        preparing,   ///< the new plan's processes prepare
        checkpoint,  ///< the stages complete their step; the step's checkpoint is awaited
        bringing,    ///< snapshots are transferred to the nodes of the new plan
        in_force,    ///< the first step of the new plan is awaited
    };
    struct Change {
        PeerId peer{};
        std::uint64_t correlation = 0;  ///< correlation of the request; for a change without a request, a unique number
        bool unasked = false;           ///< whether no client waits for an answer
        bool moves = false;             ///< whether only stages move: the plan stays, and no client waits for an answer
        Stage stage = Stage::planning;
        Generation generation = 1;  ///< generation of the plan to change
        NextPlan next;
        std::uint64_t order = 0;  ///< number of the re-cut, repeated in PlanPrepared and transfers
        /// instances that must still be told to prepare, each with the stage that it builds, if any
        std::map<InstanceId, std::int32_t> untold;
        std::set<InstanceId> told, compiling;  ///< instances told to prepare; told instances that have not answered yet
        using Blobs = std::set<std::pair<std::string, NodeId>>;
        Blobs awaited, arrived;                                 ///< blobs by hash and destination
        std::map<std::pair<std::string, NodeId>, Bytes> sizes;  ///< sizes of arrived blobs, or of parts of blobs
        std::set<std::string> early;  ///< snapshots ordered before the checkpoint was committed
        Bytes brought = 0;
        std::optional<Error> failure;
        TimePoint deadline{};            ///< deadline of this phase, in lived time
        std::optional<TimePoint> stood;  ///< lived time at which the old plan stopped training
        std::int64_t again = 0;
    };

    Result<const TaskView*> check(const Recut& message) const;
    Result<void> begin(const TaskView& task, Change change, const std::string& text, const std::string& before);
    Result<void> check_plan(const TaskView& task, const Change& change, const PlanSummary& plan) const;
    Result<std::vector<NodeId>> nodes_for(const TaskView& task, const Change& change, PlanSummary plan) const;
    void note_accepted(const TaskView& task, const Change& change);
    Result<void> accept(const TaskId& task, Change& change, const PlanSummary& plan);
    Result<void> check_extent(const TaskView& task, const Change& change) const;
    Result<void> prepare(const TaskView& task, Change& change);
    void list_untold(const TaskView& task, Change& change);
    bool can_prepare(const Change& change, const InstanceId& instance) const;
    Result<void> tell_untold(const TaskView& task, Change& change);
    void forget_prepared(const TaskView& task, const Change& change);
    bool is_prepared(const Change& change) const;
    Result<void> pause_steps(const TaskView& task, Change& change);
    void advance(const TaskId& task, Change& change);
    std::optional<Error> missing_process(const Change& change) const;
    std::optional<Error> missing_stage(const TaskView& task) const;
    Result<void> check_security(const TaskView& task, const NextPlan& next) const;
    std::optional<Error> obstacle(const TaskId& task, const Change& change) const;
    const Checkpoint* committed(const TaskId& task, const Change& change) const;
    std::optional<Error> is_kept_from(const SegmentSnapshot& part, const NodeId& to) const;
    Result<void> bring(const TaskId& task, const Checkpoint& from, Change& change);
    Result<void> bring(const TaskId& task, const SegmentSnapshot& part, Change& change);
    void bring_early(const TaskId& task, Change& change);
    Bytes expected(const Checkpoint& from, const Change& change) const;
    Bytes travelled(const Checkpoint& from, const Change& change) const;
    std::vector<std::string> moved_values(const TaskId& task, const SegmentSnapshot& part, const NodeId& to,
                                          const Change& change) const;
    bool has_blob(const std::vector<NodeId>& nodes, const NodeId& node) const;
    Result<void> bring_weights(const TaskView& task, Change& change);
    Result<void> bring(const std::string& hash, const std::vector<NodeId>& from, const NodeId& to, Change& change,
                       std::vector<std::string> values = {});
    void take_force(const TaskId& task, Change& change);
    void refuse(const TaskId& task, Error error);
    void finish(const TaskId& task);
    void answer(const Change& change, Message message);

    OrchestratorContext& context_;
    const Models& models_;
    const TaskQueue& queue_;
    BlobTransfers& transfers_;
    CheckpointMaker& checkpoints_;
    TaskRecovery& recovery_;
    const NodeFitness& fitness_;
    std::map<TaskId, Change> changes_;
    std::map<TaskId, std::optional<Error>> moved_;
    std::uint64_t unasked_ = 0;  ///< number of the last change without a request
    std::uint64_t orders_ = 0;   ///< the last order number, over all tasks
};

}  // namespace divisi::control::inline change
