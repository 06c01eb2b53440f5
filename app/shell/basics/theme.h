// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QIcon>
#include <QString>

namespace divisi::shell {

enum class Theme { dark, light };

Theme parse_theme(const QString& name);  ///< returns dark for an unknown name
QString name(Theme theme);

/// Returns the theme of the desktop's palette: dark if its windows are dark.
Theme system_theme();

/// Sets palette and style sheet of the whole program.
void apply_theme(QApplication& application, Theme theme);

/// Loads an icon of resources/icons in the palette's text colour, in sizes up to 64 pixels; empty if there is none.
QIcon themed_icon(const QString& name, const QPalette& palette);

}  // namespace divisi::shell
