// SPDX-License-Identifier: GPL-3.0-or-later
// The gestures of GraphView: pointer, wheel and keys.
#include <QApplication>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "app/graphview/graph_view.h"

namespace divisi::graphview {

void GraphView::mousePressEvent(QMouseEvent* event) {
    if (!model_ || event->button() != Qt::LeftButton) return QGraphicsView::mousePressEvent(event);
    press_ = last_ = event->pos();
    const int cut = overlay().cut_at(event->pos());
    if (cut >= 0) {
        gesture_ = Gesture::press_cut;
        gesture_cut_ = cut;
        focus_cut(cut);
    } else {
        gesture_ = Gesture::press_ground;
        focus_cut(-1);
        const std::int32_t placed = canvas_->block_at(mapToScene(event->pos()));
        select_block(placed < 0 ? -1 : canvas_->layout().blocks()[placed].block, false);
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
        drag_to(position);
    } else if (gesture_ == Gesture::pan) {
        const QPoint moved = position - last_;
        last_ = position;
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() - moved.x());
        verticalScrollBar()->setValue(verticalScrollBar()->value() - moved.y());
    } else if (gesture_ == Gesture::none && model_) {
        last_ = position;
        const int hovered = overlay().cut_at(position);
        viewport()->setCursor(hovered >= 0 ? Qt::SizeVerCursor : Qt::ArrowCursor);
        if (hovered != hovered_cut_ || hovered >= 0) {
            hovered_cut_ = hovered;
            viewport()->update();
        }
    }
    event->accept();
}

void GraphView::drag_to(QPoint position) {
    last_ = position;
    const std::int32_t legal = canvas_->layout().nearest_cut(mapToScene(position).y());
    if (legal >= 0) document_.preview(document_.moved(static_cast<std::size_t>(gesture_cut_), legal));
    viewport()->update();
    // Near an edge the view follows the pointer.
    constexpr int edge = 32;
    const bool scroll = position.y() < edge || position.y() > viewport()->height() - edge;
    if (scroll && !scroll_timer_.isActive()) scroll_timer_.start(30, this);
    if (!scroll) scroll_timer_.stop();
}

void GraphView::timerEvent(QTimerEvent* event) {
    if (event->timerId() != scroll_timer_.timerId()) return QGraphicsView::timerEvent(event);
    if (gesture_ != Gesture::drag_cut) {
        scroll_timer_.stop();
        return;
    }
    constexpr int speed = 18;
    const int by = last_.y() < viewport()->height() / 2 ? -speed : speed;
    verticalScrollBar()->setValue(verticalScrollBar()->value() + by);
    drag_to(last_);
}

void GraphView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return QGraphicsView::mouseReleaseEvent(event);
    if (gesture_ == Gesture::drag_cut) document_.commit_preview(tr("Move cut"));
    end_gesture();
    event->accept();
}

void GraphView::end_gesture() {
    document_.drop_preview();  // without effect once it was committed
    gesture_ = Gesture::none;
    gesture_cut_ = -1;
    scroll_timer_.stop();
    viewport()->unsetCursor();
    viewport()->update();
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (!model_ || event->button() != Qt::LeftButton) return;
    const QPointF point = mapToScene(event->pos());
    const std::int32_t placed = canvas_->block_at(point);
    const std::int32_t scope = canvas_->scope_header_at(point);
    if (overlay().cut_at(event->pos()) >= 0) return mousePressEvent(event);
    if (placed >= 0) toggle_open(canvas_->layout().blocks()[placed].block);
    else if (scope > 0) toggle_open(scope);
    event->accept();
}

void GraphView::wheelEvent(QWheelEvent* event) {
    if (!model_) return;
    const QPoint pixels = event->pixelDelta();
    const double steps = event->angleDelta().y() / 120.0;
    if (event->modifiers() & Qt::ShiftModifier) {
        const int by = pixels.isNull() ? static_cast<int>(steps * 96) : pixels.y();
        verticalScrollBar()->setValue(verticalScrollBar()->value() - by);
    } else if (steps != 0) {
        zoom_by(std::pow(1.2, steps), event->position().toPoint());
    }
    event->accept();
}

void GraphView::move_focused(std::int32_t by) {
    const auto which = static_cast<std::size_t>(focused_cut_);
    if (document_.move_cut(which, document_.cuts()[which] + by)) ensure_cut_visible(which);
    else Q_EMIT hint(tr("There is no legal position further on"));
}

void GraphView::move_selection(int by) {
    const auto count = static_cast<std::int32_t>(canvas_->layout().blocks().size());
    if (count == 0) return;
    const std::int32_t at = canvas_->selected();
    const std::int32_t next = at < 0 ? (by > 0 ? 0 : count - 1) : std::clamp(at + by, 0, count - 1);
    select_block(canvas_->layout().blocks()[next].block, true);
}

void GraphView::keyPressEvent(QKeyEvent* event) {
    if (!model_) return QGraphicsView::keyPressEvent(event);
    const int by = event->key() == Qt::Key_Down || event->key() == Qt::Key_Right ? 1 : -1;
    switch (event->key()) {
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_Left:
        case Qt::Key_Right:
            if (gesture_ == Gesture::drag_cut) break;
            if (focused_cut_ >= 0) move_focused(by);
            else move_selection(by);
            break;
        case Qt::Key_Home: go_to_end(false); break;
        case Qt::Key_End: go_to_end(true); break;
        case Qt::Key_PageUp: verticalScrollBar()->triggerAction(QScrollBar::SliderPageStepSub); break;
        case Qt::Key_PageDown: verticalScrollBar()->triggerAction(QScrollBar::SliderPageStepAdd); break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Space: toggle_open(selected_block()); break;
        case Qt::Key_Backspace: {
            const std::int32_t parent = selected_block() < 0 ? -1 : model_->tree.blocks[selected_block()].parent;
            toggle_open(parent);
            break;
        }
        case Qt::Key_Escape:
            if (gesture_ == Gesture::drag_cut) {
                document_.drop_preview();
                gesture_ = Gesture::dropped;  // until the button is released
                gesture_cut_ = -1;
                scroll_timer_.stop();
                viewport()->update();
            } else if (focused_cut_ >= 0) {
                focus_cut(-1);
            } else {
                select_block(-1, false);
            }
            break;
        default: return QGraphicsView::keyPressEvent(event);
    }
    event->accept();
}

bool GraphView::focusNextPrevChild(bool next) {
    // Tab goes through the cuts and then on: the keyboard is never caught.
    const auto count = static_cast<int>(document_.cuts().size());
    const int to = next ? focused_cut_ + 1 : (focused_cut_ < 0 ? count : focused_cut_) - 1;
    if (to >= 0 && to < count && gesture_ != Gesture::drag_cut) {
        focus_cut(to);
        ensure_cut_visible(static_cast<std::size_t>(to));
        return true;
    }
    focus_cut(-1);
    return QGraphicsView::focusNextPrevChild(next);
}

bool GraphView::event(QEvent* event) {
    // Keys that are shortcuts elsewhere belong to the gesture here.
    if (event->type() == QEvent::ShortcutOverride && gesture_ == Gesture::drag_cut) {
        if (static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
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
    if (event->type() == QEvent::Leave && gesture_ == Gesture::none && hovered_cut_ >= 0) {
        hovered_cut_ = -1;
        viewport()->update();
    }
    return QGraphicsView::viewportEvent(event);
}

void GraphView::show_tooltip(QHelpEvent* event) {
    const std::int32_t placed = model_ ? canvas_->block_at(mapToScene(event->pos())) : -1;
    if (placed < 0 || hovered_cut_ >= 0) return QToolTip::hideText();
    const PlacedBlock& block = canvas_->layout().blocks()[placed];
    const QRect area = mapFromScene(block.rect).boundingRect();
    QToolTip::showText(event->globalPos(), block_tooltip(*model_, model_->tree.blocks[block.block]), this, area);
}

void GraphView::contextMenuEvent(QContextMenuEvent* event) {
    if (!model_) return;
    QPoint at = event->pos();
    int cut = focused_cut_;
    if (event->reason() == QContextMenuEvent::Mouse) {
        cut = overlay().cut_at(at);
        focus_cut(cut);
        const std::int32_t placed = canvas_->block_at(mapToScene(at));
        if (cut < 0) select_block(placed < 0 ? -1 : canvas_->layout().blocks()[placed].block, false);
    } else if (cut >= 0) {
        at = cut_handle(static_cast<std::size_t>(cut));
    }
    Q_EMIT contextMenuRequested(viewport()->mapToGlobal(at), cut, canvas_->layout().nearest_cut(mapToScene(at).y()));
    event->accept();
}

}  // namespace divisi::graphview
