// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/plan/program.h"

namespace divisi::control::inline types {

// Spans are the measured operations of instances in a step. Spans are telemetry: instances report spans of some steps,
// and only while a client watches. Nothing waits for spans, and dropped spans are counted. Spans are neither in the log
// nor in the state.

/// One measured operation.
struct OperationSpan {
    std::int32_t unit = 0;  ///< stage, or plan::data_unit
    plan::OperationKind kind = plan::OperationKind::forward;
    std::int32_t microbatch = 0;
    Duration begin{};  ///< time since InstanceSpans::begin; negative if the data was read ahead
    Duration length{};
    bool operator==(const OperationSpan&) const = default;
};

/// Operations of one instance in one step.
struct InstanceSpans {
    TaskId task;
    InstanceId instance;
    Generation generation = 1;
    std::int64_t step = 0;
    /// End of the work before the step, and time of sending, both by the clock of the instance's machine.
    TimePoint begin{}, sent{};
    Duration length{};                 ///< from `begin` to the end of the step
    std::vector<OperationSpan> spans;  ///< spans ordered by end time, at most most_reported_spans
    std::uint32_t left_out = 0;        ///< number of the step's last operations, which did not fit
    std::uint64_t dropped = 0;         ///< reports dropped since the last sent report
    bool operator==(const InstanceSpans&) const = default;
};

/// Maximum number of operations in one report. A span takes at most 16 bytes in practice, so that this many fit a
/// control frame.
inline constexpr std::size_t most_reported_spans = 2000;
/// Minimum time between two reported steps of an instance. The orchestrator chooses the steps accordingly. Recording
/// costs about 50 ns an operation, and a report about 0.1 ms and at most 32 KB. The total is far below 1 % of a
/// processor and of a link.
inline constexpr Duration span_interval = std::chrono::seconds(2);
/// Minimum interval between the reports of an instance, regardless of its orders, since steps may have become shorter.
inline constexpr Duration least_span_interval = std::chrono::seconds(1);
/// Time for which a request for spans is valid. A watching client repeats the request in time; a request need not be
/// cancelled.
inline constexpr Duration span_watch = std::chrono::seconds(6);
/// Interval at which a watching client repeats its request.
inline constexpr Duration span_watch_again = std::chrono::seconds(2);
/// Maximum number of tasks that one connection may watch at a time.
inline constexpr std::size_t most_watched_tasks = 8;

/// Bounds that prevent an overflow when times are added: no step takes longer, and no time is later (year 2116).
inline constexpr Duration longest_span = std::chrono::hours(24 * 30);
inline constexpr TimePoint latest_span{Duration(std::int64_t{1} << 62)};

// --- messages ----------------------------------------------------------------------------------

/// Sent by clients to request spans of this task's steps for the next span_watch. Answered by Done or Refused.
struct WatchSpans {
    TaskId task;
};
/// Sent to an instance that reports spans (RegisterInstance::reports_spans) when a client watches; not answered. For
/// the next span_watch, the instance reports steps that are multiples of `every`, so that all instances report the same
/// steps.
struct ReportSpans {
    TaskId task;
    Generation generation = 1;
    std::int64_t every = 1;
};
/// Sent by the instance, not answered.
struct SpanReport {
    InstanceSpans spans;
};
/// Sent to watching clients.
struct SpanPush {
    InstanceSpans spans;
    std::string clock;  ///< machine whose clock gives the times of `spans`
    /// Offset from that clock to the orchestrator's time. The offset is exact between instances of one machine.
    /// Otherwise it includes the network's shortest recent delay.
    Duration offset{};
    std::uint64_t replaced = 0;  ///< older reports of the instance that this report replaced in the orchestrator
};

}  // namespace divisi::control::inline types
