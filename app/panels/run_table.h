// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QTableWidget>
#include <QWidget>
#include <tuple>

#include "app/client/client.h"
#include "app/model/price_board.h"
#include "app/model/run_prediction.h"

namespace divisi::panels {

/// What of a run was predicted and what was measured, with the error: the whole step, and of every stage the time that
/// it computes, that it waits, what it sends in a step, and its memory.
class RunTable : public QWidget {
    Q_OBJECT
public:
    RunTable(model::GraphDocument& document, client::Client* client, model::PlanningService& planning,
             QWidget* parent = nullptr);

    void show_task(const TaskId& task);

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void ask(const control::TaskView& task);
    void refresh();
    QString lesson(const control::TaskView& task, const price::Prediction& prediction, double step_ms);
    void fill(const control::TaskView& task, const price::Prediction& prediction);
    void retranslate();

    model::GraphDocument& document_;
    client::Client* client_;
    TaskId task_;
    model::RunPrediction prediction_;
    bool on_screen_ = false;                                    ///< the model that shows is the one that trains
    std::tuple<TaskId, Generation, model::ModelPtr> compared_;  ///< for what that was found: it takes long
    QLabel* title_;
    QTableWidget* table_;
};

}  // namespace divisi::panels
