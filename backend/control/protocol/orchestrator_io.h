// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>
#include <vector>

#include "backend/control/protocol/jobs.h"
#include "backend/control/protocol/message.h"
#include "backend/control/protocol/silence.h"
#include "backend/control/types/log_types.h"
#include "backend/control/types/types.h"

namespace divisi::control::inline protocol {

// Inputs and outputs of the orchestrator.

struct PeerConnected {
    PeerId peer;
    Credentials credentials;
};
struct PeerGone {
    PeerId peer;
    std::string why = "its connection ended";
    /// whether the other end closed the connection: the process, its kernel, or a device in between
    bool closed = false;
};
/// The process behind a broken connection has ended, so it will not reconnect.
struct PeerEnded {
    PeerId peer;
};
struct Received {
    PeerId peer;
    std::uint64_t correlation = 0;
    Message message;
};
struct Tick {};
/// A line that the surrounding program wants to log.
struct Noticed {
    Noted note;
};
/// A periodic measurement of the disk that holds the orchestrator's own data.
struct DiskMeasured {
    Bytes disk = 0, free = 0;
};
using Input = std::variant<PeerConnected, PeerGone, Received, Tick, JobDone, PeerEnded, Noticed, DiskMeasured>;

struct Send {
    PeerId peer;
    std::uint64_t correlation = 0;  ///< correlation of the request that this message answers; 0: not an answer
    Message message;
};

/// Holds the actions for the host, in this order: make `events` durable, send, close, and exit if asked. `jobs` start
/// once the events are durable. Jobs of one kind run one after another, and each ends with the input JobDone.
struct Output {
    std::vector<Event> events;
    std::vector<Send> sends;
    std::vector<PeerId> closes;     ///< connections to close; no PeerGone is expected for them
    std::vector<TaskId> forgotten;  ///< tasks whose skeletons are no longer needed
    std::vector<Job> jobs;
    std::vector<LogLine> lines;  ///< extra log lines that are not events; they need not be durable
    bool exit = false;
};

/// Timeouts and other limits. If `registration` or `preparation` expires, the task fails or recovers, with a message.
struct OrchestratorLimits {
    Duration registration = std::chrono::seconds(60);  ///< time limit from start to the last registration
    Duration preparation = std::chrono::seconds(300);  ///< time limit for preparing; loading a large model takes long
    Duration ending = std::chrono::seconds(5);         ///< time limit from EndInstance to StopInstance
    Duration killing = std::chrono::seconds(5);        ///< time limit from StopInstance to the node's report
    Duration suspect = std::chrono::seconds(60);       ///< time limit of one operation; a large one takes seconds
    Duration stuck = std::chrono::seconds(10);  ///< limit of one operation if the task can recover; at least ten steps
    Duration away = return_grace;               ///< time from a broken connection until its peer is given up
    Duration node_return = std::chrono::minutes(10);  ///< wait for a node that the task cannot continue without
    Duration quiet = std::chrono::seconds(10);  ///< time without a tensor before a task reports what it is waiting for
    Duration link_settle = std::chrono::seconds(1);    ///< time without a task or a new node before links are measured
    Duration link_probe = std::chrono::seconds(30);    ///< time to probe one link; a slower probe is abandoned
    Duration link_age = std::chrono::hours(24);        ///< age at which a link is measured again, since networks change
    Duration link_retry = std::chrono::minutes(10);    ///< delay after a failed probe
    Duration lease_expiry = std::chrono::minutes(10);  ///< time limit of an away node's leases; longer than a reboot
    Duration lease_record = std::chrono::minutes(1);   ///< interval at which a lease's figures are logged
    std::size_t queued_tasks = 1000;  ///< maximum number of queued tasks: a task file has some KiB, a skeleton some MiB
    JobLimit segmentations{1, 16};    ///< limit of segmentations: each may hold a skeleton and search for a minute
    JobLimit recut_trials{4, 4};      ///< limit of searches for cuts: each compiles and searches for at most a minute
    JobLimit policy_trials{1, 4};     ///< limit of policy trials: each compiles the running tasks and simulates them
    JobLimit backups{1, 4};           ///< limit of backups: one after another, since each copies the whole log
    /// limit of log queries: each may hold a page; a person may type queries faster than a search runs
    JobLimit log_queries{8, 64};
    JobLimit line_queries{8, 64};  ///< limit of line queries: each may hold a page of log lines
};

}  // namespace divisi::control::inline protocol
