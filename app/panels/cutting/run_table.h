// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QTableWidget>
#include <QWidget>
#include <tuple>

#include "app/client/client.h"
#include "app/model/comparison/run_prediction.h"
#include "app/model/estimates/price_board.h"

namespace divisi::panels {

/// Compares the prediction and the measurement of a run, with the error. Covers the whole step and, for every stage,
/// its computing and waiting time, the bytes it sends per step, and its memory.
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
    QString report(const control::TaskView& task, const price::Prediction& prediction, double step_ms);
    void fill(const control::TaskView& task, const price::Prediction& prediction);
    void retranslate();

    model::GraphDocument& document_;
    client::Client* client_;
    TaskId task_;
    model::RunPrediction prediction_;
    bool on_screen_ = false;  ///< whether the open model is the model of the run
    /// inputs of on_screen_, which is computed again only if they change
    std::tuple<TaskId, Generation, model::ModelPtr> compared_;
    QLabel* title_;
    QTableWidget* table_;
};

}  // namespace divisi::panels
