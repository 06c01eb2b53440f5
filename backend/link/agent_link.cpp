// SPDX-License-Identifier: Apache-2.0
#include "backend/link/agent_link.h"

namespace divisi::link {

void AgentLink::start(Events events) {
    events_ = std::move(events);
    client_.start(
        [this](const ControlClient::State& state) { on_state(state); },
        [this](std::uint64_t correlation, const control::Message& message) { events_.message(correlation, message); });
}

void AgentLink::send(std::uint64_t correlation, const control::Message& message) {
    if (correlation == 0) return client_.send(message);
    request(message, [this, correlation](Result<control::Message> reply) {
        events_.message(correlation, reply ? *reply : control::Message(control::Refused{reply.error()}));
    });
}

void AgentLink::on_state(const ControlClient::State& state) {
    using Kind = ControlClient::State::Kind;
    if (state.kind == Kind::waiting && events_.waiting) events_.waiting(state.detail);
    const bool now = state.kind == Kind::connected;
    if (now == std::exchange(up_, now)) return;
    if (now) events_.up();
    else events_.down();
}

}  // namespace divisi::link
