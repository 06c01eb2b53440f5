// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QPushButton>
#include <optional>

#include "app/model/tracking/time_cursor.h"
#include "app/panels/faults/log_table.h"
#include "app/panels/tables/list_page.h"
#include "app/panels/tables/row_table.h"
#include "backend/control/protocol/log_messages.h"

namespace divisi::panels {

/// Shows the cluster's latest events except steps, and the output of its processes, newest last, with the filters of
/// `divisictl logs`. Follows the end unless scrolled up. Older entries are fetched on request.
class LogsPanel : public ListPage {
    Q_OBJECT
public:
    explicit LogsPanel(client::Client* client, QWidget* parent = nullptr);

    /// Shows only this task and clears all other filters; empty: all tasks.
    void show_task(const TaskId& task);
    /// Follows the cursor: for a running cluster, the row of its time is marked, and later rows are dimmed. `cursor`
    /// must outlive the view.
    void use_cursor(model::TimeCursor& cursor);
    /// Returns the subjects of a row of the table.
    std::vector<model::Selected> about(const QModelIndex& row) const;

protected:
    void refresh() override;
    void retranslate() override;
    /// Filters the existing rows at once, and requests all matching rows from the cluster a little later.
    void filter_rows(const QString& text) override;
    void appear() override;
    void poll() override;
    bool has_rows() const override { return table_->shown() > 0; }
    QString no_rows_text() const override;

private:
    void build();
    void connect_client();
    void restart();
    void take_events(const control::QueryLog& question, const control::LogPage& page);
    void take_lines(const control::QueryLines& question, const control::LinesPage& page);
    void ask_older();
    void ask_events(std::uint64_t before);
    void ask_lines(std::uint64_t before);
    bool shows_past() const;
    void show_moment();
    void refresh_bar();
    LogFilter wanted() const;
    bool moment_changed() const;
    std::string contained() const { return filter_text().toStdString(); }

    const model::TimeCursor* cursor_ = nullptr;
    QString marked_;         ///< row of the time to which the table last scrolled
    bool was_past_ = false;  ///< whether the displayed time was in the past at the last update
    LogTable model_;
    std::optional<control::QueryLog> events_asked_;   ///< unanswered query
    std::optional<control::QueryLines> lines_asked_;  ///< unanswered query
    int waited_ = 0;                                  ///< number of ticks since the query
    bool history_ = true;                             ///< whether events older than those in the state must still be
                                                      ///< requested
    bool more_events_ = true, more_lines_ = true;     ///< whether there may be older events or lines
    QLineEdit *task_, *unit_, *node_;
    QComboBox *level_, *since_;
    QCheckBox* events_only_;
    QPushButton* older_;
    RowTable* table_;
    QTimer typed_;
};

}  // namespace divisi::panels
