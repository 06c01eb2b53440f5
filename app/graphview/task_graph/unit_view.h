// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsScene>
#include <QGraphicsView>

#include "app/model/tracking/link_wires.h"
#include "app/model/tracking/selection.h"
#include "app/model/tracking/unit_graph.h"
#include "app/model/wording/accessible_parts.h"

namespace divisi::graphview {

/// Shows the task graph: a column per stage, a row per kind of work, and arrows for dependencies. Each unit's state is
/// shown by word, sign and colour. A running unit shows its work, or for which unit and how long it waits. The arrows
/// of the tensors for which it waits are thick and dashed.
///
/// If the view is low, units are one line high, so that they remain readable. A click selects a unit, an arrow key goes
/// to the next unit in its direction, Esc clears the selection. A zoom chosen by the user stays until fit().
class UnitView : public QGraphicsView, public model::AccessiblePicture {
    Q_OBJECT
public:
    explicit UnitView(const model::UnitGraph& units, QWidget* parent = nullptr);

    /// Connects the view with the selection in both directions. If an instance is selected, or a block that an instance
    /// runs, all units of this instance are marked.
    void use(model::Selection& selection);
    bool is_selected(const model::UnitNode& unit) const;
    /// Uses `wires` to draw arrows thick if their tensors cross the selected link.
    void use_wires(const model::LinkWires& wires);
    /// Returns the arrows that use the selected link, as indices of units in the graph, the sender first.
    std::vector<std::pair<std::size_t, std::size_t>> marked_edges() const;

    /// Returns the rectangle in which a unit is painted, in units of the picture.
    QRectF place(const model::UnitNode& unit) const;
    /// Returns whether units are one line high because the view is low.
    bool is_low() const { return low_; }
    static QString state_text(control::UnitState state);
    /// Returns the state in words and, for a running unit, its activity as reported by its instance.
    QString doing_text(const model::UnitNode& unit) const;
    static QString kind_text(const QString& kind);

    int part_count() const override;
    model::AccessiblePart part(int number) const override;

    QSize minimumSizeHint() const override;

public Q_SLOTS:
    void zoomIn() { zoom_by(1.25); }
    void zoomOut() { zoom_by(0.8); }
    /// Fits everything into the view, and keeps doing so when the view is resized.
    void fit();
    /// Centres the selected unit at a readable zoom. If this changes nothing, or if no unit is selected, calls fit().
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
    void paint_edge(QPainter& painter, std::size_t from, std::size_t to) const;
    void paint_units(QPainter& painter) const;
    void paint_words(QPainter& painter, const model::UnitNode& unit, const QColor& hue) const;
    QRectF picture() const;
    void choose_rows();
    void zoom_by(double factor);
    QString tip(const model::UnitNode& unit) const;
    bool is_awaited(std::size_t from, std::size_t to) const;
    void select_at(QPoint point);
    void go(QPointF direction);

    const model::UnitGraph& units_;
    QGraphicsScene scene_;
    model::Selection* selection_ = nullptr;
    const model::LinkWires* wires_ = nullptr;
    QPoint pressed_;
    bool low_ = false;
    bool zoomed_ = false;  ///< whether the user chose a zoom
};

}  // namespace divisi::graphview
