// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBasicTimer>
#include <QObject>
#include <QPoint>

#include "app/graphview/diagram/graph_camera.h"

namespace divisi::graphview {

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
