// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "backend/frame/chunk.h"
#include "backend/frame/frame.h"
#include "backend/mesh/base/device.h"

namespace divisi::mesh::inline forwarding {

/// Caches tensors that have passed a router, for tasks that would compute the same tensors again. A tensor is found by
/// its content key. The size is bounded in bytes; the least recently used tensors are evicted first. A tensor is
/// verified by its hash before use.
///
/// A tensor that arrived through one gateway is never given to a flow from another gateway. A node with false results
/// can therefore deceive only its own MIC. The cache reads no clock and does no I/O.
class ResultCache {
public:
    /// Computes a BLAKE2b-256.
    using Hash = std::function<frame::ContentKey(std::span<const std::byte>)>;
    struct Result {
        struct Piece {
            std::shared_ptr<const void> owner;
            std::span<const std::byte> payload;
            std::uint32_t crc = 0;
            frame::ContentKey hash;
        };
        frame::FrameHeader first;  ///< header of the tensor's first chunk, as it passed
        std::vector<Piece> pieces;
    };
    struct Counters {
        std::uint64_t hits = 0, misses = 0;
        std::uint64_t corrupt = 0;      ///< number of results that were found, but damaged
        std::uint64_t evicted = 0;      ///< number of results evicted to make room
        std::uint64_t saved_bytes = 0;  ///< bytes of tensors that were found
    };

    /// `limit` is the maximum of all kept bytes including overhead; above 0.
    ResultCache(std::uint64_t limit, Hash hash) : limit_(limit), hash_(std::move(hash)) {}

    /// Keeps a passing chunk that names its tensor's content. The chunks of a tensor must pass in order. A repeated
    /// chunk, or a chunk after a gap, shows that the sender repeats chunks. Such a tensor can be cached only when the
    /// whole tensor passes again.
    void pass(RoutingId gateway, const frame::Chunk& chunk);
    /// Returns the whole tensor; null if it is damaged or not cached. A tensor in use is not evicted: its memory would
    /// stay in use, but would no longer count towards the limit.
    std::shared_ptr<const Result> find(RoutingId gateway, const frame::ContentKey& content);
    /// Keeps only the tensors that came through gateways for which `present` returns true.
    void keep_only(const std::function<bool(RoutingId gateway)>& present);

    const Counters& counters() const { return counters_; }
    std::uint64_t limit() const { return limit_; }
    /// Returns the bytes kept; never above the limit.
    std::uint64_t held() const { return held_; }
    /// Returns the number of complete tensors.
    std::size_t results() const;

private:
    struct Name {
        RoutingId gateway;
        frame::ContentKey content;
        auto operator<=>(const Name&) const = default;
    };
    struct Entry {
        std::shared_ptr<Result> result;
        std::uint64_t bytes = 0;  ///< size of the whole tensor, even while only a part is cached
        std::list<Name>::iterator age;

        bool whole() const { return result->pieces.size() == result->first.chunk_count; }
        bool in_use() const { return result.use_count() > 1; }
    };
    using Entries = std::map<Name, Entry>;

    bool begin(const Name& name, const frame::FrameHeader& header);
    bool make_room(std::uint64_t bytes);
    void drop(Entries::iterator entry);

    const std::uint64_t limit_;
    Hash hash_;
    Entries entries_;
    std::list<Name> ages_;  ///< names, the least recently used first
    std::uint64_t held_ = 0;
    Counters counters_;
};

/// Generous estimates of the memory for a tensor and for each of its chunks, in addition to their bytes.
inline constexpr std::uint64_t cached_tensor_overhead = 1024, cached_chunk_overhead = 256;
/// Returns the bytes that a tensor takes in a cache.
std::uint64_t cached_bytes(const frame::FrameHeader& header);

}  // namespace divisi::mesh::inline forwarding
