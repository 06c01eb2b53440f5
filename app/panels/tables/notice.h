// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

class QWidget;

namespace divisi::panels {

/// Sets the style sheet's `role` of a widget: "error", "faint", or empty for the usual look.
void set_role(QWidget* widget, const QString& role);

/// Shows a line about the last request of a view: its result, or the problem.
void show_notice(QLabel* notice, const QString& text, bool problem);

}  // namespace divisi::panels
