// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "backend/plan/program.h"
#include "backend/price/simulator.h"

namespace divisi::model {

/// The kind of work of an instance during a span.
enum class SpanKind : std::uint8_t {
    data,             ///< reads and prepares a micro-batch
    forward,          ///< forward pass of one micro-batch
    backward,         ///< backward pass of one micro-batch
    weight_gradient,  ///< gradients of shared weights: sends its own gradients and sums the gradients of all uses
    optimizer,
    evaluate,
    wire,  ///< waits for a tensor in transit, or for a tensor slot
    idle,  ///< waits for other instances that are still computing (bubble)
};
inline constexpr std::size_t span_kinds = 8;
/// Returns whether spans of this kind compute a part of the model.
bool computes(SpanKind kind);

struct Span {
    std::int32_t instance = 0;  ///< stage, or plan::data_unit
    SpanKind kind = SpanKind::forward;
    plan::OperationKind operation = plan::OperationKind::forward;  ///< operation of the span; for a wait, the operation
                                                                   ///< that waits
    std::int32_t microbatch = 0;
    std::int64_t step = 0;
    std::int64_t begin_ns = 0, end_ns = 0;
    bool operator==(const Span&) const = default;
};

/// The span of a step: from the end of the previous step on all stages to the end of this step.
struct StepSpan {
    std::int64_t step = 0;
    std::int64_t begin_ns = 0, end_ns = 0;
};

/// The activity of all instances of a replica, operation by operation. The spans of a stage follow each other without
/// gaps, from the start (or from the stage's own start) to the end. Time without an operation is wire or idle.
struct Timeline {
    std::vector<std::int32_t> instances;  ///< stages ascending, then plan::data_unit if it has spans
    std::vector<Span> spans;              ///< ordered by instance as above, then by time
    std::vector<StepSpan> steps;          ///< spans of the steps, ascending
    std::int64_t begin_ns = 0, end_ns = 0;
    /// whether waits are divided by reason; false: the reasons are unknown, and all waits count as idle
    bool waits_split = false;

    bool empty() const { return spans.empty(); }
    /// Returns the step with this number; null if there is none.
    const StepSpan* step(std::int64_t number) const;
};

/// Builds a timeline from operations without waits, in any order.
///
/// `programs` belong to the plan that ran, and determine whose tensors an operation waits for. Without programs, and
/// for inputs without a known producer, waits are idle. `begins` gives the time from which a stage waits, for stages
/// that were busy with something else before. Other stages wait from the first operation on. All stages wait until
/// `end_ns`, or until the last operation if that is later.
Timeline make_timeline(std::vector<Span> operations, const plan::Programs* programs,
                       const std::map<std::int32_t, std::int64_t>& begins = {}, std::int64_t end_ns = 0);
/// Builds the timeline of a simulation with recorded operations.
Timeline predicted_timeline(const price::Simulation& simulation, const plan::Programs& programs);

SpanKind kind_of(plan::OperationKind operation);

/// Nanoseconds of one instance within a range, by SpanKind.
struct SpanSums {
    std::int32_t instance = 0;
    std::array<std::int64_t, span_kinds> ns{};

    std::int64_t of(SpanKind kind) const { return ns[static_cast<std::size_t>(kind)]; }
    std::int64_t busy() const;  ///< time spent computing
};
struct TimelineSums {
    std::int64_t from_ns = 0, to_ns = 0;
    std::vector<SpanSums> instances;  ///< same order as Timeline::instances
    bool waits_split = false;         ///< whether waits are divided by reason, as Timeline::waits_split

    /// Returns the share of the range in which a stage does not compute, 0 to 1; 0 for an empty range.
    double bubble(const SpanSums& stage) const;
    /// Returns the mean of all stages.
    double bubble() const;
};
/// Sums the spans within a range. If a span is partly outside the range, only the part inside is counted.
TimelineSums sum_spans(const Timeline& timeline, std::int64_t from_ns, std::int64_t to_ns);

}  // namespace divisi::model
