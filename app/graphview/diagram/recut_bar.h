// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include "app/graphview/diagram/graph_view.h"
#include "app/model/comparison/live_recut.h"

namespace divisi::graphview {

/// A bar below the graph, visible if the graph's cuts differ from the cuts of a task in training. The bar describes the
/// re-cut to the shown cuts, has a button that requests the re-cut, and then shows the outcome. It also offers the cuts
/// that the cluster advises, which the user can show or apply.
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
