// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/result_cache.h"

#include <algorithm>

#include "backend/frame/crc32c.h"

namespace divisi::mesh::inline forwarding {

std::uint64_t cached_bytes(const frame::FrameHeader& header) {
    return header.total_bytes + cached_tensor_overhead + header.chunk_count * cached_chunk_overhead;
}

void ResultCache::pass(RoutingId gateway, const frame::Chunk& chunk) {
    const frame::FrameHeader& header = chunk.header;
    const auto content = frame::content_of(header.routing);
    if (!content || !carries_tensor(header.key.kind)) return;
    const Name name{gateway, *content};
    const auto known = entries_.find(name);
    if (known != entries_.end() && known->second.whole()) return;
    if (header.chunk_index == 0 && !begin(name, header)) return;
    const auto entry = entries_.find(name);
    if (entry == entries_.end()) return;
    Result& result = *entry->second.result;
    if (result.first.key != header.key || result.first.source != header.source) return;  // the chunk has another sender
    const bool next = result.pieces.size() == header.chunk_index && chunk.payload.size() == header.payload_bytes &&
                      result.first.chunk_count == header.chunk_count;
    if (!next || frame::crc32c(chunk.payload) != header.payload_crc) return drop(entry);
    result.pieces.push_back({chunk.owner, chunk.payload, header.payload_crc, hash_(chunk.payload)});
}

/// Starts a result, replacing an incomplete one: the newest sender counts, because an earlier one may have died.
bool ResultCache::begin(const Name& name, const frame::FrameHeader& header) {
    if (const auto before = entries_.find(name); before != entries_.end()) drop(before);
    const std::uint64_t bytes = cached_bytes(header);
    if (!make_room(bytes)) return false;
    Entry entry{std::make_shared<Result>(), bytes, ages_.insert(ages_.end(), name)};
    entry.result->first = header;
    held_ += bytes;
    entries_.emplace(name, std::move(entry));
    return true;
}

bool ResultCache::make_room(std::uint64_t bytes) {
    if (bytes > limit_) return false;
    for (auto age = ages_.begin(); age != ages_.end() && held_ + bytes > limit_;) {
        const auto entry = entries_.find(*age++);
        if (entry->second.in_use()) continue;
        drop(entry);
        ++counters_.evicted;
    }
    return held_ + bytes <= limit_;
}

void ResultCache::drop(Entries::iterator entry) {
    held_ -= entry->second.bytes;
    ages_.erase(entry->second.age);
    entries_.erase(entry);
}

std::shared_ptr<const ResultCache::Result> ResultCache::find(RoutingId gateway, const frame::ContentKey& content) {
    const auto entry = entries_.find({gateway, content});
    if (entry == entries_.end() || !entry->second.whole()) {
        ++counters_.misses;
        return nullptr;
    }
    const std::shared_ptr<const Result> result = entry->second.result;
    const auto intact = [&](const Result::Piece& piece) { return hash_(piece.payload) == piece.hash; };
    if (!std::ranges::all_of(result->pieces, intact)) {
        drop(entry);
        ++counters_.corrupt;
        return nullptr;
    }
    ages_.splice(ages_.end(), ages_, entry->second.age);
    ++counters_.hits;
    counters_.saved_bytes += result->first.total_bytes;
    return result;
}

void ResultCache::keep_only(const std::function<bool(RoutingId gateway)>& present) {
    for (auto entry = entries_.begin(); entry != entries_.end();) {
        const auto here = entry++;
        if (!present(here->first.gateway)) drop(here);
    }
}

std::size_t ResultCache::results() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(entries_, [](const auto& entry) { return entry.second.whole(); }));
}

}  // namespace divisi::mesh::inline forwarding
