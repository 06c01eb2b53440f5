// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <optional>

#include "backend/link/loop.h"
#include "backend/link/transport.h"

namespace divisi::link {

/// A deliberate fault of a link, applied at both of its ends. Each end delays or drops what it sends.
struct Impairment {
    bool cut = false;        ///< nothing is sent or accepted
    double bytes_per_s = 0;  ///< rate limit for chunks; 0: unlimited
    Duration delay{};        ///< delay of chunks and lane frames
    bool operator==(const Impairment&) const = default;
};

/// The sending side of an impaired link. Paces chunks, and holds frames back until their delay is over. Chunks stay in
/// order, and so do lane frames. Credit flow control limits the number of held bytes.
class ImpairedLine {
public:
    /// `send` passes a chunk or a lane frame to its socket; `again` is called when chunks may be retried.
    ImpairedLine(Loop& loop, std::function<Sent(bool data, const Parts&)> send, std::function<void()> again)
        : loop_(loop), send_(std::move(send)), again_(std::move(again)), timer_(loop) {}

    /// Changes the impairment. A shorter delay also applies to the frames already held; a cut drops them.
    void set(const Impairment& impairment);
    bool cut() const { return impairment_.cut; }
    /// Returns whether a chunk may be sent now. If the rate limit forbids it, `again` is called as soon as a chunk may
    /// be sent. If the socket has no room for an earlier chunk, `again` is not called.
    bool takes_chunk();
    /// Accepts a chunk, after takes_chunk(), or a lane frame.
    void pass(bool data, Parts parts);
    /// Sends the frames that are due, until the socket accepts no more.
    void flush();
    /// Drops the held frames, because the connection ended.
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
    TimePoint next_chunk_{};  ///< time at which the rate limit allows the next chunk
    std::optional<TimePoint> waits_;
    Timer timer_;
};

}  // namespace divisi::link
