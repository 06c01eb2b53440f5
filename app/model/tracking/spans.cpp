// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/tracking/spans.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace divisi::model {

namespace {

using plan::OperationKind;

/// Identifies an operation and its place in a run.
using OperationAt = std::tuple<std::int32_t, OperationKind, std::int32_t, std::int64_t>;

OperationAt place_of(const Span& span) { return {span.instance, span.operation, span.microbatch, span.step}; }

/// Finds the times at which the inputs that an operation needs from other instances were produced.
class Producers {
public:
    Producers(const std::vector<Span>& operations, const plan::Programs* programs) {
        for (const Span& one : operations) ends_[place_of(one)] = one.end_ns;
        if (!programs) return;
        learn(programs->data);
        for (const plan::Program& program : programs->stages) learn(program);
        channels_ = &programs->channels;
    }

    /// Returns when the last input was produced; empty if unknown.
    std::optional<std::int64_t> last(const Span& consumer) const {
        const auto needs = inputs_.find({consumer.instance, consumer.operation, consumer.microbatch});
        if (needs == inputs_.end()) return std::nullopt;
        std::optional<std::int64_t> latest;
        for (const std::int32_t channel : needs->second) {
            const std::int32_t from = (*channels_)[static_cast<std::size_t>(channel)].from;
            // An input that is sent once per step is produced by an operation of the whole step, whose micro-batch is
            // 0.
            const auto made = makers_.find({channel, consumer.microbatch});
            if (made == makers_.end()) continue;
            const auto end = ends_.find({from, made->second, consumer.microbatch, consumer.step});
            if (end != ends_.end()) latest = std::max(latest.value_or(end->second), end->second);
        }
        return latest;
    }

private:
    void learn(const plan::Program& program) {
        for (const plan::Operation& operation : program.training) {
            inputs_[{program.instance, operation.kind, operation.microbatch}] = operation.inputs;
            for (const std::int32_t channel : operation.outputs)
                makers_[{channel, operation.microbatch}] = operation.kind;
        }
    }

    std::map<OperationAt, std::int64_t> ends_;
    std::map<std::tuple<std::int32_t, OperationKind, std::int32_t>, std::vector<std::int32_t>> inputs_;
    /// operation that made each tensor, by channel and micro-batch
    std::map<std::pair<std::int32_t, std::int32_t>, OperationKind> makers_;
    const std::vector<plan::Channel>* channels_ = nullptr;
};

/// Adds the spans of the wait before `next`: idle until its inputs are produced, then wire until it begins.
void add_wait(std::vector<Span>& spans, std::int64_t since, const Span& next, const Producers& producers) {
    if (next.begin_ns <= since) return;
    const std::int64_t made = std::clamp(producers.last(next).value_or(next.begin_ns), since, next.begin_ns);
    Span wait = next;
    wait.begin_ns = since;
    wait.end_ns = made;
    wait.kind = SpanKind::idle;
    if (made > since) spans.push_back(wait);
    wait.begin_ns = made;
    wait.end_ns = next.begin_ns;
    wait.kind = SpanKind::wire;
    if (next.begin_ns > made) spans.push_back(wait);
}

void find_steps(Timeline& timeline, const std::vector<Span>& operations) {
    std::map<std::int64_t, std::int64_t> ends;
    for (const Span& one : operations) {
        if (one.instance == plan::data_unit || one.kind == SpanKind::evaluate) continue;
        auto& end = ends[one.step];
        end = std::max(end, one.end_ns);
    }
    std::int64_t begin = timeline.begin_ns;
    for (const auto& [step, end] : ends) {
        timeline.steps.push_back({step, begin, end});
        begin = end;
    }
}

}  // namespace

bool computes(SpanKind kind) { return kind != SpanKind::data && kind != SpanKind::wire && kind != SpanKind::idle; }

SpanKind kind_of(OperationKind operation) {
    switch (operation) {
        case OperationKind::load:
        case OperationKind::preprocess: return SpanKind::data;
        case OperationKind::forward: return SpanKind::forward;
        case OperationKind::backward: return SpanKind::backward;
        case OperationKind::share_gradients:
        case OperationKind::finish_gradients: return SpanKind::weight_gradient;
        case OperationKind::optimizer: return SpanKind::optimizer;
        case OperationKind::evaluate: return SpanKind::evaluate;
    }
    return SpanKind::idle;
}

const StepSpan* Timeline::step(std::int64_t number) const {
    const auto found = std::ranges::find(steps, number, &StepSpan::step);
    return found == steps.end() ? nullptr : &*found;
}

Timeline make_timeline(std::vector<Span> operations, const plan::Programs* programs,
                       const std::map<std::int32_t, std::int64_t>& begins, std::int64_t end_ns) {
    Timeline timeline;
    timeline.waits_split = programs != nullptr;
    if (operations.empty()) return timeline;
    const auto lane = [](std::int32_t instance) {  // sorts the data unit last
        return instance == plan::data_unit ? std::int64_t{1} << 32 : std::int64_t{instance};
    };
    std::ranges::sort(operations, [&](const Span& a, const Span& b) {
        return std::tuple(lane(a.instance), a.begin_ns, a.end_ns) < std::tuple(lane(b.instance), b.begin_ns, b.end_ns);
    });
    timeline.begin_ns = std::ranges::min(operations, {}, &Span::begin_ns).begin_ns;
    for (const auto& [instance, begin] : begins) timeline.begin_ns = std::min(timeline.begin_ns, begin);
    timeline.end_ns = std::max(end_ns, std::ranges::max(operations, {}, &Span::end_ns).end_ns);
    find_steps(timeline, operations);
    const Producers producers(operations, programs);
    for (auto one = operations.begin(); one != operations.end();) {
        const std::int32_t instance = one->instance;
        const bool stage = instance != plan::data_unit;
        timeline.instances.push_back(instance);
        const auto begin = begins.find(instance);
        std::int64_t since = begin == begins.end() ? timeline.begin_ns : begin->second;
        for (; one != operations.end() && one->instance == instance; ++one) {
            if (stage) add_wait(timeline.spans, since, *one, producers);
            timeline.spans.push_back(*one);
            since = std::max(since, one->end_ns);
        }
        if (!stage || since == timeline.end_ns) continue;
        Span rest = *(one - 1);
        rest.kind = SpanKind::idle;
        rest.begin_ns = since;
        rest.end_ns = timeline.end_ns;
        timeline.spans.push_back(rest);
    }
    return timeline;
}

Timeline predicted_timeline(const price::Simulation& simulation, const plan::Programs& programs) {
    std::vector<Span> operations;
    operations.reserve(simulation.operations.size());
    const auto ns = [](TimePoint time) { return time.time_since_epoch().count(); };
    for (const price::TimedOperation& one : simulation.operations)
        operations.push_back(
            {one.instance, kind_of(one.kind), one.kind, one.microbatch, one.step, ns(one.begin), ns(one.end)});
    return make_timeline(std::move(operations), &programs);
}

std::int64_t SpanSums::busy() const {
    std::int64_t sum = 0;
    for (std::size_t kind = 0; kind < span_kinds; ++kind)
        if (computes(static_cast<SpanKind>(kind))) sum += ns[kind];
    return sum;
}

double TimelineSums::bubble(const SpanSums& stage) const {
    if (to_ns <= from_ns) return 0;
    return 1 - static_cast<double>(stage.busy()) / static_cast<double>(to_ns - from_ns);
}

double TimelineSums::bubble() const {
    double sum = 0;
    int stages = 0;
    for (const SpanSums& one : instances) {
        if (one.instance == plan::data_unit) continue;
        sum += bubble(one);
        ++stages;
    }
    return stages == 0 ? 0 : sum / stages;
}

TimelineSums sum_spans(const Timeline& timeline, std::int64_t from_ns, std::int64_t to_ns) {
    TimelineSums sums{from_ns, to_ns, {}, timeline.waits_split};
    for (const std::int32_t instance : timeline.instances) sums.instances.push_back({instance, {}});
    auto at = sums.instances.begin();
    for (const Span& one : timeline.spans) {
        while (at->instance != one.instance) ++at;  // instances are in the same order in both lists
        const std::int64_t inside = std::min(one.end_ns, to_ns) - std::max(one.begin_ns, from_ns);
        if (inside > 0) at->ns[static_cast<std::size_t>(one.kind)] += inside;
    }
    return sums;
}

}  // namespace divisi::model
