// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backend/base/result.h"

namespace divisi::frame {

/// The chunks `first` to `first + count - 1` of a tensor.
struct ChunkRange {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    bool operator==(const ChunkRange&) const = default;
};

/// Maximum number of ranges in one message; a receiver that lacks more ranges asks for the rest later. 128 ranges fit a
/// message of 1 KiB.
inline constexpr std::size_t most_ranges = 128;

/// Encodes each range in eight bytes, little-endian.
std::string encode_ranges(std::span<const ChunkRange> ranges);
/// Decodes ranges. Fails with `corrupt` for too many ranges, an empty range, or a range that ends beyond 32 bits.
Result<std::vector<ChunkRange>> decode_ranges(std::span<const std::byte> bytes);

/// A set of chunks of one tensor, stored as ascending ranges that do not touch.
class ChunkSet {
public:
    ChunkSet() = default;
    explicit ChunkSet(ChunkRange range) { add(range); }

    /// Adds the chunks; chunks that are already in the set have no effect.
    void add(ChunkRange range);
    bool empty() const { return ranges_.empty(); }
    std::uint32_t size() const;
    /// Removes the lowest chunk and returns its number. The set must not be empty.
    std::uint32_t take();
    const std::vector<ChunkRange>& ranges() const { return ranges_; }

private:
    std::vector<ChunkRange> ranges_;
};

}  // namespace divisi::frame
