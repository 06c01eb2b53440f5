// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/deficit_round_robin.h"

namespace divisi::mesh::inline forwarding {

std::optional<FlowKey> DeficitRoundRobin::next(const First& first) {
    const auto tensor = head(tensors_, first), blob = head(blobs_, first);
    if (!tensor && !blob) return std::nullopt;
    const bool blob_goes = blob && (!tensor || passed_ >= *blob * tensor_bytes_per_blob_byte);
    if (blob_goes) passed_ = tensor ? passed_ - *blob * tensor_bytes_per_blob_byte : 0;
    else if (blob) passed_ += *tensor;
    Waiting& turn = blob_goes ? blobs_.front() : tensors_.front();
    turn.deficit -= blob_goes ? *blob : *tensor;
    return turn.flow;
}

/// Moves the flow whose turn it is to the front of its queue; returns the bytes of its first frame.
std::optional<std::uint64_t> DeficitRoundRobin::head(Line& line, const First& first) const {
    while (!line.empty()) {
        const auto bytes = first(line.front().flow);
        if (bytes && *bytes <= line.front().deficit) return bytes;
        Waiting turn = line.front();
        line.pop_front();
        if (!bytes) continue;
        turn.deficit += quantum_;
        line.push_back(turn);
    }
    return std::nullopt;
}

}  // namespace divisi::mesh::inline forwarding
