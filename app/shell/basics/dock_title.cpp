// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/basics/dock_title.h"

#include <QLayout>

namespace divisi::shell {

DockTitle::DockTitle(QDockWidget& dock) : QLabel(dock.windowTitle(), &dock) {
    setProperty("role", QStringLiteral("dock"));
    connect(&dock, &QWidget::windowTitleChanged, this, &QLabel::setText);
}

void DockTitle::set_shown(bool shown) {
    if (shown == shown_) return;
    shown_ = shown;
    updateGeometry();
    if (QWidget* dock = parentWidget(); dock->layout()) dock->layout()->invalidate();
}

QSize DockTitle::sizeHint() const { return shown_ ? QLabel::sizeHint() : QSize(0, 0); }

QSize DockTitle::minimumSizeHint() const { return shown_ ? QLabel::minimumSizeHint() : QSize(0, 0); }

}  // namespace divisi::shell

#include "moc_dock_title.cpp"
