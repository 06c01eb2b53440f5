// SPDX-License-Identifier: Apache-2.0
#include "backend/link/impaired_line.h"

#include <algorithm>

namespace divisi::link {

void ImpairedLine::set(const Impairment& impairment) {
    const Duration less = impairment_.delay - std::min(impairment_.delay, impairment.delay);
    if (impairment.bytes_per_s != impairment_.bytes_per_s) next_chunk_ = {};
    impairment_ = impairment;
    if (impairment_.cut) clear();
    for (auto* late : {&data_, &lane_})
        for (Late& one : *late) one.due -= less;
    flush();
}

bool ImpairedLine::takes_chunk() {
    const TimePoint now = loop_.now();
    // The socket has no room: it did not accept a chunk that is already due.
    if (!data_.empty() && data_.front().due <= now) return false;
    if (next_chunk_ <= now) return true;
    wait_until(next_chunk_);
    return false;
}

void ImpairedLine::pass(bool data, Parts parts) {
    if (impairment_.cut) return;
    const TimePoint now = loop_.now();
    if (data && impairment_.bytes_per_s > 0) {
        std::size_t bytes = 0;
        for (const Part& part : parts) bytes += part.bytes.size();
        const std::chrono::duration<double> takes(static_cast<double>(bytes) / impairment_.bytes_per_s);
        next_chunk_ = std::max(now, next_chunk_) + std::chrono::round<Duration>(takes);
    }
    (data ? data_ : lane_).push_back({now + impairment_.delay, std::move(parts)});
    flush(data);
}

void ImpairedLine::flush() {
    flush(true);
    flush(false);
}

void ImpairedLine::flush(bool data) {
    std::deque<Late>& late = data ? data_ : lane_;
    for (const TimePoint now = loop_.now(); !late.empty(); late.pop_front()) {
        if (late.front().due > now) return wait_until(late.front().due);
        // A lane frame that the socket refuses is dropped, because its sender repeats it.
        if (send_(data, late.front().parts) != Sent::yes && data) return;
    }
}

void ImpairedLine::clear() {
    data_.clear();
    lane_.clear();
}

/// Starts the timer for the next due event; one timer serves all events.
void ImpairedLine::wait_until(TimePoint when) {
    if (waits_ && *waits_ <= when) return;
    waits_ = when;
    timer_.start(std::max(Duration{}, when - loop_.now()), [this] {
        waits_.reset();
        flush();
        again_();
    });
}

}  // namespace divisi::link
