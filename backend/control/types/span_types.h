// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/plan/program.h"

namespace divisi::control::inline types {

// What instances did in a step, operation by operation, as they measured it. It is telemetry: instances report it only
// while somebody watches, of some steps only, nothing waits for it, and what is left out on the way is counted. Neither
// the log nor the state has it.

/// One operation as it ran.
struct OperationSpan {
    std::int32_t unit = 0;  ///< stage, or plan::data_unit
    plan::OperationKind kind = plan::OperationKind::forward;
    std::int32_t microbatch = 0;
    Duration begin{};  ///< since InstanceSpans::begin; negative where data were read ahead
    Duration length{};
    bool operator==(const OperationSpan&) const = default;
};

/// Operations of one step of one instance.
struct InstanceSpans {
    TaskId task;
    InstanceId instance;
    Generation generation = 1;
    std::int64_t step = 0;
    /// When what came before the step had ended, and when this was sent, both by the clock of the instance's machine.
    TimePoint begin{}, sent{};
    Duration length{};                 ///< from there to the end of the step
    std::vector<OperationSpan> spans;  ///< in the order in which they ended, most_reported_spans at most
    std::uint32_t left_out = 0;        ///< operations of the step that found no room, the last ones
    std::uint64_t dropped = 0;         ///< reports that this instance could not send since the last one that it did
    bool operator==(const InstanceSpans&) const = default;
};

/// Operations in one report. A span takes 16 bytes at most in practice, so that this many fit a control frame.
inline constexpr std::size_t most_reported_spans = 2000;
/// Between the steps of one instance that are reported, by the orchestrator's choice of steps: an operation costs an
/// instance some 50 ns, a report some 0.1 ms, and takes at most 32 KB: far below 1 % of a processor and of a link.
inline constexpr Duration span_interval = std::chrono::seconds(2);
/// The same as an instance holds it, whatever it was told: steps have become shorter meanwhile.
inline constexpr Duration least_span_interval = std::chrono::seconds(1);
/// How long a wish for spans holds. Who watches says it again in time; nobody has to take it back.
inline constexpr Duration span_watch = std::chrono::seconds(6);
/// How often whoever watches says it again.
inline constexpr Duration span_watch_again = std::chrono::seconds(2);
/// Tasks that one connection may watch at a time.
inline constexpr std::size_t most_watched_tasks = 8;

/// Bounds of times that are added up: no step takes longer, no year is later (2116).
inline constexpr Duration longest_span = std::chrono::hours(24 * 30);
inline constexpr TimePoint latest_span{Duration(std::int64_t{1} << 62)};

// --- messages ----------------------------------------------------------------------------------

/// From clients: the spans of this task's steps are wanted for the next span_watch. Answered by Done, or by Refused.
struct WatchSpans {
    TaskId task;
};
/// To an instance that reports spans (RegisterInstance::reports_spans), not answered: somebody watches. For the next
/// span_watch it reports steps that are multiples of `every`, so that all instances report the same ones.
struct ReportSpans {
    TaskId task;
    Generation generation = 1;
    std::int64_t every = 1;
};
/// From the instance, not answered.
struct SpanReport {
    InstanceSpans spans;
};
/// To who watches.
struct SpanPush {
    InstanceSpans spans;
    std::string clock;  ///< the machine by whose clock the times of `spans` are
    /// What to add to a time of that clock to have the orchestrator's. Exact between instances of one machine; else the
    /// network's shortest delay of late is in it.
    Duration offset{};
    std::uint64_t replaced = 0;  ///< older reports of the instance that this one overtook in the orchestrator
};

}  // namespace divisi::control::inline types
