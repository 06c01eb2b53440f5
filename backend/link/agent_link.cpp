// SPDX-License-Identifier: Apache-2.0
#include "backend/link/agent_link.h"

namespace divisi::link {

Result<Uplink> read_uplink(const std::filesystem::path& connection_file) {
    Uplink uplink;
    uplink.connection_file = connection_file;
    DIVISI_ASSIGN(uplink.orchestrator, read_connection(connection_file));
    return uplink;
}

void AgentLink::start(Events events, std::optional<AgentRegistration> registration) {
    events_ = std::move(events);
    registration_ = std::move(registration);
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
    if (state.kind == Kind::waiting) {
        if (events_.waiting) events_.waiting(state.detail);
        read_target();
    }
    const bool now = state.kind == Kind::connected;
    if (now == std::exchange(up_, now)) return;
    if (!now) return events_.down();
    events_.up();
    register_agent();
}

void AgentLink::read_target() {
    if (connection_file_.empty()) return;
    auto connection = read_connection(connection_file_);
    if (!connection) return;
    target_ = *std::move(connection);
    client_.retarget(target_);
}

void AgentLink::register_agent() {
    registration_timer_.stop();
    if (!registration_ || !up_) return;
    request(registration_->request(), [this](const Result<control::Message>& answer) {
        if (!answer) return on_refused(answer.error());
        if (registration_->accepted) registration_->accepted(*answer);
    });
}

void AgentLink::on_refused(const Error& error) {
    if (registration_->refused) registration_->refused(error);
    if (error.code == ErrorCode::deadline || error.code == ErrorCode::unavailable) return;
    if (error.code == registration_->transient)
        return registration_timer_.start(registration_->again_after, [this] { register_agent(); });
    if (registration_->failed) registration_->failed(error);
}

}  // namespace divisi::link
