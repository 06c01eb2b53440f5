// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "backend/frame/chunk.h"
#include "backend/frame/content.h"
#include "backend/mesh/base/device.h"

namespace divisi::mesh::inline relay {

/// Tensors that have passed a router, for tasks that would compute the same again: found by the key of their content,
/// bounded in bytes, the least recently used leave first. What is found is checked by hash. A tensor that came through
/// one gateway is never given to what comes through another: whoever lies about his own results deceives nobody beyond
/// his MIC. Reads no clock and does no I/O.
class ResultCache {
public:
    /// BLAKE2b-256.
    using Hash = std::function<frame::ContentKey(std::span<const std::byte>)>;
    struct Result {
        struct Piece {
            std::shared_ptr<const void> owner;
            std::span<const std::byte> payload;
            std::uint32_t crc = 0;
            frame::ContentKey hash;
        };
        frame::FrameHeader first;  ///< of the tensor's first chunk, as it passed
        std::vector<Piece> pieces;
    };
    struct Counters {
        std::uint64_t hits = 0, misses = 0;
        std::uint64_t corrupt = 0;      ///< found, and not what was kept
        std::uint64_t evicted = 0;      ///< for others
        std::uint64_t saved_bytes = 0;  ///< of tensors that were found
    };

    /// `limit`: bytes of all that is kept, with what keeping it takes; above 0.
    ResultCache(std::uint64_t limit, Hash hash) : limit_(limit), hash_(std::move(hash)) {}

    /// A chunk passes; it is kept where it names the content of its tensor. Those of one tensor count in their order
    /// only: one that comes again, or with a gap before it, belongs to a repetition, and the tensor is kept another
    /// time.
    void pass(RoutingId gateway, const frame::Chunk& chunk);
    /// The whole tensor; null where it is not here. What is in use is not evicted, so that memory keeps its bound.
    std::shared_ptr<const Result> find(RoutingId gateway, const frame::ContentKey& content);
    /// What came through other gateways goes.
    void keep_only(const std::function<bool(RoutingId gateway)>& present);

    const Counters& counters() const { return counters_; }
    std::uint64_t limit() const { return limit_; }
    /// Bytes that are kept; never above the limit.
    std::uint64_t held() const { return held_; }
    /// Whole tensors.
    std::size_t results() const;

private:
    struct Name {
        RoutingId gateway;
        frame::ContentKey content;
        auto operator<=>(const Name&) const = default;
    };
    struct Entry {
        std::shared_ptr<Result> result;
        std::uint64_t bytes = 0;  ///< of the whole, also while only a part is here
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
    std::list<Name> ages_;  ///< the least recently used first
    std::uint64_t held_ = 0;
    Counters counters_;
};

/// What a tensor and each of its chunks take beside their bytes, counted generously.
inline constexpr std::uint64_t cached_tensor_overhead = 1024, cached_chunk_overhead = 256;
/// Bytes that a tensor takes in a cache.
std::uint64_t cached_bytes(const frame::FrameHeader& header);

}  // namespace divisi::mesh::inline relay
