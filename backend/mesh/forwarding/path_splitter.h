// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "backend/mesh/forwarding/flow_policy.h"

namespace divisi::mesh::inline forwarding {

/// Divides the tensors of a flow over its two paths, at the gateway of its sender. All chunks of a tensor take the same
/// path, even if the policy changes. Otherwise chunks could overtake each other, and the receiver would count the
/// overtaken chunks as lost.
class PathSplitter {
public:
    /// Returns the path index for a frame of the flow with this key. `by_policy` returns the path index of a tensor
    /// that begins now.
    std::uint8_t path_index(const FlowKey& flow, const frame::FrameHeader& header,
                            const std::function<std::uint8_t()>& by_policy);
    void forget(FlowKey flow);

private:
    /// The tensor whose chunks last arrived from the instance.
    struct Dealt {
        frame::TensorKey tensor;
        std::uint8_t path_index = 0;
    };
    std::map<FlowKey, Dealt> dealt_;  ///< keyed by the flow's key with path index 0, so that both paths of a flow share
                                      ///< one entry
};

}  // namespace divisi::mesh::inline forwarding
