// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QPainter>
#include <QPolygonF>
#include <QTransform>
#include <optional>
#include <vector>

#include "app/graphview/layout.h"
#include "app/model/colours.h"
#include "app/model/graph_document.h"

namespace divisi::graphview {

/// What the cuts look like in a viewport and what is under a point of it. Lines span the viewport's width,
/// labels stick to its edges, whatever the zoom. Holds no state of a gesture.
class CutOverlay {
    Q_DECLARE_TR_FUNCTIONS(divisi::graphview::CutOverlay)
public:
    CutOverlay(const model::GraphDocument& document, const Layout& layout, const model::Colours& colours,
               const QTransform& to_viewport, const QRectF& viewport)
        : document_(document), layout_(layout), colours_(colours), transform_(to_viewport), viewport_(viewport) {}

    /// The cut whose handle or line is at a viewport point, or -1.
    int cut_at(QPointF point) const;
    /// How far a pointer is from the place that a cut snaps to, in pixels. In a folded row that is along the row; a cut
    /// behind the last block of it is also reached from the gap below.
    double distance(std::size_t which, QPointF pointer) const;
    /// The middle of a cut's handle.
    QPointF handle(std::size_t which) const;

    /// The number of a cut that lies within a closed scope, on the edge of that: several stand beside each other,
    /// whatever the zoom.
    struct Tick {
        std::size_t cut = 0;
        QRectF box;  ///< in the viewport
    };
    std::vector<Tick> ticks() const;

    void paint_tints(QPainter& painter) const;
    /// `refused`: the cut that cannot be dropped where it lies, or -1.
    void paint_lines(QPainter& painter, int focused, int hovered, int refused = -1) const;
    /// Of the cut that is dragged with the pointer at `pointer_y`: that it has snapped, or else the line in hand and
    /// where it would land.
    void paint_guide(QPainter& painter, std::size_t which, bool snapped, double pointer_y) const;
    /// `price`: of the plan on screen, written at the line of the cut `priced` where that is not -1.
    void paint_labels(QPainter& painter, int priced, const QString& price) const;
    /// What would cross at every legal position that shows, as bars at the right edge.
    void paint_landscape(QPainter& painter) const;
    /// The price of a cut: work on both sides and what crosses, then `notes`, beside `near`.
    void paint_card(QPainter& painter, std::size_t which, QPointF near, const QStringList& notes) const;

    /// The same look for any lines of text.
    static void paint_lines_at(QPainter& painter, const QStringList& lines, QPointF near, const model::Colours& colours,
                               const QRectF& viewport);

private:
    struct Line {
        double left_y, right_y, step_x;
        double y_at(double x) const { return x > step_x ? right_y : left_y; }
    };
    Line line(std::size_t which) const;
    std::optional<QRectF> closed_scope(std::size_t which) const;
    void paint_line(QPainter& painter, std::size_t which) const;
    void paint_ticks(QPainter& painter, int focused) const;
    /// The corners of a line from one edge of the viewport to the other.
    QPolygonF corners(const Line& at) const;
    QStringList card_lines(std::size_t which) const;
    void paint_crossing(QPainter& painter, int priced, const QString& price) const;

    const model::GraphDocument& document_;
    const Layout& layout_;
    const model::Colours& colours_;
    QTransform transform_;
    QRectF viewport_;
};

/// "after /layers/2/Add: ..." in words, also for screen readers and the status bar.
QString cut_description(const model::GraphDocument& document, std::size_t which);

}  // namespace divisi::graphview
