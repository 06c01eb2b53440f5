// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>

#include "backend/mesh/base/device.h"

namespace divisi::mesh::inline forwarding {

/// While tensors wait too, this many tensor bytes are sent for each byte of a waiting blob.
inline constexpr std::uint64_t tensor_bytes_per_blob_byte = 15;

/// Holds the flows that wait for one exit of a device, and decides which flow sends next. Tensors go before blobs, with
/// one exception: a blob's chunk is sent after tensor_bytes_per_blob_byte times as many tensor bytes have been sent.
/// Blobs thus get a sixteenth of a busy exit and never starve. Within a class, flows take turns by deficit round robin
/// (Shreedhar and Varghese 1995). Each flow may send a quantum in its turn, and keeps the unused part while it waits.
class DeficitRoundRobin {
public:
    /// Returns the bytes of the flow's first frame. Returns nothing if the flow may not send now; the flow is then
    /// removed from the queue.
    using First = std::function<std::optional<std::uint64_t>(const FlowKey&)>;

    /// `quantum` is the number of bytes that a flow may send in its turn.
    explicit DeficitRoundRobin(std::uint64_t quantum) : quantum_(quantum) {}

    /// Adds a flow at the end of its class's queue; it must not be there already.
    void join(const FlowKey& flow) { line_of(flow.flow_class).push_back({flow}); }
    /// Returns the flow whose first frame is to be sent now, and counts the frame as sent. Returns nothing if no flow
    /// may send; the queues are then empty.
    std::optional<FlowKey> next(const First& first);

private:
    struct Waiting {
        FlowKey flow;
        std::uint64_t deficit = 0;
    };
    using Line = std::deque<Waiting>;
    Line& line_of(FlowClass flow_class) { return flow_class == FlowClass::blob ? blobs_ : tensors_; }
    std::optional<std::uint64_t> head(Line& line, const First& first) const;

    std::uint64_t quantum_;
    Line tensors_, blobs_;
    std::uint64_t passed_ = 0;  ///< tensor bytes sent while a blob waited, minus tensor_bytes_per_blob_byte for each
                                ///< blob byte sent
};

}  // namespace divisi::mesh::inline forwarding
