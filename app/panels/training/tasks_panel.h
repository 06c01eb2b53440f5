// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QTimer>
#include <QWidget>
#include <chrono>
#include <map>
#include <optional>
#include <vector>

#include "app/client/client.h"
#include "app/model/wording/states.h"

namespace divisi::panels {

/// Shows the cluster's tasks, newest first or sorted by a header: state, progress with remaining time, the latest
/// figures with their age, and Stop. For a finished batch, also offers its results file. A text filters the rows. While
/// hidden, it only follows which tasks exist.
class TasksPanel : public QWidget {
    Q_OBJECT
public:
    explicit TasksPanel(client::Client* client, QWidget* parent = nullptr);

    TaskId current() const;
    void select(const TaskId& task);
    bool can_stop() const;
    bool can_release() const;
    /// Returns why neither Stop nor Release is allowed for any task; empty if they are.
    QString why_not() const;
    bool has_results() const;

public Q_SLOTS:
    void stopCurrent();
    void releaseCurrent();
    /// Asks for a file and has the client write the chosen batch's results to it.
    void saveResults();

Q_SIGNALS:
    void taskChosen(const QString& task);

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    using Steady = std::chrono::steady_clock;

    const control::TaskView* chosen() const;
    void show_buttons();
    void refresh();
    /// Returns whether the set of tasks has changed since the last call.
    bool others_came();
    std::vector<const control::TaskView*> tasks() const;
    /// Returns the sort key of a task in a column; invalid: unknown.
    QVariant key_of(const control::TaskView& task, int column) const;
    void show_filtered();
    void show_wanted();
    void keep_chosen(int before, int now);
    void fill(int row, const control::TaskView& task);
    void fill_progress(int row, const control::TaskView& task);
    /// Returns when one of its instances last reported; empty if the task is not running or none has reported.
    std::optional<Steady::time_point> heard(const control::TaskView& task) const;
    bool silent(const control::TaskView& task) const;
    /// Returns the time since that report in words.
    QString heard_text(const control::TaskView& task) const;
    model::StateLook look(const control::TaskView& task) const;
    QString group_of(const control::TaskView& task) const;
    QString model_of(const control::TaskView& task) const;
    void retranslate();

    client::Client* client_;
    QTableWidget* table_;
    QLineEdit* filter_;
    QLabel* empty_;
    QPushButton* stop_;
    QPushButton* release_;                      ///< visible while a held task is chosen
    QPushButton* results_;                      ///< visible while a batch with results is chosen
    TaskId wanted_;                             ///< to be chosen as soon as the cluster reports it
    std::optional<std::vector<TaskId>> there_;  ///< tasks that the rows show; none: no rows yet
    std::map<TaskId, Steady::time_point> heard_;
    QTimer tick_;  ///< updates ages even if nothing is received
};

}  // namespace divisi::panels
