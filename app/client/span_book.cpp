// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/span_book.h"

#include <algorithm>

namespace divisi::client {

namespace {

/// Number of latest steps among which at() searches for a complete step. The newest step may be incomplete, because
/// instances finish a step at different times, and a report may be lost.
constexpr int looked_at = 4;

}  // namespace

void SpanBook::take(const control::SpanPush& push) {
    const control::InstanceSpans& spans = push.spans;
    lost_ += spans.dropped + push.replaced;
    MeasuredStep& step = tasks_[spans.task][{spans.generation, spans.step}];
    const TimePoint begin = spans.begin + push.offset;
    step.begin = step.instances.empty() ? begin : std::min(step.begin, begin);
    step.generation = spans.generation;
    step.step = spans.step;
    const auto [place, added] = step.instances.try_emplace(spans.instance);
    spans_ += spans.spans.size();
    spans_ -= place->second.spans.spans.size();
    place->second = push;
    while (spans_ > most_kept_spans) forget_oldest();
}

void SpanBook::forget(Tasks::iterator task) {
    for (const auto& [number, step] : task->second)
        for (const auto& [instance, push] : step.instances) spans_ -= push.spans.spans.size();
    tasks_.erase(task);
}

void SpanBook::forget_oldest() {
    const auto oldest = std::min_element(tasks_.begin(), tasks_.end(), [](const auto& a, const auto& b) {
        return a.second.begin()->second.begin < b.second.begin()->second.begin;
    });
    if (oldest->second.size() == 1) return forget(oldest);
    const auto step = oldest->second.begin();
    for (const auto& [instance, push] : step->second.instances) spans_ -= push.spans.spans.size();
    oldest->second.erase(step);
}

const MeasuredStep* SpanBook::at(const TaskId& task, TimePoint moment) const {
    const auto found = tasks_.find(task);
    if (found == tasks_.end()) return nullptr;
    const MeasuredStep* best = nullptr;
    int seen = 0;
    for (auto one = found->second.rbegin(); one != found->second.rend() && seen < looked_at; ++one) {
        const MeasuredStep& step = one->second;
        if (step.begin > moment) continue;
        if (best && step.generation != best->generation) break;
        if (!best || step.instances.size() > best->instances.size()) best = &step;
        ++seen;
    }
    return best;
}

const MeasuredStep* SpanBook::step(const TaskId& task, std::int64_t number) const {
    const auto found = tasks_.find(task);
    if (found == tasks_.end()) return nullptr;
    const auto newest = std::find_if(found->second.rbegin(), found->second.rend(),
                                     [&](const auto& one) { return one.second.step == number; });
    return newest == found->second.rend() ? nullptr : &newest->second;
}

std::vector<std::int64_t> SpanBook::steps(const TaskId& task) const {
    std::vector<std::int64_t> numbers;
    const auto found = tasks_.find(task);
    if (found == tasks_.end()) return numbers;
    for (const auto& [key, step] : found->second) numbers.push_back(step.step);
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

void add_spans(std::vector<control::SpanPush>& waiting, std::uint64_t& lost, control::SpanPush push) {
    if (waiting.size() >= most_waiting_spans) {
        const auto same = std::find_if(waiting.begin(), waiting.end(), [&](const control::SpanPush& one) {
            return one.spans.instance == push.spans.instance;
        });
        const auto going = same == waiting.end() ? waiting.begin() : same;
        lost += 1 + going->replaced + going->spans.dropped;
        waiting.erase(going);
    }
    waiting.push_back(std::move(push));
}

}  // namespace divisi::client
