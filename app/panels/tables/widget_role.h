// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace divisi::panels {

/// Sets the style sheet's `role` of a widget: "error", "faint", or empty for the usual look.
void set_role(QWidget* widget, const QString& role);

}  // namespace divisi::panels
