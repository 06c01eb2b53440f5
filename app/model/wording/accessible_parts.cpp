// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/wording/accessible_parts.h"

namespace divisi::model {

namespace {

/// Returns the interface of one part. In the list of children, parts follow the widget's child widgets.
QAccessibleInterface* interface_of(QObject* owner, const AccessiblePicture& picture, int number) {
    const QAccessibleInterface* around = QAccessible::queryAccessibleInterface(owner);
    return around ? around->child(around->childCount() - picture.part_count() + number) : nullptr;
}

}  // namespace

int AccessiblePicture::part_at(QPoint at) const {
    for (int number = 0; number < part_count(); ++number)
        if (part(number).place.contains(at)) return number;
    return -1;
}

void tell_part_focused(QObject* owner, const AccessiblePicture& picture, int number) {
    QAccessibleInterface* one = interface_of(owner, picture, number);
    if (!one) return;
    QAccessibleEvent event(one, QAccessible::Focus);
    QAccessible::updateAccessibility(&event);
}

void tell_part_changed(QObject* owner, const AccessiblePicture& picture, int number) {
    QAccessibleInterface* one = interface_of(owner, picture, number);
    if (!one || !one->valueInterface()) return;
    QAccessibleValueChangeEvent event(one, one->valueInterface()->currentValue());
    QAccessible::updateAccessibility(&event);
}

void* PartInterface::interface_cast(QAccessible::InterfaceType type) {
    const AccessiblePart part = now();
    if (type == QAccessible::ValueInterface && part.number) return static_cast<QAccessibleValueInterface*>(this);
    const bool can_choose = part.state.selectable || part.state.focusable;
    if (type == QAccessible::ActionInterface && can_choose) return static_cast<QAccessibleActionInterface*>(this);
    return nullptr;
}

void PartInterface::setCurrentValue(const QVariant& value) {
    if (isValid() && now().number) picture_.change_part(number_, value.toInt());
}

QStringList PartInterface::actionNames() const { return {pressAction()}; }

void PartInterface::doAction(const QString& action) {
    if (isValid() && action == pressAction()) picture_.choose_part(number_);
}

QAccessibleInterface* PartInterface::parent() const {
    return owner_ ? QAccessible::queryAccessibleInterface(owner_) : nullptr;
}

QString PartInterface::text(QAccessible::Text what) const {
    const AccessiblePart part = now();
    switch (what) {
        case QAccessible::Name: return part.name;
        case QAccessible::Description: {
            if (part.number || part.value.isEmpty()) return part.description;
            return part.description.isEmpty() ? part.value : part.description + QStringLiteral(", ") + part.value;
        }
        case QAccessible::Value: return part.value;
        default: return {};
    }
}

QRect PartInterface::rect() const {
    const QAccessibleInterface* around = parent();
    return around ? now().place.translated(around->rect().topLeft()) : QRect();
}

}  // namespace divisi::model
