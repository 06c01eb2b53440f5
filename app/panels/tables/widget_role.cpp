// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/tables/widget_role.h"

#include <QStyle>
#include <QVariant>

namespace divisi::panels {

void set_role(QWidget* widget, const QString& role) {
    if (widget->property("role").toString() == role) return;
    widget->setProperty("role", role);
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
}

}  // namespace divisi::panels
