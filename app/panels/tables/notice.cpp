// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/tables/notice.h"

#include <QStyle>

namespace divisi::panels {

void set_role(QWidget* widget, const QString& role) {
    if (widget->property("role").toString() == role) return;
    widget->setProperty("role", role);
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
}

void show_notice(QLabel* notice, const QString& text, bool problem) {
    notice->setText(text);
    notice->setVisible(true);
    set_role(notice, problem ? QStringLiteral("error") : QString());
}

}  // namespace divisi::panels
