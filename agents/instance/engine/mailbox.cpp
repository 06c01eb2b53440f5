// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/mailbox.h"

#include <utility>

namespace divisi::instance {

void Mailbox::deliver(const plan::TensorKey& key, graph::HostTensor tensor) {
    const std::lock_guard lock(mutex_);
    mail_.push_back(Arrived{key, {std::move(tensor), clock_.now()}});
    wake_.notify_one();
}

void Mailbox::freed(const plan::TensorKey& key) { add(Freed{key}); }

void Mailbox::declined(const plan::TensorKey& key) { add(Declined{key}); }

void Mailbox::add(Mail mail) {
    const std::lock_guard lock(mutex_);
    mail_.push_back(std::move(mail));
    wake_.notify_one();
}

void Mailbox::order(const frame::End& consumer, std::int32_t stage, frame::Demand demand) {
    const std::lock_guard lock(mutex_);
    // The newest demand replaces older demands, so that demands do not accumulate while a file is slow to read.
    for (Mail& mail : mail_) {
        auto* waiting = get_if<Ordered>(&mail);
        if (!waiting || waiting->consumer != consumer) continue;
        waiting->stage = stage;
        if (demand.sequence >= waiting->demand.sequence) waiting->demand = std::move(demand);
        return;
    }
    mail_.push_back(Ordered{consumer, stage, std::move(demand)});
    wake_.notify_one();
}

void Mailbox::stop() {
    stop_requested_ = true;
    const std::lock_guard lock(mutex_);
    wake_.notify_one();
}

void Mailbox::hold(std::int64_t after) {
    const std::lock_guard lock(mutex_);
    held_after_ = after;
    hold_changed_ = true;
    wake_.notify_one();
}

Mailbox::Awaited Mailbox::awaited() const {
    const std::lock_guard lock(mutex_);
    if (awaited_.empty()) return {};
    return {awaited_, clock_.now() - awaiting_since_};
}

void Mailbox::put(Mail mail) {
    const std::lock_guard lock(mutex_);
    mail_.push_back(std::move(mail));
}

std::deque<Mailbox::Mail> Mailbox::take(bool block, const std::function<std::set<std::int32_t>()>& awaited_ends) {
    std::unique_lock lock(mutex_);
    const auto come = [this] { return !mail_.empty() || stop_requested_ || hold_changed_; };
    if (block && !come()) {
        awaited_ = awaited_ends();
        awaiting_since_ = clock_.now();
        wake_.wait(lock, come);
        awaited_.clear();
    }
    hold_changed_ = false;
    return std::exchange(mail_, {});
}

}  // namespace divisi::instance
