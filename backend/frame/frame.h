// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/base/ids.h"
#include "backend/base/result.h"
#include "backend/frame/end.h"
#include "backend/graph/tensor.h"

namespace divisi::frame {

/// A chunk that is larger stalls heartbeats and forwarding; one that is smaller pays the header too often.
inline constexpr std::uint32_t max_chunk_bytes = 1u << 20;
inline constexpr std::uint32_t min_chunk_bytes = 1u << 12;
/// Elements' bytes of one tensor: above any activation that fits a device, below what could wrap a sum.
inline constexpr std::uint64_t max_tensor_bytes = 1ULL << 36;
inline constexpr std::size_t max_rank = 8;
inline constexpr std::size_t fixed_header_bytes = 240;
/// Segment-routing block: 64 hops and a few TLVs fit; what is longer is an attack or a loop.
inline constexpr std::size_t max_routing_bytes = 1024;

/// What a frame carries. The numbers travel on the wire; append only.
enum class FrameKind : std::uint8_t {
    activation = 1,           ///< a value on its way to a later segment
    gradient = 2,             ///< the gradient of a value on its way back
    input = 3,                ///< a data column from the data unit
    weight_use_gradient = 4,  ///< gradient of one use of a weight that several segments share
    norm_share = 5,           ///< a segment's part of the global gradient norm
    loss = 6,                 ///< loss and metrics of a micro-batch
    parameter = 7,            ///< weights and optimizer state that move at a re-cut or a recovery
    blob_chunk = 8,           ///< a piece of a model, data or checkpoint file
    ack = 9,                  ///< the tensor named by `about`, edge, step and micro-batch has arrived whole
    slot = 10,                ///< the consumer of `about` on this edge takes tensors up to number `credit`
    hello = 11,               ///< which task and generation the sender is in; asks for a welcome
    welcome = 12,             ///< the same of the one who answers a hello
    ask = 13,                 ///< what has arrived of the tensor that `about`, edge, step and micro-batch name?
    missing = 14,             ///< of that tensor: the payload's ranges of chunks (chunk_set.h); none: all of it
    refused = 15,             ///< from a gateway: what goes to the SID `source` is not carried; the payload says why
    demand = 16,              ///< the payload names the micro-batches that the source waits for (demand.h)
    offer = 17,               ///< of this tensor only the key of its content is sent (offers.h)
    supplied = 18,            ///< a router has the tensor that was offered, and sends it on
    absent = 19,              ///< nobody on the way has it
};
inline constexpr std::uint8_t last_frame_kind = 19;
std::string_view name(FrameKind kind);
/// Whether frames of this kind carry a tensor; the others say something about one.
constexpr bool carries_tensor(FrameKind kind) { return kind < FrameKind::ack; }

/// How the payload is coded; 0 is the tensor's own bytes. Others belong to the segment's codecs.
inline constexpr std::uint8_t codec_raw = 0;

/// A tensor's place in a task: what duplicates are told by.
struct TensorKey {
    std::uint64_t task = 0;
    Generation generation = 0;
    FrameKind kind = FrameKind::activation;
    std::uint32_t edge = 0;  ///< number of the edge in the plan of this generation
    std::int64_t step = 0;
    std::int32_t microbatch = 0;
    auto operator<=>(const TensorKey&) const = default;  // NOLINT(modernize-use-nullptr): the 0 is the compiler's
};

/// Types of the segment-routing block; unknown ones are passed on untouched.
enum class TlvType : std::uint16_t {
    hops = 1,
    activation = 2,
    deadline = 3,
    trace = 4,
    source_sid = 5,
    destination_sid = 6,
    reservation = 7,
    strand = 8,
    content = 9
};
struct Tlv {
    std::uint16_t type = 0;
    std::string value;
    bool operator==(const Tlv&) const = default;
};

struct FrameHeader {
    TensorKey key;
    End source;
    End destination;  ///< incarnation 0 in a hello: whichever plays the SID
    graph::DType dtype = graph::DType::undefined;
    std::uint8_t codec = codec_raw;
    std::vector<std::int64_t> dims;               ///< at most max_rank
    std::vector<std::int64_t> strides;            ///< in elements; empty means row-major contiguous
    std::uint64_t total_bytes = 0;                ///< of the whole coded tensor
    std::uint32_t chunk_bytes = max_chunk_bytes;  ///< of every chunk but the last; a power of two
    std::uint32_t chunk_index = 0;
    std::uint32_t chunk_count = 1;
    std::uint32_t payload_bytes = 0;
    std::uint32_t payload_crc = 0;            ///< CRC-32C of this chunk's payload
    FrameKind about = FrameKind::activation;  ///< of what carries no tensor: the kind of the flow that is meant
    std::uint32_t credit = 0;                 ///< slot: tensors taken so far plus free slots, never less than before
    std::vector<Tlv> routing;
    bool operator==(const FrameHeader&) const = default;
};

/// A whole tensor with its place: what the layers above send and receive.
struct TensorFrame {
    TensorKey key;
    End source, destination;
    std::uint8_t codec = codec_raw;
    graph::HostTensor tensor;
    std::vector<Tlv> routing;
};

/// Chunks of a tensor of `total_bytes`; an empty tensor is one empty chunk.
std::uint32_t chunk_count(std::uint64_t total_bytes, std::uint32_t chunk_bytes = max_chunk_bytes);

/// Header of chunk `index` of `frame`, its payload checksum included.
FrameHeader chunk_header(const TensorFrame& frame, std::uint32_t index, std::uint32_t chunk_bytes = max_chunk_bytes);
/// `invalid_input` when no header can describe the tensor.
Result<void> check_tensor(const TensorFrame& frame, std::uint32_t chunk_bytes = max_chunk_bytes);
/// The payload that belongs to it.
std::span<const std::byte> chunk_payload(const TensorFrame& frame, std::uint32_t index,
                                         std::uint32_t chunk_bytes = max_chunk_bytes);

/// `invalid_input` when the header breaks a rule that decode_header would refuse.
Result<std::string> encode_header(const FrameHeader& header);
/// Trusts nothing: every length is checked before it is used. `corrupt` for what does not check,
/// `unsupported` for another version.
Result<FrameHeader> decode_header(std::span<const std::byte> bytes);

}  // namespace divisi::frame
