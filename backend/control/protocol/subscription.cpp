// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/subscription.h"

#include "backend/control/protocol/state_messages.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline protocol {

Subscription::Step Subscription::begin() {
    phase_ = Phase::fetching;
    whole_ = {};
    held_.clear();
    Step step;
    step.request = Subscribe{};
    return step;
}

Subscription::Step Subscription::answered(Result<Message> reply) {
    if (phase_ != Phase::fetching) return {};
    if (!reply) return fail(std::move(reply).error());
    auto* page = get_if<Snapshot>(&*reply);
    if (!page) return fail(make_error(error_text("subscription-answer"), "control message", {kind_name(*reply)}));
    if (auto added = add_page(whole_, std::move(*page)); !added) return fail(std::move(added).error());
    Step step;
    if (whole_.more) {
        step.request = FetchSnapshotPage{whole_.page + 1};
        return step;
    }
    phase_ = Phase::live;
    sequence_ = whole_.state.sequence;
    step.snapshot = std::exchange(whole_, {});
    follow(std::exchange(held_, {}), step);
    return step;
}

Subscription::Step Subscription::pushed(std::vector<Event> events) {
    if (phase_ == Phase::idle) return {};
    Step step;
    if (phase_ == Phase::live) {
        follow(std::move(events), step);
        return step;
    }
    if (held_.size() + events.size() > most_held_events)
        return fail(make_error(error_text("subscription-overrun"), "snapshot"));
    held_.insert(held_.end(), std::make_move_iterator(events.begin()), std::make_move_iterator(events.end()));
    return step;
}

Subscription::Step Subscription::broken(Error why) {
    if (phase_ == Phase::idle) return {};
    return fail(std::move(why));
}

Subscription::Step Subscription::fail(Error why) {
    phase_ = Phase::idle;
    whole_ = {};
    held_.clear();
    Step step;
    step.problem = std::move(why);
    return step;
}

void Subscription::follow(std::vector<Event> events, Step& step) {
    for (Event& event : events) {
        if (event.sequence <= sequence_) continue;  // already in the snapshot
        if (event.sequence != sequence_ + 1) {
            auto failed = fail(make_error(error_text("events-lost"), "event push",
                                          {std::to_string(sequence_ + 1), std::to_string(event.sequence - 1)}));
            step.problem = std::move(failed.problem);
            return;
        }
        sequence_ = event.sequence;
        step.events.push_back(std::move(event));
    }
}

}  // namespace divisi::control::inline protocol
