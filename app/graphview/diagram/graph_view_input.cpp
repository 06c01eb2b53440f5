// SPDX-License-Identifier: GPL-3.0-or-later
// Handles the gestures of GraphView: pointer, wheel and keys.
#include <QApplication>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/graphview/diagram/graph_view.h"

namespace divisi::graphview {

namespace {

/// Number of legal positions that Shift and an arrow move a cut by.
constexpr std::int32_t far_step = 10;
/// Distance in pixels from an edge of the viewport within which a gesture scrolls, and the pixels per scroll step.
constexpr int scroll_edge = 32, scroll_step = 18;
/// Distance in pixels between the pointer and a legal position within which a dragged cut snaps to it.
constexpr double snap_reach = 24;

}  // namespace

void GraphView::mousePressEvent(QMouseEvent* event) {
    const bool middle = event->button() == Qt::MiddleButton;
    if (!model_ || gesture_ != Gesture::none || (event->button() != Qt::LeftButton && !middle))
        return QGraphicsView::mousePressEvent(event);
    document_.settle();
    press_ = last_ = event->pos();
    const int cut = painting_ || middle ? -1 : overlay().cut_at(event->pos());
    if (middle) {
        gesture_ = Gesture::pan;
        viewport()->setCursor(Qt::ClosedHandCursor);
    } else if (painting_) {
        const std::int32_t placed = canvas_->block_at(mapToScene(event->pos()));
        if (event->modifiers() & Qt::ControlModifier) setBrush(placed < 0 ? brush_ : segment_at(placed));
        else begin_stroke(event->pos(), event->modifiers() & Qt::ShiftModifier);
    } else if (cut >= 0) {
        gesture_ = Gesture::press_cut;
        gesture_cut_ = cut;
        focus_cut(cut);
    } else {
        gesture_ = Gesture::press_ground;
        focus_cut(-1);
        extend_selection(canvas_->block_at(mapToScene(event->pos())), event->modifiers());
    }
    event->accept();
}

void GraphView::extend_selection(std::int32_t placed, Qt::KeyboardModifiers modifiers) {
    if (placed < 0 || canvas_->selected() < 0 || !(modifiers & (Qt::ShiftModifier | Qt::ControlModifier)))
        return select_block(placed < 0 ? -1 : canvas_->layout().blocks()[placed].block, false);
    std::vector<std::int32_t> chosen;
    std::int32_t current = placed;
    if (modifiers & Qt::ShiftModifier) {  // from the anchor in canonical order
        for (std::int32_t i = std::min(anchor_, placed); i <= std::max(anchor_, placed); ++i) chosen.push_back(i);
    } else {
        chosen = canvas_->all_selected();
        if (std::erase(chosen, placed) == 0) chosen.push_back(placed);
        anchor_ = placed;
        if (!chosen.empty()) current = chosen.back();
    }
    ++choices_;
    canvas_->set_selected(chosen.empty() ? -1 : current, chosen);
    Q_EMIT blockSelected(selected_block());
    if (chosen.size() > 1) Q_EMIT hint(tr("%1 selected; press a digit to paint").arg(chosen.size()));
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
        snaps_off_ = event->modifiers() & Qt::AltModifier;
        drag_to(position);
    } else if (gesture_ == Gesture::lasso) {
        lasso_to(position);
    } else if (gesture_ == Gesture::stroke) {
        stroke_to(position);
    } else if (gesture_ == Gesture::frame) {
        frame_to(position);
    } else if (gesture_ == Gesture::pan) {
        const QPoint moved = position - last_;
        last_ = position;
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() - moved.x());
        verticalScrollBar()->setValue(verticalScrollBar()->value() - moved.y());
    } else if (gesture_ == Gesture::none && model_ && !painting_) {
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
    const auto which = static_cast<std::size_t>(gesture_cut_);
    const std::int32_t legal = canvas_->layout().nearest_cut(mapToScene(position));
    if (legal >= 0) document_.preview(document_.moved(which, legal));
    // If a neighbouring cut keeps this one from the pointer's position, it has not snapped, however near the pointer
    // is.
    const bool there = legal >= 0 && which < document_.shown_cuts().size() && document_.shown_cuts()[which] == legal;
    snapped_ = !snaps_off_ && there && overlay().distance(which, position) <= snap_reach;
    judge_drop();
    viewport()->update();
    scroll_at_edge(position);
}

/// Returns -1 or 1 near the left or right edge, which folded rows may exceed; otherwise 0.
int GraphView::sideways(QPoint position) const {
    if (!canvas_->layout().folded()) return 0;
    return position.x() < scroll_edge ? -1 : position.x() > viewport()->width() - scroll_edge ? 1 : 0;
}

/// Finds out whether the dragged cut may be dropped, and shows it by the pointer's shape.
void GraphView::judge_drop() {
    const auto which = static_cast<std::size_t>(gesture_cut_);
    QString refusal;
    if (judge_ && which < document_.shown_cuts().size()) refusal = judge_(gesture_cut_, document_.shown_cuts()[which]);
    viewport()->setCursor(refusal.isEmpty() ? Qt::SizeVerCursor : Qt::ForbiddenCursor);
    if (refusal == refusal_) return;
    refusal_ = std::move(refusal);
    viewport()->update();
}

void GraphView::drop_cut() {
    judge_drop();
    if (refusal_.isEmpty()) return document_.commit_preview(tr("Move cut"));
    document_.drop_preview();
    Q_EMIT hint(tr("The cut stays where it was: %1").arg(refusal_));
}

/// Switches snapping off or on when a key is pressed or released without pointer movement.
void GraphView::set_snapping(bool on) {
    if (gesture_ != Gesture::drag_cut || snaps_off_ != on) return;
    snaps_off_ = !on;
    drag_to(last_);
}

/// Scrolls if the pointer is near an edge.
void GraphView::scroll_at_edge(QPoint position) {
    const QRect inside = viewport()->rect().adjusted(0, scroll_edge, 0, -scroll_edge);
    const bool scroll = position.y() < inside.top() || position.y() > inside.bottom() || sideways(position) != 0;
    if (scroll && !scroll_timer_.isActive()) scroll_timer_.start(30, this);
    if (!scroll) scroll_timer_.stop();
}

void GraphView::timerEvent(QTimerEvent* event) {
    if (event->timerId() != scroll_timer_.timerId()) return QGraphicsView::timerEvent(event);
    if (!drags()) {
        scroll_timer_.stop();
        return;
    }
    const int by = last_.y() < viewport()->height() / 2 ? -scroll_step : scroll_step;
    const bool at_end = last_.y() < scroll_edge || last_.y() > viewport()->height() - scroll_edge;
    if (at_end) verticalScrollBar()->setValue(verticalScrollBar()->value() + by);
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() + sideways(last_) * scroll_step);
    if (gesture_ == Gesture::drag_cut) drag_to(last_);
    else if (gesture_ == Gesture::stroke) stroke_to(last_);
    else if (gesture_ == Gesture::lasso) lasso_to(last_);
    else frame_to(last_);
}

void GraphView::mouseReleaseEvent(QMouseEvent* event) {
    const bool pan = event->button() == Qt::MiddleButton && gesture_ == Gesture::pan;
    if (event->button() != Qt::LeftButton && !pan) return QGraphicsView::mouseReleaseEvent(event);
    if (gesture_ == Gesture::drag_cut) drop_cut();
    else if (drags()) commit_stroke();
    end_gesture();
    event->accept();
}

void GraphView::end_gesture() {
    document_.drop_preview();  // has no effect after a commit
    gesture_ = Gesture::none;
    gesture_cut_ = -1;
    refusal_.clear();
    snapped_ = snaps_off_ = false;
    scroll_timer_.stop();
    if (painting_) viewport()->setCursor(Qt::CrossCursor);
    else viewport()->unsetCursor();
    viewport()->update();
    if (arrived_) std::exchange(arrived_, nullptr)();
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (!model_ || event->button() != Qt::LeftButton) return;
    const QPointF point = mapToScene(event->pos());
    const std::int32_t placed = canvas_->block_at(point);
    const std::int32_t scope = canvas_->scope_header_at(point);
    if (!painting_ && overlay().cut_at(event->pos()) >= 0) return mousePressEvent(event);
    if (painting_) {
        const bool on_scope =
            placed >= 0 ? !model_->tree.blocks[canvas_->layout().blocks()[placed].block].is_operator() : scope > 0;
        if (!on_scope) return mousePressEvent(event);
        if (click_painted_) document_.undo_stack().undo();  // undo it: opening a scope paints nothing
    }
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
    document_.settle();
    const auto which = static_cast<std::size_t>(focused_cut_);
    if (which >= document_.cuts().size()) return;
    if (document_.move_cut(which, document_.cuts()[which] + by)) ensure_cut_visible(which);
    else Q_EMIT hint(tr("No legal cut position beyond this one"));
}

void GraphView::move_selection(int by, bool extend) {
    const auto count = static_cast<std::int32_t>(canvas_->layout().blocks().size());
    if (count == 0) return;
    const std::int32_t at = canvas_->selected();
    const std::int32_t next = at < 0 ? (by > 0 ? 0 : count - 1) : std::clamp(at + by, 0, count - 1);
    if (!extend || at < 0) return select_block(canvas_->layout().blocks()[next].block, true);
    extend_selection(next, Qt::ShiftModifier);
    ensureVisible(canvas_->layout().blocks()[next].rect, 80, 80);
}

void GraphView::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && notice_->shows_progress() && !drags()) {
        cancelLayout();
        return event->accept();
    }
    if (!model_) return QGraphicsView::keyPressEvent(event);
    const int by = event->key() == Qt::Key_Down || event->key() == Qt::Key_Right ? 1 : -1;
    switch (event->key()) {
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_Left:
        case Qt::Key_Right:
            if (drags()) break;
            if (focused_cut_ >= 0) move_focused(event->modifiers() & Qt::ShiftModifier ? far_step * by : by);
            else move_selection(by, event->modifiers() & Qt::ShiftModifier);
            break;
        case Qt::Key_Alt: set_snapping(false); break;
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
            if (drags()) {
                document_.drop_preview();
                gesture_ = Gesture::dropped;  // stays so until the button is released
                gesture_cut_ = -1;
                refusal_.clear();
                scroll_timer_.stop();
                viewport()->unsetCursor();
                viewport()->update();
            } else if (focused_cut_ >= 0) {
                focus_cut(-1);
            } else if (canvas_->selected() >= 0) {
                select_block(-1, false);
            } else {
                setPainting(false);
            }
            break;
        default:
            if (paint_key(event->key())) break;
            return QGraphicsView::keyPressEvent(event);
    }
    event->accept();
}

void GraphView::keyReleaseEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Alt) set_snapping(true);
    QGraphicsView::keyReleaseEvent(event);
}

bool GraphView::focusNextPrevChild(bool next) {
    // Tab goes through the cuts and then leaves the view, so that the keyboard focus is never trapped.
    const auto count = static_cast<int>(document_.shown_cuts().size());
    const int to = next ? focused_cut_ + 1 : (focused_cut_ < 0 ? count : focused_cut_) - 1;
    if (to >= 0 && to < count && !drags() && !painting_) {
        focus_cut(to);
        ensure_cut_visible(static_cast<std::size_t>(to));
        return true;
    }
    focus_cut(-1);
    return QGraphicsView::focusNextPrevChild(next);
}

bool GraphView::event(QEvent* event) {
    // During a gesture, keys that are shortcuts elsewhere belong to the gesture.
    if (event->type() == QEvent::ShortcutOverride && (drags() || notice_->shows_progress())) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Escape || (key == Qt::Key_Alt && drags())) {  // otherwise Alt would open the menus
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
        cut = painting_ ? -1 : overlay().cut_at(at);
        focus_cut(cut);
        const std::int32_t placed = canvas_->block_at(mapToScene(at));
        // a selected block stays selected, with all others
        const bool chosen = placed >= 0 && canvas_->is_selected(placed);
        if (cut < 0 && !chosen) select_block(placed < 0 ? -1 : canvas_->layout().blocks()[placed].block, false);
    } else if (cut >= 0) {
        at = cut_handle(static_cast<std::size_t>(cut));
    }
    Q_EMIT contextMenuRequested(viewport()->mapToGlobal(at), cut, canvas_->layout().nearest_cut(mapToScene(at)));
    event->accept();
}

}  // namespace divisi::graphview
