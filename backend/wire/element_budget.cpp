// SPDX-License-Identifier: Apache-2.0
#include "backend/wire/element_budget.h"

#include <google/protobuf/descriptor.h>

#include <cstdint>
#include <optional>

#include "backend/control/state/limits.h"

namespace divisi::wire {
namespace {

/// Limit on nesting; our messages nest six deep.
constexpr int depth_limit = 16;

using Bytes = std::span<const std::byte>;

std::optional<std::uint64_t> take_varint(Bytes& bytes) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 70 && !bytes.empty(); shift += 7) {
        const auto byte = std::to_integer<std::uint64_t>(bytes.front());
        bytes = bytes.subspan(1);
        if (shift < 64) value |= (byte & 0x7F) << shift;
        if ((byte & 0x80) == 0) return value;
    }
    return std::nullopt;
}

bool skip(Bytes& bytes, std::uint64_t count) {
    if (count > bytes.size()) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    return true;
}

bool walk(const google::protobuf::Descriptor* type, Bytes bytes, int depth, std::size_t& budget) {
    if (depth > depth_limit) return false;
    while (!bytes.empty()) {
        const auto tag = take_varint(bytes);
        if (!tag || *tag > UINT32_MAX) return false;
        switch (*tag & 7) {
            case 0:
                if (!take_varint(bytes)) return false;
                break;
            case 1:
                if (!skip(bytes, 8)) return false;
                break;
            case 5:
                if (!skip(bytes, 4)) return false;
                break;
            case 2: {
                const auto length = take_varint(bytes);
                if (!length || *length > bytes.size() || budget == 0) return false;
                --budget;
                const auto inner = bytes.first(static_cast<std::size_t>(*length));
                bytes = bytes.subspan(inner.size());
                const auto* field = type->FindFieldByNumber(static_cast<int>(*tag >> 3));
                if (field != nullptr && field->message_type() != nullptr &&
                    !walk(field->message_type(), inner, depth + 1, budget))
                    return false;
                break;
            }
            default: return false;  // groups: not in proto3, and they nest without a length
        }
    }
    return true;
}

}  // namespace

bool within_element_budget(const google::protobuf::Descriptor& type, std::span<const std::byte> bytes) {
    std::size_t budget = control::message_elements;
    return walk(&type, bytes, 0, budget);
}

}  // namespace divisi::wire
