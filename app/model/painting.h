// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "app/model/loaded_model.h"
#include "backend/plan/blocks.h"
#include "backend/plan/cut_choice.h"
#include "backend/task/task_spec.h"

namespace divisi::model {

/// Segments painted by hand: any division of the operators, also one that cannot run (yet). Segments are numbered as
/// they are painted, which is not the order in which they run; one may have lost all its operators.
struct Painting {
    std::vector<std::int32_t> segment_of;  ///< by operator of the model
    std::vector<std::string> places;       ///< by segment: the node that runs it; "" for any

    std::int32_t segments() const { return static_cast<std::int32_t>(places.size()); }
    bool operator==(const Painting&) const = default;
};

/// The segments between cuts. `places` names a node for each, or does not count.
Painting painting_of(const LoadedModel& model, const plan::CutChoice& cuts, const std::vector<std::string>& places);
/// As a task file lists them; fails as plan::match_operators() does, and for an operator that none takes.
Result<Painting> painting_of(const LoadedModel& model, const std::vector<task::SegmentSpec>& segments);
/// As a compiled plan has them, of a graph that has the model's operators among others; `places` as above.
Painting painting_of(const LoadedModel& model, const graph::Graph& planned, const std::vector<plan::Segment>& segments,
                     const std::vector<std::string>& places);
/// As a task file lists them, with as few names as can be; without segments that have lost their operators.
std::vector<task::SegmentSpec> listed(const LoadedModel& model, const Painting& painting);

/// The cuts that no segment reaches across: all of them where the painting is contiguous.
plan::CutChoice cuts_of(const LoadedModel& model, const Painting& painting);

/// Gives operators first <= i < last to a segment, which may be one more than there are. Constants go with the
/// first operator that reads them: see follow_consumers().
void paint(Painting& painting, graph::NodeIndex first, graph::NodeIndex last, std::int32_t segment);
void follow_consumers(const LoadedModel& model, Painting& painting);

/// Operators that work on data, by segment.
std::vector<std::int32_t> operator_counts(const LoadedModel& model, const Painting& painting);

/// Where segments wait for each other, see plan::find_cycle(); empty for a painting that can run.
std::vector<plan::BlockLink> cycle_of(const LoadedModel& model, const Painting& painting);
/// "segments 1, 2 wait for each other", and in full with the operators and what would mend it.
QString cycle_summary(const std::vector<plan::BlockLink>& cycle);
QString cycle_text(const LoadedModel& model, const std::vector<plan::BlockLink>& cycle);

/// A painting without cycles, by giving as few operators as possible to other segments: those of an operator's
/// inputs or of its readers. `kept` are operators that should stay, because they were painted last. No segment loses
/// its last operator. Empty where there is none.
std::optional<Painting> mended(const LoadedModel& model, const Painting& painting, const std::vector<bool>& kept);
/// Operators that lie in different segments; constants do not count.
std::int32_t difference(const LoadedModel& model, const Painting& a, const Painting& b);

}  // namespace divisi::model
