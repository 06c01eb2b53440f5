// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/path_splitter.h"

namespace divisi::mesh::inline forwarding {

std::uint8_t PathSplitter::path_index(const FlowKey& flow, const frame::FrameHeader& header,
                                      const std::function<std::uint8_t()>& by_policy) {
    if (header.chunk_count == 1) return by_policy();
    FlowKey key = flow;
    key.path_index = 0;
    Dealt& dealt = dealt_[key];
    const bool continued = header.chunk_index > 0 && dealt.tensor == header.key;
    if (!continued) dealt = {header.key, by_policy()};
    return dealt.path_index;
}

void PathSplitter::forget(FlowKey flow) {
    flow.path_index = 0;
    dealt_.erase(flow);
}

}  // namespace divisi::mesh::inline forwarding
