// SPDX-License-Identifier: GPL-3.0-or-later
// Describes the mesh picture to screen readers: every visible element, with its state.
#include <QAccessibleWidget>

#include "app/topology/element_details.h"
#include "app/topology/mesh_map.h"

namespace divisi::topology {

namespace {

QAccessibleInterface* interface_of(const QString&, QObject* object) {
    auto* map = qobject_cast<MeshMap*>(object);
    return map ? new model::PictureInterface<QAccessibleWidget, MeshMap>(*map, QAccessible::Graphic) : nullptr;
}

}  // namespace

void MeshMap::tell_screen_readers() {
    static const bool once = (QAccessible::installFactory(interface_of), true);
    Q_UNUSED(once);
}

int MeshMap::part_count() const { return static_cast<int>(elements().size()); }

int MeshMap::part_at(QPoint at) const {
    const QPoint inside = viewport()->mapFrom(this, at);
    const auto all = elements();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (mapFromScene(place_of(all[i])).boundingRect().contains(inside)) return static_cast<int>(i);
    return -1;
}

void MeshMap::choose_part(int number) { select(elements()[static_cast<std::size_t>(number)], true); }

model::AccessiblePart MeshMap::part(int number) const {
    const Element element = elements()[static_cast<std::size_t>(number)];
    model::AccessiblePart part;
    part.name = title_of(element, picture_);
    part.value = state_text(element);
    part.state.selectable = part.state.focusable = true;
    part.state.selected = element == selected_;
    part.state.focused = part.state.selected && hasFocus();
    part.place = mapFromScene(place_of(element)).boundingRect().translated(viewport()->pos());
    part.state.offscreen = !viewport()->geometry().intersects(part.place);
    return part;
}

}  // namespace divisi::topology
