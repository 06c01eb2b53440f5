// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "backend/link/probe_series.h"
#include "backend/link/transport.h"

namespace divisi::link {

/// Measures the link to a neighbour: frames of a probe go by the connection of chunks, in pieces of a chunk's size, and
/// the neighbour echoes each by the lane. Sockets, encryption and faults of the link count; what devices do with
/// chunks beside, credit and taking turns, does not.
class NeighbourProbe {
public:
    /// `again`: frames wait to be taken.
    NeighbourProbe(Loop& loop, std::uint64_t number, std::function<void()> again, ProbeSeries::Ended ended);

    void run(Duration deadline);
    /// The next frame for the neighbour, while there is one.
    bool waits() const { return !frames_.empty(); }
    Parts take();
    void echoed(std::uint64_t number);

private:
    Result<void> send(int count, std::size_t bytes);

    const std::uint64_t number_;
    std::function<void()> again_;
    std::deque<std::size_t> frames_;  ///< bytes of each
    std::size_t outstanding_ = 0;
    std::string filling_;
    ProbeSeries series_;
};

/// Control frames between neighbours (ControlHeader::type); `correlation` is the probe's number.
inline constexpr std::uint16_t probe_type = 3, echo_type = 4;

}  // namespace divisi::link
