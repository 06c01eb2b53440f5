// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include "app/graphview/diagram/graph_view.h"
#include "app/model/comparison/live_recut.h"

namespace divisi::graphview {

/// Shown below the graph if its cuts differ from those that a task trains with. Describes the re-cut to the shown cuts,
/// with the button that requests it, and then its outcome. Also offers the cluster's advice, to be shown or applied.
class RecutBar : public QFrame {
    Q_OBJECT
public:
    RecutBar(GraphView& view, model::LiveRecut& recut, QWidget* parent = nullptr);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();
    void retranslate();
    void fit();

    GraphView& view_;
    model::LiveRecut& recut_;
    QLabel* message_;
    QPushButton *now_, *back_;
    QToolButton* close_;
};

}  // namespace divisi::graphview
