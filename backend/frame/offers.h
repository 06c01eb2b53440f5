// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "backend/base/clock.h"
#include "backend/frame/chunk.h"
#include "backend/frame/content.h"

namespace divisi::frame {

/// An offer that is not answered is declined after this time, or at the first tick after it: the sender computes.
inline constexpr Duration offer_patience = std::chrono::milliseconds(500);
/// Where an offer was not answered, none is made for this time: whoever should answer is gone or overloaded.
inline constexpr Duration offer_pause = std::chrono::seconds(30);

/// Tensors for one peer that are offered by the key of their content, before they are computed. A router on the way
/// that has such a tensor sends it in the offerer's place and says `supplied`; else whoever gets the offer says
/// `absent`. An offer is declined when it is absent, when nobody answers, or when what was supplied is lost: then the
/// tensor must be made and sent like any other. It is over when the peer has acknowledged the tensor. An offer is
/// declined once at most.
class Offers {
public:
    /// `key` is not here yet.
    void put(const TensorKey& key, const ContentKey& content, TimePoint now);
    /// As Outbox: offers go out while the task is open, and all that the peer has not acknowledged from the start.
    void open(std::uint64_t task);
    void close(std::uint64_t task);
    void drop(std::uint64_t task);

    bool ready() const { return !queue_.empty(); }
    /// The next offer, or the question whether what was supplied has arrived.
    std::optional<Chunk> take(TimePoint now);

    void answered(const TensorKey& key, bool supplied, TimePoint now);
    /// The peer lacks chunks of it.
    void missing(const TensorKey& key);
    void acknowledged(const TensorKey& key);
    /// See Outbox: what was supplied is asked about now, or soon.
    void ask_again();
    void hurry();
    void tick(TimePoint now);

    /// What was declined since the last call.
    std::vector<TensorKey> take_declined() { return std::exchange(declined_, {}); }
    /// The tensor of a declined offer is there. `needed`: it is to be sent; `arrived`: it came after all. Nothing where
    /// no such offer was declined.
    enum class Settled { needed, arrived };
    std::optional<Settled> settle(const TensorKey& key);

    /// Those that may still be declined.
    std::size_t pending() const;

private:
    enum class State {
        waiting,   ///< to be sent
        asked,     ///< no answer yet
        supplied,  ///< on its way to the peer
        declined,  ///< the sender makes it
        arrived,   ///< was declined, and has come all the same
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
