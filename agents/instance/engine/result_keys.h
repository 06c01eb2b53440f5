// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agents/segment/executor.h"
#include "backend/frame/frame.h"
#include "backend/task/compile.h"

namespace divisi::instance {

/// Computes keys for the results of a stage with fixed weights. A key covers everything that a result depends on, so
/// that equal keys mean equal bits. A key covers the weights, the seed, and the operators with their names, which are
/// part of the key of random numbers. It also covers the processor with its libraries (`fingerprint`), device and
/// threads, and the inputs' bytes, shapes and strides.
class ResultKeys {
public:
    /// Reads all weights once. Returns none if a result depends on something that is not hashed, such as an operator
    /// with a nested graph.
    static Result<std::optional<ResultKeys>> of(const segment::SegmentConfig& config, const segment::Executor& executor,
                                                const std::string& fingerprint);

    /// Returns the key of each output of an evaluation, in the order of SegmentConfig::outputs.
    std::vector<frame::ContentKey> keys(const std::vector<graph::HostTensor>& inputs) const;

private:
    ResultKeys(frame::ContentKey stage, std::size_t outputs) : stage_(stage), outputs_(outputs) {}

    frame::ContentKey stage_;
    std::size_t outputs_;
};

/// Returns the keys under which a stage of a batch task offers its results to routers: see DeferredOperations. Returns
/// none unless the stage's weights never change and all of its consumers are behind gateways. `far_channels`: the
/// channels whose consumers are behind gateways.
Result<std::optional<ResultKeys>> find_result_keys(const task::CompiledPlan& plan, std::int32_t stage,
                                                   const std::set<std::int32_t>& far_channels,
                                                   const segment::Executor& executor, const std::string& fingerprint);

}  // namespace divisi::instance
