// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/segment/executor.h"
#include "backend/frame/content.h"

namespace divisi::instance {

/// Names what a stage with fixed weights makes of its inputs: one key for all that its results depend on, so that equal
/// keys mean equal bits. That is its operators with their names (random operators draw by them) and the seed, its
/// weights, the processor with its libraries (`fingerprint`), device and threads, and the inputs' bytes, shapes and
/// strides.
class ResultKeys {
public:
    /// Reads all weights once. Nothing where a result depends on more than is hashed: an operator with a graph of its
    /// own.
    static Result<std::optional<ResultKeys>> of(const segment::SegmentConfig& config, const segment::Executor& executor,
                                                const std::string& fingerprint);

    /// Of each output of an evaluation, in the order of SegmentConfig::outputs.
    std::vector<frame::ContentKey> keys(const std::vector<graph::HostTensor>& inputs) const;

private:
    ResultKeys(frame::ContentKey stage, std::size_t outputs) : stage_(stage), outputs_(outputs) {}

    frame::ContentKey stage_;
    std::size_t outputs_;
};

}  // namespace divisi::instance
