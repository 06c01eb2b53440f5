// SPDX-License-Identifier: GPL-3.0-or-later
// Describes a chart to screen readers: each line with its newest value.
#include <QAccessibleWidget>
#include <QLocale>

#include "app/charts/line_chart.h"
#include "app/model/wording/text.h"

namespace divisi::charts {

namespace {

QAccessibleInterface* interface_of(const QString&, QObject* object) {
    auto* chart = qobject_cast<LineChart*>(object);
    return chart ? new model::PictureInterface<QAccessibleWidget, LineChart>(*chart, QAccessible::Chart) : nullptr;
}

}  // namespace

void LineChart::tell_screen_readers() {
    static const bool once = (QAccessible::installFactory(interface_of), true);
    Q_UNUSED(once);
}

int LineChart::part_count() const { return static_cast<int>(lines_.size()); }

model::AccessiblePart LineChart::part(int number) const {
    const Line& line = lines_[static_cast<std::size_t>(number)];
    model::AccessiblePart part;
    part.role = QAccessible::Graphic;
    part.name = line.name;
    part.state.selected = line.chosen;
    part.place = view_->geometry();
    const std::optional<QPointF> last = line.last();
    if (!last) return part;
    part.value = model::loss_text(last->y());
    if (!unit_.isEmpty()) part.value += u' ' + unit_;
    part.description = x_title_ + QStringLiteral(": ") + QLocale().toString(last->x(), 'g', 6);
    return part;
}

}  // namespace divisi::charts
