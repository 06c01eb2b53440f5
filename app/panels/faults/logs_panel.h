// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTimer>
#include <QWidget>
#include <optional>

#include "app/client/client.h"
#include "app/model/tracking/time_cursor.h"
#include "app/panels/faults/log_table.h"
#include "app/panels/tables/row_table.h"

namespace divisi::panels {

/// Shows the cluster's latest events except steps, and the output of its processes, newest last, with the terminal's
/// filters. Follows the end unless scrolled up. Older entries are fetched on request.
class LogsPanel : public QWidget {
    Q_OBJECT
public:
    explicit LogsPanel(client::Client* client, QWidget* parent = nullptr);

    /// Shows only this task and clears all other filters; empty: all tasks.
    void show_task(const TaskId& task);
    /// Connects the cursor: for a running cluster, its moment is marked, and later rows are dimmed. `cursor` must
    /// outlive the view.
    void use_cursor(model::TimeCursor& cursor);
    /// Returns what a row of the table is about.
    std::vector<model::Selected> about(const QModelIndex& row) const;

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void build();
    void connect_client();
    void refresh();
    void tick();
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
    std::string contained() const;
    QString empty_text() const;
    void retranslate();

    client::Client* client_;
    const model::TimeCursor* cursor_ = nullptr;
    QString marked_;         ///< row of the moment last scrolled to
    bool was_past_ = false;  ///< the shown moment is in the past
    LogTable model_;
    std::optional<control::QueryLog> events_asked_;   ///< unanswered query
    std::optional<control::QueryLines> lines_asked_;  ///< unanswered query
    int waited_ = 0;                                  ///< ticks since the query
    bool history_ = true;                             ///< events older than those in the state must still be requested
    bool more_events_ = true, more_lines_ = true;     ///< there may be older entries
    QLineEdit *filter_, *task_, *unit_, *node_;
    QComboBox *level_, *since_;
    QCheckBox* events_only_;
    QPushButton* older_;
    QLabel *notice_, *empty_;
    RowTable* table_;
    QTimer tick_, typed_;
};

}  // namespace divisi::panels
