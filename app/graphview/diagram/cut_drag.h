// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsView>
#include <QObject>
#include <QStringList>
#include <functional>
#include <vector>

#include "app/graphview/drawing/cut_overlay.h"
#include "app/graphview/drawing/graph_canvas.h"

namespace divisi::graphview {

/// Moves a cut with the pointer. A dragged cut snaps to a nearby legal position. If snapping is off, the line follows
/// the pointer, and on release the cut moves to the nearest legal position. If the cut must not be dropped at this
/// position, the pointer's shape shows this, and the drop is refused. Positions are in the viewport.
class CutDrag : public QObject {
    Q_OBJECT
public:
    /// All arguments must outlive this object.
    CutDrag(model::GraphDocument& document, const GraphCanvas& canvas, QGraphicsView& view)
        : document_(document), canvas_(canvas), view_(view) {}

    /// Function that returns the reason why a cut must not be dropped at a legal position; empty if it may be dropped.
    using Judge = std::function<QString(int cut, std::int32_t legal)>;
    void set_judge(Judge judge) { judge_ = std::move(judge); }

    /// Returns the cuts as they appear in the viewport.
    CutOverlay overlay() const;
    /// Returns where the pointer can grab a cut.
    QPoint handle(std::size_t which) const { return overlay().handle(which).toPoint(); }
    /// Returns where the pointer must be for a cut to snap to a legal position.
    QPoint snap_point(std::int32_t legal) const;

    /// Handles a movement of the pointer while no button is pressed.
    void hover(QPoint pointer);
    /// Forgets the cut under the pointer, because the pointer has left or the cut has moved.
    void end_hover();
    void press(int which) { pressed_ = which; }
    /// Moves the pressed cut to the pointer.
    void drag_to(QPoint pointer, bool snaps);
    /// Switches snapping off or on when a key is pressed or released without pointer movement.
    void set_snapping(bool on);
    /// Checks again whether the dragged cut may be dropped, after prices have become known.
    void judge_again();
    /// Drops the dragged cut at its position. If the drop is refused, moves the cut back.
    void drop();
    /// Ends the drag, after a drop or without one.
    void release();

    bool dragging() const { return dragging_; }
    bool snaps() const { return snaps_; }
    /// Returns the pressed or dragged cut; -1 if none.
    int pressed() const { return pressed_; }
    /// Returns the cut under the pointer; -1 if none.
    int hovered() const { return hovered_; }
    /// Returns why the dragged cut cannot be dropped at its position; empty if it can.
    const QString& refusal() const { return refusal_; }
    /// Returns whether the dragged cut has snapped to a legal position, which a guide shows.
    bool snapped() const { return snapped_; }

Q_SIGNALS:
    void changed();
    void hint(const QString& text);

private:
    void judge();

    model::GraphDocument& document_;
    const GraphCanvas& canvas_;
    QGraphicsView& view_;
    Judge judge_;
    QPoint pointer_;
    int pressed_ = -1;
    int hovered_ = -1;
    bool dragging_ = false;
    bool snaps_ = true;
    bool snapped_ = false;
    QString refusal_;
};

/// Shows the costs of the hovered or dragged cut: on a card beside the pointer, and at the cut's line.
class CutCard : public QObject {
    Q_OBJECT
public:
    /// Sets the additional lines of the card.
    void set_notes(const QStringList& notes);
    const QStringList& notes() const { return notes_; }
    /// Sets the price of the plan on screen, for the label of the dragged cut; empty while unknown.
    void set_price(const QString& price);
    const QString& price() const { return price_; }

    /// Paints the card beside the pointer, starting with the reason if the cut cannot be dropped.
    void paint(QPainter& painter, const CutOverlay& cuts, const CutDrag& drag, QPoint pointer) const;

Q_SIGNALS:
    void changed();

private:
    QStringList notes_;
    QString price_;
};

}  // namespace divisi::graphview
