// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

class QWidget;

namespace divisi::panels {

/// How the widget is drawn, by the style sheet's `role`: "error", "faint", or as usual.
void set_role(QWidget* widget, const QString& role);

/// A line about what was asked last in a view: what came of it, or what was wrong.
void show_notice(QLabel* notice, const QString& text, bool problem);

}  // namespace divisi::panels
