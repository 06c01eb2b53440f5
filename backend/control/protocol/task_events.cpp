// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/task_events.h"

#include <algorithm>
#include <utility>

#include "backend/control/types/error_texts.h"

namespace divisi::control::inline protocol {
namespace {

/// Maximum number of gaps that are listed individually.
constexpr std::size_t told_gaps = 8;

}  // namespace

QueryLog TaskEvents::request() const {
    QueryLog query;
    query.task = task_.value();
    query.after = last_;
    query.limit = page;
    query.oldest = true;
    return query;
}

TaskEvents::Step TaskEvents::subscribed(std::uint64_t sequence) {
    Step step;
    held_.clear();
    dropped_.reset();
    failed_ = 0;
    target_.reset();
    if (sequence < last_) {
        failure_ = make_error(error_text("another-event-log"), task_.value());
    } else if (sequence > last_) {
        target_ = sequence;
        step.request = request();
    }
    return step;
}

TaskEvents::Step TaskEvents::pushed(const std::vector<Event>& events) {
    Step step;
    for (const Event& event : events) {
        if (!target_) take(event, step);
        else if (task_of(event.body) == task_) held_.push_back(event);
        if (held_.size() < most_held) continue;
        dropped_ = held_.back().sequence;
        held_.clear();
    }
    return step;
}

TaskEvents::Step TaskEvents::answered(Result<LogPage> reply) {
    Step step;
    if (!target_) return step;
    if (!reply) {
        if (reply.error().code == ErrorCode::unavailable) return step;  // the next subscription starts over
        if (++failed_ < attempts) step.request = request();
        else failure_ = std::move(reply).error();
        return step;
    }
    failed_ = 0;
    for (const Event& event : reply->events) take(event, step);
    const bool more = reply->more && !reply->events.empty();
    if (!more && dropped_) target_ = std::exchange(dropped_, std::nullopt);
    else if (!more) return live(std::move(step));
    step.request = request();
    return step;
}

/// Ends the reading of the log; from now on pushes follow without a gap.
TaskEvents::Step TaskEvents::live(Step step) {
    last_ = std::max(last_, *target_);
    target_.reset();
    for (const Event& event : std::exchange(held_, {})) take(event, step);
    return step;
}

void TaskEvents::take(const Event& event, Step& step) {
    if (event.sequence <= last_) return;
    last_ = event.sequence;
    if (task_of(event.body) != task_) return;
    if (const auto* done = get_if<StepDone>(&event.body)) look_for_gap(done->record);
    if (const auto* recovers = get_if<TaskRecovers>(&event.body)) step_ = std::min(step_, recovers->step);
    if (const auto* recut = get_if<TaskRecut>(&event.body)) step_ = std::min(step_, recut->step);
    step.events.push_back(event);
}

/// Records missing steps. A new generation may begin by repeating earlier steps; otherwise each step follows the
/// previous one.
void TaskEvents::look_for_gap(const StepRecord& record) {
    const bool again = record.generation > generation_ && record.step <= step_;
    if (record.step > step_ + 1) {
        missing_count_ += record.step - step_ - 1;
        if (gaps_.size() < told_gaps) gaps_.push_back({step_ + 1, record.step - 1});
    }
    if (again || record.step > step_) step_ = record.step;
    generation_ = std::max(generation_, record.generation);
}

std::string TaskEvents::missing() const {
    std::string text;
    std::int64_t told = 0;
    for (const Gap& gap : gaps_) {
        text += (text.empty() ? "" : ", ") + std::to_string(gap.first);
        if (gap.last > gap.first) text += " to " + std::to_string(gap.last);
        told += gap.last - gap.first + 1;
    }
    if (told < missing_count_) text += " and " + std::to_string(missing_count_ - told) + " more";
    return text;
}

QueryLog log_around(const ExceptionEntry& entry) {
    constexpr std::uint32_t lines_around = 60;
    QueryLog query;
    query.task = entry.task.value();
    query.before = entry.number + 1;
    query.limit = lines_around;
    return query;
}

}  // namespace divisi::control::inline protocol
