// SPDX-License-Identifier: Apache-2.0
#include "backend/link/control_client.h"

#include <zmq.h>

#include <algorithm>
#include <span>

#include "backend/link/frames.h"
#include "backend/wire/message_codec.h"

namespace divisi::link {
namespace {

using std::chrono::milliseconds;

/// An orchestrator on a busy machine answers a Hello late, but within this.
constexpr Duration hello_deadline = std::chrono::seconds(5);

/// Pauses between attempts: quick at first, since an orchestrator restarts in a second, then patient.
Duration pause_after(int failures) {
    constexpr milliseconds pauses[] = {milliseconds(200), milliseconds(500), milliseconds(1000), milliseconds(2000)};
    return failures <= 4 ? pauses[std::max(0, failures - 1)] : milliseconds(5000);
}

}  // namespace

ControlClient::ControlClient(EventLoop& loop, Context& context, Connection target, SocketSecurity security,
                             control::Hello hello)
    : loop_(loop),
      context_(context),
      target_(std::move(target)),
      security_(std::move(security)),
      hello_(std::move(hello)) {}

ControlClient::~ControlClient() {
    loop_.cancel(attempt_timer_);
    loop_.cancel(beat_timer_);
    for (auto& [id, pending] : pending_) loop_.cancel(pending.timer);
    if (socket_) loop_.unwatch_socket(socket_->get());
}

void ControlClient::start(OnState on_state, OnMessage on_message) {
    on_state_ = std::move(on_state);
    on_message_ = std::move(on_message);
    beat_timer_ = loop_.every(control::heartbeat_interval, [this] { beat(); });
    attempt();
}

void ControlClient::attempt() {
    loop_.cancel(attempt_timer_);
    if (socket_) loop_.unwatch_socket(socket_->get());
    socket_.emplace(context_, ZMQ_DEALER, Socket::Plane::control);
    set_state({State::Kind::connecting, state_.detail, std::nullopt, {}});
    security_.server_key = target_.server_key;
    // IMMEDIATE would refuse the Hello until the connection stands; one queued Hello does no harm.
    const int queue = 0;
    zmq_setsockopt(socket_->get(), ZMQ_IMMEDIATE, &queue, sizeof queue);
    if (auto connected = socket_->connect(target_.endpoint, security_); !connected)
        return lose(connected.error().message());
    loop_.watch_socket(socket_->get(), [this] { drain(); });
    heard_ = loop_.clock().now();
    request(hello_, hello_deadline, [this](Result<control::Message> reply) {
        if (!reply) return lose(reply.error().message());
        const auto* welcome = std::get_if<control::Welcome>(&*reply);
        if (!welcome) return lose("the other side is no orchestrator");
        failures_ = 0;
        set_state({State::Kind::connected, "", std::nullopt, *welcome});
    });
}

void ControlClient::lose(const std::string& why) {
    if (state_.kind == State::Kind::waiting) return;
    if (socket_) loop_.unwatch_socket(socket_->get());
    socket_.reset();
    const Duration pause = pause_after(++failures_);
    State waiting{State::Kind::waiting, why, loop_.clock().now() + pause, {}};
    loop_.cancel(attempt_timer_);
    attempt_timer_ = loop_.after(pause, [this] { attempt(); });
    state_.kind = State::Kind::waiting;
    auto pending = std::exchange(pending_, {});
    for (auto& [id, one] : pending) {
        loop_.cancel(one.timer);
        one.on_reply(
            Error{ErrorCode::unavailable, "the connection to the orchestrator was lost", target_.endpoint, why});
    }
    set_state(std::move(waiting));
}

void ControlClient::retry_now() {
    if (state_.kind == State::Kind::waiting) attempt();
}

void ControlClient::set_state(State state) {
    state_ = std::move(state);
    if (on_state_) on_state_(state_);
}

void ControlClient::send(const control::Message& message, std::uint64_t correlation) {
    if (!socket_) return;
    const std::string number = encode_number(correlation);
    const std::string type = encode_number(wire::type_of(message));
    const auto payload = wire::encode(message);
    if (!payload) return loop_.post([=, this, error = payload.error()] { complete(correlation, error); });
    if (send_message(socket_->get(), {number, type, *payload}) != 0)
        loop_.post([this] { lose("the orchestrator takes no more messages"); });
}

void ControlClient::request(const control::Message& message, Duration deadline, OnReply on_reply) {
    if (!socket_)
        return on_reply(Error{ErrorCode::unavailable, "not connected to the orchestrator", target_.endpoint,
                              "wait for the connection, then try again"});
    const std::uint64_t correlation = next_correlation_++;
    const auto timer = loop_.after(deadline, [this, correlation, kind = control::kind_name(message)] {
        complete(correlation, Error{ErrorCode::deadline, std::string("no answer to ") + kind, target_.endpoint,
                                    "see whether the orchestrator runs"});
    });
    pending_[correlation] = {std::move(on_reply), timer};
    send(message, correlation);
}

void ControlClient::complete(std::uint64_t correlation, Result<control::Message> result) {
    auto found = pending_.extract(correlation);
    if (found.empty()) return;
    loop_.cancel(found.mapped().timer);
    found.mapped().on_reply(std::move(result));
}

void ControlClient::drain() {
    while (socket_) {
        auto message = receive_message(socket_->get());
        if (!message) return;
        heard_ = loop_.clock().now();
        if (message->frames.size() != 3) continue;
        const auto correlation = decode_number(message->frames[0]);
        const auto type = decode_number(message->frames[1]);
        if (!correlation || !type) continue;
        auto decoded =
            wire::decode(static_cast<wire::MessageType>(*type), std::as_bytes(std::span(message->frames[2])));
        if (!decoded) {
            complete(*correlation, decoded.error());
            continue;
        }
        received(*correlation, *decoded);
    }
}

void ControlClient::received(std::uint64_t correlation, const control::Message& message) {
    if (correlation != 0 && pending_.contains(correlation)) {
        if (const auto* refused = std::get_if<control::Refused>(&message)) return complete(correlation, refused->error);
        return complete(correlation, message);
    }
    // Not the answer to anything: the orchestrator was restarted and does not know this connection.
    if (const auto* refused = std::get_if<control::Refused>(&message); refused && correlation == 0)
        return lose(refused->error.what);
    if (!std::holds_alternative<control::Heartbeat>(message) && on_message_) on_message_(correlation, message);
}

void ControlClient::beat() {
    if (state_.kind != State::Kind::connected) return;
    drain();  // a loop that was held up has the answers in its queue
    if (state_.kind != State::Kind::connected) return;
    if (loop_.clock().now() - heard_ > control::peer_timeout) return lose("the orchestrator fell silent");
    send(control::Heartbeat{});
}

}  // namespace divisi::link
