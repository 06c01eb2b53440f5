// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <variant>

#include "backend/control/protocol/message.h"
#include "backend/control/protocol/plan_summary.h"

namespace divisi::control::inline protocol {

using JobId = StrongId<struct JobTag, std::uint64_t>;

/// A plan that somebody asks the price of.
struct Segmentation {
    SegmentModel request;  ///< its [split] is checked
    ClusterState nodes;    ///< the cluster's name, nodes and links as they are now; no tasks, no log
};
/// A task that is planned before it is queued. Its SIDs begin with unnamed_task.
struct Planning {
    std::shared_ptr<const SubmitTask> submission;
    std::string before = {};  ///< the task file of the plan that this one is to follow; empty: it is the first
};

/// Other cuts for a task that trains, as many as it has, for the nodes that it is on.
struct RecutTrialJob {
    std::string text, skeleton;            ///< the task as it is, with its cuts
    std::vector<std::string> stage_nodes;  ///< of the plan in force
    std::vector<double> busy_ms;           ///< as RecutFigures has it; prices are made to agree
    ClusterState nodes = {};               ///< nodes, links and devices, with the policies in force; no tasks
};

/// What may take longer than a round of the orchestrator's loop: it is done beside the loop, which goes on meanwhile.
struct Job {
    using What = std::variant<Segmentation, Planning, QueryLog, PolicyTrialJob, BackUp, QueryLines, RecutTrialJob>;
    JobId id;
    What what;
};
/// The end of a job: what came of it, or why nothing did.
struct JobDone {
    using Answer = std::variant<Result<ModelSegmented>, Result<PlanSummary>, Result<LogPage>, Result<PolicyTrial>,
                                Result<BackedUp>, Result<LinesPage>, Result<RecutTrial>>;
    JobId id;
    Answer answer;
};

/// How many jobs of one kind may be open: each may hold a model or a page of the log.
struct JobLimit {
    std::size_t of_peer = 1;
    std::size_t of_all = 16;
};

/// Jobs that are not done yet, and who waits for them.
class JobBook {
public:
    struct Asked {
        PeerId peer;
        std::uint64_t correlation = 0;
        std::shared_ptr<const SubmitTask> submission = {};  ///< of a task that is not queued yet
        TaskId queued = {};                                 ///< a task that is planned anew; nobody waits for an answer
        std::uint64_t exception = 0;                        ///< whose task is submitted again; 0: of none
        TaskId recut = {};                                  ///< a task that goes on by this plan (recuts.h)
        TaskId advised = {};                                ///< a task that other cuts are looked for (recut_adviser.h)
        Generation plan_since = 0;                          ///< likewise: of the plan that they are compared with
    };

    /// Refuses (exhausted) what would pass the limit.
    Result<Job> open(Asked asked, Job::What what, JobLimit limit);
    /// Who waits; none for a job that is not open.
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
