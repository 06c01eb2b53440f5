// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/tracking/live_step.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>
#include <algorithm>
#include <map>
#include <optional>
#include <string>

namespace divisi::model {

namespace {

struct LiveNotes {
    Q_DECLARE_TR_FUNCTIONS(divisi::model::LiveNotes)
};

/// Returns one clock offset per machine: the smallest offset in the reports of the step, because larger offsets include
/// the delay of a report.
std::map<std::string, Duration> offsets_of(const client::MeasuredStep& step) {
    std::map<std::string, Duration> offsets;
    for (const auto& [instance, push] : step.instances) {
        const auto [place, added] = offsets.try_emplace(push.clock, push.offset);
        place->second = std::min(place->second, push.offset);
    }
    return offsets;
}

/// Returns the stage that an instance runs; plan::data_unit if it runs none.
std::int32_t lane_of(const control::InstanceSpans& spans) {
    std::int32_t lane = plan::data_unit;
    for (const control::OperationSpan& one : spans.spans) lane = std::max(lane, one.unit);
    return lane;
}

/// Returns the span of a step: from the end of the previous step on all stages to the end of this step (find_steps()).
StepSpan step_of(std::int64_t number, const std::map<std::int32_t, StepSpan>& lanes) {
    StepSpan step{number, 0, 0};
    std::optional<std::int64_t> begin, end, earliest;
    for (const auto& [lane, one] : lanes) {
        earliest = std::min(earliest.value_or(one.begin_ns), one.begin_ns);
        if (lane == plan::data_unit && lanes.size() > 1) continue;
        begin = std::max(begin.value_or(one.begin_ns), one.begin_ns);
        end = std::max(end.value_or(one.end_ns), one.end_ns);
    }
    if (!begin) return step;
    step.begin_ns = *begin < *end ? *begin : *earliest;  // if *begin >= *end, the clocks do not agree
    step.end_ns = *end;
    return step;
}

}  // namespace

LiveStep live_step(const client::MeasuredStep& measured, const plan::Programs* programs) {
    LiveStep live;
    live.generation = measured.generation;
    const auto offsets = offsets_of(measured);
    live.machines = offsets.size();
    std::vector<Span> operations;
    std::map<std::int32_t, StepSpan> lanes;
    std::map<std::int32_t, std::int64_t> begins;
    for (const auto& [instance, push] : measured.instances) {
        const control::InstanceSpans& spans = push.spans;
        live.left_out += spans.left_out;
        const std::int64_t begin = (spans.begin + offsets.at(push.clock)).time_since_epoch().count();
        const std::int32_t lane = lane_of(spans);
        lanes[lane] = {measured.step, begin, begin + spans.length.count()};
        if (lane != plan::data_unit) begins[lane] = begin;
        for (const control::OperationSpan& one : spans.spans) {
            const std::int64_t at = begin + one.begin.count();
            operations.push_back(
                {one.unit, kind_of(one.kind), one.kind, one.microbatch, measured.step, at, at + one.length.count()});
        }
    }
    const auto stages = static_cast<std::size_t>(lanes.empty() ? 0 : lanes.rbegin()->first + 1);
    const bool same = programs && programs->stages.size() == stages;
    const StepSpan step = step_of(measured.step, lanes);
    live.timeline = make_timeline(std::move(operations), same ? programs : nullptr, begins, step.end_ns);
    if (!live.timeline.empty()) live.timeline.steps = {step};
    return live;
}

QString live_note(const LiveStep& step, std::uint64_t lost, Generation plan_since) {
    const auto number = [](std::uint64_t value) { return QLocale().toString(static_cast<qulonglong>(value)); };
    QStringList notes;
    if (step.generation < plan_since)
        notes << LiveNotes::tr("measured in generation %1, before the re-cut; the prediction is for the current plan")
                     .arg(step.generation);
    if (step.machines > 1)
        notes << LiveNotes::tr(
                     "the clocks of %1 machines were compared by their messages: times between two machines may be off "
                     "by the network delay")
                     .arg(number(step.machines));
    if (step.left_out > 0)
        notes << LiveNotes::tr("%Ln operations did not fit into their reports: sums omit them", nullptr,
                               static_cast<int>(step.left_out));
    if (lost > 0) notes << LiveNotes::tr("reports dropped in transit: %1").arg(number(lost));
    return notes.join(QStringLiteral("; "));
}

}  // namespace divisi::model
