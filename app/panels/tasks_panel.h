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
#include "app/model/states.h"

namespace divisi::panels {

/// The cluster's tasks, newest first or by a column whose header was pressed: state, progress with remaining time,
/// latest figures and how old they are, Stop; of a batch that has ended the file of its results. A text leaves only
/// rows that have it. While nobody sees it, it only follows which tasks there are.
class TasksPanel : public QWidget {
    Q_OBJECT
public:
    explicit TasksPanel(client::Client* client, QWidget* parent = nullptr);

    TaskId current() const;
    void select(const TaskId& task);
    bool can_stop() const;
    bool can_release() const;
    /// Why neither is allowed, whichever task is chosen; empty where they are.
    QString why_not() const;
    bool has_results() const;

public Q_SLOTS:
    void stopCurrent();
    void releaseCurrent();
    /// Asks for a file, and has the client write the chosen batch's results there.
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
    /// Whether others are there than at the last call.
    bool others_came();
    std::vector<const control::TaskView*> tasks() const;
    /// What a task is sorted by in a column; invalid: nothing is known.
    QVariant key_of(const control::TaskView& task, int column) const;
    void show_filtered();
    void show_wanted();
    void keep_chosen(int before, int now);
    void fill(int row, const control::TaskView& task);
    void fill_progress(int row, const control::TaskView& task);
    /// When its instances last reported, the newest of them; none where it does not run, or none has.
    std::optional<Steady::time_point> heard(const control::TaskView& task) const;
    bool silent(const control::TaskView& task) const;
    /// Likewise in words.
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
    QPushButton* release_;                      ///< shown while a held task is chosen
    QPushButton* results_;                      ///< shown while a batch with results is chosen
    TaskId wanted_;                             ///< to be chosen as soon as the cluster tells of it
    std::optional<std::vector<TaskId>> there_;  ///< of which rows were made; none: of none yet
    std::map<TaskId, Steady::time_point> heard_;
    QTimer tick_;  ///< ages go on, also where nothing comes
};

}  // namespace divisi::panels
