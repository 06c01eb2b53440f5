// SPDX-License-Identifier: Apache-2.0
#include "backend/frame/control_frame.h"

#include <utility>

namespace divisi::frame {
namespace {

template <typename T>
void put(std::string& out, T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>(value >> (8 * i));
}

template <typename T>
T take(std::span<const std::byte>& bytes) {
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(std::to_integer<T>(bytes[i]) << (8 * i));
    bytes = bytes.subspan(sizeof(T));
    return value;
}

Error broken(ErrorCode code, std::string what) {
    return {code, std::move(what), "control frame", "run the same Divisi version on all machines"};
}

}  // namespace

std::string encode_control_header(const ControlHeader& header) {
    std::string out;
    out.reserve(control_header_bytes);
    put(out, header.correlation);
    put(out, header.type);
    put(out, header.size);
    put(out, header.offset);
    return out;
}

Result<ControlHeader> decode_control_header(std::span<const std::byte> bytes) {
    if (bytes.size() != control_header_bytes)
        return broken(ErrorCode::corrupt, "a header of " + std::to_string(bytes.size()) + " bytes");
    ControlHeader header;
    header.correlation = take<std::uint64_t>(bytes);
    header.type = take<std::uint16_t>(bytes);
    header.size = take<std::uint32_t>(bytes);
    header.offset = take<std::uint32_t>(bytes);
    return header;
}

Result<std::optional<std::string>> ControlAssembler::add(const ControlHeader& header,
                                                         std::span<const std::byte> bytes) {
    const std::size_t limit = limit_(header.type);
    const std::string number = "message number " + std::to_string(header.type);
    if (limit == 0) return broken(ErrorCode::unsupported, number);
    if (header.size > limit)
        return broken(ErrorCode::exhausted, number + " announces " + std::to_string(header.size) +
                                                " bytes, allowed are " + std::to_string(limit));
    const auto refuse = [this](const char* what) {
        held_.clear();
        return broken(ErrorCode::corrupt, what);
    };
    if (bytes.size() > control_frame_limit) return refuse("a frame above the limit");
    if (header.offset == 0) first_ = header;
    const bool continues = header.offset == held_.size() && header.correlation == first_.correlation &&
                           header.type == first_.type && header.size == first_.size;
    if (!continues) return refuse("a frame that does not continue the message before it");
    if (bytes.size() > header.size - header.offset) return refuse("a frame beyond the end of its message");
    if (bytes.empty() && header.size != 0) return refuse("an empty frame");
    held_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (held_.size() < header.size) return std::optional<std::string>();
    return std::optional<std::string>(std::exchange(held_, {}));
}

}  // namespace divisi::frame
