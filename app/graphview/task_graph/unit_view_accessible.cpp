// SPDX-License-Identifier: GPL-3.0-or-later
// Describes the task graph to screen readers: each unit with its state.
#include <QAccessibleWidget>

#include "app/graphview/task_graph/unit_view.h"

namespace divisi::graphview {

namespace {

QAccessibleInterface* unit_interface(const QString&, QObject* object) {
    auto* view = qobject_cast<UnitView*>(object);
    return view ? new model::PictureInterface<QAccessibleWidget, UnitView>(*view, QAccessible::Graphic) : nullptr;
}

}  // namespace

void UnitView::tell_screen_readers() {
    static const bool once = (QAccessible::installFactory(unit_interface), true);
    Q_UNUSED(once);
}

int UnitView::part_count() const { return static_cast<int>(units_.units().size()); }

model::AccessiblePart UnitView::part(int number) const {
    const model::UnitNode& unit = units_.units()[static_cast<std::size_t>(number)];
    model::AccessiblePart part;
    part.name = place_text(unit) + QStringLiteral(", ") + kind_text(unit.kind);
    part.description = unit.sid;
    part.value = doing_text(unit);
    part.state.selectable = part.state.focusable = true;
    part.state.selected = is_selected(unit);
    part.state.focused = part.state.selected && hasFocus();
    part.place = mapFromScene(place(unit)).boundingRect().translated(viewport()->pos());
    return part;
}

}  // namespace divisi::graphview
