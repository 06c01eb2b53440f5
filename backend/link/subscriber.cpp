// SPDX-License-Identifier: Apache-2.0
#include "backend/link/subscriber.h"

namespace divisi::link {
namespace {

/// Timeout for one page; an orchestrator on a busy machine answers late.
constexpr Duration page_deadline = std::chrono::seconds(20);

}  // namespace

Subscriber::Subscriber(Loop& loop, ControlClient& client, Heard heard)
    : client_(client), heard_(std::move(heard)), again_(loop) {}

void Subscriber::begin() {
    again_.stop();
    ++attempt_;
    carry_out(subscription_.begin());
}

void Subscriber::pause() {
    again_.stop();
    ++attempt_;
}

void Subscriber::carry_out(control::Subscription::Step step) {
    if (step.snapshot) heard_.snapshot(*std::move(step.snapshot));
    if (!step.events.empty()) heard_.events(std::move(step.events));
    if (step.request)
        client_.request(*step.request, page_deadline, [this, attempt = attempt_](Result<control::Message> reply) {
            if (attempt == attempt_) carry_out(subscription_.answered(std::move(reply)));
        });
    if (!step.problem) return;
    ++attempt_;
    again_.start(pause_between_snapshots, [this] { begin(); });
    heard_.problem(*step.problem);
}

}  // namespace divisi::link
