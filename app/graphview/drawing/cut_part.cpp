// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/drawing/cut_part.h"

#include <QCoreApplication>

#include "app/graphview/drawing/cut_overlay.h"

namespace divisi::graphview {

model::AccessiblePart cut_part(const model::GraphDocument& document, std::size_t which, bool focused, QPoint handle) {
    model::AccessiblePart part;
    part.role = QAccessible::Slider;
    part.name = cut_description(document, which);
    part.value = QCoreApplication::translate("divisi::graphview::GraphView", "Position %1 of %2")
                     .arg(document.shown_cuts()[which] + 1)
                     .arg(document.legal_count());
    part.number = {document.shown_cuts()[which] + 1, 1, document.legal_count()};
    part.state.focusable = true;
    part.state.focused = focused;
    part.place = QRect(0, 0, 44, 18);  // the size of the painted handle
    part.place.moveCenter(handle);
    return part;
}

}  // namespace divisi::graphview
