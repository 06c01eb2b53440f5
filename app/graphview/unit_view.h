// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsScene>
#include <QGraphicsView>

#include "app/model/accessible_parts.h"
#include "app/model/link_wires.h"
#include "app/model/selection.h"
#include "app/model/unit_graph.h"

namespace divisi::graphview {

/// The task graph: a column a stage, a row a kind of work, arrows for what needs what, and of every unit by word, sign
/// and colour its state; while it runs what it works on, or for whom it waits and since when, over arrows that are
/// thick and dashed. Where it has little height, units are one line high, so that they stay readable. A click selects a
/// unit, arrows go to the next one in their direction, Esc leaves it. A zoom that somebody chose stays until fit().
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
    /// Its state in words; while it runs, what it does as far as its instance tells.
    QString doing_text(const model::UnitNode& unit) const;
    static QString kind_text(const QString& kind);

    int part_count() const override;
    model::AccessiblePart part(int number) const override;

    QSize minimumSizeHint() const override;

public Q_SLOTS:
    void zoomIn() { zoom_by(1.25); }
    void zoomOut() { zoom_by(0.8); }
    /// Shows all, and goes on to do so when the view gets another size.
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
    bool zoomed_ = false;  ///< somebody chose a zoom
};

}  // namespace divisi::graphview
