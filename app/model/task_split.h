// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/model/graph_document.h"
#include "backend/search/node_chain.h"
#include "backend/task/task_spec.h"

namespace divisi::model {

/// How the split that a task asks for comes to be known.
enum class SplitSource {
    listed,    ///< the task names cuts or segments
    planned,   ///< planned_split() computes it
    searched,  ///< a search with prices finds it
};
SplitSource split_source(const task::SplitSection& split);

/// The cuts or segments that the task lists, of the model. Fails where the model has no such operators.
Result<Split> listed_split(const task::TaskSpec& spec, const LoadedModel& model);
/// The split by the task's own method, as divisictl finds it; slow. Fails as task::compile() does.
Result<Split> planned_split(const task::TaskSpec& spec, const LoadedModel& model, const search::StopSearch& stop);

/// The split of one version of a model in another one: by the names of operators, as far as they are there.
Split carried_over(const Split& split, const LoadedModel& from, const LoadedModel& to);

}  // namespace divisi::model
