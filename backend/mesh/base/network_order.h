// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>

namespace divisi::mesh::inline base {

/// Appends `value` big-endian, as IETF headers require.
template <std::unsigned_integral T>
void put(std::string& out, T value) {
    for (std::size_t i = sizeof(T); i > 0; --i) out += static_cast<char>(value >> (8 * (i - 1)));
}

/// Removes a big-endian integer from the front; the caller must have checked the length.
template <std::unsigned_integral T>
T take(std::span<const std::byte>& bytes) {
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
        value = static_cast<T>(value | static_cast<T>(std::to_integer<T>(bytes[i]) << (8 * (sizeof(T) - 1 - i))));
    bytes = bytes.subspan(sizeof(T));
    return value;
}

}  // namespace divisi::mesh::inline base
