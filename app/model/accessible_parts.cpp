// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/accessible_parts.h"

namespace divisi::model {

QAccessibleInterface* PartInterface::parent() const {
    return owner_ ? QAccessible::queryAccessibleInterface(owner_) : nullptr;
}

QString PartInterface::text(QAccessible::Text what) const {
    const AccessiblePart part = now();
    switch (what) {
        case QAccessible::Name: return part.name;
        case QAccessible::Description: return part.description;
        case QAccessible::Value: return part.value;
        default: return {};
    }
}

QRect PartInterface::rect() const {
    const QAccessibleInterface* around = parent();
    return around ? now().place.translated(around->rect().topLeft()) : QRect();
}

}  // namespace divisi::model
