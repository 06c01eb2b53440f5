// SPDX-License-Identifier: Apache-2.0
#include "backend/frame/chunk_set.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "backend/frame/bytes.h"

namespace divisi::frame {
namespace {

constexpr std::size_t range_bytes = 8;

Error corrupt_chunks(std::string what) {
    return {ErrorCode::corrupt, std::move(what), "missing chunks", "run the same Divisi version on all machines"};
}

}  // namespace

std::string encode_ranges(std::span<const ChunkRange> ranges) {
    std::string out(ranges.size() * range_bytes, '\0');
    const auto bytes = std::as_writable_bytes(std::span(out));
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        store_le(bytes, i * range_bytes, ranges[i].first);
        store_le(bytes, i * range_bytes + 4, ranges[i].count);
    }
    return out;
}

Result<std::vector<ChunkRange>> decode_ranges(std::span<const std::byte> bytes) {
    if (bytes.size() % range_bytes != 0) return corrupt_chunks("a truncated range");
    if (bytes.size() > most_ranges * range_bytes) return corrupt_chunks("too many ranges");
    std::vector<ChunkRange> ranges;
    for (std::size_t at = 0; at < bytes.size(); at += range_bytes) {
        const ChunkRange range{load_le<std::uint32_t>(bytes, at), load_le<std::uint32_t>(bytes, at + 4)};
        if (range.count == 0 || range.first > std::numeric_limits<std::uint32_t>::max() - range.count)
            return corrupt_chunks("an impossible range");
        ranges.push_back(range);
    }
    return ranges;
}

void ChunkSet::add(ChunkRange range) {
    if (range.count == 0) return;
    std::uint32_t first = range.first, end = range.first + range.count;
    // Merge the new range with all ranges that overlap or touch it.
    const auto begin = std::ranges::find_if(ranges_, [&](const auto& one) { return one.first + one.count >= first; });
    auto after = begin;
    for (; after != ranges_.end() && after->first <= end; ++after) {
        first = std::min(first, after->first);
        end = std::max(end, after->first + after->count);
    }
    ranges_.insert(ranges_.erase(begin, after), {first, end - first});
}

std::uint32_t ChunkSet::size() const {
    std::uint32_t count = 0;
    for (const ChunkRange& range : ranges_) count += range.count;
    return count;
}

std::uint32_t ChunkSet::take() {
    assert(!ranges_.empty());
    ChunkRange& lowest = ranges_.front();
    const std::uint32_t chunk = lowest.first++;
    if (--lowest.count == 0) ranges_.erase(ranges_.begin());
    return chunk;
}

}  // namespace divisi::frame
