// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QWidget>
#include <optional>

#include "app/graphview/diagram/graph_camera.h"
#include "app/model/documents/graph_document.h"

namespace divisi::graphview {

/// Stores the focused cut, which keys move, and carries out the keys and actions for it.
class CutFocus : public QObject {
    Q_OBJECT
public:
    /// `keyboard` is the widget that shows the cuts; it gets the keyboard focus when an action focuses a cut. All
    /// arguments must outlive this object.
    CutFocus(model::GraphDocument& document, const GraphCanvas& canvas, GraphCamera& camera, QWidget& keyboard)
        : document_(document), canvas_(canvas), camera_(camera), keyboard_(keyboard) {}

    /// Returns the focused cut; -1 if none.
    int cut() const { return cut_; }
    void focus(int which);
    /// Focuses a cut and scrolls to it; -1 scrolls to the last segment.
    void show(int which);
    void next();
    void previous();
    /// Focuses the next or previous cut, without wrapping around at the ends. If there is no such cut, removes the
    /// focus and returns false.
    bool step(bool forwards);
    /// Adds a cut after a block of the BlockTree; for -1, at the position that balances the work best.
    void add(std::int32_t after);
    void remove();
    /// Moves the focused cut by `by` legal positions.
    void move(std::int32_t by);

    /// Called after a change of the cuts. If the focused cut no longer exists, focuses the last cut, if any.
    void keep_within_cuts();
    /// Emits the description of the focused cut's position.
    void describe();
    /// Forgets the cut without a signal, because another model is being shown.
    void forget() { cut_ = -1; }

    /// Returns the focused cut as a point of the scene; nothing if there is none.
    std::optional<QPointF> point() const;

Q_SIGNALS:
    void changed(int which);
    void hint(const QString& text);

private:
    CutLine line(int which) const;
    void go_to(int which);
    int count() const { return static_cast<int>(document_.shown_cuts().size()); }

    model::GraphDocument& document_;
    const GraphCanvas& canvas_;
    GraphCamera& camera_;
    QWidget& keyboard_;
    int cut_ = -1;
};

}  // namespace divisi::graphview
