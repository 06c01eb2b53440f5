// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsScene>
#include <QGraphicsView>

#include "app/model/unit_graph.h"

namespace divisi::graphview {

/// The task graph: a column a stage, a row a kind of work, arrows for what waits for what, and the state of
/// every unit by word, sign and colour.
class UnitView : public QGraphicsView {
    Q_OBJECT
public:
    explicit UnitView(const model::UnitGraph& units, QWidget* parent = nullptr);

    static QRectF place(const model::UnitNode& unit);
    static QString state_text(control::UnitState state);
    static QString kind_text(const QString& kind);

public Q_SLOTS:
    void zoomIn() { scale(1.25, 1.25); }
    void zoomOut() { scale(0.8, 0.8); }
    void fit();

protected:
    void drawBackground(QPainter* painter, const QRectF& rect) override;
    void wheelEvent(QWheelEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void rebuild();
    void describe();
    void paint_headings(QPainter& painter) const;
    void paint_edges(QPainter& painter) const;
    void paint_units(QPainter& painter) const;

    const model::UnitGraph& units_;
    QGraphicsScene scene_;
};

}  // namespace divisi::graphview
