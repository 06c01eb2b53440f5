// SPDX-License-Identifier: Apache-2.0
#include "backend/link/control_client.h"

#include <cstdio>
#include <random>

#include "backend/control/state/limits.h"
#include "backend/link/control_frames.h"
#include "backend/link/error_texts.h"

namespace divisi::link {
namespace {

/// Timeout for the answer to a Hello. An orchestrator on a busy machine answers late, but within this time.
constexpr Duration hello_deadline = std::chrono::seconds(5);
const control::PeerId orchestrator{1};

/// Names the process with 128 random bits, which are unique and cannot be guessed.
control::Hello named(control::Hello hello) {
    if (!hello.process.empty()) return hello;
    std::random_device device;
    char digits[9];
    for (int i = 0; i < 4; ++i) {
        std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(device()));
        hello.process += digits;
    }
    return hello;
}

}  // namespace

ControlClient::ControlClient(Loop& loop, Transport& transport, const Connection& target, control::Hello hello)
    : loop_(loop),
      hello_(named(std::move(hello))),
      beat_timer_(loop),
      full_timer_(loop),
      dialer_(loop, transport, Purpose::control,
              {[this] { set_state(State::Kind::connecting); },
               [this] { greet(); },
               [this](const Error& why) { lost(why); },
               [this](const Parts& parts) { on_frame(parts); },
               {}}),
      target_{target.endpoint, target.server_key} {}

ControlClient::~ControlClient() {
    for (auto& [id, pending] : pending_) loop_.cancel(pending.timer);
}

void ControlClient::start(OnState on_state, OnMessage on_message, OnBroken on_broken) {
    on_state_ = std::move(on_state);
    on_message_ = std::move(on_message);
    on_broken_ = std::move(on_broken);
    beat_timer_.start(control::heartbeat_interval, [this] { beat(); });
    dialer_.dial(target_);
}

void ControlClient::retry_now() { dialer_.retry_now(); }

void ControlClient::greet() {
    assembler_ = frame::ControlAssembler(wire::size_limit);
    hear();
    request(hello_, hello_deadline, [this](Result<control::Message> reply) {
        if (!reply) return dialer_.fail(reply.error());
        const auto* welcome = get_if<control::Welcome>(&*reply);
        if (!welcome) return dialer_.fail(make_error(error_text("other-side-is-no-orchestrator"), dialer_.endpoint()));
        if (auto speaks = control::check_protocol(welcome->protocol, welcome->version, dialer_.endpoint()); !speaks)
            return dialer_.fail(speaks.error());
        state_.detail.clear();
        state_.code.reset();
        set_state(State::Kind::connected, {}, *welcome);
    });
}

void ControlClient::hear() {
    heard_ = loop_.now();
    silence_.hear(orchestrator, heard_);
}

/// Handles the loss of a connection or a failed attempt; the dialer is already waiting for the next attempt.
void ControlClient::lost(const Error& why) {
    full_timer_.stop();
    auto pending = std::exchange(pending_, {});
    for (auto& [id, one] : pending) {
        loop_.cancel(one.timer);
        one.on_reply(make_error(error_text("connection-to-orchestrator-lost"), dialer_.endpoint(), {why.what}));
    }
    state_.detail = why.message();
    state_.code = why.code;
    set_state(State::Kind::waiting, dialer_.next_attempt());
}

void ControlClient::set_state(State::Kind kind, std::optional<TimePoint> next_attempt, control::Welcome welcome) {
    state_.kind = kind;
    state_.next_attempt = next_attempt;
    state_.welcome = std::move(welcome);
    if (on_state_) on_state_(state_);
}

void ControlClient::send(const control::Message& message, std::uint64_t correlation) {
    (void)transmit(correlation, message);
}

bool ControlClient::transmit(std::uint64_t correlation, const control::Message& message) {
    if (!dialer_.up()) return true;  // lost() has reported or will report the error
    auto payload = wire::encode(message);
    if (!payload) return false;
    const Sent sent = send_frames(correlation, wire::type_of(message), *std::move(payload),
                                  [this](const Parts& parts) { return dialer_.send(parts); });
    // The failure is deferred, because it completes the pending requests, and their callbacks must not run inside a
    // caller's call.
    if (sent == Sent::full)
        full_timer_.start(Duration(0), [this] {
            dialer_.fail(make_error(error_text("orchestrator-takes-no-more"), dialer_.endpoint()));
        });
    return true;
}

void ControlClient::request(const control::Message& message, Duration deadline, OnReply on_reply) {
    if (!dialer_.up()) return on_reply(make_error(error_text("not-connected-to-orchestrator"), dialer_.endpoint()));
    const std::uint64_t correlation = next_correlation_++;
    const char* kind = control::kind_name(message);
    Error late = make_error(error_text("no-answer-to-request"), dialer_.endpoint(), {kind});
    if (!transmit(correlation, message)) {
        deadline = Duration(0);
        late = make_error(error_text("message-too-large"), dialer_.endpoint(),
                          {std::string(kind), std::to_string(control::skeleton_limit >> 20)});
    }
    const auto timer = loop_.after(deadline, [this, correlation, late] { complete(correlation, late); });
    pending_[correlation] = {std::move(on_reply), timer};
}

void ControlClient::complete(std::uint64_t correlation, Result<control::Message> result) {
    auto found = pending_.extract(correlation);
    if (found.empty()) return;
    loop_.cancel(found.mapped().timer);
    found.mapped().on_reply(std::move(result));
}

void ControlClient::on_frame(const Parts& parts) {
    hear();
    if (parts.size() != 2) return;
    const auto header = frame::decode_control_header(parts[0].bytes);
    if (!header) return;
    auto whole = assembler_.add(*header, parts[1].bytes);
    if (!whole) {
        if (whole.error().code == ErrorCode::unsupported) return complete(header->correlation, whole.error());
        return dialer_.fail(whole.error());
    }
    if (!*whole) return;
    auto decoded = wire::decode(header->type, std::as_bytes(std::span(**whole)));
    if (!decoded) return unreadable(header->correlation, decoded.error());
    received(header->correlation, *decoded);
}

/// Reports an unreadable answer as an error to its requester, and ignores it if it is late. Any other unreadable
/// message ends the connection, unless `on_broken` handles it, so that the loss is noticed.
void ControlClient::unreadable(std::uint64_t correlation, Error why) {
    if (pending_.contains(correlation)) return complete(correlation, std::move(why));
    if (correlation != 0) return;  // an answer that arrived after its deadline
    if (on_broken_) on_broken_(why);
    else dialer_.fail(why);
}

void ControlClient::received(std::uint64_t correlation, const control::Message& message) {
    const auto* refused = get_if<control::Refused>(&message);
    if (correlation != 0 && pending_.contains(correlation)) {
        if (refused) return complete(correlation, control::combined(*refused));
        return complete(correlation, message);
    }
    // A Refused that answers no request means that the orchestrator refuses this connection.
    if (refused && correlation == 0) return dialer_.fail(refused->error);
    if (holds_alternative<control::Heartbeat>(message)) return;
    if (on_message_) on_message_(correlation, message);
    if (const auto* goodbye = get_if<control::Goodbye>(&message))
        dialer_.fail(make_error(error_text("orchestrator-ended"), dialer_.endpoint(), {goodbye->reason}));
}

void ControlClient::beat() {
    beat_timer_.start(control::heartbeat_interval, [this] { beat(); });
    const bool silent = !silence_.silent(loop_.now()).empty();
    if (state_.kind != State::Kind::connected) return;
    if (silent) return dialer_.fail(make_error(error_text("orchestrator-fell-silent"), dialer_.endpoint()));
    send(control::Heartbeat{});
}

}  // namespace divisi::link
