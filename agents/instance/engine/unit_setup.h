// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "agents/data/dataset.h"
#include "agents/segment/executor.h"
#include "backend/task/compile.h"

namespace divisi::instance {

/// Returns the location of a task's file on this machine, by the file's purpose (task::data_files) and its path in the
/// task file.
using PathResolver = std::function<Result<std::string>(const std::string& purpose, const std::string& path)>;

/// Returns the data set that a task's [data] section describes, in the shape of the model's first input.
Result<data::DatasetSpec> dataset_spec(const task::CompiledPlan& plan, const PathResolver& resolve);

/// Returns the data column that feeds a graph input: the column that [model.inputs] gives, otherwise "input", or
/// "input/NAME" if there are several inputs. For the loss it is "target"; for the losses of several heads, the column
/// that [model.targets] gives.
std::string column_of(const task::CompiledPlan& plan, graph::ValueIndex input);

/// Returns the executor's configuration for one stage of a plan.
segment::SegmentConfig segment_config(const task::CompiledPlan& plan, std::int32_t stage);

}  // namespace divisi::instance
