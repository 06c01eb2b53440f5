// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <QWidget>
#include <vector>

#include "app/graphview/graph_view.h"

namespace divisi::graphview {

/// The brushes above the graph while segments are painted: one for each segment, told by number, colour and pattern,
/// and one that begins a new segment; more than there is room for are scrolled. Below them, where segments wait for
/// each other, why, and what mends it.
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
    QScrollArea* area_;  ///< of the brushes
    QWidget* holder_;
    QHBoxLayout* row_;
    std::vector<QToolButton*> brushes_;  ///< of the segments, from the first; the last begins a new one
    QPushButton *mend_, *cuts_;
    QToolButton* close_;
    QWidget* problem_;
};

}  // namespace divisi::graphview
