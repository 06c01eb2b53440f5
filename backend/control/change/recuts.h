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
#include "backend/control/core/desk.h"
#include "backend/control/queue/models.h"
#include "backend/control/queue/task_queue.h"
#include "backend/control/runs/runs.h"

namespace divisi::control::inline change {

/// From a re-cut's planning to the first step of its plan. Nothing is harmed by giving one up before it takes force; a
/// step may take minutes, and so may files of large models on their way.
inline constexpr Duration recut_patience = std::chrono::minutes(10);
/// How long the stages of the old plan stand still at most, beside the time that the snapshots take which are brought
/// at this many bytes a second: what is slower than that must be broken.
inline constexpr Duration stand_patience = std::chrono::minutes(2);
inline constexpr Bytes slowest_bring = Bytes{4} << 20;

/// Whether it does steps now, and nobody ends it.
bool trains_now(const TaskView& task);

/// Gives tasks that train other plans. While the old plan trains on, the new one is compiled beside the loop and in
/// every process that is to go on by it, and processes are started where there is none. Then all stages stand still at
/// the end of one step, whose checkpoint the nodes of the new stages get as far as they lack it, and the new plan takes
/// force after that step as the next generation: no step is done again. Until then nothing of it is durable: what goes
/// wrong, a restart too, leaves the old plan, whose stages go on. After that a fault is one like any other.
class Recuts final : public TransferListener {
public:
    Recuts(Desk& desk, const Models& models, const TaskQueue& queue, BlobTransfers& transfers,
           CheckpointMaker& checkpoints, Runs& runs)
        : desk_(desk), models_(models), queue_(queue), transfers_(transfers), checkpoints_(checkpoints), runs_(runs) {}

    void handle(const Received& received, const Recut& message);
    void handle(const Received& received, const PlanPrepared& message);
    /// Takes the stages of a task that trains off nodes that are drained: it goes on by its plan with another
    /// placement. Refused as a re-cut is. What comes of it take_moved() says.
    Result<void> move(const TaskId& task, const std::string& by);
    /// Gives a task that trains these cuts, as if somebody had asked for it; how it goes stands in the log.
    Result<void> follow_advice(const TaskId& task, const std::vector<std::string>& cuts);
    bool changes(const TaskId& task) const { return changes_.contains(task); }
    /// The moves that are over since it was last asked, each with why it came to nothing.
    std::map<TaskId, std::optional<Error>> take_moved() { return std::exchange(moved_, {}); }
    /// What came of planning, for a job whose JobBook::Asked::recut is the task.
    void planned(const JobBook::Asked& asked, const Result<PlanSummary>& plan);
    void arrived(const std::string& hash, const NodeId& to, std::uint64_t order, Bytes size) override;
    void brought(const std::string& hash, const NodeId& to, std::uint64_t order,
                 const std::optional<Error>& error) override;
    /// After each input: those go on that have what they waited for.
    void look();
    std::optional<TimePoint> next_deadline() const;  ///< in lived time; look() keeps it

private:
    enum class Stage {
        planning,
        preparing,   ///< in the processes of the new plan
        checkpoint,  ///< waits for one, at whose step the stages stand still
        bringing,    ///< of snapshots to the nodes of the new plan
        in_force,    ///< waits for its first step
    };
    struct Change {
        PeerId peer{};
        std::uint64_t correlation = 0;  ///< where nobody waits for an answer, a number of its own
        bool unasked = false;           ///< nobody waits for an answer
        bool moves = false;             ///< likewise, and the plan stays
        Stage stage = Stage::planning;
        Generation generation = 1;  ///< of the plan that it changes
        NextPlan next;
        std::uint64_t order = 0;                    ///< what PlanPrepared answers, and its transfers have
        std::map<InstanceId, std::int32_t> untold;  ///< who is to prepare it, and which stage it builds, if any
        std::set<InstanceId> told, compiling;       ///< who was told to; of them, who has not answered
        using Blobs = std::set<std::pair<std::string, NodeId>>;
        Blobs awaited, arrived;                                 ///< hashes, and where to
        std::map<std::pair<std::string, NodeId>, Bytes> sizes;  ///< of those that have arrived; parts of blobs, too
        std::set<std::string> early;                            ///< snapshots that were ordered before the checkpoint
        Bytes brought = 0;
        std::optional<Error> failure;
        TimePoint deadline{};            ///< lived
        std::optional<TimePoint> stood;  ///< since when the old plan trains no more, lived
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
    Result<void> stand_still(const TaskView& task, Change& change);
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

    Desk& desk_;
    const Models& models_;
    const TaskQueue& queue_;
    BlobTransfers& transfers_;
    CheckpointMaker& checkpoints_;
    Runs& runs_;
    std::map<TaskId, Change> changes_;
    std::map<TaskId, std::optional<Error>> moved_;
    std::uint64_t unasked_ = 0;  ///< numbers them
    std::uint64_t orders_ = 0;   ///< the last; of all tasks
};

}  // namespace divisi::control::inline change
