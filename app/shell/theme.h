// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QIcon>
#include <QString>

namespace divisi::shell {

enum class Theme { dark, light };

Theme parse_theme(const QString& name);  ///< dark for what is unknown
QString name(Theme theme);

/// What the desktop's own palette is: dark where its windows are.
Theme system_theme();

/// Sets palette and style sheet of the whole program.
void apply_theme(QApplication& application, Theme theme);

/// An icon of resources/icons in the palette's text colour, crisp at any scale; empty where there is none.
QIcon themed_icon(const QString& name, const QPalette& palette);

}  // namespace divisi::shell
