// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>
#include <vector>

#include "backend/control/protocol/jobs.h"
#include "backend/control/protocol/message.h"
#include "backend/control/types/log_types.h"
#include "backend/control/types/peer.h"

namespace divisi::control::inline protocol {

// What goes into the orchestrator, and what comes out of it.

struct PeerConnected {
    PeerId peer;
    Credentials credentials;
};
struct PeerGone {
    PeerId peer;
    std::string why = "its connection ended";
    bool closed = false;  ///< from the other end: by the process, by its kernel, or by what is between
};
/// The process behind a connection that broke has ended: nobody comes back.
struct PeerEnded {
    PeerId peer;
};
struct Received {
    PeerId peer;
    std::uint64_t correlation = 0;
    Message message;
};
struct Tick {};
/// What the program around it has to tell, for the log.
struct Noticed {
    Noted note;
};
/// The disk with the orchestrator's own data, from time to time.
struct DiskMeasured {
    Bytes disk = 0, free = 0;
};
using Input = std::variant<PeerConnected, PeerGone, Received, Tick, JobDone, PeerEnded, Noticed, DiskMeasured>;

struct Send {
    PeerId peer;
    std::uint64_t correlation = 0;  ///< of the request that this answers; 0: not an answer
    Message message;
};

/// What to do, in this order: make `events` durable, then send, then close, then exit if asked. `jobs` are begun once
/// the events are durable, those of one kind one after the other, and each ends with the input JobDone.
struct Output {
    std::vector<Event> events;
    std::vector<Send> sends;
    std::vector<PeerId> closes;     ///< connections that are over; no PeerGone is expected for them
    std::vector<TaskId> forgotten;  ///< whose skeletons nobody needs any more
    std::vector<Job> jobs;
    std::vector<LogLine> lines;  ///< for the log beside the events; nothing waits for them
    bool exit = false;
};

/// Deadlines of the life cycle; each ends in the exception phase with a message.
struct OrchestratorLimits {
    Duration registration = std::chrono::seconds(60);  ///< from start to the last registration
    Duration preparation = std::chrono::seconds(300);  ///< loading a large model takes its time
    Duration ending = std::chrono::seconds(5);         ///< from EndInstance to StopInstance
    Duration killing = std::chrono::seconds(5);        ///< from StopInstance to giving up on the node's word
    Duration suspect = std::chrono::seconds(60);       ///< in one operation; a large one takes seconds on a CPU
    Duration stuck = std::chrono::seconds(10);         ///< the same where its task recovers, and steps are shorter
    Duration away = return_grace;                      ///< from a broken connection to giving up on who had it
    Duration node_return = std::chrono::minutes(10);   ///< of a node that alone can go on with a task
    Duration quiet = std::chrono::seconds(10);         ///< without a tensor, before a task says whom it waits for
    Duration link_settle = std::chrono::seconds(1);    ///< without a task or a new node, before links are measured
    Duration link_probe = std::chrono::seconds(30);    ///< of one link; a slow one is given up
    Duration link_age = std::chrono::hours(24);        ///< after which one is measured anew: networks change
    Duration link_retry = std::chrono::minutes(10);    ///< after a probe that failed
    Duration lease_expiry = std::chrono::minutes(10);  ///< of those on a node that is away: longer than machines start
    Duration lease_record = std::chrono::minutes(1);   ///< what a crash may lose of a lease's figures
    std::size_t queued_tasks = 1000;                   ///< a task file is some KiB, a skeleton some MiB
    JobLimit segmentations{1, 16};                     ///< each may hold a skeleton, and search for a minute
    JobLimit recut_trials{4, 4};                       ///< each compiles, and searches for a minute at most
    JobLimit policy_trials{1, 4};                      ///< each compiles and plays what runs
    JobLimit backups{1, 4};                            ///< made in turn, each copies the whole log
    JobLimit log_queries{8, 64};                       ///< each may hold a page; a person types ahead of a search
    JobLimit line_queries{8, 64};                      ///< likewise, of lines
};

}  // namespace divisi::control::inline protocol
