// SPDX-License-Identifier: GPL-3.0-or-later
// Passes pointer, wheel and keys to the parts of GraphView.
#include <QApplication>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <cmath>
#include <utility>

#include "app/graphview/diagram/graph_view.h"

namespace divisi::graphview {

namespace {

/// Number of legal positions by which Shift and an arrow key move a cut.
constexpr std::int32_t far_step = 10;

}  // namespace

void GraphView::mousePressEvent(QMouseEvent* event) {
    const bool middle = event->button() == Qt::MiddleButton;
    if (!canvas_->model() || gesture_ != Gesture::none || (event->button() != Qt::LeftButton && !middle))
        return QGraphicsView::mousePressEvent(event);
    document_.settle();
    press_ = last_ = event->pos();
    const int cut = brush_.painting() || middle ? -1 : cut_drag_.overlay().cut_at(event->pos());
    if (middle) {
        gesture_ = Gesture::pan;
        viewport()->setCursor(Qt::ClosedHandCursor);
    } else if (brush_.painting()) {
        if (event->modifiers() & Qt::ControlModifier) brush_.pick(canvas_->block_at(mapToScene(event->pos())));
        else begin_stroke(event->pos(), event->modifiers() & Qt::ShiftModifier);
    } else if (cut >= 0) {
        gesture_ = Gesture::press_cut;
        cut_drag_.press(cut);
        cut_focus_.focus(cut);
    } else {
        gesture_ = Gesture::press_ground;
        cut_focus_.focus(-1);
        selection_.click(canvas_->block_at(mapToScene(event->pos())), event->modifiers());
    }
    event->accept();
}

void GraphView::mouseMoveEvent(QMouseEvent* event) {
    const QPoint position = event->pos();
    const bool far = (position - press_).manhattanLength() >= QApplication::startDragDistance();
    if (gesture_ == Gesture::press_cut && far) gesture_ = Gesture::drag_cut;
    if (gesture_ == Gesture::press_ground && far) {
        gesture_ = Gesture::pan;
        viewport()->setCursor(Qt::ClosedHandCursor);
        last_ = press_;
    }
    if (gesture_ == Gesture::drag_cut) {
        drag_cut_to(position, !(event->modifiers() & Qt::AltModifier));
    } else if (gesture_ == Gesture::paint) {
        paint_to(position);
    } else if (gesture_ == Gesture::pan) {
        camera_.scroll_by(std::exchange(last_, position) - position);
    } else if (gesture_ == Gesture::none && canvas_->model() && !brush_.painting()) {
        last_ = position;
        cut_drag_.hover(position);
    }
    event->accept();
}

void GraphView::drag_cut_to(QPoint position, bool snaps) {
    last_ = position;
    cut_drag_.drag_to(position, snaps);
    edge_scroll_.follow(position);
}

void GraphView::begin_stroke(QPoint position, bool lasso) {
    const QPointF point = mapToScene(position);
    const std::int32_t scope = canvas_->scope_header_at(point);
    const bool on_block = canvas_->block_at(point) >= 0, paints = on_block || scope > 0;
    brush_.begin_stroke();
    selection_.select(-1, false);
    sweep_.begin(lasso ? BlockSweep::Kind::lasso : paints ? BlockSweep::Kind::stroke : BlockSweep::Kind::frame, point);
    gesture_ = Gesture::paint;
    if (lasso) return;
    if (on_block) paint_to(position);
    else if (scope > 0) brush_.paint_block(scope);
}

void GraphView::paint_to(QPoint position) {
    const QPointF from = mapToScene(last_), to = mapToScene(position);
    last_ = position;
    const std::vector<std::int32_t> covered = sweep_.move(canvas_->layout(), from, to, camera_.zoom());
    if (sweep_.kind() == BlockSweep::Kind::stroke) {
        brush_.paint(covered);
    } else {
        brush_.repaint(covered);
        viewport()->update();
    }
    edge_scroll_.follow(position);
}

/// Continues the gesture after the view has scrolled under the pointer.
void GraphView::follow_scrolling() {
    if (gesture_ == Gesture::drag_cut) drag_cut_to(last_, cut_drag_.snaps());
    else if (gesture_ == Gesture::paint) paint_to(last_);
}

void GraphView::mouseReleaseEvent(QMouseEvent* event) {
    const bool pan = event->button() == Qt::MiddleButton && gesture_ == Gesture::pan;
    if (event->button() != Qt::LeftButton && !pan) return QGraphicsView::mouseReleaseEvent(event);
    if (gesture_ == Gesture::drag_cut) cut_drag_.drop();
    else if (gesture_ == Gesture::paint) brush_.commit_stroke();
    end_gesture();
    event->accept();
}

void GraphView::end_gesture() {
    document_.drop_preview();  // has no effect after a commit
    gesture_ = Gesture::none;
    cut_drag_.release();
    edge_scroll_.stop();
    if (brush_.painting()) viewport()->setCursor(Qt::CrossCursor);
    else viewport()->unsetCursor();
    viewport()->update();
    scopes_.layouts().show_arrived();
}

/// Reverts the changes of the gesture. The gesture itself lasts until the button is released.
void GraphView::drop_gesture() {
    document_.drop_preview();
    gesture_ = Gesture::dropped;
    cut_drag_.release();
    edge_scroll_.stop();
    viewport()->unsetCursor();
    viewport()->update();
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (!canvas_->model() || event->button() != Qt::LeftButton) return;
    const QPointF point = mapToScene(event->pos());
    const std::int32_t placed = canvas_->block_at(point);
    const std::int32_t scope = canvas_->scope_header_at(point);
    if (!brush_.painting() && cut_drag_.overlay().cut_at(event->pos()) >= 0) return mousePressEvent(event);
    if (brush_.painting()) {
        const bool on_scope =
            placed >= 0 ? !canvas_->model()->tree.blocks[layout().blocks()[placed].block].is_operator() : scope > 0;
        if (!on_scope) return mousePressEvent(event);
        // a double click opens a scope, so undo the stroke that its first click painted
        if (brush_.last_stroke_painted()) document_.undo_stack().undo();
    }
    if (placed >= 0) scopes_.toggle(layout().blocks()[placed].block);
    else if (scope > 0) scopes_.toggle(scope);
    event->accept();
}

void GraphView::wheelEvent(QWheelEvent* event) {
    if (!canvas_->model()) return;
    const QPoint pixels = event->pixelDelta();
    const double steps = event->angleDelta().y() / 120.0;
    if (event->modifiers() & Qt::ShiftModifier) {
        const int by = pixels.isNull() ? static_cast<int>(steps * 96) : pixels.y();
        camera_.scroll_by({0, -by});
    } else if (steps != 0) {
        camera_.zoom_by(std::pow(1.2, steps), event->position().toPoint());
    }
    event->accept();
}

void GraphView::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && scopes_.layouts().shows_progress() && !drags()) {
        scopes_.cancel();
        return event->accept();
    }
    if (!canvas_->model()) return QGraphicsView::keyPressEvent(event);
    const int by = event->key() == Qt::Key_Down || event->key() == Qt::Key_Right ? 1 : -1;
    switch (event->key()) {
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_Left:
        case Qt::Key_Right:
            if (drags()) break;
            if (cut_focus_.cut() >= 0) cut_focus_.move(event->modifiers() & Qt::ShiftModifier ? far_step * by : by);
            else selection_.move(by, event->modifiers() & Qt::ShiftModifier);
            break;
        case Qt::Key_Alt: cut_drag_.set_snapping(false); break;
        case Qt::Key_Home: camera_.go_to_end(false); break;
        case Qt::Key_End: camera_.go_to_end(true); break;
        case Qt::Key_PageUp: verticalScrollBar()->triggerAction(QScrollBar::SliderPageStepSub); break;
        case Qt::Key_PageDown: verticalScrollBar()->triggerAction(QScrollBar::SliderPageStepAdd); break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Space: scopes_.toggle(selection_.block()); break;
        case Qt::Key_Backspace: {
            const std::int32_t block = selection_.block();
            scopes_.toggle(block < 0 ? -1 : canvas_->model()->tree.blocks[block].parent);
            break;
        }
        case Qt::Key_Escape: escape(); break;
        default:
            if (!drags() && brush_.paint_key(event->key())) break;
            return QGraphicsView::keyPressEvent(event);
    }
    event->accept();
}

/// Ends the first of these that is active: the gesture, the focus of a cut, the selection, or painting.
void GraphView::escape() {
    if (drags()) drop_gesture();
    else if (cut_focus_.cut() >= 0) cut_focus_.focus(-1);
    else if (canvas_->selected() >= 0) selection_.select(-1, false);
    else brush_.set_painting(false);
}

void GraphView::keyReleaseEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Alt) cut_drag_.set_snapping(true);
    QGraphicsView::keyReleaseEvent(event);
}

bool GraphView::focusNextPrevChild(bool next) {
    // Tab focuses one cut after another and then leaves the view, so that the keyboard focus is never trapped.
    if (!drags() && !brush_.painting() && cut_focus_.step(next)) return true;
    cut_focus_.focus(-1);
    return QGraphicsView::focusNextPrevChild(next);
}

bool GraphView::event(QEvent* event) {
    // During a gesture, the view handles keys that are shortcuts otherwise.
    if (event->type() == QEvent::ShortcutOverride && (drags() || scopes_.layouts().shows_progress())) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        // Alt is handled here, because it would open the menus.
        if (key == Qt::Key_Escape || (key == Qt::Key_Alt && drags())) {
            event->accept();
            return true;
        }
    }
    return QGraphicsView::event(event);
}

bool GraphView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        show_tooltip(static_cast<QHelpEvent*>(event));
        return true;
    }
    if (event->type() == QEvent::Leave && gesture_ == Gesture::none) cut_drag_.end_hover();
    return QGraphicsView::viewportEvent(event);
}

void GraphView::contextMenuEvent(QContextMenuEvent* event) {
    if (!canvas_->model()) return;
    QPoint at = event->pos();
    int cut = cut_focus_.cut();
    if (event->reason() == QContextMenuEvent::Mouse) {
        cut = brush_.painting() ? -1 : cut_drag_.overlay().cut_at(at);
        cut_focus_.focus(cut);
        const std::int32_t placed = canvas_->block_at(mapToScene(at));
        // do not change the selection if the block is selected already
        const bool chosen = placed >= 0 && canvas_->is_selected(placed);
        if (cut < 0 && !chosen) selection_.click(placed, {});
    } else if (cut >= 0) {
        at = cut_drag_.handle(static_cast<std::size_t>(cut));
    }
    Q_EMIT contextMenuRequested(viewport()->mapToGlobal(at), cut, layout().nearest_cut(mapToScene(at)));
    event->accept();
}

}  // namespace divisi::graphview
