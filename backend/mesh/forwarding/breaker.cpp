// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/breaker.h"

#include <algorithm>

namespace divisi::mesh::inline forwarding {

bool Breaker::failed(TimePoint now) {
    if (state_ == State::open) return false;
    if (state_ == State::half_open) return open(now);
    if (opened_ > 0 && now - closed_ >= config_.window) opened_ = 0;  // no failure for a whole window
    failures_.push_back(now);
    while (now - failures_.front() >= config_.window) failures_.pop_front();
    return static_cast<int>(failures_.size()) >= config_.failures && open(now);
}

bool Breaker::open(TimePoint now) {
    state_ = State::open;
    failures_.clear();
    trying_.reset();
    Duration length = config_.shortest;
    for (int i = 0; i < opened_ && length < config_.longest; ++i) length *= 2;
    until_ = now + std::min(length, config_.longest);
    ++opened_;
    return true;
}

bool Breaker::succeeded(const FlowKey& flow, TimePoint now) {
    if (state_ != State::half_open || trying_ != flow || ++successes_ < config_.successes) return false;
    close(now);
    return true;
}

void Breaker::close(TimePoint now) {
    state_ = State::closed;
    closed_ = now;
    trying_.reset();
}

bool Breaker::tick(TimePoint now) {
    if (state_ == State::half_open && now - half_open_ >= config_.window) {
        close(now);
        return true;
    }
    if (state_ != State::open || now < until_) return false;
    state_ = State::half_open;
    half_open_ = now;
    successes_ = 0;
    return true;
}

bool Breaker::admits(const FlowKey& flow) {
    if (state_ == State::closed) return true;
    if (state_ == State::open) return false;
    if (!trying_) trying_ = flow;
    return trying_ == flow;
}

void Breaker::let_go(const FlowKey& flow) {
    if (trying_ != flow) return;
    trying_.reset();
    successes_ = 0;
}

}  // namespace divisi::mesh::inline forwarding
