// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QTimer>
#include <QWidget>
#include <utility>
#include <vector>

#include "app/client/client.h"

namespace divisi::panels {

/// The cluster's tasks, newest first or by a column whose header was pressed: state, progress with remaining time,
/// latest figures, Stop; of a batch that has ended the file of its results. A text leaves only rows that have it.
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

private:
    const control::TaskView* chosen() const;
    void show_buttons();
    void refresh();
    std::vector<const control::TaskView*> tasks() const;
    /// What a task is sorted by in a column: a figure, or where it has none a text.
    std::pair<double, QString> key_of(const control::TaskView& task, int column) const;
    void press_header(int column);
    void show_filtered();
    void keep_chosen(int before, int now);
    void fill(int row, const control::TaskView& task);
    QString group_of(const control::TaskView& task) const;
    QString model_of(const control::TaskView& task) const;
    void retranslate();

    client::Client* client_;
    QTableWidget* table_;
    QLineEdit* filter_;
    QLabel* empty_;
    QPushButton* stop_;
    QPushButton* release_;  ///< shown while a held task is chosen
    QPushButton* results_;  ///< shown while a batch with results is chosen
    TaskId wanted_;         ///< to be chosen as soon as the cluster tells of it
    int sorted_by_ = -1;    ///< a column; -1: the newest is first
    bool descending_ = false;
};

}  // namespace divisi::panels
