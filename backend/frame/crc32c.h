// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace divisi::frame {

/// Returns the CRC-32C (Castagnoli polynomial 0x1EDC6F41, reflected; RFC 3720 appendix B.4). `seed` is the checksum of
/// the preceding bytes: crc32c(b, crc32c(a)) is the checksum of a followed by b.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t seed = 0);

/// Computes the same checksum by tables on every processor. Serves as the reference for the fast path.
std::uint32_t crc32c_portable(std::span<const std::byte> bytes, std::uint32_t seed = 0);

}  // namespace divisi::frame
