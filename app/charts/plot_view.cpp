// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/plot_view.h"

#include <QApplication>
#include <QChart>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QPolygonF>
#include <QWheelEvent>
#include <algorithm>
#include <array>
#include <cmath>

#include "app/model/wording/colours.h"
#include "app/model/wording/text_scale.h"

namespace divisi::charts {

namespace {

constexpr double wheel_notch = 120;       ///< angle of one notch of the wheel, in the unit of QWheelEvent
constexpr double factor_per_notch = 0.8;  ///< new width of the range relative to the old one
constexpr double key_factor = 0.5;
constexpr int text_pixels = 11, text_margin = 4;
constexpr double mark_width = 2, mark_sign = 6;
/// Keys that the plot handles while it has the focus, even if the window uses them as shortcuts.
constexpr std::array plot_keys = {Qt::Key_Plus, Qt::Key_Equal, Qt::Key_Minus,  Qt::Key_0,    Qt::Key_Home,
                                  Qt::Key_Left, Qt::Key_Right, Qt::Key_Return, Qt::Key_Enter};

bool is_plot_key(const QKeyEvent& event) {
    const bool plain = !(event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
    return plain && std::find(plot_keys.begin(), plot_keys.end(), event.key()) != plot_keys.end();
}

}  // namespace

PlotView::PlotView(QChart* chart, QWidget* parent) : QChartView(chart, parent) {
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
}

void PlotView::set_cursor(std::optional<double> x, const QStringList& texts) {
    if (cursor_ == x && texts_ == texts) return;
    cursor_ = x;
    texts_ = texts;
    viewport()->update();
}

void PlotView::set_mark(std::optional<double> x) {
    if (mark_ == x) return;
    mark_ = x;
    viewport()->update();
}

QRectF PlotView::plot() const { return chart()->plotArea(); }

double PlotView::x_at(double pixel) const { return chart()->mapToValue({pixel, plot().center().y()}).x(); }

double PlotView::x_width(double pixels) const {
    const double left = plot().left();
    return x_at(left + pixels) - x_at(left);
}

bool PlotView::event(QEvent* event) {
    // Do not pass the event on: the scene of a graphics view would reset its accepted state.
    if (event->type() == QEvent::ShortcutOverride && is_plot_key(*static_cast<QKeyEvent*>(event))) {
        event->accept();
        return true;
    }
    return QChartView::event(event);
}

void PlotView::wheelEvent(QWheelEvent* event) {
    const int turned = event->angleDelta().y();
    if (turned == 0 || !plot().contains(event->position())) return QChartView::wheelEvent(event);
    Q_EMIT zoomRequested(std::pow(factor_per_notch, turned / wheel_notch), x_at(event->position().x()));
    event->accept();
}

void PlotView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !plot().contains(event->position())) return;
    setFocus(Qt::MouseFocusReason);
    pressed_ = event->position();
    dragged_from_ = event->position().x();
    dragged_ = false;
}

void PlotView::mouseMoveEvent(QMouseEvent* event) {
    if (pressed_) {
        const QPointF moved = event->position() - *pressed_;
        dragged_ = dragged_ || moved.manhattanLength() >= QApplication::startDragDistance();
        if (!dragged_) return;
        Q_EMIT panRequested(x_width(dragged_from_ - event->position().x()));
        dragged_from_ = event->position().x();
        return;
    }
    if (plot().contains(event->position())) Q_EMIT hovered(x_at(event->position().x()));
    else Q_EMIT hovered(std::nullopt);
}

void PlotView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !pressed_) return;
    const double x = x_at(pressed_->x());
    pressed_.reset();
    if (!dragged_) Q_EMIT clicked(x);
}

void PlotView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) Q_EMIT resetRequested();
}

void PlotView::move_cursor(double pixels) {
    const double left = x_at(plot().left()), right = x_at(plot().right());
    const double from = cursor_.value_or(pixels > 0 ? left : right);
    Q_EMIT hovered(std::clamp(from + x_width(pixels), left, right));
}

void PlotView::keyPressEvent(QKeyEvent* event) {
    const bool sideways = event->key() == Qt::Key_Left || event->key() == Qt::Key_Right;
    if (sideways && event->modifiers() == Qt::ControlModifier)
        return Q_EMIT placeRequested(event->key() == Qt::Key_Right ? 1 : -1);
    if (!is_plot_key(*event)) return QChartView::keyPressEvent(event);
    const double middle = cursor_.value_or(x_at(plot().center().x()));
    const double pixels = event->modifiers() & Qt::ShiftModifier ? 10 : 1;
    switch (event->key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal: return Q_EMIT zoomRequested(key_factor, middle);
        case Qt::Key_Minus: return Q_EMIT zoomRequested(1 / key_factor, middle);
        case Qt::Key_Left: return move_cursor(-pixels);
        case Qt::Key_Right: return move_cursor(pixels);
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (cursor_) Q_EMIT clicked(*cursor_);
            return;
        default: return Q_EMIT resetRequested();
    }
}

void PlotView::contextMenuEvent(QContextMenuEvent* event) {
    const bool by_key = event->reason() == QContextMenuEvent::Keyboard;
    const double x = by_key ? cursor_.value_or(x_at(plot().center().x())) : x_at(event->pos().x());
    Q_EMIT menuRequested(event->globalPos(), x);
    event->accept();
}

void PlotView::leaveEvent(QEvent* event) {
    QChartView::leaveEvent(event);
    Q_EMIT hovered(std::nullopt);
}

/// Paints the mark: a vertical line with a symbol at its top, which distinguishes the mark from curves.
void PlotView::paint_mark(QPainter& painter) const {
    const QRectF area = plot();
    const double at = chart()->mapToPosition({*mark_, 0}).x();
    if (at < area.left() - 1 || at > area.right() + 1) return;
    const QColor colour = model::colours_of(palette()).accent;
    painter.setPen(QPen(colour, mark_width));
    painter.drawLine(QPointF(at, area.top()), QPointF(at, area.bottom()));
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    const QPointF top(at, area.top());
    painter.drawPolygon(
        QPolygonF{{top + QPointF(-mark_sign, 0), top + QPointF(mark_sign, 0), top + QPointF(0, mark_sign)}});
    painter.setBrush(Qt::NoBrush);
}

void PlotView::drawForeground(QPainter* painter, const QRectF& rect) {
    QChartView::drawForeground(painter, rect);
    if (hasFocus()) {
        painter->setPen(QPen(model::colours_of(palette()).accent, 1));
        painter->drawRect(plot().adjusted(0, 0, -1, -1));
    }
    if (mark_) paint_mark(*painter);
    if (!cursor_) return;
    const double at = chart()->mapToPosition({*cursor_, 0}).x();
    const QRectF area = plot();
    if (at < area.left() - 1 || at > area.right() + 1) return;
    const model::Colours& colours = model::colours_of(palette());
    painter->setPen(QPen(colours.text, 1));
    painter->drawLine(QPointF(at, area.top()), QPointF(at, area.bottom()));
    if (texts_.isEmpty()) return;
    QFont font = this->font();
    font.setPixelSize(model::scaled_px(text_pixels));
    painter->setFont(font);
    const QFontMetrics metrics(font);
    int width = 0;
    for (const QString& text : texts_) width = std::max(width, metrics.horizontalAdvance(text));
    QRectF box(at + text_margin, area.top() + text_margin, width + 2 * text_margin,
               metrics.height() * static_cast<double>(texts_.size()) + text_margin);
    if (box.right() > area.right()) box.moveRight(at - text_margin);
    box.moveLeft(std::max(box.left(), 0.0));
    painter->fillRect(box, colours.raised);
    painter->setPen(colours.text);
    painter->drawText(box.adjusted(text_margin, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                      texts_.join(QLatin1Char('\n')));
}

}  // namespace divisi::charts

#include "moc_plot_view.cpp"
