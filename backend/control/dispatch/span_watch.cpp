// SPDX-License-Identifier: Apache-2.0
#include "backend/control/dispatch/span_watch.h"

#include <algorithm>
#include <utility>

#include "backend/control/types/error_texts.h"

namespace divisi::control::inline dispatch {
namespace {

/// Number of newest steps of a task used to estimate the step time.
constexpr std::size_t timed_steps = 8;
/// Maximum number of steps between two reports: a power of two far above the number of steps of any task.
constexpr std::int64_t most_between = std::int64_t{1} << 40;

/// Returns the time of the fastest of the newest steps of the current generation; 0 if there is none.
double fastest_step_ms(const TaskView& task) {
    double fastest = 0;
    std::size_t seen = 0;
    for (auto record = task.history.rbegin(); record != task.history.rend() && seen < timed_steps; ++record, ++seen) {
        if (record->generation != task.generation) break;
        if (record->step_ms > 0 && (fastest == 0 || record->step_ms < fastest)) fastest = record->step_ms;
    }
    return fastest;
}

}  // namespace

std::int64_t reported_every(double fastest_ms) {
    std::int64_t every = 1;
    while (static_cast<double>(every) * fastest_ms < to_ms(span_interval) && every < most_between) every *= 2;
    return every;
}

void SpanWatch::handle(const Received& received, const WatchSpans& message) {
    if (!context_.state().tasks.contains(message.task))
        return context_.refuse(received, context_.no_such_task(message.task));
    auto& wishes = wishes_[received.peer];
    if (!wishes.contains(message.task) && wishes.size() >= most_watched_tasks)
        return context_.refuse(received, make_error(error_text("too-many-watched-tasks"), message.task.value(),
                                                    {std::to_string(most_watched_tasks)}));
    wishes[message.task] = context_.lived() + span_watch;
    context_.answer(received, Done{});
}

/// Keeps a report for the watching clients. Drops reports that arrive after the last request has expired.
void SpanWatch::handle(const Received&, const SpanReport& message) {
    const InstanceSpans& spans = message.spans;
    const auto instance = context_.state().instances.find(spans.instance);
    const auto task = context_.state().tasks.find(spans.task);
    if (instance == context_.state().instances.end() || task == context_.state().tasks.end()) return;
    if (!watched(spans.task) || spans.generation != task->second.generation) return;
    SpanPush push{spans, clock_of(context_.state(), instance->second.node), {}, 0};
    push.offset = context_.clocks().offset(push.clock, spans.sent, context_.now());
    auto& waiting = waiting_[spans.instance];
    // An empty entry is new. Otherwise the new report replaces the waiting report and counts one more replaced report
    // than the waiting report.
    if (!waiting.spans.instance.value().empty()) {
        push.replaced = waiting.replaced + 1;
        push.spans.dropped += waiting.spans.dropped;
    }
    waiting = std::move(push);
}

bool SpanWatch::watched(const TaskId& task) const {
    return std::ranges::any_of(wishes_, [&](const auto& one) { return one.second.contains(task); });
}

std::set<TaskId> SpanWatch::watched_tasks() const {
    std::set<TaskId> tasks;
    for (const auto& [peer, wishes] : wishes_)
        for (const auto& [task, until] : wishes) tasks.insert(task);
    return tasks;
}

void SpanWatch::poll() {
    for (auto& [peer, wishes] : wishes_)
        std::erase_if(wishes, [&](const auto& wish) { return wish.second <= context_.lived(); });
    std::erase_if(wishes_, [](const auto& one) { return one.second.empty(); });
    std::map<InstanceId, Order> orders;
    for (const TaskId& task : watched_tasks()) {
        const auto found = context_.state().tasks.find(task);
        if (found != context_.state().tasks.end()) order(found->second, orders);
    }
    orders_ = std::move(orders);
    for (const auto& [instance, push] : std::exchange(waiting_, {}))
        for (const auto& [peer, wishes] : wishes_)
            if (wishes.contains(push.spans.task)) context_.send(peer, push);
}

/// Tells a task's instances which steps to report. The step time is unknown until the current generation has completed
/// a step.
void SpanWatch::order(const TaskView& task, std::map<InstanceId, Order>& orders) {
    const double fastest_ms = fastest_step_ms(task);
    if (fastest_ms <= 0 || task.over()) return;
    const std::int64_t every = reported_every(fastest_ms);
    for (const InstanceView* instance : instances_of(context_.state(), task.id)) {
        const auto peer = context_.sessions().of(instance->id);
        if (!peer || !context_.sessions().at(*peer).reports_spans || instance->state != InstanceState::running)
            continue;
        const auto before = orders_.find(instance->id);
        const bool holds = before != orders_.end() && before->second.every == every &&
                           context_.lived() - before->second.at < span_watch_again;
        if (!holds) context_.send(*peer, ReportSpans{task.id, task.generation, every});
        orders[instance->id] = holds ? before->second : Order{every, context_.lived()};
    }
}

}  // namespace divisi::control::inline dispatch
