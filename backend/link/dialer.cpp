// SPDX-License-Identifier: Apache-2.0
#include "backend/link/dialer.h"

#include <algorithm>

#include "backend/link/error_texts.h"

namespace divisi::link {

Dialer::Dialer(Loop& loop, Transport& transport, Purpose purpose, Events events, std::string identity)
    : loop_(loop),
      transport_(transport),
      purpose_(purpose),
      events_(std::move(events)),
      identity_(std::move(identity)),
      timer_(loop) {}

Dialer::~Dialer() = default;

void Dialer::dial(Address address) {
    close();
    address_ = std::move(address);
    backoff_ = first_backoff;
    attempts_ = 0;
    attempt();
}

void Dialer::close() {
    timer_.stop();
    retire();
    state_ = LinkState::idle;
}

void Dialer::retire() {
    if (!connection_) return;
    retired_.push_back(std::move(connection_));
    loop_.post([this, alive = std::weak_ptr<bool>(alive_)] {
        if (!alive.expired()) retired_.clear();
    });
}

void Dialer::attempt() {
    state_ = LinkState::connecting;
    ++attempts_;
    if (events_.attempt) events_.attempt();
    // A connection that has just been abandoned may still call back.
    const auto current = [this, number = ++last_attempt_] { return number == last_attempt_ && connection_; };
    Channel::Events events;
    events.up = [this, current] {
        if (!current()) return;
        timer_.stop();
        state_ = LinkState::up;
        up_since_ = loop_.now();
        attempts_ = 0;
        if (events_.up) events_.up();
    };
    events.down = [this, current](const Error& error) {
        if (current()) fail(error);
    };
    events.message = [this, current](Parts parts) {
        if (current() && state_ == LinkState::up && events_.message) events_.message(std::move(parts));
    };
    events.writable = [this, current] {
        if (current() && state_ == LinkState::up && events_.writable) events_.writable();
    };
    timer_.start(connect_deadline, [this] {
        fail(make_error(error_text("no-answer-in-time"), address_.endpoint,
                        {std::to_string(connect_deadline / std::chrono::seconds(1))}));
    });
    auto connection = transport_.connect(address_, purpose_, identity_, std::move(events));
    if (!connection.ok()) {
        // The failure is reported from a timer, because the caller of dial() does not expect a callback yet.
        timer_.start(Duration(0), [this, error = connection.error()] { fail(error); });
        return;
    }
    connection_ = *std::move(connection);
}

void Dialer::fail(const Error& error) {
    if (state_ == LinkState::idle || state_ == LinkState::waiting) return;
    if (state_ == LinkState::up && loop_.now() - up_since_ >= settled_after) backoff_ = first_backoff;
    retire();
    state_ = LinkState::waiting;
    last_error_ = error;
    next_attempt_ = loop_.now() + backoff_;
    timer_.start(backoff_, [this] { attempt(); });
    backoff_ = std::min(backoff_ * 2, longest_backoff);
    if (events_.down) events_.down(error);
}

void Dialer::retry_now() {
    if (state_ == LinkState::waiting) attempt();
}

Sent Dialer::send(const Parts& parts) {
    if (state_ != LinkState::up) return Sent::gone;
    return connection_->send(parts);
}

LinkStatus Dialer::status() const {
    LinkStatus status{state_, 0, attempts_, last_error_};
    if (state_ == LinkState::waiting)
        status.next_attempt_in_ms =
            std::max<std::int64_t>(0, (next_attempt_ - loop_.now()) / std::chrono::milliseconds(1));
    return status;
}

}  // namespace divisi::link
