// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPushButton>
#include <QTableWidget>
#include <chrono>
#include <map>
#include <optional>
#include <vector>

#include "app/model/wording/states.h"
#include "app/panels/tables/list_page.h"

namespace divisi::panels {

/// Shows the cluster's tasks, newest first or sorted by a header: state, progress with remaining time, and the latest
/// figures with their age. Buttons stop the chosen task, or save the results of a finished batch. A text filters the
/// rows. While hidden, the panel is updated only when tasks appear or disappear.
class TasksPanel : public ListPage {
    Q_OBJECT
public:
    explicit TasksPanel(client::Client* client, QWidget* parent = nullptr);

    TaskId current() const;
    void select(const TaskId& task);
    bool can_stop() const;
    bool can_release() const;
    /// Returns why Stop and Release are disabled for all tasks; empty if they are allowed.
    QString why_not() const;
    bool has_results() const;

public Q_SLOTS:
    void stopCurrent();
    void releaseCurrent();
    /// Asks the user for a file, and has the client write the results of the chosen batch to it.
    void saveResults();

Q_SIGNALS:
    void taskChosen(const QString& task);

protected:
    void refresh() override;
    void retranslate() override;
    void filter_rows(const QString& text) override;
    void poll() override { refresh(); }  // updates ages even if nothing is received
    void recolour() override { refresh(); }
    QString empty_text() const override;

private:
    using Steady = std::chrono::steady_clock;

    const control::TaskView* chosen() const;
    void show_buttons();
    /// Returns whether the set of tasks has changed since the last call.
    bool others_came();
    std::vector<const control::TaskView*> tasks() const;
    /// Returns the sort key of a task in a column; invalid: unknown.
    QVariant key_of(const control::TaskView& task, int column) const;
    void show_wanted();
    void keep_chosen(int before, int now);
    void fill(int row, const control::TaskView& task);
    void fill_progress(int row, const control::TaskView& task);
    /// Returns the time of the last report from an instance of the task; empty if the task is not running or no
    /// instance has reported.
    std::optional<Steady::time_point> heard(const control::TaskView& task) const;
    bool silent(const control::TaskView& task) const;
    /// Returns the time since the last report from an instance of the task, as a text.
    QString heard_text(const control::TaskView& task) const;
    model::StateLook look(const control::TaskView& task) const;
    QString group_of(const control::TaskView& task) const;
    QString model_of(const control::TaskView& task) const;

    QTableWidget* table_;
    QPushButton* stop_;
    QPushButton* release_;                      ///< button that is visible while a held task is chosen
    QPushButton* results_;                      ///< button that is visible while a batch task with results is chosen
    TaskId wanted_;                             ///< task to choose as soon as the cluster reports it
    std::optional<std::vector<TaskId>> there_;  ///< tasks in the rows; none: the table has not been filled yet
    std::map<TaskId, Steady::time_point> heard_;
};

}  // namespace divisi::panels
