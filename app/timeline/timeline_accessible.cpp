// SPDX-License-Identifier: GPL-3.0-or-later
// Describes the timeline to screen readers: each lane, with the activity of its instance in the range.
#include <QAccessibleWidget>
#include <cmath>

#include "app/model/wording/text.h"
#include "app/timeline/timeline_canvas.h"

namespace divisi::timeline {

namespace {

QAccessibleInterface* canvas_interface(const QString&, QObject* object) {
    auto* canvas = qobject_cast<TimelineCanvas*>(object);
    return canvas ? new model::PictureInterface<QAccessibleWidget, TimelineCanvas>(*canvas, QAccessible::Graphic)
                  : nullptr;
}

}  // namespace

void TimelineCanvas::tell_screen_readers() {
    static const bool once = (QAccessible::installFactory(canvas_interface), true);
    Q_UNUSED(once);
}

int TimelineCanvas::part_count() const { return static_cast<int>(lanes_.size()); }

/// Returns the sums of the selected range. Without a selection, returns the sums of the shown range.
QString TimelineCanvas::sums_text(const Lane& lane) const {
    const Track& track = tracks_[lane.track];
    const Range range = selected_.value_or(shown_);
    const model::TimelineSums sums = model::sum_spans(*track.timeline, track.origin_ns + std::llround(range.first),
                                                      track.origin_ns + std::llround(range.second));
    QStringList texts;
    for (const model::SpanSums& one : sums.instances) {
        if (one.instance != lane.instance) continue;
        for (std::size_t kind = 0; kind < model::span_kinds; ++kind) {
            if (one.ns[kind] <= 0) continue;
            const QString time = model::ms_text(static_cast<double>(one.ns[kind]) / 1e6);
            const auto which = static_cast<model::SpanKind>(kind);
            const bool any_wait = which == model::SpanKind::idle && !sums.waits_split;
            texts << (any_wait ? tr("waits %1").arg(time) : kind_text(which) + u' ' + time);
        }
        if (lane.instance != plan::data_unit) texts << tr("bubble %1").arg(model::percent(sums.bubble(one)));
    }
    return texts.join(QStringLiteral(", "));
}

model::AccessiblePart TimelineCanvas::part(int number) const {
    const Lane& lane = lanes_[static_cast<std::size_t>(number)];
    model::AccessiblePart part;
    part.name = instance_text(lane.instance) + QStringLiteral(", ") + tracks_[lane.track].name;
    part.value = sums_text(lane);
    part.state.selectable = true;
    part.state.selected = lane.instance == marked_;
    part.place = lane_place(lane);
    part.state.offscreen = !rect().intersects(part.place);
    return part;
}

}  // namespace divisi::timeline
