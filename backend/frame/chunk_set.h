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

/// Ranges that one message names; who misses more asks for the rest later. 128 fit a message of 1 KiB.
inline constexpr std::size_t most_ranges = 128;

/// Eight bytes a range, little-endian.
std::string encode_ranges(std::span<const ChunkRange> ranges);
/// `corrupt` for too many ranges, an empty one, or one that ends beyond 32 bits.
Result<std::vector<ChunkRange>> decode_ranges(std::span<const std::byte> bytes);

/// Chunks of one tensor, as ascending ranges that do not touch.
class ChunkSet {
public:
    ChunkSet() = default;
    explicit ChunkSet(ChunkRange range) { add(range); }

    /// What is in the set already stays there once.
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
