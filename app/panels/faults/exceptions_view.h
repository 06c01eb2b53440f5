// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPushButton>
#include <QTabWidget>
#include <QTableWidget>
#include <optional>
#include <vector>

#include "app/model/tracking/selection.h"
#include "app/panels/tables/list_page.h"
#include "backend/control/protocol/log_messages.h"

namespace divisi::panels {

/// Shows the exception queue: tasks that failed permanently, each with the reason, the place of the failure, earlier
/// recoveries, and the log from around that time. Authorised users can resubmit a task, edit it, or drop it.
class ExceptionsView : public ListPage {
    Q_OBJECT
public:
    explicit ExceptionsView(client::Client* client, QWidget* parent = nullptr);

    /// Returns the subjects of a row: the instance, the node, the task.
    std::vector<model::Selected> about(const QModelIndex& row) const;

Q_SIGNALS:
    /// `text` is the exception's task; its relative paths start from `folder`.
    void editRequested(std::uint64_t exception, const QString& text, const QString& folder);

protected:
    void refresh() override;
    void retranslate() override;
    void filter_rows(const QString& text) override;
    /// Requests the log around the chosen exception until the log has arrived.
    void poll() override;
    bool has_rows() const override;
    QString no_rows_text() const override;

private:
    /// The part of the log around an exception, as the cluster returned it.
    struct LogExcerpt {
        std::uint64_t number = 0;
        control::LogPage page;
    };

    void build();
    void connect_client();
    void take(const control::QueryLog& question, const control::LogPage& page);
    void refresh_bar();
    std::vector<const control::ExceptionEntry*> sorted() const;
    void fill_table();
    void show_chosen();
    void show_log();
    const control::ExceptionEntry* at(int row) const;  ///< null if there is none
    const control::ExceptionEntry* chosen() const;
    void retry();
    void edit();
    void drop();
    void answered();

    std::vector<std::uint64_t> numbers_;  ///< by row, newest first unless sorted by a header
    std::optional<LogExcerpt> excerpt_;
    std::optional<std::uint64_t> asked_;  ///< exception of an unanswered request to resubmit or drop it
    bool filling_ = false;
    QPushButton *retry_, *edit_, *drop_;
    QTabWidget* opened_;  ///< fields of the chosen exception, and the log around it
    QTableWidget *table_, *fields_, *log_;
};

}  // namespace divisi::panels
