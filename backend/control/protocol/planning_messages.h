// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "backend/search/segmentation_request.h"
#include "backend/task/priced_plan.h"
#include "backend/task/task_spec.h"

namespace divisi::control::inline protocol {

// Messages that request a plan without submitting a task.

/// The model segmentation interface of draft-yang-dmsc-distributed-model-03, 6.2.4. Asks which plan this task would get
/// on the nodes that are ready now, and changes nothing. The answer is ModelSegmented, or Refused with one error for
/// each invalid field of `split`; the location of such an error is "split.key". If `split.version` is not supported,
/// the answer has only this error.
struct SegmentModel {
    task::SplitSection split;  ///< section [split] of a task file: mode, ranges, tabu search, shared layers, privacy
    std::string text;          ///< the other sections, as TOML; each is optional, [model] only if `skeleton` is given
    std::string skeleton;      ///< the model's skeleton, or an ONNX model; empty for the zoo
};
struct ModelSegmented {
    std::int64_t version = search::segmentation_version;  ///< version of the interface
    std::string cluster;                                  ///< cluster whose nodes the stages are placed on
    double time_ms = 0;                                   ///< planning time in ms
    task::PricedPlan plan;
};

}  // namespace divisi::control::inline protocol
