// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemView>
#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>
#include <QWidget>
#include <initializer_list>
#include <utility>
#include <vector>

#include "app/client/client.h"

namespace divisi::panels {

/// Base class of the views that list rows of a cluster. It provides the parts around the rows: the bar with the filter,
/// the line about the last request, the text shown if there are no rows, and the timer for poll(). A view adds its
/// table and texts.
class ListPage : public QWidget {
    Q_OBJECT
public:
    /// `name` starts the object names of the parts: "alertFilter", "alertCount", "alertNotice" and "alertEmpty".
    ListPage(const char* name, client::Client* client, QWidget* parent);

protected:
    // --- what a view defines ---

    /// Updates the rows, the texts about them and the buttons.
    virtual void refresh() = 0;
    /// Sets all texts in the language of the window.
    virtual void retranslate() = 0;
    /// Shows only rows with this text, which is trimmed.
    virtual void filter_rows(const QString& text) = 0;
    /// Called when the page becomes visible.
    virtual void appear() { refresh(); }
    /// Called at each tick while a part of the page is on screen.
    virtual void poll() {}
    /// Called after the colours have changed.
    virtual void recolour() {}
    // The next four functions are called only if the window has a cluster.
    /// Returns whether there are rows, regardless of the filter.
    virtual bool has_rows() const { return true; }
    /// Returns whether any row passes the filter.
    virtual bool shows_rows() const { return has_rows(); }
    /// Returns the text shown if the filter hides all rows.
    virtual QString all_hidden_text() const { return {}; }
    /// Returns the text shown if the cluster has no rows.
    virtual QString no_rows_text() const { return {}; }
    /// Returns why the list is empty, and what to do; empty if the list is shown.
    virtual QString empty_text() const;

    // --- parts ---

    /// Returns the bar, which starts with the filter.
    QHBoxLayout& bar() { return *bar_; }
    /// Adds a second bar below the first.
    QHBoxLayout& add_bar();
    /// Moves the first bar below the list.
    void move_bar_down();
    /// Adds a checkable button for each page in front of the filter. The ids count from 0, and page 0 is checked.
    QButtonGroup& add_pages(std::initializer_list<const char*> names);

    QLineEdit& filter() { return *filter_; }
    /// Returns the trimmed text of the filter.
    QString filter_text() const { return filter_->text().trimmed(); }
    void set_filter_texts(const QString& placeholder, const QString& accessible_name);

    /// Adds the label of set_count() at the end of the bar.
    void add_count();
    void set_count(const QString& text) { count_->setText(text); }

    /// Places for the details of a row.
    enum class Details { beside, below_if_narrow };
    /// Sets the widget with the rows: a table, a tree, or several of them.
    void set_list(QWidget& list);
    /// Sets the widget with the rows and the widget with the details of a row. `shares` are their shares of the space.
    /// Returns the splitter that contains both.
    QSplitter& set_list(QWidget& list, QWidget& details, std::pair<int, int> shares, Details where);
    /// Shows the list or, if it is empty, the text that says why.
    void show_list();
    /// Makes Escape in `area` clear the current row of these tables, which closes the details.
    void clear_by_escape(QWidget& area, const std::vector<QAbstractItemView*>& tables);

    /// Shows the result of the last request, or why the request failed (`problem`).
    void show_notice(const QString& text, bool problem);
    void hide_notice() { notice_->hide(); }

    /// Calls poll() at this interval while a part of the page is on screen.
    void poll_every(int ms) { tick_.setInterval(ms); }
    /// Returns whether a part of the page is on screen, which Qt's isVisible() does not say for a dock behind a tab.
    bool is_on_screen() const { return !visibleRegion().isEmpty(); }

    bool is_connected() const;
    /// Returns why nothing may be changed here: there is no connection, a recording is shown, or the role permits only
    /// watching (`read_only` is the text for this case). Empty if changes are allowed.
    QString why_not_changed(const QString& read_only) const;

    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

    client::Client* const client_;  ///< null: the window has no cluster

private:
    QString name_of(const char* part) const;

    QString name_;
    QVBoxLayout* column_;
    QHBoxLayout* bar_;
    QLineEdit* filter_;
    QLabel *notice_, *empty_;
    QLabel* count_ = nullptr;
    QWidget* list_ = nullptr;
    QSplitter* stacked_ = nullptr;  ///< splitter whose parts are above each other in a narrow dock
    QTimer tick_;
};

}  // namespace divisi::panels
