// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "backend/base/clock.h"
#include "backend/frame/chunk.h"
#include "backend/frame/frame.h"

namespace divisi::frame {

/// Timeout for the answer to an offer. At the first tick after this timeout the offer is declined, and the sender
/// computes the tensor.
inline constexpr Duration offer_patience = std::chrono::milliseconds(500);
/// Pause in offers after an unanswered offer: the answering side is gone or overloaded. New offers are declined.
inline constexpr Duration offer_pause = std::chrono::seconds(30);

/// Manages the tensors that are offered to one peer by their content key before they are computed. If a router on the
/// way has such a tensor, it sends the tensor in place of the sender and answers `supplied`. Otherwise the receiver of
/// the offer answers `absent`.
///
/// An offer is declined, at most once, if the answer is `absent`, if no answer comes, or if the supplied tensor is
/// lost. The tensor must then be computed and sent like any other. An offer ends when the peer has acknowledged the
/// tensor.
class Offers {
public:
    /// Adds an offer; `key` must be new.
    void put(const TensorKey& key, const ContentKey& content, TimePoint now);
    /// As in Outbox, offers are sent only while the task is open. open() repeats all offers that are neither
    /// acknowledged nor declined.
    void open(std::uint64_t task);
    void close(std::uint64_t task);
    void drop(std::uint64_t task);

    bool ready() const { return !queue_.empty(); }
    /// Returns the next offer, or the question whether a supplied tensor has arrived.
    std::optional<Chunk> take(TimePoint now);

    void answered(const TensorKey& key, bool supplied, TimePoint now);
    /// Reports that the peer lacks chunks of the tensor.
    void missing(const TensorKey& key);
    void acknowledged(const TensorKey& key);
    /// ask_again() makes the questions about supplied tensors due now, and hurry() makes them due soon (see Outbox).
    void ask_again();
    void hurry();
    void tick(TimePoint now);

    /// Returns the offers that were declined since the last call.
    std::vector<TensorKey> take_declined() { return std::exchange(declined_, {}); }
    /// Ends a declined offer whose tensor is now computed. Returns `needed` if the tensor must be sent, or `arrived` if
    /// it has arrived after all; nothing if no such offer was declined.
    enum class Settled { needed, arrived };
    std::optional<Settled> settle(const TensorKey& key);

    /// Counts the offers that may still be declined.
    std::size_t pending() const;

private:
    enum class State {
        waiting,   ///< the offer is not sent yet
        asked,     ///< the offer is not answered yet
        supplied,  ///< the tensor is on its way to the peer
        declined,  ///< the sender computes the tensor
        arrived,   ///< the offer was declined, but the tensor has arrived nevertheless
    };
    struct Offer {
        ContentKey content;
        State state = State::waiting;
        TimePoint told{};
        Duration patience{};
    };

    void decline(const TensorKey& key, Offer& offer);

    std::set<std::uint64_t> open_;
    std::map<TensorKey, Offer> offers_;
    std::deque<TensorKey> queue_;
    std::vector<TensorKey> declined_;
    TimePoint silent_until_{};
};

}  // namespace divisi::frame
