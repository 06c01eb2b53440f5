// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "backend/task/parse.h"

namespace divisi::control::inline state {

// Limits for the size of everything in the control plane, in one table. The orchestrator refuses larger input
// (input_limits.h), the state keeps no larger values (state.h), and the codec (wire) writes and reads no larger values.
// All admitted input can therefore be logged, sent and read again.

/// The size of a value in a message. Elements are its sub-messages and strings. A parsed element takes about a hundred
/// bytes of memory, even if it takes few bytes on the wire.
struct EncodedSize {
    std::size_t bytes = 0;
    std::size_t elements = 0;

    EncodedSize& operator+=(const EncodedSize& other) {
        bytes += other.bytes;
        elements += other.elements;
        return *this;
    }
    bool within(const EncodedSize& limit) const { return bytes <= limit.bytes && elements <= limit.elements; }
};
inline EncodedSize operator+(EncodedSize a, const EncodedSize& b) { return a += b; }

// --- input -------------------------------------------------------------------------------------

/// Longest name or hash, in bytes: text that a person types or a program derives. SIDs and instance ids consist of
/// names of at most 64 characters.
inline constexpr std::size_t longest_word = 256;
/// Longest path, as in Linux (PATH_MAX).
inline constexpr std::size_t longest_path = 4096;
/// Longest reason or part of an error. The end of a process's output is a few KiB, and users read no more.
inline constexpr std::size_t longest_detail = 8u << 10;
/// Longest task file. parse_task() refuses a longer file.
inline constexpr std::size_t longest_task_text = task::most_file_bytes;
/// Maximum number of files of a task. A task has at most five: weights, data, labels, and validation data and labels.
inline constexpr std::size_t most_task_files = 64;
/// Largest skeleton in a control message; a graph of 10,000 operators takes about 2 MB.
inline constexpr std::size_t skeleton_limit = 32u << 20;
/// Maximum size of a task with its plan but without its skeleton. 256 stages with their units and cuts take 200 KB and
/// 5,000 elements.
inline constexpr EncodedSize task_limit{2u << 20, 50'000};
/// Maximum number of heads in a report of one step, and maximum size of the report. A curve keeps at least two such
/// reports.
inline constexpr std::size_t most_heads = 4096;
inline constexpr std::size_t report_bytes = 512u << 10;
/// Maximum total size of all waiting tasks, which the orchestrator holds in memory.
inline constexpr std::size_t queue_bytes = 256u << 20;

// --- retention ---------------------------------------------------------------------------------

/// Maximum number of ended tasks in the state, and their maximum total size. Older tasks stay in the event log.
inline constexpr std::size_t ended_task_limit = 200;
inline constexpr std::size_t ended_task_bytes = 64u << 20;
/// Maximum number of entries in the exception queue, and maximum total size of their tasks with models. The oldest are
/// evicted first. Users do not read longer lists.
inline constexpr std::size_t most_exceptions = 200;
inline constexpr std::size_t exception_bytes = 128u << 20;
/// Maximum number of model versions with weights, and maximum total size of their tasks with models. The oldest
/// versions from which no other version was started are evicted first. Up to most_version_records versions without
/// weights are kept for the lineage of other versions.
inline constexpr std::size_t most_versions = 64;
inline constexpr std::size_t version_bytes = 128u << 20;
inline constexpr std::size_t most_version_records = 1000;
/// Maximum number of alerts in the state: raised alerts and the newest cleared alerts.
inline constexpr std::size_t most_alerts = 500;
/// Maximum number of recoveries of a task that are listed individually.
inline constexpr std::size_t most_recoveries = 16;
/// Maximum number of points of a curve in the state (a chart is a few hundred pixels wide), and their maximum total
/// weight. A point weighs one, plus one for each head, since a multi-task curve has a line per head. The whole curve
/// stays in the event log.
inline constexpr std::size_t curve_points = 1000;
inline constexpr std::size_t curve_weight = 8192;
/// Number of newest points of a curve that are never thinned. The newest points give the current step time, and serve
/// clients that missed a few points.
inline constexpr std::size_t curve_tail = 128;
/// Maximum number of checkpoint snapshots of a task in the state: 100 checkpoints of 40 stages, so that the task fits
/// on a page.
inline constexpr std::size_t most_snapshots = 4096;
/// Maximum number of events that the state keeps as lines for the log view.
inline constexpr std::size_t recent_limit = 500;
/// Maximum number of links in the state; the newest are kept. The limit covers all links between 64 hosts, the maximum
/// number of hosts whose links are measured.
inline constexpr std::size_t link_limit = 64 * 64;
/// Maximum number of task names whose last number is remembered individually. All other names share one lower bound, so
/// that no id is used twice.
inline constexpr std::size_t most_task_names = 4096;

// --- messages ----------------------------------------------------------------------------------

/// Maximum number of elements of one message: 4 MB of empty elements would take 140 MB of memory.
inline constexpr std::size_t message_elements = 200'000;
/// Maximum size of an event, or of a message with several events. The limit is twice task_limit, since a task grows
/// when it starts and its instances get names.
inline constexpr std::size_t event_bytes = 2 * task_limit.bytes;
/// Size at which a page of a snapshot, of the log or of a push is complete, so that another page begins.
inline constexpr EncodedSize page_fill{1u << 20, 25'000};
/// Maximum size of a page including its last entry, which may be a task with its plan, curves, weights and error.
inline constexpr std::size_t page_bytes = 8u << 20;
/// Maximum number of keys on one page of an access list. Each key takes 40 characters and a name, and a page is one
/// frame of 64 KiB.
inline constexpr std::size_t access_page_keys = 128;
/// Maximum number of pages of a snapshot, so that a faulty orchestrator cannot exhaust a client's memory.
inline constexpr std::size_t most_snapshot_pages = 4096;
/// Maximum number of snapshots being fetched at a time, since each is a copy of the state.
inline constexpr std::size_t most_open_snapshots = 8;

static_assert(2 * task_limit.elements <= message_elements &&
              page_fill.elements + task_limit.elements < message_elements);

}  // namespace divisi::control::inline state
