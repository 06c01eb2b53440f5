// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/base/result.h"

namespace divisi::mesh::inline forwarding {

// Credit of draft-hu-rtgwg-cbfc-rsvp-00, 4.1. The next hop promises buffer space to a flow; the sender spends the
// promise and stops when it is used up. Both sides count all bytes since the reservation began, so a lost RESV loses no
// credit and a repeated RESV grants none. Only payload bytes are counted, not header bytes.

/// The promising side: the bytes that one upstream neighbour may have buffered at this device for one flow.
class Promise {
public:
    /// `incarnation` distinguishes this reservation from earlier reservations, and must be higher than their
    /// incarnations. `window` is the number of bytes that may be buffered at this device at once.
    Promise(std::uint64_t incarnation, std::uint64_t window) : incarnation_(incarnation), window_(window) {}

    /// Counts an arrived chunk; if it was not promised, returns false and counts nothing.
    bool take(std::uint64_t bytes);
    /// Counts bytes whose memory is free again.
    void give_back(std::uint64_t bytes) { returned_ += bytes; }
    /// Enlarges the window; a smaller window is ignored, because a promise must not be reduced.
    void widen(std::uint64_t window);

    std::uint64_t incarnation() const { return incarnation_; }
    std::uint64_t window() const { return window_; }
    /// Returns the bytes buffered at this device.
    std::uint64_t held() const { return taken_ - returned_; }
    /// Returns the sum of all bytes allowed since the reservation began; a RESV contains this sum.
    std::uint64_t allowed() const { return returned_ + window_; }
    /// Returns whether a RESV is worth sending: at least a quarter of the window was freed since the last RESV, or
    /// bytes were freed and nothing is buffered that could trigger a later RESV.
    bool worth_telling() const;
    void told() { told_ = allowed(); }

private:
    std::uint64_t incarnation_, window_;
    std::uint64_t taken_ = 0, returned_ = 0, told_ = 0;
};

/// The spending side: the credit that the next hop has promised to one flow.
class Allowance {
public:
    /// Applies a RESV; `allowed` is the sum of `window` and all bytes freed so far. Returns the bytes that the next hop
    /// has freed since the last RESV. A repeated RESV, or one of an older reservation, has no effect. Fails with
    /// `conflict` if a later RESV of the same reservation has overtaken this one; this RESV then has no effect either.
    /// Fails with `corrupt` for an allowance that no honest neighbour sends.
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

/// Limit on a window; a larger window at one hop would leave no room for other flows.
inline constexpr std::uint64_t most_window = 1ULL << 30;

}  // namespace divisi::mesh::inline forwarding
