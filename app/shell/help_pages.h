// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>
#include <vector>

namespace divisi::shell {

/// A page of the manual: a Markdown file of resources/docs/user.
struct HelpPage {
    QString name;   ///< "prices", of prices.md
    QString title;  ///< its first heading
    QString text;   ///< Markdown, without pictures that are not there
};

/// All pages in the order in which they are read, in `language` where the manual has it, else in English.
std::vector<HelpPage> help_pages(const QString& language);

/// The names of the pages, in that order.
const QStringList& help_page_names();

/// The page about what has the focus: about the nearest of it and what it lies in that a page is about; the first page
/// where there is none.
QString page_of(const QWidget* focus);

}  // namespace divisi::shell
