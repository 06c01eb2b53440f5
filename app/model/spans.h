// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "backend/plan/program.h"
#include "backend/price/simulator.h"

namespace divisi::model {

/// What an instance does over a span of time.
enum class SpanKind : std::uint8_t {
    data,             ///< reads and prepares a micro-batch
    forward,          ///< of one micro-batch
    backward,         ///< likewise
    weight_gradient,  ///< gradients of shared weights: sends its own, adds up all
    optimizer,
    evaluate,
    wire,  ///< waits for a tensor that is made and on its way, or for a tensor slot
    idle,  ///< waits for others that still compute (bubble)
};
inline constexpr std::size_t span_kinds = 8;
/// Whether it computes its part of the model.
bool computes(SpanKind kind);

struct Span {
    std::int32_t instance = 0;  ///< stage, or plan::data_unit
    SpanKind kind = SpanKind::forward;
    plan::OperationKind operation = plan::OperationKind::forward;  ///< of a wait: the one that waits
    std::int32_t microbatch = 0;
    std::int64_t step = 0;
    std::int64_t begin_ns = 0, end_ns = 0;
    bool operator==(const Span&) const = default;
};

/// A step: from the end of the one before, on all stages, to its own.
struct StepSpan {
    std::int64_t step = 0;
    std::int64_t begin_ns = 0, end_ns = 0;
};

/// What all instances of a replica did, operation by operation. Spans of a stage follow on from each other without a
/// gap, from the beginning (or where it began itself) to the end: what is no operation is wire or idle.
struct Timeline {
    std::vector<std::int32_t> instances;  ///< stages ascending, then plan::data_unit where it has spans
    std::vector<Span> spans;              ///< by instance as above, then by time
    std::vector<StepSpan> steps;          ///< ascending
    std::int64_t begin_ns = 0, end_ns = 0;
    bool waits_split = false;  ///< false: what was waited for is not known, and all waits are called idle

    bool empty() const { return spans.empty(); }
    /// Null where it has none of that number.
    const StepSpan* step(std::int64_t number) const;
};

/// Operations as they ran (no waits), in any order; `programs`: of the plan that ran, which say whose tensors an
/// operation waits for. Without them, and where they know an operation's inputs from nobody, waits are idle. `begins`:
/// since when a stage waits that did something else before; the others wait from the first operation on. All wait to
/// `end_ns`, or to the last operation where that is later.
Timeline make_timeline(std::vector<Span> operations, const plan::Programs* programs,
                       const std::map<std::int32_t, std::int64_t>& begins = {}, std::int64_t end_ns = 0);
/// Of a simulation with recorded operations.
Timeline predicted_timeline(const price::Simulation& simulation, const plan::Programs& programs);

SpanKind kind_of(plan::OperationKind operation);

/// Nanoseconds of one instance within a range, by SpanKind.
struct SpanSums {
    std::int32_t instance = 0;
    std::array<std::int64_t, span_kinds> ns{};

    std::int64_t of(SpanKind kind) const { return ns[static_cast<std::size_t>(kind)]; }
    std::int64_t busy() const;  ///< computing
};
struct TimelineSums {
    std::int64_t from_ns = 0, to_ns = 0;
    std::vector<SpanSums> instances;  ///< as Timeline::instances
    bool waits_split = false;         ///< as Timeline::waits_split

    /// Share of the range in which a stage does not compute, 0 to 1; 0 for an empty range.
    double bubble(const SpanSums& stage) const;
    /// The mean of all stages.
    double bubble() const;
};
/// Spans that reach over an end of the range count with what lies in it.
TimelineSums sum_spans(const Timeline& timeline, std::int64_t from_ns, std::int64_t to_ns);

}  // namespace divisi::model
