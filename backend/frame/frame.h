// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/base/ids.h"
#include "backend/base/result.h"
#include "backend/frame/end.h"
#include "backend/graph/tensor.h"

namespace divisi::frame {

/// Limits on the chunk size. Larger chunks would stall heartbeats and forwarding; smaller chunks need too many headers.
inline constexpr std::uint32_t max_chunk_bytes = 1u << 20;
inline constexpr std::uint32_t min_chunk_bytes = 1u << 12;
/// Limit on the element bytes of one tensor: above any activation that fits a device, but small enough that sums of
/// sizes do not overflow.
inline constexpr std::uint64_t max_tensor_bytes = 1ULL << 36;
inline constexpr std::size_t max_rank = 8;
inline constexpr std::size_t fixed_header_bytes = 240;
/// Limit on the segment-routing block. It holds 64 hops and a few TLVs; a longer block is an attack or a loop.
inline constexpr std::size_t max_routing_bytes = 1024;

/// The kind of a frame's content. The numbers are part of the wire format; append only.
enum class FrameKind : std::uint8_t {
    activation = 1,           ///< a value for a later segment
    gradient = 2,             ///< the gradient of a value, sent back to an earlier segment
    input = 3,                ///< a data column from the data unit
    weight_use_gradient = 4,  ///< gradient of one use of a weight that several segments share
    norm_share = 5,           ///< a segment's part of the global gradient norm
    loss = 6,                 ///< loss and metrics of a micro-batch
    parameter = 7,            ///< weights and optimizer state that move during a re-cut or a recovery
    blob_chunk = 8,           ///< a piece of a model, data or checkpoint file
    ack = 9,        ///< reports that the tensor named by `about`, edge, step and micro-batch has arrived whole
    slot = 10,      ///< the consumer freed all slots of kind `about` on this edge up to this step and micro-batch
    hello = 11,     ///< reports the sender's task and generation; asks for a welcome
    welcome = 12,   ///< answers a hello with the answerer's task and generation
    ask = 13,       ///< asks which chunks of the tensor named by `about`, edge, step and micro-batch have arrived
    missing = 14,   ///< asks for chunks of that tensor, as ranges in the payload (chunk_set.h); no ranges: all chunks
    refused = 15,   ///< from a gateway: it does not forward frames for the SID `source`; the payload gives the reason
    demand = 16,    ///< the payload names the micro-batches that the source is waiting for (demand.h)
    offer = 17,     ///< offers a tensor: only the key of its content is sent (offers.h)
    supplied = 18,  ///< a router has the offered tensor and sends it on
    absent = 19,    ///< no device on the way has the offered tensor
};
inline constexpr std::uint8_t last_frame_kind = 19;
std::string_view name(FrameKind kind);
/// Returns whether frames of this kind carry a tensor; the other kinds are reports, questions and requests.
constexpr bool carries_tensor(FrameKind kind) { return kind < FrameKind::ack; }

/// Coding of the payload. 0 means the tensor's own bytes; no other coding is defined yet.
inline constexpr std::uint8_t codec_raw = 0;

/// A tensor's place in a task; the place identifies duplicates.
struct TensorKey {
    std::uint64_t task = 0;
    Generation generation = 0;
    FrameKind kind = FrameKind::activation;
    std::uint32_t edge = 0;  ///< number of the edge in the plan of this generation
    std::int64_t step = 0;
    std::int32_t microbatch = 0;
    auto operator<=>(const TensorKey&) const = default;  // NOLINT(modernize-use-nullptr): the compiler generates the 0
};

/// Types in the segment-routing block; unknown types are forwarded unchanged.
enum class TlvType : std::uint16_t {
    hops = 1,
    activation = 2,
    deadline = 3,
    trace = 4,
    source_sid = 5,
    destination_sid = 6,
    reservation = 7,
    path_index = 8,
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
    End destination;  ///< incarnation 0 in a hello: any process of the SID
    graph::DType dtype = graph::DType::undefined;
    std::uint8_t codec = codec_raw;
    std::vector<std::int64_t> dims;               ///< at most max_rank entries
    std::vector<std::int64_t> strides;            ///< in elements; empty means row-major contiguous
    std::uint64_t total_bytes = 0;                ///< size of the whole coded tensor
    std::uint32_t chunk_bytes = max_chunk_bytes;  ///< size of every chunk but the last; a power of two
    std::uint32_t chunk_index = 0;
    std::uint32_t chunk_count = 1;
    std::uint32_t payload_bytes = 0;
    std::uint32_t payload_crc = 0;            ///< CRC-32C of this chunk's payload
    FrameKind about = FrameKind::activation;  ///< the flow's kind, in frames that carry no tensor
    std::uint32_t credit = 0;                 ///< reserved for slot frames; not used yet
    std::vector<Tlv> routing;
    bool operator==(const FrameHeader&) const = default;
};

/// A whole tensor with its place; the layers above send and receive these.
struct TensorFrame {
    TensorKey key;
    End source, destination;
    std::uint8_t codec = codec_raw;
    graph::HostTensor tensor;
    std::vector<Tlv> routing;
};

/// Counts the chunks of a tensor of `total_bytes`; an empty tensor has one empty chunk.
std::uint32_t chunk_count(std::uint64_t total_bytes, std::uint32_t chunk_bytes = max_chunk_bytes);

/// Builds the header of chunk `index` of `frame`, including the payload's checksum.
FrameHeader chunk_header(const TensorFrame& frame, std::uint32_t index, std::uint32_t chunk_bytes = max_chunk_bytes);
/// Checks that a header can describe the tensor; fails with `invalid_input` if not.
Result<void> check_tensor(const TensorFrame& frame, std::uint32_t chunk_bytes = max_chunk_bytes);
/// Returns the payload of chunk `index`.
std::span<const std::byte> chunk_payload(const TensorFrame& frame, std::uint32_t index,
                                         std::uint32_t chunk_bytes = max_chunk_bytes);

/// Encodes a header. Fails with `invalid_input` if the header breaks a rule that decode_header() enforces.
Result<std::string> encode_header(const FrameHeader& header);
/// Decodes untrusted bytes: checks every length before using it. Fails with `corrupt` if a check fails, and with
/// `unsupported` for another version.
Result<FrameHeader> decode_header(std::span<const std::byte> bytes);

/// BLAKE2b-256 of everything that determines a tensor's bytes: the operators that made it, their weights and their
/// inputs. Tensors with equal keys have equal bytes, even if different processes compute them.
using ContentKey = std::array<std::byte, 32>;

/// Sets the TLV `content`. The TLV is used in the chunks of a tensor that a router may cache, and in offers of such a
/// tensor.
void set_content(std::vector<Tlv>& routing, const ContentKey& key);
/// Returns the key; nothing if there is none or its length is wrong.
std::optional<ContentKey> content_of(const std::vector<Tlv>& routing);

}  // namespace divisi::frame
