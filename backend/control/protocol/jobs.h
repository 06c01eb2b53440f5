// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <variant>

#include "backend/control/protocol/log_messages.h"
#include "backend/control/protocol/plan_summary.h"
#include "backend/control/protocol/planning_messages.h"
#include "backend/control/protocol/task_messages.h"
#include "backend/control/state/policy_trial.h"
#include "backend/control/types/backup_types.h"
#include "backend/control/types/log_types.h"

namespace divisi::control::inline protocol {

using JobId = StrongId<struct JobTag, std::uint64_t>;

/// A request for a plan of a model and its estimated cost.
struct Segmentation {
    SegmentModel request;  ///< request; its [split] section was already checked
    ClusterState nodes;    ///< the cluster's name, nodes and links at this time; no tasks, no log
};
/// A task to be planned before it is queued. The SIDs in the plan begin with unnamed_task.
struct Planning {
    std::shared_ptr<const SubmitTask> submission;
    std::string before = {};  ///< task file of the plan that this one replaces; empty: this is the first plan
};

/// A search for better cuts for a training task, with the same number of cuts and the same nodes.
struct RecutTrialJob {
    std::string text, skeleton;            ///< task file with the current cuts, and the skeleton
    std::vector<std::string> stage_nodes;  ///< nodes of the current plan, by stage
    std::vector<double> busy_ms;  ///< measured time of each stage, as in RecutFigures; prices are calibrated to match
    ClusterState nodes = {};      ///< nodes, links, devices and the policies in force; no tasks
};

/// Work that may take longer than one round of the orchestrator's loop. A job runs outside the loop, which does not
/// wait for the result.
struct Job {
    using What = std::variant<Segmentation, Planning, QueryLog, PolicyTrialJob, BackUp, QueryLines, RecutTrialJob>;
    JobId id;
    What what;
};
/// The end of a job, with its result or error.
struct JobDone {
    using Answer = std::variant<Result<ModelSegmented>, Result<PlanSummary>, Result<LogPage>, Result<PolicyTrial>,
                                Result<BackedUp>, Result<LinesPage>, Result<RecutTrial>>;
    JobId id;
    Answer answer;
};

/// Maximum numbers of open jobs of one kind: per peer, and in total. Each job may hold a model or a page of the log.
struct JobLimit {
    std::size_t of_peer = 1;
    std::size_t of_all = 16;
};

/// The unfinished jobs and their requesters.
class JobBook {
public:
    struct Asked {
        PeerId peer;
        std::uint64_t correlation = 0;
        std::shared_ptr<const SubmitTask> submission = {};  ///< submission of a task that is not queued yet
        TaskId queued = {};           ///< task that is planned again; no client waits for an answer
        std::uint64_t exception = 0;  ///< exception whose task is submitted again; 0: none
        TaskId recut = {};            ///< task that continues with this plan (recuts.h)
        TaskId advised = {};          ///< task for which better cuts are sought (recut_adviser.h)
        Generation plan_since = 0;    ///< generation of the plan that the new cuts are compared with
    };

    /// Opens a job. Fails with `exhausted` if the limit is reached.
    Result<Job> open(Asked asked, Job::What what, JobLimit limit);
    /// Closes a job and returns its requester; none if the job is not open.
    std::optional<Asked> close(JobId job);
    template <typename What>
    std::size_t count() const {
        return count(Job::What(What{}).index());
    }
    bool planning(const TaskId& task) const;

private:
    struct Entry {
        Asked asked;
        std::size_t kind = 0;  ///< position in Job::What
    };
    std::size_t count(std::size_t kind, std::optional<PeerId> peer = std::nullopt) const;

    std::map<JobId, Entry> open_;
    std::uint64_t last_ = 0;
};

}  // namespace divisi::control::inline protocol
