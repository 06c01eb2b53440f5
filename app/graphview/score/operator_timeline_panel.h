// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QScrollBar>
#include <QWidget>

#include "app/graphview/score/operator_timeline.h"

namespace divisi::graphview {

/// Shows the score, the quantity and reliability of its widths, and a scroll bar.
class OperatorTimelinePanel : public QWidget {
    Q_OBJECT
public:
    OperatorTimelinePanel(GraphView& graph, model::GraphDocument& document, model::PriceBoard& board,
                          QWidget* parent = nullptr);

    OperatorTimeline& view() { return *view_; }
    void set_measure(TimelineMeasure measure);

Q_SIGNALS:
    void measureChosen(divisi::graphview::TimelineMeasure measure);

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslate();
    void show_source();
    void show_scroll();

    OperatorTimeline* view_;
    QComboBox* measure_;
    QLabel *title_, *source_;
    QScrollBar* scroll_;
};

}  // namespace divisi::graphview
