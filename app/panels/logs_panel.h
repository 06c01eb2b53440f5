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
#include "app/model/time_cursor.h"
#include "app/panels/log_table.h"
#include "app/panels/row_table.h"

namespace divisi::panels {

/// The cluster's latest events but steps, and what its processes write, newest last, with the filters that the
/// terminal has. Follows the end unless scrolled up; older ones come when they are asked for.
class LogsPanel : public QWidget {
    Q_OBJECT
public:
    explicit LogsPanel(client::Client* client, QWidget* parent = nullptr);

    /// Only of this task, whatever else was filtered; empty: of all.
    void show_task(const TaskId& task);
    /// Beside a running cluster the moment that it shows is marked, and what came after it faint; it outlives the view.
    void use_cursor(model::TimeCursor& cursor);
    /// What a row of the table is about.
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
    QString marked_;         ///< the row of the moment that was scrolled to last
    bool was_past_ = false;  ///< what is shown is not the end
    LogTable model_;
    std::optional<control::QueryLog> events_asked_;   ///< and not answered
    std::optional<control::QueryLines> lines_asked_;  ///< likewise
    int waited_ = 0;                                  ///< ticks for an answer
    bool history_ = true;                             ///< events before those that the state has are to be asked for
    bool more_events_ = true, more_lines_ = true;     ///< there may be older ones
    QLineEdit *filter_, *task_, *unit_, *node_;
    QComboBox *level_, *since_;
    QCheckBox* events_only_;
    QPushButton* older_;
    QLabel *notice_, *empty_;
    RowTable* table_;
    QTimer tick_, typed_;
};

}  // namespace divisi::panels
