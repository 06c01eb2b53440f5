// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>
#include <QPicture>
#include <memory>

#include "app/graphview/graph_canvas.h"

namespace divisi::graphview {

/// The whole graph as it was shown at a moment, with its cuts or segments, a title and its legend. Owns or shares all
/// that it paints, so that a worker may paint it while the view goes on.
class GraphSnapshot {
public:
    /// Pixels at a zoom of 1.
    QSizeF size() const { return size_; }
    const QString& title() const { return title_; }
    void paint(QPainter& painter) const;

private:
    friend class GraphView;

    QString title_;
    QSizeF size_;
    QTransform to_picture_;   ///< of the scene
    QPicture below_, above_;  ///< the graph: ground; cuts, title, legend
    model::ModelPtr model_;   ///< that the canvas paints
    std::shared_ptr<const GraphCanvas> canvas_;
};

}  // namespace divisi::graphview
