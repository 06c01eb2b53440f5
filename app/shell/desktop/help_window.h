// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QTextBrowser>
#include <QToolButton>
#include <vector>

#include "app/shell/desktop/help_pages.h"

namespace divisi::shell {

/// Shows one page of the manual, which is Markdown text. Pictures are loaded from the program's resources.
class HelpBrowser : public QTextBrowser {
    Q_OBJECT
public:
    explicit HelpBrowser(QWidget* parent) : QTextBrowser(parent) {}
    void set_pages(std::vector<HelpPage> pages) { pages_ = std::move(pages); }

    QVariant loadResource(int type, const QUrl& name) override;

private:
    std::vector<HelpPage> pages_;
};

/// Shows the manual in a separate window: contents, page, back and forward, and a search over all pages.
class HelpWindow : public QWidget {
    Q_OBJECT
public:
    explicit HelpWindow(QWidget* parent);

    /// Opens the window on the named page.
    void show_page(const QString& name);
    /// Returns the name of the shown page.
    QString page() const;

protected:
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void build();
    void load();
    void search(const QString& words);
    void show_found();
    void follow(const QUrl& url);
    void retranslate();

    std::vector<HelpPage> pages_;
    QToolButton *back_, *forward_;
    QLineEdit* search_;
    QListWidget* contents_;
    QLabel* nothing_;
    HelpBrowser* browser_;
};

}  // namespace divisi::shell
