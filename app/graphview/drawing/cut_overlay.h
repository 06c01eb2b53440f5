// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QPainter>
#include <QPolygonF>
#include <QTransform>
#include <optional>
#include <vector>

#include "app/graphview/placing/layout.h"
#include "app/model/documents/graph_document.h"
#include "app/model/wording/colours.h"

namespace divisi::graphview {

/// Paints the cuts in a viewport, and finds the cut at a point. Lines span the width of the viewport, and labels stay
/// at its edges at every zoom. Stores no state of gestures.
class CutOverlay {
    Q_DECLARE_TR_FUNCTIONS(divisi::graphview::CutOverlay)
public:
    CutOverlay(const model::GraphDocument& document, const Layout& layout, const model::Colours& colours,
               const QTransform& to_viewport, const QRectF& viewport)
        : document_(document), layout_(layout), colours_(colours), transform_(to_viewport), viewport_(viewport) {}

    /// Returns the cut whose handle or line is at a viewport point; -1 if none.
    int cut_at(QPointF point) const;
    /// Returns the distance in pixels from the pointer to the place where a cut would snap. In a folded row, this is
    /// the distance along the row. For a cut after the row's last block, the gap below the row also counts as near.
    double distance(std::size_t which, QPointF pointer) const;
    /// Returns the centre of a cut's handle.
    QPointF handle(std::size_t which) const;

    /// The number of a cut inside a closed scope, painted at the edge of the scope. Ticks are moved apart, so that they
    /// do not overlap at any zoom.
    struct Tick {
        std::size_t cut = 0;
        QRectF box;  ///< bounds of the tick in viewport coordinates
    };
    std::vector<Tick> ticks() const;

    void paint_tints(QPainter& painter) const;
    /// `refused` is the cut that cannot be dropped at its place; -1 for none.
    void paint_lines(QPainter& painter, int focused, int hovered, int refused = -1) const;
    /// Paints the guide of the dragged cut, with the pointer at `pointer_y`. If the cut has snapped, the guide marks
    /// its line. Otherwise, the guide is a line at the pointer and a label at the place where the cut would land.
    void paint_guide(QPainter& painter, std::size_t which, bool snapped, double pointer_y) const;
    /// `price` is the price of the plan on screen, painted at the line of the cut `priced`; if -1, it is not painted.
    void paint_labels(QPainter& painter, int priced, const QString& price) const;
    /// Paints the bytes that would cross at every visible legal position, as bars at the right edge.
    void paint_landscape(QPainter& painter) const;
    /// Paints a card beside `near` with the price of a cut: the work on both sides and the crossing bytes, followed by
    /// `notes`.
    void paint_card(QPainter& painter, std::size_t which, QPointF near, const QStringList& notes) const;

    /// Paints any lines of text in the same style.
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
    /// Returns the corners of a cut's line, from one edge of the viewport to the other.
    QPolygonF corners(const Line& at) const;
    QStringList card_lines(std::size_t which) const;
    void paint_crossing(QPainter& painter, int priced, const QString& price) const;

    const model::GraphDocument& document_;
    const Layout& layout_;
    const model::Colours& colours_;
    QTransform transform_;
    QRectF viewport_;
};

/// Describes a cut in words for screen readers and the status bar, such as "after /layers/2/Add: ...".
QString cut_description(const model::GraphDocument& document, std::size_t which);

}  // namespace divisi::graphview
