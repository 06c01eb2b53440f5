// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <QWidget>
#include <vector>

#include "app/graphview/diagram/graph_view.h"

namespace divisi::graphview {

/// The brushes above the graph while segments are painted: one per segment, with number, colour and pattern, and one
/// that creates a new segment. Brushes that do not fit scroll. If segments wait for each other, the reason and the
/// remedy are shown below.
class PaintBar : public QWidget {
    Q_OBJECT
public:
    PaintBar(GraphView& view, model::GraphDocument& document, QWidget* parent = nullptr);

Q_SIGNALS:
    void cutsRequested();
    void segmentMenuRequested(int segment, const QPoint& global);

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* of, QEvent* event) override;

private:
    void refresh();
    void build();
    void refresh_brushes();
    void add_brush();
    void label_brush(std::size_t which, const model::SegmentSummary* segment);
    void fit_brushes();
    void show_chosen_brush();
    void refresh_message();
    void retranslate();

    GraphView& view_;
    model::GraphDocument& document_;
    QLabel *title_, *message_;
    QScrollArea* area_;  ///< contains the brushes
    QWidget* holder_;
    QHBoxLayout* row_;
    std::vector<QToolButton*> brushes_;  ///< brushes of the segments in order; the last one creates a new segment
    QPushButton *mend_, *cuts_;
    QToolButton* close_;
    QWidget* problem_;
};

}  // namespace divisi::graphview
