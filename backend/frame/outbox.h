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

/// Limit on the tensors of one flow whose slots are still occupied. A schedule has only a few slots per edge, so only a
/// sender that does not wait for free slots reaches the limit.
inline constexpr std::size_t most_unreleased = 4096;

/// Holds the tensors and slots of one peer: each tensor until it is acknowledged, and each slot until it is free again.
/// A task's tensors are sent only while the task is open, that is, while the peer is in the task's generation.
class Outbox {
public:
    /// Queues a tensor. Fails with `conflict` if the tensor is queued or was sent and its slot is not free yet; with
    /// `exhausted` at the limit most_unreleased. A tensor whose offer was declined takes over the offer's slot. If the
    /// offered tensor has arrived meanwhile, the new one is dropped.
    Result<void> put(TensorFrame frame, std::uint32_t chunk_bytes);
    /// Offers a tensor that is not computed yet (see Offers). Fails like put().
    Result<void> offer(const TensorKey& key, const ContentKey& content, TimePoint now);
    Offers& offers() { return offers_; }
    /// Starts sending the task's tensors from the beginning: the peer has entered this generation of the task, and
    /// holds none of its tensors.
    void open(std::uint64_t task);
    /// Stops sending until open(): the peer is in another generation, or its process was replaced.
    void close(std::uint64_t task);
    /// Forgets everything about a task.
    void drop(std::uint64_t task);

    /// Asks about every completely sent tensor. Called on a new data connection, because frames of the old one may be
    /// lost. If a tensor was sent in part, the receiver detects the gap.
    void ask_again();
    /// Makes postponed questions due soon, because the peer is reachable again. Questions are postponed while no
    /// answers arrive.
    void hurry();
    /// Asks about tensors whose acknowledgement is overdue.
    void tick(TimePoint now);

    bool ready() const { return !queue_.empty() || !questions_.empty() || offers_.ready(); }
    /// Returns the next frame and counts it as sent; nothing if none is waiting. The caller fills in source and
    /// destination.
    std::optional<Chunk> take(TimePoint now);

    void acknowledged(const TensorKey& key) {
        kept_.erase(key);
        offers_.acknowledged(key);
    }
    /// Queues these chunks of a tensor again; without ranges, all of them.
    void missing(const TensorKey& key, std::span<const ChunkRange> ranges);
    /// Frees the slots of this tensor and of all earlier tensors on its edge. Returns the tensors whose slots were
    /// still occupied.
    std::vector<TensorKey> released(const TensorKey& last);

    std::size_t unacknowledged() const { return kept_.size() + offers_.pending(); }
    std::uint64_t chunks_resent() const { return chunks_resent_; }

private:
    using Position = std::pair<std::int64_t, std::int32_t>;
    using Flow = std::tuple<std::uint64_t, FrameKind, std::uint32_t>;  ///< task, kind and edge of a flow
    struct Tensor {
        TensorFrame frame;
        std::uint32_t chunk_bytes = max_chunk_bytes;
        ChunkSet to_send = {};
        TimePoint told = {};  ///< time at which the last chunk or question was sent
        Duration patience = first_patience;

        std::uint32_t chunks() const {
            return chunk_count(static_cast<std::uint64_t>(frame.tensor.size_bytes), chunk_bytes);
        }
    };

    Result<void> take_slot(const TensorKey& key);
    void add(Tensor& tensor, ChunkRange range);
    std::optional<Chunk> take_question(TimePoint now);

    std::set<std::uint64_t> open_;  ///< flow_ids of the open tasks
    std::map<TensorKey, Tensor> kept_;
    std::deque<TensorKey> queue_;  ///< tensors with chunks to send, and some that were acknowledged meanwhile
    std::set<TensorKey> questions_;
    Offers offers_;
    std::map<Flow, std::set<Position>> unreleased_;
    std::uint64_t chunks_resent_ = 0;
};

}  // namespace divisi::frame
