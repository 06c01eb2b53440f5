// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>
#include <QPicture>
#include <memory>

#include "app/graphview/drawing/graph_canvas.h"

namespace divisi::graphview {

class GraphView;

/// A picture of the whole graph at one moment, with its cuts or segments, a title and its legend. Owns or shares
/// everything it paints, so that a worker can paint it while the view changes.
class GraphSnapshot {
public:
    /// Takes the picture with the view's current colours and with the cuts or segments. Needs a visible layout.
    GraphSnapshot(const GraphView& view, const QString& title);

    /// Returns the size of the picture of a layout at a zoom of 1, including the space for labels, title and legend.
    static QSizeF size_of(const Layout& layout);
    /// Returns the size in pixels at a zoom of 1.
    QSizeF size() const { return size_; }
    const QString& title() const { return title_; }
    void paint(QPainter& painter) const;

private:
    QString title_;
    QSizeF size_;
    QTransform to_picture_;   ///< maps scene to picture coordinates
    QPicture below_, above_;  ///< painted below the graph: background; above it: cuts, title, legend
    model::ModelPtr model_;   ///< the model that the canvas paints
    std::shared_ptr<const GraphCanvas> canvas_;
};

}  // namespace divisi::graphview
