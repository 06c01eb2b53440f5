// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>

#include "backend/mesh/base/device.h"

namespace divisi::mesh::inline relay {

/// While tensors wait too, so many of their bytes go for each byte of a blob that waits.
inline constexpr std::uint64_t tensor_bytes_per_blob_byte = 15;

/// The flows that wait for one exit of a device, and who of them sends next. Tensors go before blobs, except that a
/// blob goes once tensor_bytes_per_blob_byte times its chunk has gone before it: blobs get a sixteenth of a busy exit,
/// and none is starved. Within a class flows take turns by deficit round robin (Shreedhar and Varghese 1995): each may
/// send a quantum in its turn, and keeps what it did not use while it waits.
class Turns {
public:
    /// Bytes of the flow's first frame; none where it may not send now: it leaves the line.
    using First = std::function<std::optional<std::uint64_t>(const FlowKey&)>;

    /// `quantum`: bytes that a flow may send in its turn.
    explicit Turns(std::uint64_t quantum) : quantum_(quantum) {}

    /// At the end of its class's line, in which it is not.
    void join(const FlowKey& flow) { line_of(flow.flow_class).push_back({flow}); }
    /// The flow whose first frame goes now, which counts as sent. None: nobody may send, and the lines are empty.
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
    std::uint64_t passed_ = 0;  ///< bytes of tensors that went while a blob waited, and that no blob has made up for
};

}  // namespace divisi::mesh::inline relay
