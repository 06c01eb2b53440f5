// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>

namespace divisi::frame {

/// Writes `value` little-endian at `offset`; the caller must have checked the bounds.
template <std::integral T>
void store_le(std::span<std::byte> bytes, std::size_t offset, T value) {
    auto rest = static_cast<std::make_unsigned_t<T>>(value);
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        bytes[offset + i] = static_cast<std::byte>(rest & 0xFF);
        if constexpr (sizeof(T) > 1) rest >>= 8;
    }
}

/// Reads a little-endian integer at `offset`; the caller must have checked the bounds.
template <std::integral T>
T load_le(std::span<const std::byte> bytes, std::size_t offset) {
    using U = std::make_unsigned_t<T>;
    U value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
        value = static_cast<U>(value | static_cast<U>(static_cast<U>(bytes[offset + i]) << (8 * i)));
    return static_cast<T>(value);
}

}  // namespace divisi::frame
