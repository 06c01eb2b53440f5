// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>

#include "backend/frame/chunk_set.h"
#include "backend/frame/frame.h"

namespace divisi::frame {

/// Reassembles tensors from chunks. Memory is bounded; each tensor is returned once, complete and verified.
class Reassembler {
public:
    struct Limits {
        /// Limit on the coded bytes of all incomplete tensors. Slots keep the data of correct peers far below this
        /// limit.
        std::uint64_t partial_bytes = 4ULL << 30;
        /// Number of completed tensors remembered for each flow; older tensors count as duplicates.
        std::size_t remembered = 4096;
        /// Limit on the flows of one task. The limit exceeds the number of edges of any plan, but is small enough that
        /// edges invented by a peer cannot exhaust memory.
        std::size_t flows = 65'536;
    };
    enum class ChunkStatus {
        kept,              ///< the chunk is kept, and the tensor is not whole yet
        complete,          ///< the tensor is now whole; `tensor` holds it
        duplicate,         ///< this chunk has already arrived
        already_complete,  ///< the tensor was delivered before: acknowledge it again, do not deliver it
        stale,             ///< the chunk belongs to an older generation, or to a task that is not known here
        early,             ///< the chunk belongs to a generation that has not begun here; the sender repeats the frame
    };
    struct Outcome {
        ChunkStatus status = ChunkStatus::kept;
        std::optional<TensorFrame> tensor = {};
        /// Missing chunks before this chunk. They are lost, because the connection preserves order.
        std::optional<ChunkRange> gap = {};
    };
    /// Says whether a tensor is complete, and which of its chunks are missing.
    struct Progress {
        bool complete = false;
        std::vector<ChunkRange> missing;  ///< the first most_ranges missing ranges; none if complete or nothing arrived
    };
    struct Counters {
        std::uint64_t chunks = 0, tensors = 0, duplicates = 0, stale = 0, early = 0, refused = 0;
    };

    Reassembler() : Reassembler(Limits{}) {}
    explicit Reassembler(Limits limits) : limits_(limits) {}

    /// Sets the generation whose frames are accepted for this task from now on; drops remains of older generations. A
    /// generation below the current one is ignored, because generations never decrease.
    void enter(std::uint64_t task, Generation generation);
    void leave(std::uint64_t task);
    /// Forgets the incomplete tensors of this sender: its next incarnation starts them from the beginning.
    void drop_from(std::uint64_t sid);

    /// Returns the progress of a tensor; nothing if its task or generation is not in force here.
    std::optional<Progress> progress(const TensorKey& key) const;

    /// Adds a chunk. Fails with `corrupt` if payload and header disagree, and with `exhausted` if there is no room for
    /// another incomplete tensor or flow.
    Result<Outcome> feed(const FrameHeader& header, std::span<const std::byte> payload);

    const Counters& counters() const { return counters_; }
    std::uint64_t partial_bytes() const { return partial_bytes_; }

private:
    using Flow = std::pair<FrameKind, std::uint32_t>;
    using Position = std::pair<std::int64_t, std::int32_t>;
    struct Done {
        std::set<Position> positions;
        std::optional<Position> forgotten;  ///< the highest position evicted from `positions`

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
        std::uint32_t next = 0;  ///< one above the highest chunk that has arrived
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
