// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTabWidget>
#include <QTableWidget>
#include <QTimer>
#include <QWidget>
#include <optional>
#include <vector>

#include "app/client/client.h"
#include "app/model/tracking/selection.h"

namespace divisi::panels {

/// Shows the exception queue: tasks that failed for good, each with the reason, the place, earlier recoveries, and the
/// log around it. Authorised users can resubmit a task, edit it, or drop it.
class ExceptionsView : public QWidget {
    Q_OBJECT
public:
    explicit ExceptionsView(client::Client* client, QWidget* parent = nullptr);

    /// Returns what a row is about: the instance, the node, the task.
    std::vector<model::Selected> about(const QModelIndex& row) const;

Q_SIGNALS:
    /// `text` is the exception's task; its relative paths start from `folder`.
    void editRequested(std::uint64_t exception, const QString& text, const QString& folder);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    /// The log around an exception, as the cluster returned it.
    struct LogExcerpt {
        std::uint64_t number = 0;
        control::LogPage page;
    };

    void build();
    void connect_client();
    /// Asks for the log around the chosen exception until it is known.
    void poll();
    void take(const control::QueryLog& question, const control::LogPage& page);
    void refresh();
    void refresh_bar();
    std::vector<const control::ExceptionEntry*> sorted() const;
    void fill_table();
    void show_chosen();
    void show_log();
    QString empty_text() const;
    /// Returns why no action is allowed; empty if actions are allowed.
    QString why_not() const;
    const control::ExceptionEntry* at(int row) const;  ///< null if there is none
    const control::ExceptionEntry* chosen() const;
    void retry();
    void edit();
    void drop();
    void answered();
    void retranslate();

    client::Client* client_;
    std::vector<std::uint64_t> numbers_;  ///< by row, newest first unless sorted by a header
    std::optional<LogExcerpt> excerpt_;
    std::optional<std::uint64_t> asked_;  ///< exception of an unanswered request to resubmit or drop it
    bool filling_ = false;
    QLabel *count_, *notice_, *empty_;
    QLineEdit* filter_;
    QPushButton *retry_, *edit_, *drop_;
    QSplitter* split_;
    QTabWidget* opened_;  ///< fields of the chosen exception, and the log around it
    QTableWidget *table_, *fields_, *log_;
    QTimer tick_;
};

}  // namespace divisi::panels
