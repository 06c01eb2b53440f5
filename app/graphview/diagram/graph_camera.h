// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBasicTimer>
#include <QGraphicsView>
#include <QObject>
#include <QPoint>
#include <functional>
#include <optional>

#include "app/graphview/diagram/graph_fit.h"
#include "app/graphview/drawing/graph_canvas.h"

namespace divisi::graphview {

/// The operator whose position in the viewport stays the same when the layout changes. Without `at`, its position is
/// determined when the new layout is shown.
struct LayoutAnchor {
    graph::NodeIndex node = graph::no_node;
    std::optional<QPoint> at = {};  ///< position in the viewport
};

/// Zooms and scrolls the view of the graph. Does nothing while no graph is shown.
class GraphCamera : public QObject {
    Q_OBJECT
public:
    /// Returns the point of the scene that the user has chosen: a cut or a block; nothing if neither is chosen.
    using ChosenPoint = std::function<std::optional<QPointF>()>;
    /// `view` and `canvas` must outlive the camera.
    GraphCamera(QGraphicsView& view, const GraphCanvas& canvas, ChosenPoint chosen)
        : view_(view), canvas_(canvas), chosen_(std::move(chosen)) {}

    double zoom() const { return view_.transform().m11(); }
    /// Returns the visible part of the scene.
    QRectF shown() const { return view_.mapToScene(view_.viewport()->rect()).boundingRect(); }

    /// Zooms. The scene point at `anchor`, in viewport pixels, keeps its position.
    void zoom_by(double factor, QPoint anchor);
    void zoom_in();
    void zoom_out();
    /// Zooms to 1 and brings the graph back into view.
    void zoom_reset();
    /// Shows the whole graph. If the whole graph would be too small to recognise, shows the part of it that fits at a
    /// readable zoom.
    void fit_all();
    void fit_width();
    /// Fits the graph to the width of the view. If the view is not visible yet and has no size, repeats this when the
    /// view is shown.
    void fit_width_when_shown();
    /// Completes a pending fit_width_when_shown(). Call it when the view is shown.
    void view_shown();
    /// Centres the chosen point at a readable zoom. If it is centred already, or nothing is chosen, calls fit_all().
    void centre();
    void go_to_end(bool last);

    void scroll_by(QPoint pixels);
    /// Scrolls as little as needed to show a block.
    void ensure_visible(const QRectF& block) { view_.ensureVisible(block, 80, 80); }
    void ensure_visible(const CutLine& line);
    /// Centres a point of the scene at a readable zoom.
    void bring_to_middle(QPointF point);

    /// Returns the operator to keep in place, with its position: the given operator if it is visible, otherwise the
    /// operator in the centre of the view.
    LayoutAnchor anchor_at(graph::NodeIndex node) const;
    /// Scrolls so that an operator has its old position again.
    void restore(const LayoutAnchor& anchor);

Q_SIGNALS:
    void changed();
    void hint(const QString& text);

private:
    QRectF viewport() const { return view_.viewport()->rect(); }
    QPointF point_of_interest() const;
    void keep_in_sight();
    void show(const CameraPosition& position);

    QGraphicsView& view_;
    const GraphCanvas& canvas_;
    ChosenPoint chosen_;
    bool fit_pending_ = false;  ///< whether the width must be fitted when the view is shown
};

/// Scrolls a view while the pointer of a gesture is near one of its edges.
class EdgeScroll : public QObject {
    Q_OBJECT
public:
    /// All arguments must outlive this object.
    EdgeScroll(const QWidget& viewport, const GraphCanvas& canvas, GraphCamera& camera)
        : viewport_(viewport), canvas_(canvas), camera_(camera) {}

    /// Sets the pointer's position in the viewport. Starts to scroll if the position is near an edge.
    void follow(QPoint pointer);
    void stop() { timer_.stop(); }

Q_SIGNALS:
    /// The view has scrolled under the pointer.
    void scrolled();

protected:
    void timerEvent(QTimerEvent* event) override;

private:
    int sideways() const;

    const QWidget& viewport_;
    const GraphCanvas& canvas_;
    GraphCamera& camera_;
    QPoint pointer_;
    QBasicTimer timer_;
};

}  // namespace divisi::graphview
