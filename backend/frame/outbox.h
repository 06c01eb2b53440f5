// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <set>
#include <tuple>

#include "backend/base/clock.h"
#include "backend/frame/chunk_set.h"
#include "backend/frame/offers.h"

namespace divisi::frame {

/// Tensors of one flow whose slots are not free again. A schedule has some few slots an edge; who sends so many more
/// does not wait for them.
inline constexpr std::size_t most_unreleased = 4096;

/// What one end has for one peer: each tensor until it is acknowledged, each slot until it is free again. The tensors
/// of a task go out only while the task is open, which means that the peer is in its generation.
class Outbox {
public:
    /// `conflict`: this tensor is here or was sent, and its slot is not free yet. `exhausted`: see most_unreleased.
    /// A tensor whose offer was declined takes the offer's slot; one that has come all the same is dropped.
    Result<void> put(TensorFrame frame, std::uint32_t chunk_bytes);
    /// A tensor that is not made yet: see Offers. Errors as those of put().
    Result<void> offer(const TensorKey& key, const ContentKey& content, TimePoint now);
    Offers& offers() { return offers_; }
    /// The peer has come to this task's generation and holds nothing of it: all that is kept goes out, from the start.
    void open(std::uint64_t task);
    /// The peer is in another generation, or is another process than before: nothing goes out until open().
    void close(std::uint64_t task);
    /// Forgets all of a task.
    void drop(std::uint64_t task);

    /// The data connection is a new one, and what was on its way may be lost: asks about all that was sent wholly.
    /// Of a tensor that was sent in part the receiver sees the gap.
    void ask_again();
    /// The peer is within reach again: questions that were put off since none was answered come soon.
    void hurry();
    /// Asks about what has waited too long for its acknowledgement.
    void tick(TimePoint now);

    bool ready() const { return !queue_.empty() || !questions_.empty() || offers_.ready(); }
    /// The next frame, which counts as sent; its ends are not filled in. Nothing where nothing waits.
    std::optional<Chunk> take(TimePoint now);

    void acknowledged(const TensorKey& key) {
        kept_.erase(key);
        offers_.acknowledged(key);
    }
    /// These chunks of a tensor go out again; without ranges, all of them.
    void missing(const TensorKey& key, std::span<const ChunkRange> ranges);
    /// The slots of this tensor and of all before it on its edge are free: returns those that were not.
    std::vector<TensorKey> released(const TensorKey& last);

    std::size_t unacknowledged() const { return kept_.size() + offers_.pending(); }
    std::uint64_t chunks_resent() const { return chunks_resent_; }

private:
    using Position = std::pair<std::int64_t, std::int32_t>;
    using Flow = std::tuple<std::uint64_t, FrameKind, std::uint32_t>;  ///< task, kind, edge
    struct Tensor {
        TensorFrame frame;
        std::uint32_t chunk_bytes = max_chunk_bytes;
        ChunkSet to_send = {};
        TimePoint told = {};  ///< when the last chunk or question went out
        Duration patience = first_patience;

        std::uint32_t chunks() const {
            return chunk_count(static_cast<std::uint64_t>(frame.tensor.size_bytes), chunk_bytes);
        }
    };

    Result<void> take_slot(const TensorKey& key);
    void add(Tensor& tensor, ChunkRange range);
    std::optional<Chunk> take_question(TimePoint now);

    std::set<std::uint64_t> open_;  ///< tasks
    std::map<TensorKey, Tensor> kept_;
    std::deque<TensorKey> queue_;  ///< those with chunks to send, and some that were acknowledged meanwhile
    std::set<TensorKey> questions_;
    Offers offers_;
    std::map<Flow, std::set<Position>> unreleased_;
    std::uint64_t chunks_resent_ = 0;
};

}  // namespace divisi::frame
