// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>

#include "backend/frame/chunk_set.h"
#include "backend/frame/frame.h"

namespace divisi::frame {

/// Puts chunks together. Memory is bounded; a tensor comes out once, whole and verified.
class Reassembler {
public:
    struct Limits {
        /// Coded bytes of all tensors that are not whole yet. Slots keep honest peers far below.
        std::uint64_t partial_bytes = 4ULL << 30;
        /// Tensors of one flow that are remembered as done; older ones count as duplicates.
        std::size_t remembered = 4096;
        /// Flows of one task: above the edges of any plan, so that a peer's made-up edges take no memory.
        std::size_t flows = 65'536;
    };
    enum class Fate {
        kept,              ///< the tensor is not whole yet
        complete,          ///< `tensor` holds it
        duplicate,         ///< this chunk is already here
        already_complete,  ///< the tensor was delivered before: acknowledge again, deliver nothing
        stale,             ///< an older generation, or a task that is not known here
        early,             ///< a generation that has not begun here; the sender repeats it
    };
    struct Outcome {
        Fate fate = Fate::kept;
        std::optional<TensorFrame> tensor = {};
        /// Chunks that this one has overtaken, on a connection that keeps their order: they are lost.
        std::optional<ChunkRange> gap = {};
    };
    /// What has arrived of a tensor.
    struct Progress {
        bool complete = false;
        std::vector<ChunkRange> missing;  ///< the first most_ranges of them; none: nothing has arrived
    };
    struct Counters {
        std::uint64_t chunks = 0, tensors = 0, duplicates = 0, stale = 0, early = 0, refused = 0;
    };

    Reassembler() : Reassembler(Limits{}) {}
    explicit Reassembler(Limits limits) : limits_(limits) {}

    /// From now on only frames of `generation` count for this task; what older ones left is dropped. A
    /// generation below the current one is ignored: it only rises.
    void enter(std::uint64_t task, Generation generation);
    void leave(std::uint64_t task);
    /// Forgets the parts of tensors that this sender has begun: a later incarnation of it begins anew.
    void drop_from(std::uint64_t sid);

    /// Nothing for a task or a generation that is not in force here.
    std::optional<Progress> progress(const TensorKey& key) const;

    /// `corrupt`: payload and header disagree. `exhausted`: no room for another partial tensor or flow.
    Result<Outcome> feed(const FrameHeader& header, std::span<const std::byte> payload);

    const Counters& counters() const { return counters_; }
    std::uint64_t partial_bytes() const { return partial_bytes_; }

private:
    using Flow = std::pair<FrameKind, std::uint32_t>;
    using Position = std::pair<std::int64_t, std::int32_t>;
    struct Done {
        std::set<Position> positions;
        std::optional<Position> forgotten;  ///< the highest position that fell out of `positions`

        bool has(Position position) const {
            return positions.contains(position) || (forgotten && position <= *forgotten);
        }
    };
    struct Task {
        Generation generation = 0;
        std::map<Flow, Done> done;
    };
    struct Partial {
        FrameHeader first;
        std::shared_ptr<std::byte> bytes;
        std::vector<bool> present;
        std::uint32_t missing = 0;
        std::uint32_t next = 0;  ///< above the highest chunk that has come
    };

    Result<Outcome> feed_checked(Task& task, const FrameHeader& header, std::span<const std::byte> payload);
    void remember(Done& done, Position position);
    template <typename Predicate>
    void drop_partials(Predicate matches);

    Limits limits_;
    std::map<std::uint64_t, Task> tasks_;
    std::map<TensorKey, Partial> partials_;
    std::uint64_t partial_bytes_ = 0;
    Counters counters_;
};

}  // namespace divisi::frame
