// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <optional>

#include "backend/link/loop.h"
#include "backend/link/transport.h"

namespace divisi::link {

/// A fault of a link, made on purpose at both of its ends. Each end keeps back what leaves it.
struct Impairment {
    bool cut = false;        ///< nothing leaves and nothing is taken
    double bytes_per_s = 0;  ///< of chunks; 0: as fast as they go
    Duration delay{};        ///< of chunks and of the lane
    bool operator==(const Impairment&) const = default;
};

/// What leaves by an impaired link: it paces chunks, and holds frames back until their delay is over. Frames of one
/// kind stay in order. What it holds is bounded by credit.
class ImpairedLine {
public:
    /// `send`: onto the socket, of chunks or of the lane. `again`: chunks may be tried again.
    ImpairedLine(Loop& loop, std::function<Sent(bool data, const Parts&)> send, std::function<void()> again)
        : loop_(loop), send_(std::move(send)), again_(std::move(again)), timer_(loop) {}

    /// What it holds goes on by the new delay, or at once without one.
    void set(const Impairment& impairment);
    bool cut() const { return impairment_.cut; }
    /// Whether a chunk may go now. Where not, `again` is called once it may, unless the socket has no room.
    bool takes_chunk();
    /// A chunk, after takes_chunk(), or a frame of the lane.
    void pass(bool data, Parts parts);
    /// Sends what is due, as far as the socket takes it.
    void flush();
    /// The connection ended: what was on the way is lost.
    void clear();

private:
    struct Late {
        TimePoint due;
        Parts parts;
    };
    void flush(bool data);
    void wait_until(TimePoint when);

    Loop& loop_;
    std::function<Sent(bool, const Parts&)> send_;
    std::function<void()> again_;
    Impairment impairment_;
    std::deque<Late> data_, lane_;
    TimePoint next_chunk_{};  ///< when the last one is through, at this rate
    std::optional<TimePoint> waits_;
    Timer timer_;
};

}  // namespace divisi::link
