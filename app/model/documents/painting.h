// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "app/model/documents/loaded_model.h"
#include "backend/plan/blocks.h"
#include "backend/plan/cut_choice.h"
#include "backend/task/task_spec.h"

namespace divisi::model {

/// Hand-painted segments: any division of the operators, even one that cannot run. Segments are numbered in painting
/// order, not in the order in which they run. A segment can be without operators, if all of them were painted with
/// other segments.
struct Painting {
    std::vector<std::int32_t> segment_of;  ///< segment of each operator of the model
    std::vector<std::string> places;       ///< node that runs each segment; "" for any

    std::int32_t segments() const { return static_cast<std::int32_t>(places.size()); }
    bool operator==(const Painting&) const = default;
};

/// Returns the segments between cuts. `places` is used only if it names a node for each segment.
Painting painting_of(const LoadedModel& model, const plan::CutChoice& cuts, const std::vector<std::string>& places);
/// Returns the segments listed in a task file. Fails as plan::match_operators() does, and for an operator in no
/// segment.
Result<Painting> painting_of(const LoadedModel& model, const std::vector<task::SegmentSpec>& segments);
/// Returns the segments of a compiled plan, whose graph contains the model's operators among others. `places` is used
/// only if it names a node for each segment.
Painting painting_of(const LoadedModel& model, const graph::Graph& planned, const std::vector<plan::Segment>& segments,
                     const std::vector<std::string>& places);
/// Lists the segments as in a task file, with as few names as possible. Segments without operators are left out.
std::vector<task::SegmentSpec> listed(const LoadedModel& model, const Painting& painting);

/// Returns the cuts that no segment crosses. If the painting is contiguous, these are all its cuts.
plan::CutChoice cuts_of(const LoadedModel& model, const Painting& painting);

/// Assigns operators first <= i < last to a segment; the number `painting.segments()` makes a new one. The caller must
/// then call follow_consumers(), which assigns constants to the segment of the first operator that reads them.
void paint(Painting& painting, graph::NodeIndex first, graph::NodeIndex last, std::int32_t segment);
void follow_consumers(const LoadedModel& model, Painting& painting);

/// Returns the number of operators that work on data, by segment.
std::vector<std::int32_t> operator_counts(const LoadedModel& model, const Painting& painting);

/// Returns the places where segments wait for each other, see plan::find_cycle(); empty if the painting can run.
std::vector<plan::BlockLink> cycle_of(const LoadedModel& model, const Painting& painting);
/// `cycle_summary` returns a text such as "segments 1, 2 wait for each other". `cycle_text` adds the operators and the
/// remedy.
QString cycle_summary(const std::vector<plan::BlockLink>& cycle);
QString cycle_text(const LoadedModel& model, const std::vector<plan::BlockLink>& cycle);

/// Tries several orders of the segments. Returns the painting without cycles that moves the fewest operators, each to
/// the segment of its inputs or readers. `kept` are the operators painted last, which are moved only if necessary. No
/// segment loses its last operator. Empty if no such painting was found.
std::optional<Painting> mended(const LoadedModel& model, const Painting& painting, const std::vector<bool>& kept);
/// Returns the number of operators that are in different segments in `a` and in `b`, ignoring constants.
std::int32_t difference(const LoadedModel& model, const Painting& a, const Painting& b);

}  // namespace divisi::model
