// SPDX-License-Identifier: Apache-2.0
#include "backend/link/neighbour_probe.h"

#include <algorithm>

#include "backend/frame/control_frame.h"
#include "backend/frame/frame.h"

namespace divisi::link {
namespace {

/// Limit on the large frames' bytes: 32 MiB take 34 ms at 1 GB/s, so a round trip of up to 34 ms distorts no result.
constexpr std::size_t most_bulk = 32u << 20;

}  // namespace

NeighbourProbe::NeighbourProbe(Loop& loop, std::uint64_t number, std::function<void()> again, ProbeSeries::Ended ended)
    : number_(number),
      again_(std::move(again)),
      filling_(frame::max_chunk_bytes, 'x'),
      series_(
          loop, [this](int count, std::size_t bytes) { return send(count, bytes); }, std::move(ended), most_bulk) {}

void NeighbourProbe::run(Duration deadline) {
    series_.run(deadline, [] { return "the neighbour does not answer"; });
}

Result<void> NeighbourProbe::send(int count, std::size_t bytes) {
    for (int i = 0; i < count; ++i)
        for (std::size_t left = bytes; left > 0; left -= frames_.back())
            frames_.push_back(std::min<std::size_t>(left, frame::max_chunk_bytes));
    outstanding_ = frames_.size();
    again_();
    return {};
}

Parts NeighbourProbe::take() {
    const std::size_t bytes = frames_.front();
    frames_.pop_front();
    const frame::ControlHeader header{number_, probe_type, static_cast<std::uint32_t>(bytes), 0};
    return {Part::of(frame::encode_control_header(header)), Part::of(filling_.substr(0, bytes))};
}

void NeighbourProbe::echoed(std::uint64_t number) {
    if (number == number_ && outstanding_ > 0 && --outstanding_ == 0) series_.answered();
}

}  // namespace divisi::link
