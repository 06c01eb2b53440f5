// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "backend/link/probe_series.h"
#include "backend/link/transport.h"

namespace divisi::link {

/// Measures the link to a neighbour. Probe frames of at most a chunk's size go over the data connection, and the
/// neighbour echoes each frame over the lane. The result includes sockets, encryption and faults of the link. It
/// excludes credit and the scheduling of chunks.
class NeighbourProbe {
public:
    /// `again` is called when frames are ready to be taken.
    NeighbourProbe(Loop& loop, std::uint64_t number, std::function<void()> again, ProbeSeries::Ended ended);

    void run(Duration deadline);
    /// waits() returns whether a frame is ready to be sent to the neighbour; take() returns this frame.
    bool waits() const { return !frames_.empty(); }
    Parts take();
    void echoed(std::uint64_t number);

private:
    Result<void> send(int count, std::size_t bytes);

    const std::uint64_t number_;
    std::function<void()> again_;
    std::deque<std::size_t> frames_;  ///< size of each frame in bytes
    std::size_t outstanding_ = 0;
    std::string filling_;
    ProbeSeries series_;
};

/// Control frames between neighbours (ControlHeader::type); `correlation` is the probe's number.
inline constexpr std::uint16_t probe_type = 3, echo_type = 4;

}  // namespace divisi::link
