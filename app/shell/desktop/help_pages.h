// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>
#include <vector>

namespace divisi::shell {

/// A page of the manual: a Markdown file of resources/docs/user.
struct HelpPage {
    QString name;   ///< name of the page: "prices" for prices.md
    QString title;  ///< first heading of the page
    QString text;   ///< content as Markdown; pictures that this program does not contain are removed
};

/// Returns all pages in reading order, in `language` if the manual has it, else in English.
std::vector<HelpPage> help_pages(const QString& language);

/// Returns the names of the pages in reading order.
const QStringList& help_page_names();

/// Returns the page about the focused widget, or about its nearest ancestor that has a page. If there is none, returns
/// the first page.
QString page_of(const QWidget* focus);

}  // namespace divisi::shell
