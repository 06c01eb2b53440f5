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

namespace divisi::control::inline change {

/// Steps of one task of which not all snapshots are there. Its stages are a few steps apart at most: of a step that is
/// older than so many others, a snapshot was lost with its instance or with a message.
inline constexpr std::size_t most_pending_steps = 8;
/// Nodes that a copy is tried on: a second one where the first has gone.
inline constexpr std::size_t most_copy_tries = 2;
/// How far ahead of the last step that was reported a snapshot is ordered, at least: stages begin a step before the one
/// before it is reported.
inline constexpr std::int64_t order_lead_steps = 2;
/// And at least so far in time: a message takes that long to a busy machine.
inline constexpr Duration order_lead = std::chrono::milliseconds(100);
/// Each time that an order came too late the next lead is twice as long, up to so many times the first.
inline constexpr std::int64_t most_lateness = 64;
/// After its step an ordered checkpoint takes as long as the snapshots take to a disk and to another node; then another
/// one is ordered.
inline constexpr Duration order_patience = std::chrono::minutes(2);

/// Makes checkpoints of training tasks: gathers the snapshots that stages take of a step, orders a copy of each on
/// another node, and commits the step once all are durable. Of steps that are whole, one is copied at a time and then
/// the newest, so that slow links make checkpoints rarer and never hold them up. Orders snapshots where a task wants
/// them by time, or a client asks; stages that count steps take them by themselves. What no checkpoint has any more is
/// told to its nodes. Commits alone are durable: a restart forgets what was under way, and the next step commits.
class Checkpoints final : public TransferListener, public CheckpointMaker {
public:
    Checkpoints(Desk& desk, BlobTransfers& transfers) : desk_(desk), transfers_(transfers) {}

    /// After a restart: the tasks that train go on to be cared for.
    void adopt();
    void handle(const Received& received, const SnapshotTaken& message);
    void brought(const std::string& hash, const NodeId& to, std::uint64_t order,
                 const std::optional<Error>& error) override;
    /// As a client or a module asks. Returns the step at whose end it is taken; fails where there is no such task
    /// (`not_found`), it does not train or ends before (`conflict`), it is a batch (`unsupported`), or a stage is away
    /// (`unavailable`).
    Result<std::int64_t> order(const TaskId& task);
    Result<std::int64_t> order_last(const TaskId& task) override;
    std::optional<std::int64_t> last_step(const TaskId& task) const override;
    std::vector<SegmentSnapshot> taken(const TaskId& task) const override;
    void hold(const TaskId& task) override;
    void let_go(const TaskId& task) override;
    void follow(const Event& event);
    /// After each input: nodes are told which blobs nobody needs any more.
    void look();
    void check_deadlines();
    std::optional<TimePoint> next_deadline() const;  ///< in lived time

    /// Snapshots of steps that are not committed yet, which the state does not know of.
    std::set<std::string> pending_blobs() const;

private:
    struct Part {
        SegmentSnapshot snapshot;
        std::optional<NodeId> copying;  ///< to which node
        std::set<NodeId> tried;         ///< that got none
    };
    struct Step {
        std::map<std::int32_t, Part> parts;  ///< by stage
        double copy_ms = 0;                  ///< that training waited, the longest of its stages
        bool whole = false;                  ///< all stages have taken theirs
        bool given_up = false;               ///< what comes of it goes
    };
    /// Of a task that runs.
    struct Care {
        std::map<std::int64_t, Step> steps;  ///< that are not committed
        std::optional<std::int64_t> copied;  ///< the one of them whose snapshots are being copied
        std::vector<Checkpoint> committed;   ///< as the state had them
        bool held = false;                   ///< no step is committed
        bool adopted = false;                ///< its generation was there before this process
        NoteLimiter notes;
        // Orders (checkpoint_orders.cpp). Times are lived.
        std::optional<std::int64_t> ordered;  ///< a step that is not committed yet
        TimePoint ordered_at{};
        std::optional<TimePoint> reached;  ///< when it was done
        std::optional<TimePoint> due;      ///< when the next is ordered, unless one is still under way
        std::optional<Duration> cost;      ///< that training waited last
        std::int64_t lateness = 1;
        std::optional<std::int64_t> last;  ///< the step that its stages do not go beyond
    };

    // Snapshots are gathered, copied and committed.
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
    const TaskView& task_of(const TaskId& task) const { return desk_.state().tasks.at(task); }

    // Snapshots are ordered (checkpoint_orders.cpp).
    void arm(const TaskId& task);
    Duration interval(const TaskView& task, const Care& care) const;
    std::int64_t lead(const TaskView& task, const Care& care) const;
    Result<std::int64_t> order(const TaskView& task, Care& care);
    void order_due(const TaskView& task, Care& care);
    void order_again(const TaskView& task, Care& care);
    bool comes(const TaskView& task, const Care& care) const;
    void go_on(const TaskId& task, Care& care);
    void go_on_in_vain();
    void step_done(const TaskId& task);
    void measured(const TaskView& task, Care& care, double copy_ms);
    static void order_over(Care& care);
    static std::optional<TimePoint> next_order(const TaskView& task, const Care& care);

    Desk& desk_;
    BlobTransfers& transfers_;
    std::map<TaskId, Care> cares_;
    std::map<std::pair<std::string, NodeId>, NodeId> copies_;  ///< under way: hash and where to, where from
    Blobs dropped_;                                            ///< since the last look()
};

/// The instances that train a task's stages, in the order of their SIDs.
std::vector<const InstanceView*> stages_of(const ClusterState& state, const TaskId& task);
/// The step of a task's newest checkpoint; 0: it has none.
std::int64_t last_commit(const TaskView& task);

}  // namespace divisi::control::inline change
