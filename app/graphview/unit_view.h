// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsScene>
#include <QGraphicsView>

#include "app/model/accessible_parts.h"
#include "app/model/link_wires.h"
#include "app/model/selection.h"
#include "app/model/unit_graph.h"

namespace divisi::graphview {

/// The task graph: a column a stage, a row a kind of work, arrows for what waits for what, and the state of every unit
/// by word, sign and colour. Where it has little height, units are one line high, so that they stay readable. A click
/// selects a unit, arrows go to the next one in their direction, Esc leaves it.
class UnitView : public QGraphicsView, public model::AccessiblePicture {
    Q_OBJECT
public:
    explicit UnitView(const model::UnitGraph& units, QWidget* parent = nullptr);

    /// Units are selected there from now on; of a selected instance, and of one
    /// that runs a selected block, all units are marked.
    void use(model::Selection& selection);
    bool is_selected(const model::UnitNode& unit) const;
    /// From now on arrows whose tensors cross the selected link are drawn thick.
    void use_wires(const model::LinkWires& wires);
    /// Arrows over the selected link: units by their places in the graph, the sender first.
    std::vector<std::pair<std::size_t, std::size_t>> marked_edges() const;

    /// Where it is painted, in units of the picture.
    QRectF place(const model::UnitNode& unit) const;
    /// Whether units are one line high for want of room.
    bool is_low() const { return low_; }
    static QString state_text(control::UnitState state);
    static QString kind_text(const QString& kind);

    int part_count() const override;
    model::AccessiblePart part(int number) const override;

    QSize minimumSizeHint() const override;

public Q_SLOTS:
    void zoomIn() { scale(1.25, 1.25); }
    void zoomOut() { scale(0.8, 0.8); }
    void fit();
    /// Brings the selected unit to the middle, readable; fit() where that changes nothing, or where none is selected.
    void centre();

protected:
    void drawBackground(QPainter* painter, const QRectF& rect) override;
    void wheelEvent(QWheelEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    static void tell_screen_readers();
    static QString place_text(const model::UnitNode& unit);
    void rebuild();
    void describe();
    void paint_headings(QPainter& painter) const;
    bool crosses_link(const model::UnitNode& from, const model::UnitNode& to) const;
    void paint_edges(QPainter& painter) const;
    void paint_units(QPainter& painter) const;
    void paint_words(QPainter& painter, const model::UnitNode& unit, const QColor& hue) const;
    QRectF picture() const;
    void choose_rows();
    void select_at(QPoint point);
    void go(QPointF direction);

    const model::UnitGraph& units_;
    QGraphicsScene scene_;
    model::Selection* selection_ = nullptr;
    const model::LinkWires* wires_ = nullptr;
    QPoint pressed_;
    bool low_ = false;
};

}  // namespace divisi::graphview
