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

namespace divisi::control::inline change {

/// Maximum number of incomplete steps of one task. The task's stages are at most a few steps apart. If there are more
/// incomplete steps, a snapshot of the oldest step was lost with its instance or its message.
inline constexpr std::size_t most_pending_steps = 8;
/// Maximum number of nodes that are tried for the copy of a snapshot: if the first copy fails, a second node is tried.
inline constexpr std::size_t most_copy_tries = 2;
/// Minimum number of steps between the last reported step and an ordered snapshot. Stages begin a step before they
/// report the previous step.
inline constexpr std::int64_t order_lead_steps = 2;
/// Minimum time between an order and its step: a message to a busy machine may take this long.
inline constexpr Duration order_lead = std::chrono::milliseconds(100);
/// Each order that comes too late doubles the next lead, up to this multiple of the first lead.
inline constexpr std::int64_t most_lateness = 64;
/// Time allowed, after its step, for an ordered checkpoint to be written to disk and copied to another node. After this
/// time, another checkpoint is ordered.
inline constexpr Duration order_patience = std::chrono::minutes(2);

/// Makes checkpoints of training tasks. Gathers the snapshots that stages take at a step, orders a copy of each on
/// another node, and commits the step once all are durable. Copies only one complete step at a time, then the newest
/// complete step; steps between them are skipped. Slow links therefore make checkpoints rarer but never block them.
/// Orders snapshots at the time intervals that a task asks for, and for clients. Stages take snapshots by step count
/// without an order. Tells nodes which blobs no longer belong to any checkpoint. Only commits are durable: after a
/// restart, steps that were not committed are forgotten, and a later step is committed.
class Checkpoints final : public TransferListener, public CheckpointMaker {
public:
    Checkpoints(OrchestratorContext& context, BlobTransfers& transfers) : context_(context), transfers_(transfers) {}

    /// After a restart: resumes the checkpoints of running tasks.
    void adopt();
    void handle(const Received& received, const SnapshotTaken& message);
    void brought(const std::string& hash, const NodeId& to, std::uint64_t order,
                 const std::optional<Error>& error) override;
    /// Orders a checkpoint for a client or a module. Returns the step at whose end it is taken. Fails with `not_found`
    /// if there is no such task, and with `unsupported` if the task is a batch. Fails with `conflict` if the task
    /// does not train or ends before the step, and with `unavailable` if a stage is away.
    Result<std::int64_t> order(const TaskId& task);
    Result<std::int64_t> order_last(const TaskId& task) override;
    std::optional<std::int64_t> last_step(const TaskId& task) const override;
    std::vector<SegmentSnapshot> taken(const TaskId& task) const override;
    void hold(const TaskId& task) override;
    void let_go(const TaskId& task) override;
    void follow(const Event& event);
    /// Called after each input. Tells nodes which blobs nothing needs any more.
    void poll();
    void check_deadlines();
    std::optional<TimePoint> next_deadline() const;  ///< earliest deadline, in lived time

    /// Returns the snapshots of uncommitted steps, which are not in the state.
    std::set<std::string> pending_blobs() const;

private:
    struct Part {
        SegmentSnapshot snapshot;
        std::optional<NodeId> copying;  ///< node that is getting a copy
        std::set<NodeId> tried;         ///< nodes on which the copy failed
    };
    struct Step {
        std::map<std::int32_t, Part> parts;  ///< snapshots by stage
        double copy_ms = 0;                  ///< longest time that training waited for a stage's copy, in ms
        bool whole = false;                  ///< whether all stages have taken their snapshots
        bool given_up = false;               ///< whether the step was given up: further snapshots of it are dropped
    };
    /// The checkpoints of a running task.
    struct Care {
        std::map<std::int64_t, Step> steps;  ///< uncommitted steps
        std::optional<std::int64_t> copied;  ///< step whose snapshots are being copied
        std::vector<Checkpoint> committed;   ///< checkpoints in the state at the last poll
        bool held = false;                   ///< whether hold() is active: no step is committed
        bool adopted = false;                ///< whether the generation is older than this process
        NoteLimiter notes;
        // Orders (checkpoint_orders.cpp). All times are lived time.
        std::optional<std::int64_t> ordered;  ///< step of the pending order, not committed yet
        TimePoint ordered_at{};
        std::optional<TimePoint> reached;  ///< time at which the task completed the ordered step
        std::optional<TimePoint> due;      ///< time at which to order the next checkpoint, unless one is under way
        std::optional<Duration> cost;      ///< time that training waited for the last checkpoint
        std::int64_t lateness = 1;
        std::optional<std::int64_t> last;  ///< step after which the stages hold
    };

    // Gathering, copying and committing snapshots.
    const InstanceView* heard(const SnapshotTaken& message) const;
    void missing(const TaskView& task, std::int64_t step, const std::string& whose, const Error& error);
    void forget_oldest(const TaskId& task);
    void whole(const TaskId& task, std::int64_t number);
    void copy(const TaskId& task, std::int64_t number);
    void copy_next(const TaskId& task);
    std::optional<NodeId> node_for_copy(const TaskId& task, const Part& part) const;
    bool order_copy(const TaskId& task, std::int64_t number, Part& part);
    bool copy_failed(const TaskId& task, std::int64_t number, Part& part, const Error& error);
    void commit_if_copied(const TaskId& task, std::int64_t number);
    void commit(const TaskId& task, std::int64_t number);
    void give_up(Care& care, std::int64_t number);
    void give_up_all(Care& care);
    void begin_again(const TaskId& task);
    bool is_copied_to(const std::string& hash, const NodeId& node) const;
    void forget_dropped(const TaskId& task);
    using Blobs = std::map<NodeId, std::set<std::string>>;
    Blobs take_dropped();
    void drop(const Step& step);
    void drop(const SegmentSnapshot& snapshot);
    void note(const TaskId& task, const std::string& text);
    const TaskView& task_of(const TaskId& task) const { return context_.state().tasks.at(task); }

    // Ordering snapshots (checkpoint_orders.cpp).
    void arm(const TaskId& task);
    Duration interval(const TaskView& task, const Care& care) const;
    std::int64_t lead(const TaskView& task, const Care& care) const;
    Result<std::int64_t> order(const TaskView& task, Care& care);
    void order_due(const TaskView& task, Care& care);
    void order_again(const TaskView& task, Care& care);
    bool comes(const TaskView& task, const Care& care) const;
    void go_on(const TaskId& task, Care& care);
    void abort_pending();
    void step_done(const TaskId& task);
    void measured(const TaskView& task, Care& care, double copy_ms);
    static void order_over(Care& care);
    static std::optional<TimePoint> next_order(const TaskView& task, const Care& care);

    OrchestratorContext& context_;
    BlobTransfers& transfers_;
    std::map<TaskId, Care> cares_;
    std::map<std::pair<std::string, NodeId>, NodeId> copies_;  ///< copies under way: (hash, destination) to source
    Blobs dropped_;                                            ///< blobs dropped since the last poll()
};

/// Returns the instances that train a task's stages, in the order of their SIDs.
std::vector<const InstanceView*> stages_of(const ClusterState& state, const TaskId& task);
/// Returns the step of a task's newest checkpoint; 0 if it has none.
std::int64_t last_commit(const TaskView& task);

}  // namespace divisi::control::inline change
