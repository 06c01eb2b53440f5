// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/base/result.h"

namespace divisi::mesh::inline forwarding {

// Credit of draft-hu-rtgwg-cbfc-rsvp-00, 4.1. The next hop promises buffer to a flow; the sender spends the promise and
// stops when none is left. Both sides count all bytes since the reservation began, so a lost or repeated RESV neither
// leaks nor overflows. The bytes are those of chunks' payloads.

/// The promising side: what one upstream neighbour may have buffered here for one flow.
class Promise {
public:
    /// `incarnation` distinguishes this reservation from earlier ones and must be higher. `window` is the number of
    /// bytes that may be buffered here at once.
    Promise(std::uint64_t incarnation, std::uint64_t window) : incarnation_(incarnation), window_(window) {}

    /// Counts an arrived chunk; returns false, and counts nothing, if it was not promised.
    bool take(std::uint64_t bytes);
    /// Counts bytes whose memory is free again.
    void give_back(std::uint64_t bytes) { returned_ += bytes; }
    /// Enlarges the window; a smaller one is ignored, because promises are kept.
    void widen(std::uint64_t window);

    std::uint64_t incarnation() const { return incarnation_; }
    std::uint64_t window() const { return window_; }
    /// Returns the bytes buffered here.
    std::uint64_t held() const { return taken_ - returned_; }
    /// Returns all bytes ever allowed, as a RESV carries them.
    std::uint64_t allowed() const { return returned_ + window_; }
    /// Returns whether a RESV is worth sending: a quarter of the window is new, or nothing is buffered that could
    /// trigger one later.
    bool worth_telling() const;
    void told() { told_ = allowed(); }

private:
    std::uint64_t incarnation_, window_;
    std::uint64_t taken_ = 0, returned_ = 0, told_ = 0;
};

/// The spending side: what the next hop has promised to one flow.
class Allowance {
public:
    /// Applies a RESV; `allowed` is the sum of `window` and all bytes that were freed so far. Returns the bytes that
    /// the next hop has freed since the last RESV. A repetition, or a RESV of an older reservation, changes nothing.
    /// Fails with `conflict` if a later RESV of the same reservation has overtaken this one, which changes nothing
    /// either. Fails with `corrupt` for an allowance that no honest neighbour sends.
    Result<std::uint64_t> grant(std::uint64_t incarnation, std::uint64_t allowed, std::uint64_t window);
    bool open() const { return incarnation_ != 0; }
    std::uint64_t incarnation() const { return incarnation_; }
    bool fits(std::uint64_t bytes) const { return open() && bytes <= allowed_ - spent_; }
    void spend(std::uint64_t bytes) { spent_ += bytes; }

    std::uint64_t left() const { return allowed_ - spent_; }
    /// Returns the bytes that were sent and are not known to be freed.
    std::uint64_t out() const { return spent_ - freed_; }

private:
    std::uint64_t incarnation_ = 0;
    std::uint64_t allowed_ = 0, spent_ = 0, freed_ = 0;
};

/// Limit on a window; a flow with more than this at one hop would leave no room for others.
inline constexpr std::uint64_t most_window = 1ULL << 30;

}  // namespace divisi::mesh::inline forwarding
