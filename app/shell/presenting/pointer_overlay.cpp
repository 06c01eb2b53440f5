// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/presenting/pointer_overlay.h"

#include <QPainter>
#include <algorithm>

#include "app/model/wording/colours.h"

namespace divisi::shell {

namespace {

constexpr int halo_radius = 26, ring_radius = 60, pen_width = 4;
constexpr int ring_ms = 450, frame_ms = 16, keys_ms = 1500, notice_ms = 6000;
constexpr int plate_margin = 24, plate_padding = 16;

QRect around(QPoint centre, int radius) {
    const int reach = radius + pen_width;
    return {centre - QPoint(reach, reach), QSize(2 * reach + 1, 2 * reach + 1)};
}

}  // namespace

PointerOverlay::PointerOverlay(QWidget& window) : QWidget(&window) {
    setObjectName(QStringLiteral("pointerOverlay"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAttribute(Qt::WA_NoSystemBackground);
    setFocusPolicy(Qt::NoFocus);
    setGeometry(window.rect());
    frames_.setInterval(frame_ms);
    connect(&frames_, &QTimer::timeout, this, [this] {
        if (since_click_.hasExpired(ring_ms)) {
            since_click_.invalidate();
            frames_.stop();
        }
        update(around(clicked_, ring_radius));
    });
    keys_end_.setSingleShot(true);
    keys_end_.setInterval(keys_ms);
    connect(&keys_end_, &QTimer::timeout, this, [this] { show_keys({}); });
    notice_end_.setSingleShot(true);
    notice_end_.setInterval(notice_ms);
    connect(&notice_end_, &QTimer::timeout, this, [this] { show_notice({}); });
}

void PointerOverlay::follow(QPoint pointer) {
    if (pointer_ == pointer) return;
    lose_pointer();
    pointer_ = pointer;
    update(around(pointer, halo_radius));
}

void PointerOverlay::lose_pointer() {
    if (pointer_) update(around(*pointer_, halo_radius));
    pointer_.reset();
}

void PointerOverlay::click(QPoint at) {
    follow(at);
    update(around(clicked_, ring_radius));
    clicked_ = at;
    since_click_.start();
    frames_.start();
    update(around(clicked_, ring_radius));
}

std::optional<double> PointerOverlay::ring() const {
    if (!since_click_.isValid()) return std::nullopt;
    return std::min(1.0, static_cast<double>(since_click_.elapsed()) / ring_ms);
}

void PointerOverlay::show_keys(const QString& keys) {
    update(keys_rect());
    keys_ = keys;
    update(keys_rect());
    if (!keys.isEmpty()) keys_end_.start();
}

void PointerOverlay::show_notice(const QString& text) {
    update(notice_rect());
    notice_ = text;
    update(notice_rect());
    if (!text.isEmpty()) notice_end_.start();
}

QRect PointerOverlay::keys_rect() const {
    const QFontMetrics metrics(font());
    QRect rect(0, 0, metrics.horizontalAdvance(keys_) + 2 * plate_padding, metrics.height() + plate_padding);
    rect.moveBottomLeft({plate_margin, height() - plate_margin});
    return rect;
}

QRect PointerOverlay::notice_rect() const {
    const QFontMetrics metrics(font());
    QRect rect(0, 0, std::min(metrics.horizontalAdvance(notice_) + 2 * plate_padding, width()),
               metrics.height() + plate_padding);
    rect.moveCenter({width() / 2, 0});
    rect.moveTop(2 * plate_margin);
    return rect;
}

void PointerOverlay::paint_pointer(QPainter& painter) const {
    const model::Colours& colours = model::colours_of(palette());
    QColor fill = colours.warning;
    fill.setAlphaF(0.22F);
    painter.setPen(QPen(colours.warning, pen_width - 1));
    painter.setBrush(fill);
    painter.drawEllipse(*pointer_, halo_radius, halo_radius);
}

/// Paints a ring that grows from the halo and fades.
void PointerOverlay::paint_ring(QPainter& painter) const {
    const double part = ring().value_or(1);
    QColor colour = model::colours_of(palette()).accent;
    colour.setAlphaF(static_cast<float>(1 - part));
    const double radius = halo_radius + (ring_radius - halo_radius) * part;
    painter.setPen(QPen(colour, pen_width));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(QPointF(clicked_), radius, radius);
}

void PointerOverlay::paint_plate(QPainter& painter, const QRect& rect, const QString& text) const {
    const model::Colours& colours = model::colours_of(palette());
    painter.setPen(QPen(colours.accent, 1));
    painter.setBrush(colours.raised);
    painter.drawRoundedRect(QRectF(rect).adjusted(1, 1, -1, -1), 8, 8);
    painter.setPen(colours.text);
    painter.drawText(rect, Qt::AlignCenter, text);
}

void PointerOverlay::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (pointer_) paint_pointer(painter);
    if (since_click_.isValid()) paint_ring(painter);
    if (!keys_.isEmpty()) paint_plate(painter, keys_rect(), keys_);
    if (!notice_.isEmpty()) paint_plate(painter, notice_rect(), notice_);
}

}  // namespace divisi::shell

#include "moc_pointer_overlay.cpp"
