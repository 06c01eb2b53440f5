// SPDX-License-Identifier: Apache-2.0
#include "agents/segment/stopwatch.h"

#include <algorithm>

namespace divisi::segment {

void Stopwatch::reset(bool running) {
    std::fill(forward_.begin(), forward_.end(), 0.0);
    std::fill(backward_.begin(), backward_.end(), 0.0);
    current_ = nullptr;
    running_ = running;
}

void Stopwatch::lap(double* next) {
    if (wait_) wait_();
    timespec time{};
    ::clock_gettime(clock_, &time);
    const double now = static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    if (current_ != nullptr) *current_ += now - since_;
    current_ = next;
    since_ = now;
}

}  // namespace divisi::segment
