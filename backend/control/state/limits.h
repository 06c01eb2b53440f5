// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "backend/task/parse.h"

namespace divisi::control::inline state {

// How much one thing of the control plane may hold. One table for all who handle it: the orchestrator refuses at its
// door what is larger (door.h), the state keeps no more (state.h), and the codec (wire) writes and reads no more. So
// what was let in can always be logged, sent and read again.

/// What something takes in a message. Elements are its sub-messages and strings: parsed, each costs some hundred bytes,
/// however few it has on the wire.
struct Extent {
    std::size_t bytes = 0;
    std::size_t elements = 0;

    Extent& operator+=(const Extent& other) {
        bytes += other.bytes;
        elements += other.elements;
        return *this;
    }
    bool within(const Extent& limit) const { return bytes <= limit.bytes && elements <= limit.elements; }
};
inline Extent operator+(Extent a, const Extent& b) { return a += b; }

// --- what comes in -----------------------------------------------------------------------------

/// Names, hashes, users: what a person types or a program derives. SIDs and instances are made of names of 64.
inline constexpr std::size_t longest_word = 256;
/// Linux takes no longer path (PATH_MAX).
inline constexpr std::size_t longest_path = 4096;
/// A reason or an error's part: the end of a process's output is a few KiB, and more is no reading for a person.
inline constexpr std::size_t longest_detail = 8u << 10;
/// Nodes parse no longer task file.
inline constexpr std::size_t longest_task_text = task::most_file_bytes;
/// Weights, data, labels and the same for validation: a task names six files at most.
inline constexpr std::size_t most_task_files = 64;
/// Largest skeleton in a control message; a graph of 10,000 operators takes about 2 MB.
inline constexpr std::size_t skeleton_limit = 32u << 20;
/// A task with its plan but without its skeleton: 256 stages with their units and cuts take 200 KB and 5,000 elements.
inline constexpr Extent task_limit{2u << 20, 50'000};
/// Heads that a report of one step may name, and its bytes: a curve keeps two such reports at least.
inline constexpr std::size_t most_heads = 4096;
inline constexpr std::size_t report_bytes = 512u << 10;
/// All tasks that wait, together: the orchestrator holds them in memory.
inline constexpr std::size_t queue_bytes = 256u << 20;

// --- what is kept ------------------------------------------------------------------------------

/// Ended tasks that the state keeps, and their bytes together; older ones stay in the event log.
inline constexpr std::size_t ended_task_limit = 200;
inline constexpr std::size_t ended_task_bytes = 64u << 20;
/// Entries of the exception queue, and what their tasks take together, models included; the oldest go first. Nobody
/// reads through more.
inline constexpr std::size_t most_exceptions = 200;
inline constexpr std::size_t exception_bytes = 128u << 20;
/// Versions of models whose weights are kept, and what their tasks take together, models included; those that no other
/// began with go first, the oldest of them. Of versions without weights so many stay in the lineage of others.
inline constexpr std::size_t most_versions = 64;
inline constexpr std::size_t version_bytes = 128u << 20;
inline constexpr std::size_t most_version_records = 1000;
/// Alerts that the state keeps, those that stand and the newest of those that were cleared.
inline constexpr std::size_t most_alerts = 500;
/// Recoveries of a task that are told one by one.
inline constexpr std::size_t most_recoveries = 16;
/// Points of a curve that the state keeps (a chart is a few hundred pixels wide), and their weight: a point counts one,
/// and one more for each head, since a multi-task curve has a line a head. The whole curve stays in the event log.
inline constexpr std::size_t curve_points = 1000;
inline constexpr std::size_t curve_weight = 8192;
/// Newest points of a curve that are all kept, for the step time of now and for clients that missed a few.
inline constexpr std::size_t curve_tail = 128;
/// Snapshots of a task's checkpoints that the state keeps: 100 checkpoints of 40 stages, so that the task fits a page.
inline constexpr std::size_t most_snapshots = 4096;
/// Events that the state keeps as lines for the log view.
inline constexpr std::size_t recent_limit = 500;
/// Links that the state keeps, the newest: those of 64 hosts with each other, which is what is surveyed.
inline constexpr std::size_t link_limit = 64 * 64;
/// Task names whose last number is remembered one by one; the rest share one floor, so that no id is given twice.
inline constexpr std::size_t most_task_names = 4096;

// --- what travels ------------------------------------------------------------------------------

/// Elements of one message: 4 MB of empty ones would take 140 MB.
inline constexpr std::size_t message_elements = 200'000;
/// An event, and what carries several: a task within task_limit, twice (its instances get names when it starts).
inline constexpr std::size_t event_bytes = 2 * task_limit.bytes;
/// A page of a snapshot, of the log or of a push is closed when it is as large as this, ...
inline constexpr Extent page_fill{1u << 20, 25'000};
/// ... and holds at most this with its last entry: a task with its plan, curves, weights and error.
inline constexpr std::size_t page_bytes = 8u << 20;
/// Keys on one page of an access list: each takes 40 characters and a name, and a page is one frame of 64 KiB.
inline constexpr std::size_t access_page_keys = 128;
/// Pages of a snapshot, so that a broken orchestrator cannot fill a client.
inline constexpr std::size_t most_snapshot_pages = 4096;
/// Snapshots that are being fetched, each a copy of the state.
inline constexpr std::size_t most_open_snapshots = 8;

static_assert(2 * task_limit.elements <= message_elements &&
              page_fill.elements + task_limit.elements < message_elements);

}  // namespace divisi::control::inline state
