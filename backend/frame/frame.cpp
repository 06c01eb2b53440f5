// SPDX-License-Identifier: Apache-2.0
#include "backend/frame/frame.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "backend/frame/bytes.h"
#include "backend/frame/crc32c.h"

namespace divisi::frame {
namespace {

constexpr std::uint32_t magic = 0x31465644;  // "DVF1"
constexpr std::uint16_t version = 2;

// Offsets in the fixed header; all integers are little-endian.
namespace at {
constexpr std::size_t magic = 0, version = 4, header_bytes = 6, task = 8, generation = 16, edge = 20, source = 24,
                      destination = 32, step = 40, microbatch = 48, kind = 52, dtype = 53, codec = 54, rank = 55,
                      chunk_index = 56, chunk_count = 60, chunk_bytes = 64, payload_bytes = 68, total_bytes = 72,
                      payload_crc = 80, header_crc = 84, routing_bytes = 88, has_strides = 90, about = 91, credit = 92,
                      dims = 96, strides = 160, source_incarnation = 224, destination_incarnation = 232;
}  // namespace at
static_assert(at::strides + max_rank * 8 == at::source_incarnation &&
              at::destination_incarnation + 8 == fixed_header_bytes);

Error corrupt_frame(std::string what) {
    return {ErrorCode::corrupt, std::move(what), "tensor frame", "the frame is dropped and its sender repeats it"};
}

/// Counts the elements of a shape; nothing if a dimension is negative or the product exceeds the tensor size limit.
std::optional<std::uint64_t> count_elements(const std::vector<std::int64_t>& dims) {
    std::uint64_t count = 1;
    bool empty = false;
    for (const std::int64_t dim : dims) {
        if (dim < 0) return std::nullopt;
        if (dim == 0) empty = true;
        const auto factor = std::max<std::uint64_t>(static_cast<std::uint64_t>(dim), 1);
        if (factor > max_tensor_bytes / count) return std::nullopt;
        count *= factor;
    }
    return empty ? 0 : count;
}

Result<void> check_layout(const FrameHeader& h) {
    if (h.dims.size() > max_rank) return corrupt_frame("rank above 8");
    const auto count = count_elements(h.dims);
    if (!count) return corrupt_frame("impossible dimensions");
    const std::int64_t element = graph::element_size(h.dtype);
    if (h.codec == codec_raw && element > 0 && h.total_bytes != *count * static_cast<std::uint64_t>(element))
        return corrupt_frame("size does not match the shape");
    if (h.strides.empty()) return {};
    if (h.strides.size() != h.dims.size()) return corrupt_frame("the numbers of strides and dimensions differ");
    std::uint64_t last = 0;  // offset of the last element that the strides reach; must lie inside the payload
    for (std::size_t i = 0; i < h.dims.size(); ++i) {
        if (h.strides[i] < 0) return corrupt_frame("negative stride");
        if (*count == 0 || h.dims[i] < 2) continue;
        const auto steps = static_cast<std::uint64_t>(h.dims[i] - 1), stride = static_cast<std::uint64_t>(h.strides[i]);
        if (stride > *count || steps * stride >= *count) return corrupt_frame("strides reach outside the tensor");
        last += steps * stride;
    }
    if (*count > 0 && last >= *count) return corrupt_frame("strides reach outside the tensor");
    return {};
}

Result<void> check(const FrameHeader& h) {
    if (h.total_bytes > max_tensor_bytes) return corrupt_frame("tensor above 64 GiB");
    if (!std::has_single_bit(h.chunk_bytes) || h.chunk_bytes < min_chunk_bytes || h.chunk_bytes > max_chunk_bytes)
        return corrupt_frame("chunk size is not a power of two between 4 KiB and 1 MiB");
    if (h.chunk_count != chunk_count(h.total_bytes, h.chunk_bytes)) return corrupt_frame("wrong number of chunks");
    if (h.chunk_index >= h.chunk_count) return corrupt_frame("chunk number outside the tensor");
    const std::uint64_t offset = std::uint64_t{h.chunk_index} * h.chunk_bytes;
    if (h.payload_bytes != std::min<std::uint64_t>(h.chunk_bytes, h.total_bytes - offset))
        return corrupt_frame("wrong chunk length");
    if (h.key.step < 0 || h.key.microbatch < 0) return corrupt_frame("negative step or micro-batch");
    return check_layout(h);
}

bool is_kind(std::uint8_t value) { return value >= 1 && value <= last_frame_kind; }

Result<std::vector<Tlv>> decode_routing(std::span<const std::byte> bytes) {
    std::vector<Tlv> tlvs;
    while (!bytes.empty()) {
        if (bytes.size() < 4) return corrupt_frame("truncated routing block");
        const std::size_t length = load_le<std::uint16_t>(bytes, 2);
        if (bytes.size() - 4 < length) return corrupt_frame("a routing TLV is longer than its block");
        tlvs.push_back(
            {load_le<std::uint16_t>(bytes, 0), std::string(reinterpret_cast<const char*>(bytes.data() + 4), length)});
        bytes = bytes.subspan(4 + length);
    }
    return tlvs;
}

/// Computes the header's checksum, with the checksum field itself counted as zero.
std::uint32_t header_checksum(std::span<const std::byte> bytes) {
    constexpr std::byte zeros[4]{};
    std::uint32_t crc = crc32c(bytes.first(at::header_crc));
    crc = crc32c(zeros, crc);
    return crc32c(bytes.subspan(at::header_crc + 4), crc);
}

constexpr auto content_type = static_cast<std::uint16_t>(TlvType::content);

}  // namespace

std::string_view name(FrameKind kind) {
    switch (kind) {
        case FrameKind::activation: return "activation";
        case FrameKind::gradient: return "gradient";
        case FrameKind::input: return "input";
        case FrameKind::weight_use_gradient: return "weight-use gradient";
        case FrameKind::norm_share: return "norm share";
        case FrameKind::loss: return "loss";
        case FrameKind::parameter: return "parameter";
        case FrameKind::blob_chunk: return "blob chunk";
        case FrameKind::ack: return "ack";
        case FrameKind::slot: return "slot";
        case FrameKind::hello: return "hello";
        case FrameKind::welcome: return "welcome";
        case FrameKind::ask: return "ask";
        case FrameKind::missing: return "missing";
        case FrameKind::refused: return "refused";
        case FrameKind::demand: return "demand";
        case FrameKind::offer: return "offer";
        case FrameKind::supplied: return "supplied";
        case FrameKind::absent: return "absent";
    }
    return "unknown";
}

std::uint32_t chunk_count(std::uint64_t total_bytes, std::uint32_t chunk_bytes) {
    if (total_bytes == 0) return 1;
    return static_cast<std::uint32_t>((total_bytes + chunk_bytes - 1) / chunk_bytes);
}

std::span<const std::byte> chunk_payload(const TensorFrame& frame, std::uint32_t index, std::uint32_t chunk_bytes) {
    const auto bytes = frame.tensor.bytes();
    const std::size_t offset = std::size_t{index} * chunk_bytes;
    return bytes.subspan(offset, std::min<std::size_t>(chunk_bytes, bytes.size() - offset));
}

namespace {

/// Builds a chunk's header without the payload's checksum.
FrameHeader bare_header(const TensorFrame& frame, std::uint32_t index, std::uint32_t chunk_bytes) {
    FrameHeader h;
    h.key = frame.key;
    h.source = frame.source;
    h.destination = frame.destination;
    h.dtype = frame.tensor.dtype;
    h.codec = frame.codec;
    h.dims = frame.tensor.dims;
    h.strides = frame.tensor.strides;
    h.total_bytes = static_cast<std::uint64_t>(frame.tensor.size_bytes);
    h.chunk_bytes = chunk_bytes;
    h.chunk_index = index;
    h.chunk_count = chunk_count(h.total_bytes, chunk_bytes);
    h.payload_bytes = static_cast<std::uint32_t>(chunk_payload(frame, index, chunk_bytes).size());
    h.routing = frame.routing;
    return h;
}

/// Checks a header and returns the size of its routing block in bytes. Fails with `invalid_input` if the header breaks
/// a rule.
Result<std::size_t> check_own(const FrameHeader& h) {
    if (auto checked = check(h); !checked.ok())
        return Error{ErrorCode::invalid_input, checked.error().what, "tensor frame", "the sender's layout is wrong"};
    std::size_t routing = 0;
    for (const Tlv& tlv : h.routing) {
        if (tlv.value.size() > max_routing_bytes) routing = max_routing_bytes + 1;
        routing += 4 + tlv.value.size();
    }
    if (routing > max_routing_bytes)
        return Error{ErrorCode::invalid_input, "routing block above 1 KiB", "tensor frame", "use a shorter path"};
    return routing;
}

}  // namespace

FrameHeader chunk_header(const TensorFrame& frame, std::uint32_t index, std::uint32_t chunk_bytes) {
    FrameHeader h = bare_header(frame, index, chunk_bytes);
    h.payload_crc = crc32c(chunk_payload(frame, index, chunk_bytes));
    return h;
}

Result<void> check_tensor(const TensorFrame& frame, std::uint32_t chunk_bytes) {
    DIVISI_TRY(check_own(bare_header(frame, 0, chunk_bytes)));
    return {};
}

Result<std::string> encode_header(const FrameHeader& h) {
    DIVISI_ASSIGN(const std::size_t routing, check_own(h));
    std::string out(fixed_header_bytes + routing, '\0');
    const auto bytes = std::as_writable_bytes(std::span(out));
    store_le(bytes, at::magic, magic);
    store_le(bytes, at::version, version);
    store_le(bytes, at::header_bytes, static_cast<std::uint16_t>(fixed_header_bytes));
    store_le(bytes, at::task, h.key.task);
    store_le(bytes, at::generation, h.key.generation);
    store_le(bytes, at::edge, h.key.edge);
    store_le(bytes, at::source, h.source.sid);
    store_le(bytes, at::destination, h.destination.sid);
    store_le(bytes, at::source_incarnation, h.source.incarnation);
    store_le(bytes, at::destination_incarnation, h.destination.incarnation);
    store_le(bytes, at::step, h.key.step);
    store_le(bytes, at::microbatch, h.key.microbatch);
    store_le(bytes, at::kind, static_cast<std::uint8_t>(h.key.kind));
    store_le(bytes, at::dtype, static_cast<std::uint8_t>(h.dtype));
    store_le(bytes, at::codec, h.codec);
    store_le(bytes, at::rank, static_cast<std::uint8_t>(h.dims.size()));
    store_le(bytes, at::chunk_index, h.chunk_index);
    store_le(bytes, at::chunk_count, h.chunk_count);
    store_le(bytes, at::chunk_bytes, h.chunk_bytes);
    store_le(bytes, at::payload_bytes, h.payload_bytes);
    store_le(bytes, at::total_bytes, h.total_bytes);
    store_le(bytes, at::payload_crc, h.payload_crc);
    store_le(bytes, at::routing_bytes, static_cast<std::uint16_t>(routing));
    store_le(bytes, at::has_strides, static_cast<std::uint8_t>(h.strides.empty() ? 0 : 1));
    store_le(bytes, at::about, static_cast<std::uint8_t>(h.about));
    store_le(bytes, at::credit, h.credit);
    for (std::size_t i = 0; i < h.dims.size(); ++i) store_le(bytes, at::dims + 8 * i, h.dims[i]);
    for (std::size_t i = 0; i < h.strides.size(); ++i) store_le(bytes, at::strides + 8 * i, h.strides[i]);
    std::size_t offset = fixed_header_bytes;
    for (const Tlv& tlv : h.routing) {
        store_le(bytes, offset, tlv.type);
        store_le(bytes, offset + 2, static_cast<std::uint16_t>(tlv.value.size()));
        std::copy(tlv.value.begin(), tlv.value.end(), out.begin() + static_cast<std::ptrdiff_t>(offset) + 4);
        offset += 4 + tlv.value.size();
    }
    store_le(bytes, at::header_crc, header_checksum(bytes));
    return out;
}

Result<FrameHeader> decode_header(std::span<const std::byte> bytes) {
    if (bytes.size() < fixed_header_bytes) return corrupt_frame("truncated header");
    if (bytes.size() > fixed_header_bytes + max_routing_bytes) return corrupt_frame("oversized header");
    if (load_le<std::uint32_t>(bytes, at::magic) != magic) return corrupt_frame("not a Divisi frame");
    if (const auto seen = load_le<std::uint16_t>(bytes, at::version); seen != version)
        return Error{ErrorCode::unsupported, "frame version " + std::to_string(seen), "tensor frame",
                     "run the same Divisi version on all machines"};
    if (load_le<std::uint16_t>(bytes, at::header_bytes) != fixed_header_bytes)
        return corrupt_frame("wrong header length");
    if (load_le<std::uint32_t>(bytes, at::header_crc) != header_checksum(bytes))
        return corrupt_frame("header checksum");
    if (load_le<std::uint16_t>(bytes, at::routing_bytes) != bytes.size() - fixed_header_bytes)
        return corrupt_frame("wrong routing length");

    const auto kind = load_le<std::uint8_t>(bytes, at::kind), about = load_le<std::uint8_t>(bytes, at::about);
    const auto dtype = load_le<std::uint8_t>(bytes, at::dtype), rank = load_le<std::uint8_t>(bytes, at::rank);
    const auto has_strides = load_le<std::uint8_t>(bytes, at::has_strides);
    if (!is_kind(kind) || !is_kind(about)) return corrupt_frame("unknown frame kind");
    if (dtype > static_cast<std::uint8_t>(graph::DType::bfloat16)) return corrupt_frame("unknown element type");
    if (rank > max_rank) return corrupt_frame("rank above 8");
    if (has_strides > 1) return corrupt_frame("unknown layout");

    FrameHeader h;
    h.key.task = load_le<std::uint64_t>(bytes, at::task);
    h.key.generation = load_le<std::uint32_t>(bytes, at::generation);
    h.key.edge = load_le<std::uint32_t>(bytes, at::edge);
    h.source = {load_le<std::uint64_t>(bytes, at::source), load_le<std::uint64_t>(bytes, at::source_incarnation)};
    h.destination = {load_le<std::uint64_t>(bytes, at::destination),
                     load_le<std::uint64_t>(bytes, at::destination_incarnation)};
    h.key.step = load_le<std::int64_t>(bytes, at::step);
    h.key.microbatch = load_le<std::int32_t>(bytes, at::microbatch);
    h.key.kind = static_cast<FrameKind>(kind);
    h.about = static_cast<FrameKind>(about);
    h.dtype = static_cast<graph::DType>(dtype);
    h.codec = load_le<std::uint8_t>(bytes, at::codec);
    h.chunk_index = load_le<std::uint32_t>(bytes, at::chunk_index);
    h.chunk_count = load_le<std::uint32_t>(bytes, at::chunk_count);
    h.chunk_bytes = load_le<std::uint32_t>(bytes, at::chunk_bytes);
    h.payload_bytes = load_le<std::uint32_t>(bytes, at::payload_bytes);
    h.total_bytes = load_le<std::uint64_t>(bytes, at::total_bytes);
    h.payload_crc = load_le<std::uint32_t>(bytes, at::payload_crc);
    h.credit = load_le<std::uint32_t>(bytes, at::credit);
    for (std::size_t i = 0; i < rank; ++i) h.dims.push_back(load_le<std::int64_t>(bytes, at::dims + 8 * i));
    for (std::size_t i = 0; has_strides == 1 && i < rank; ++i)
        h.strides.push_back(load_le<std::int64_t>(bytes, at::strides + 8 * i));
    DIVISI_ASSIGN(h.routing, decode_routing(bytes.subspan(fixed_header_bytes)));
    DIVISI_TRY(check(h));
    return h;
}

void set_content(std::vector<Tlv>& routing, const ContentKey& key) {
    std::erase_if(routing, [](const Tlv& tlv) { return tlv.type == content_type; });
    routing.push_back({content_type, std::string(reinterpret_cast<const char*>(key.data()), key.size())});
}

std::optional<ContentKey> content_of(const std::vector<Tlv>& routing) {
    const auto tlv = std::ranges::find(routing, content_type, &Tlv::type);
    if (tlv == routing.end() || tlv->value.size() != sizeof(ContentKey)) return std::nullopt;
    ContentKey key;
    std::memcpy(key.data(), tlv->value.data(), key.size());
    return key;
}

}  // namespace divisi::frame
