// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHBoxLayout>
#include <QLabel>
#include <QStackedLayout>
#include <QTimer>
#include <QWidget>

#include "app/charts/line_chart.h"
#include "app/client/client.h"
#include "app/model/selection.h"

namespace divisi::charts {

/// Loss (of a multi-task training also of every head), samples per second and the busy share of every instance of one
/// task, live. Refreshes only while it can be seen, at most twelve times a second.
class TelemetryView : public QWidget {
    Q_OBJECT
public:
    explicit TelemetryView(client::Client* client, QWidget* parent = nullptr);

    void show_task(const TaskId& task);
    /// The line of the selected instance is drawn thicker, or of the one that runs the selected unit.
    void mark(const model::Selected& what);
    const LineChart& loss() const { return *loss_; }
    const LineChart& busy() const { return *busy_; }

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void refresh();
    void show_loss(const control::TaskView& task);
    std::vector<LineChart::Start> starts_of(const control::TaskView& task) const;
    void show_busy(const control::TaskView& task);
    void show_empty(const QString& text);
    void retranslate();

    client::Client* client_;
    TaskId task_;
    model::Selected selected_;
    QStackedLayout* stack_;
    QLabel* empty_;
    QWidget* page_;
    QHBoxLayout* row_;
    LineChart *loss_, *speed_, *busy_;
};

}  // namespace divisi::charts
