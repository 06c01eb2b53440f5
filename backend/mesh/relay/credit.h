// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/base/result.h"

namespace divisi::mesh::inline relay {

// Credit of draft-hu-rtgwg-cbfc-rsvp-00, 4.1: the next hop promises buffer to a flow, the sender spends it and stops
// where none is left. Both count all bytes that the reservation ever had, so that a lost or doubled RESV neither leaks
// nor overflows. Bytes are those of chunks' payloads.

/// What one upstream neighbour may have here of one flow: the side that promises.
class Promise {
public:
    /// `incarnation` tells this reservation from those before it, and is above theirs. `window`: bytes that it may
    /// have here at once.
    Promise(std::uint64_t incarnation, std::uint64_t window) : incarnation_(incarnation), window_(window) {}

    /// A chunk has come. False, and nothing is counted, where it was not promised.
    bool take(std::uint64_t bytes);
    /// The memory of so many bytes is free again.
    void give_back(std::uint64_t bytes) { returned_ += bytes; }
    /// A larger window; a smaller one is ignored, because what was promised stays promised.
    void widen(std::uint64_t window);

    std::uint64_t incarnation() const { return incarnation_; }
    std::uint64_t window() const { return window_; }
    /// Bytes that are here.
    std::uint64_t held() const { return taken_ - returned_; }
    /// All that was ever allowed: what a RESV carries.
    std::uint64_t allowed() const { return returned_ + window_; }
    /// Whether a RESV is worth its while: a quarter of the window, or nothing is here that could be told later.
    bool worth_telling() const;
    void told() { told_ = allowed(); }

private:
    std::uint64_t incarnation_, window_;
    std::uint64_t taken_ = 0, returned_ = 0, told_ = 0;
};

/// What the next hop has promised of one flow: the side that spends.
class Allowance {
public:
    /// A RESV has come; `window` is what of `allowed` does not stand for freed bytes. Returns the bytes whose memory
    /// the next hop has freed since the last one. A repetition changes nothing. `conflict` for one that another has
    /// overtaken, which changes nothing either; `corrupt` for an allowance that no honest neighbour gives.
    Result<std::uint64_t> grant(std::uint64_t incarnation, std::uint64_t allowed, std::uint64_t window);
    bool open() const { return incarnation_ != 0; }
    std::uint64_t incarnation() const { return incarnation_; }
    bool fits(std::uint64_t bytes) const { return open() && bytes <= allowed_ - spent_; }
    void spend(std::uint64_t bytes) { spent_ += bytes; }

    std::uint64_t left() const { return allowed_ - spent_; }
    /// Bytes that went out and are not known to be freed.
    std::uint64_t out() const { return spent_ - freed_; }

private:
    std::uint64_t incarnation_ = 0;
    std::uint64_t allowed_ = 0, spent_ = 0, freed_ = 0;
};

/// A flow that could have more at one hop than this would be the only one there.
inline constexpr std::uint64_t most_window = 1ULL << 30;

}  // namespace divisi::mesh::inline relay
