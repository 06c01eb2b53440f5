// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/model/documents/graph_document.h"
#include "backend/search/node_chain.h"
#include "backend/task/task_spec.h"

namespace divisi::model {

/// The way in which the split that a task requests is determined.
enum class SplitSource {
    listed,    ///< the task names cuts or segments
    planned,   ///< planned_split() computes it
    searched,  ///< a search with prices finds it
};
SplitSource split_source(const task::SplitSection& split);

/// Returns the cuts or segments that the task lists for the model. Fails if the model lacks such operators.
Result<Split> listed_split(const task::TaskSpec& spec, const LoadedModel& model);
/// Computes the split with the task's own method, as divisictl does. Slow. Fails as task::compile() does.
Result<Split> planned_split(const task::TaskSpec& spec, const LoadedModel& model, const search::StopSearch& stop);

/// Transfers a split between versions of a model by the names of operators. Ignores names that `to` does not have.
Split carried_over(const Split& split, const LoadedModel& from, const LoadedModel& to);

}  // namespace divisi::model
