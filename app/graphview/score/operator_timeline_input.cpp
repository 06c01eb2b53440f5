// SPDX-License-Identifier: GPL-3.0-or-later
// Handles the gestures of OperatorTimeline: pointer, wheel and keys.
#include <QApplication>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/graphview/score/operator_timeline.h"

namespace divisi::graphview {

namespace {

/// Number of legal positions by which Shift and an arrow key move a cut.
constexpr std::int32_t far_positions = 10;
/// A drag near an edge scrolls the view: distance from the edge in pixels, pixels per scroll step, and interval between
/// steps.
constexpr int scroll_zone = 32, scroll_speed = 18, scroll_ms = 30;
constexpr double wheel_pixels = 96;  ///< pixels scrolled per wheel step
constexpr double page = 0.9;         ///< share of the view that Page Up and Page Down scroll

}  // namespace

void OperatorTimeline::mousePressEvent(QMouseEvent* event) {
    const bool middle = event->button() == Qt::MiddleButton;
    if (!model_ || gesture_ != Gesture::none || (event->button() != Qt::LeftButton && !middle))
        return QWidget::mousePressEvent(event);
    document_.settle();
    press_ = last_ = event->pos();
    const TimelinePainter score(sheet());
    const int cut = middle ? -1 : score.cut_at(event->position());
    if (middle) {
        gesture_ = Gesture::pan;
        setCursor(Qt::ClosedHandCursor);
    } else if (cut >= 0) {
        gesture_ = Gesture::press_cut;
        gesture_cut_ = cut;
        graph_.cut_focus().focus(cut);
    } else {
        gesture_ = Gesture::press_ground;
        graph_.cut_focus().focus(-1);
        select(score.operator_at(event->position()));
    }
    update();
    event->accept();
}

/// Selects an operator. The graph view marks the visible block that contains the operator, which may be a closed scope.
/// Other views show the operator itself.
void OperatorTimeline::select(graph::NodeIndex node) {
    const std::int32_t block = node < 0 ? -1 : model_->tree.operator_block[static_cast<std::size_t>(node)];
    selecting_ = true;
    graph_.selection().select(block, false);
    selecting_ = false;
    show_block(block);
    Q_EMIT blockSelected(block);
}

void OperatorTimeline::mouseMoveEvent(QMouseEvent* event) {
    const QPoint position = event->pos();
    const bool far = (position - press_).manhattanLength() >= QApplication::startDragDistance();
    if (gesture_ == Gesture::press_cut && far) gesture_ = Gesture::drag_cut;
    if (gesture_ == Gesture::press_ground && far) {
        gesture_ = Gesture::pan;
        setCursor(Qt::ClosedHandCursor);
        last_ = press_;
    }
    if (gesture_ == Gesture::drag_cut) {
        drag_to(position);
    } else if (gesture_ == Gesture::pan) {
        scroll_to(scrolled() - (position.x() - last_.x()));
        last_ = position;
    } else if (gesture_ == Gesture::none && model_) {
        last_ = position;
        const int hovered = document_.shown_painting() ? -1 : TimelinePainter(sheet()).cut_at(event->position());
        setCursor(hovered >= 0 ? Qt::SizeHorCursor : Qt::ArrowCursor);
        if (hovered != hovered_cut_ || hovered >= 0) update();
        hovered_cut_ = hovered;
    }
    event->accept();
}

void OperatorTimeline::drag_to(QPoint position) {
    last_ = position;
    const std::int32_t legal = legal_at(position.x());
    if (legal >= 0) document_.preview(document_.moved(static_cast<std::size_t>(gesture_cut_), legal));
    judge_drop();
    update();
    const bool scroll = position.x() < scroll_zone || position.x() > width() - scroll_zone;
    if (scroll && !scroll_timer_.isActive()) scroll_timer_.start(scroll_ms, this);
    if (!scroll) scroll_timer_.stop();
}

/// Determines whether the dragged cut may be dropped, and sets the pointer's shape accordingly.
void OperatorTimeline::judge_drop() {
    if (gesture_ != Gesture::drag_cut) return;
    const auto which = static_cast<std::size_t>(gesture_cut_);
    const model::Cuts& cuts = document_.shown_cuts();
    QString refusal = which < cuts.size() ? board_.refusal(gesture_cut_, cuts[which]) : QString();
    setCursor(refusal.isEmpty() ? Qt::SizeHorCursor : Qt::ForbiddenCursor);
    if (refusal == refusal_) return;
    refusal_ = std::move(refusal);
    update();
}

void OperatorTimeline::drop_cut() {
    judge_drop();
    if (refusal_.isEmpty()) return document_.commit_preview(tr("Move cut"));
    document_.drop_preview();
    Q_EMIT hint(tr("The cut stays where it was: %1").arg(refusal_));
}

void OperatorTimeline::timerEvent(QTimerEvent* event) {
    if (event->timerId() != scroll_timer_.timerId()) return QWidget::timerEvent(event);
    if (gesture_ != Gesture::drag_cut) return scroll_timer_.stop();
    scroll_to(scrolled() + (last_.x() < width() / 2 ? -scroll_speed : scroll_speed));
    drag_to(last_);
}

void OperatorTimeline::mouseReleaseEvent(QMouseEvent* event) {
    const bool pan = event->button() == Qt::MiddleButton && gesture_ == Gesture::pan;
    if (event->button() != Qt::LeftButton && !pan) return QWidget::mouseReleaseEvent(event);
    if (gesture_ == Gesture::drag_cut) drop_cut();
    end_gesture();
    event->accept();
}

void OperatorTimeline::end_gesture() {
    if (gesture_ == Gesture::drag_cut) document_.drop_preview();  // has no effect after a commit
    gesture_ = Gesture::none;
    gesture_cut_ = -1;
    refusal_.clear();
    scroll_timer_.stop();
    unsetCursor();
    update();
}

void OperatorTimeline::leaveEvent(QEvent*) {
    hovered_cut_ = -1;
    update();
}

void OperatorTimeline::wheelEvent(QWheelEvent* event) {
    if (!model_) return;
    const QPoint pixels = event->pixelDelta(), angle = event->angleDelta();
    const bool sideways = std::abs(angle.x()) > std::abs(angle.y());
    if (sideways || event->modifiers() & Qt::ShiftModifier) {
        const QPoint steps = pixels.isNull() ? angle * wheel_pixels / 120 : pixels;
        scroll_to(scrolled() - (sideways ? steps.x() : steps.y()));
    } else if (angle.y() != 0) {
        zoom_by(std::pow(1.2, angle.y() / 120.0), event->position().x());
    }
    event->accept();
}

void OperatorTimeline::move_focused(std::int32_t by) {
    document_.settle();
    const auto which = static_cast<std::size_t>(graph_.cut_focus().cut());
    if (which >= document_.cuts().size()) return;
    if (document_.move_cut(which, document_.cuts()[which] + by))
        ensure_visible(layout_.cut_at(document_.position(document_.cuts()[which])));
    else Q_EMIT hint(tr("No legal cut position beyond this one"));
}

void OperatorTimeline::move_selection(std::int32_t by) {
    const bool none = first_selected_ < 0;
    const graph::NodeIndex next = none ? (by > 0 ? 0 : layout_.count() - 1) : first_selected_ + by;
    select(std::clamp(next, 0, layout_.count() - 1));
}

bool OperatorTimeline::scroll_key(int key) {
    switch (key) {
        case Qt::Key_Home: scroll_to(0); return true;
        case Qt::Key_End: scroll_to(full_width()); return true;
        case Qt::Key_PageUp: scroll_to(scrolled() - page * room()); return true;
        case Qt::Key_PageDown: scroll_to(scrolled() + page * room()); return true;
        default: return false;
    }
}

void OperatorTimeline::keyPressEvent(QKeyEvent* event) {
    if (!model_) return QWidget::keyPressEvent(event);
    const int key = event->key();
    const bool on = key == Qt::Key_Down || key == Qt::Key_Right;
    const std::int32_t by = (on ? 1 : -1) * (event->modifiers() & Qt::ShiftModifier ? far_positions : 1);
    if (on || key == Qt::Key_Up || key == Qt::Key_Left) {
        if (gesture_ == Gesture::drag_cut) return;
        if (graph_.cut_focus().cut() >= 0) move_focused(by);
        else move_selection(by);
    } else if (key == Qt::Key_Escape) {
        drop_by_key();
    } else if (!scroll_key(key)) {
        return QWidget::keyPressEvent(event);
    }
    event->accept();
}

/// Handles Esc: cancels a drag, else takes the focus from the cut, else clears the selection.
void OperatorTimeline::drop_by_key() {
    if (gesture_ == Gesture::drag_cut) {
        document_.drop_preview();
        gesture_ = Gesture::dropped;  // stays in this state until the button is released
        gesture_cut_ = -1;
        refusal_.clear();
        scroll_timer_.stop();
        unsetCursor();
    } else if (graph_.cut_focus().cut() >= 0) {
        graph_.cut_focus().focus(-1);
    } else {
        select(-1);
    }
    update();
}

bool OperatorTimeline::focusNextPrevChild(bool next) {
    // Tab focuses one cut after another and then leaves the view, so that the keyboard focus is never trapped.
    const auto count = static_cast<int>(document_.shown_cuts().size());
    const int focused = graph_.cut_focus().cut();
    const int to = next ? focused + 1 : (focused < 0 ? count : focused) - 1;
    if (to >= 0 && to < count && gesture_ != Gesture::drag_cut) {
        graph_.cut_focus().focus(to);
        return true;
    }
    graph_.cut_focus().focus(-1);
    return QWidget::focusNextPrevChild(next);
}

bool OperatorTimeline::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const graph::NodeIndex node = model_ ? TimelinePainter(sheet()).operator_at(help->pos()) : -1;
        if (node < 0 || hovered_cut_ >= 0) {
            QToolTip::hideText();
            return true;
        }
        const auto block = static_cast<std::size_t>(model_->tree.operator_block[static_cast<std::size_t>(node)]);
        const QString price = measure_text(measure_, layout_.end(node) - layout_.start(node));
        QToolTip::showText(help->globalPos(),
                           block_tooltip(*model_, model_->tree.blocks[block]) + QStringLiteral("<br>") +
                               measure_name(measure_) + QStringLiteral(": ") + price,
                           this);
        return true;
    }
    // During a gesture, the view handles keys that are shortcuts otherwise.
    const bool escape =
        event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape;
    if (escape && gesture_ == Gesture::drag_cut) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void OperatorTimeline::contextMenuEvent(QContextMenuEvent* event) {
    if (!model_) return;
    QPoint at = event->pos();
    int cut = graph_.cut_focus().cut();
    if (event->reason() == QContextMenuEvent::Mouse) {
        const TimelinePainter score(sheet());
        cut = document_.shown_painting() ? -1 : score.cut_at(at);
        graph_.cut_focus().focus(cut);
        if (cut < 0) select(score.operator_at(at));
    } else if (cut >= 0) {
        at = cut_handle(static_cast<std::size_t>(cut));
    }
    Q_EMIT contextMenuRequested(mapToGlobal(at), cut, legal_at(at.x()));
    event->accept();
}

QPoint OperatorTimeline::operator_point(graph::NodeIndex node) const {
    return TimelinePainter(sheet()).operator_middle(node).toPoint();
}

}  // namespace divisi::graphview
