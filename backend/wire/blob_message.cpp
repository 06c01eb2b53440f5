// SPDX-License-Identifier: Apache-2.0
#include "backend/wire/blob_message.h"

#include "backend/control/types/blob_types.h"
#include "backend/frame/bytes.h"

namespace divisi::wire {
namespace {

constexpr std::uint32_t magic = 0x32425644;  // "DVB2"
constexpr std::size_t digest_bytes = 32;
/// Limit for each of an error's three texts.
constexpr std::size_t error_text_limit = 2000;

Error corrupt(std::string what) {
    return {ErrorCode::corrupt, std::move(what), "blob transfer", "run the same Divisi version on all machines"};
}

int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

bool put_digest(std::span<std::byte> bytes, const std::string& hex) {
    if (hex.size() != 2 * digest_bytes) return false;
    for (std::size_t i = 0; i < digest_bytes; ++i) {
        const int high = digit(hex[2 * i]), low = digit(hex[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        bytes[i] = static_cast<std::byte>(high * 16 + low);
    }
    return true;
}

std::string get_digest(std::span<const std::byte> bytes) {
    constexpr const char* digits = "0123456789abcdef";
    std::string hex;
    for (const std::byte byte : bytes.first(digest_bytes)) {
        hex += digits[std::to_integer<unsigned>(byte) >> 4];
        hex += digits[std::to_integer<unsigned>(byte) & 15];
    }
    return hex;
}

}  // namespace

Result<std::string> encode_blob(const BlobMessage& m) {
    std::string out(blob_header_bytes, '\0');
    const auto bytes = std::as_writable_bytes(std::span(out));
    frame::store_le(bytes, 0, magic);
    frame::store_le(bytes, 4, static_cast<std::uint8_t>(m.verb));
    frame::store_le(bytes, 5, static_cast<std::uint8_t>(m.answer));
    frame::store_le(bytes, 6, m.status);
    frame::store_le(bytes, 8, m.correlation);
    frame::store_le(bytes, 16, m.size);
    frame::store_le(bytes, 24, m.index);
    if (!put_digest(bytes.subspan(32), m.hash))
        return Error{ErrorCode::invalid_input, "not a blob's hash: " + m.hash, "blob transfer", ""};
    return out;
}

Result<BlobMessage> decode_blob(std::span<const std::byte> bytes) {
    if (bytes.size() != blob_header_bytes || frame::load_le<std::uint32_t>(bytes, 0) != magic)
        return corrupt("not a blob message");
    BlobMessage m;
    const auto verb = frame::load_le<std::uint8_t>(bytes, 4), answer = frame::load_le<std::uint8_t>(bytes, 5);
    if (verb < 1 || verb > 6 || answer > 1) return corrupt("unknown blob message");
    m.verb = static_cast<BlobVerb>(verb);
    m.answer = answer == 1;
    m.status = frame::load_le<std::uint8_t>(bytes, 6);
    m.correlation = frame::load_le<std::uint64_t>(bytes, 8);
    m.size = frame::load_le<std::int64_t>(bytes, 16);
    m.index = frame::load_le<std::uint32_t>(bytes, 24);
    m.hash = get_digest(bytes.subspan(32));
    if (m.size < 0 || m.size > blob_limit) return corrupt("impossible blob size");
    return m;
}

Result<std::string> encode_hash(const std::string& hash) {
    std::string out(digest_bytes, '\0');
    if (!put_digest(std::as_writable_bytes(std::span(out)), hash))
        return Error{ErrorCode::invalid_input, "not a blob's hash: " + hash, "blob transfer", ""};
    return out;
}

Result<std::string> decode_hash(std::span<const std::byte> bytes) {
    if (bytes.size() != digest_bytes) return corrupt("not a blob's hash");
    return get_digest(bytes);
}

std::string encode_chunks(const std::vector<std::uint32_t>& chunks) {
    std::string out(chunks.size() * sizeof(std::uint32_t), '\0');
    for (std::size_t i = 0; i < chunks.size(); ++i)
        frame::store_le(std::as_writable_bytes(std::span(out)), i * sizeof(std::uint32_t), chunks[i]);
    return out;
}

Result<std::vector<std::uint32_t>> decode_chunks(std::span<const std::byte> bytes) {
    if (bytes.size() % sizeof(std::uint32_t) != 0) return corrupt("truncated list of pieces");
    std::vector<std::uint32_t> chunks;
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint32_t))
        chunks.push_back(frame::load_le<std::uint32_t>(bytes, at));
    return chunks;
}

std::string encode_names(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names) {
        std::string size(sizeof(std::uint32_t), '\0');
        frame::store_le(std::as_writable_bytes(std::span(size)), 0, static_cast<std::uint32_t>(name.size()));
        out += size + name;
    }
    return out;
}

Result<std::vector<std::string>> decode_names(std::span<const std::byte> bytes) {
    std::vector<std::string> names;
    while (!bytes.empty()) {
        if (bytes.size() < sizeof(std::uint32_t)) return corrupt("truncated list of names");
        const auto size = frame::load_le<std::uint32_t>(bytes, 0);
        bytes = bytes.subspan(sizeof size);
        if (size > bytes.size()) return corrupt("truncated list of names");
        if (names.size() == control::most_selected_values) return corrupt("too many names");
        names.emplace_back(reinterpret_cast<const char*>(bytes.data()), size);
        bytes = bytes.subspan(size);
    }
    return names;
}

std::string encode_bitmap(const std::vector<std::uint32_t>& indices, std::size_t count) {
    std::string out((count + 7) / 8, '\0');
    for (const std::uint32_t i : indices) out[i / 8] = static_cast<char>(out[i / 8] | (1 << (i % 8)));
    return out;
}

Result<std::vector<std::uint32_t>> decode_bitmap(std::span<const std::byte> bytes, std::size_t count) {
    if (bytes.size() != (count + 7) / 8) return corrupt("a bitmap of the wrong length");
    std::vector<std::uint32_t> indices;
    for (std::size_t i = 0; i < count; ++i)
        if ((std::to_integer<unsigned>(bytes[i / 8]) >> (i % 8)) & 1) indices.push_back(static_cast<std::uint32_t>(i));
    return indices;
}

std::string encode_error(const Error& error) {
    const auto cut = [](const std::string& text) {
        return text.substr(0, std::min(text.find('\0'), error_text_limit));
    };
    return cut(error.what) + '\0' + cut(error.where) + '\0' + cut(error.next);
}

Error decode_error(std::uint8_t status, std::span<const std::byte> bytes) {
    const std::string text(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 8000));
    Error error;
    const int code = status - 1;
    if (code >= 0 && code <= static_cast<int>(ErrorCode::failed)) error.code = static_cast<ErrorCode>(code);
    const auto first = text.find('\0');
    const auto second = first == std::string::npos ? first : text.find('\0', first + 1);
    error.what = text.substr(0, first);
    if (first != std::string::npos) error.where = text.substr(first + 1, second - first - 1);
    if (second != std::string::npos) error.next = text.substr(second + 1);
    return error;
}

}  // namespace divisi::wire
