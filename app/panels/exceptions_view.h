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
#include "app/model/selection.h"

namespace divisi::panels {

/// The exception queue: tasks that failed for good, each with why, where, what was tried before, and the log around it.
/// Who may, tries one again, opens its task to edit it, or drops it.
class ExceptionsView : public QWidget {
    Q_OBJECT
public:
    explicit ExceptionsView(client::Client* client, QWidget* parent = nullptr);

    /// What a row of the table is about: the instance, the node, the task.
    std::vector<model::Selected> about(const QModelIndex& row) const;

Q_SIGNALS:
    /// The text of the exception's task, whose relative paths start from `folder`.
    void editRequested(std::uint64_t exception, const QString& text, const QString& folder);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    /// The log around one of them, as the cluster answered.
    struct Around {
        std::uint64_t number = 0;
        control::LogPage page;
    };

    void build();
    void connect_client();
    /// Asks for the log around the chosen one, until it is known.
    void poll();
    void take(const control::QueryLog& question, const control::LogPage& page);
    void refresh();
    void refresh_bar();
    std::vector<const control::ExceptionEntry*> sorted() const;
    void fill_table();
    void show_chosen();
    void show_log();
    QString empty_text() const;
    /// Why nothing may be done; empty where it may.
    QString why_not() const;
    const control::ExceptionEntry* at(int row) const;  ///< null where there is none
    const control::ExceptionEntry* chosen() const;
    void retry();
    void edit();
    void drop();
    void answered();
    void retranslate();

    client::Client* client_;
    std::vector<std::uint64_t> numbers_;  ///< by row, the newest first until a header is pressed
    std::optional<Around> around_;
    std::optional<std::uint64_t> asked_;  ///< to be tried again or dropped, and not answered
    bool filling_ = false;
    QLabel *count_, *notice_, *empty_;
    QLineEdit* filter_;
    QPushButton *retry_, *edit_, *drop_;
    QSplitter* split_;
    QTabWidget* opened_;  ///< the fields of the chosen one, and the log around it
    QTableWidget *table_, *fields_, *log_;
    QTimer tick_;
};

}  // namespace divisi::panels
