// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>
#include <QPolygonF>
#include <vector>

#include "app/graphview/placing/layout.h"

namespace divisi::graphview {

/// Finds the blocks that the pointer of one gesture covers. Positions are in the scene unless stated otherwise.
class BlockSweep {
public:
    enum class Kind {
        stroke,  ///< the blocks that the pointer's path touches
        frame,   ///< the blocks that touch the rectangle from the start of the gesture to the pointer
        lasso    ///< the blocks whose centre lies inside the path, closed by a straight line
    };

    void begin(Kind kind, QPointF at);
    Kind kind() const { return kind_; }
    /// Moves the pointer between two points. Returns the covered blocks as indices into Layout::blocks. For a stroke,
    /// these are the blocks covered by this move; for a frame or lasso, by the whole gesture.
    std::vector<std::int32_t> move(const Layout& layout, QPointF from, QPointF to, double zoom);
    /// Paints the frame or lasso in the viewport. `pointer` is in pixels of the viewport.
    void paint(QPainter& painter, const QTransform& to_viewport, QPoint pointer, QColor colour) const;

private:
    void extend_lasso(QPointF to, double zoom);

    Kind kind_ = Kind::stroke;
    QPointF start_;
    QPolygonF lasso_;
};

}  // namespace divisi::graphview
