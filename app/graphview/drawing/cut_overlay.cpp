// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/drawing/cut_overlay.h"

#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "app/model/wording/text.h"
#include "app/model/wording/text_scale.h"

namespace divisi::graphview {

using model::bytes_text;
using model::percent;

namespace {

constexpr double grip_width = 44, grip_height = 18, grip_left = 78;
constexpr double reach = 6;  ///< distance from a line within which the pointer hits it
constexpr double margin = 12;
/// Minimum height in pixels of a closed scope with a readable title. From this height on, the line of a cut is not
/// drawn inside the scope.
constexpr double least_ticked = 16;

// The size of a segment's label, which grows with the size of all text.
double segment_label_width() { return model::scaled(176); }
double segment_label_height() { return model::scaled(60); }
double segment_label_row() { return model::scaled(22); }

}  // namespace

CutOverlay::Line CutOverlay::line(std::size_t which) const {
    const CutLine cut = layout_.cut_line(document_.position(document_.shown_cuts()[which]));
    const QPointF left = transform_.map(QPointF(cut.step_x, cut.left_y));
    const QPointF right = transform_.map(QPointF(cut.step_x, cut.right_y));
    return {std::round(left.y()) + 0.5, std::round(right.y()) + 0.5, left.x()};
}

QPointF CutOverlay::handle(std::size_t which) const {
    const Line at = line(which);
    const double x = viewport_.left() + grip_left + grip_width / 2;
    return {x, at.y_at(x)};
}

int CutOverlay::cut_at(QPointF point) const {
    int best = -1;
    double best_distance = reach + 0.01;
    for (std::size_t i = 0; i < document_.shown_cuts().size(); ++i) {
        const Line at = line(i);
        double distance = std::abs(point.y() - at.y_at(point.x()));
        const bool on_grip = std::abs(point.x() - handle(i).x()) <= grip_width / 2;
        if (on_grip && distance <= grip_height / 2 + 2) distance = std::min(distance, reach);
        if (distance < best_distance) {
            best = static_cast<int>(i);
            best_distance = distance;
        }
    }
    return best;
}

void CutOverlay::paint_tints(QPainter& painter) const {
    const std::size_t cuts = document_.shown_cuts().size();
    if (cuts == 0) return;
    Line begin{viewport_.top(), viewport_.top(), viewport_.left()};
    for (std::size_t i = 0; i <= cuts; ++i) {
        Line end{viewport_.bottom(), viewport_.bottom(), viewport_.right()};
        if (i < cuts) end = line(i);
        const QColor hue = model::segment_colour(static_cast<int>(i), colours_);
        QColor tint = hue;
        tint.setAlphaF(&colours_ == &model::dark_colours() ? 0.09F : 0.07F);
        // If a cut divides a row, its two sides end at different heights. Two cuts may divide the same row.
        const auto step = [this](const Line& at) {
            const bool straight = at.left_y == at.right_y;
            return straight ? viewport_.left() : std::clamp(at.step_x, viewport_.left(), viewport_.right());
        };
        double steps[] = {viewport_.left(), step(begin), step(end), viewport_.right()};
        std::sort(std::begin(steps), std::end(steps));
        for (std::size_t k = 0; k + 1 < std::size(steps); ++k) {
            const double middle = (steps[k] + steps[k + 1]) / 2;
            const double from = std::clamp(begin.y_at(middle), viewport_.top(), viewport_.bottom());
            const double to = std::clamp(end.y_at(middle), viewport_.top(), viewport_.bottom());
            painter.fillRect(QRectF(QPointF(steps[k], from), QPointF(steps[k + 1], to)), tint);
        }
        const double from = std::clamp(begin.y_at(viewport_.left()), viewport_.top(), viewport_.bottom());
        const double to = std::clamp(end.y_at(viewport_.left()), viewport_.top(), viewport_.bottom());
        const QRectF band(viewport_.left(), from, 6, to - from);
        painter.fillRect(band, QBrush(hue, model::segment_pattern(static_cast<int>(i))));
        begin = end;
    }
}

double CutOverlay::distance(std::size_t which, QPointF pointer) const {
    const CutLine cut = layout_.cut_line(document_.position(document_.shown_cuts()[which]));
    const QPointF place = transform_.map(QPointF(cut.snap_x.value_or(0), cut.anchor_y));
    const double dy = std::abs(place.y() - pointer.y());
    if (!cut.snap_x) return dy;
    const double dx = std::abs(place.x() - pointer.x());
    return cut.straight() ? std::min(dx, dy) : dx;
}

QPolygonF CutOverlay::corners(const Line& at) const {
    const QPointF left(viewport_.left(), at.left_y), right(viewport_.right(), at.right_y);
    if (at.left_y == at.right_y) return QPolygonF({left, right});
    return QPolygonF({left, QPointF(at.step_x, at.left_y), QPointF(at.step_x, at.right_y), right});
}

void CutOverlay::paint_guide(QPainter& painter, std::size_t which, bool snapped, double pointer_y) const {
    painter.setRenderHint(QPainter::Antialiasing);
    const Line at = line(which);
    if (snapped) {  // draw a band along the line, and arrows that point to the line at its ends
        QColor band = colours_.accent;
        band.setAlphaF(0.25F);
        painter.setPen(QPen(band, 10, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
        painter.drawPolyline(corners(at));
        painter.setPen(Qt::NoPen);
        painter.setBrush(colours_.accent);
        const QPointF left(viewport_.left() + 8, at.left_y), right(viewport_.right() - 8, at.right_y);
        const QPointF to_right[] = {left + QPointF(-8, -7), left, left + QPointF(-8, 7)};
        const QPointF to_left[] = {right + QPointF(8, -7), right, right + QPointF(8, 7)};
        painter.drawPolygon(to_right, 3);
        painter.drawPolygon(to_left, 3);
        return;
    }
    painter.setPen(QPen(colours_.accent, 1, Qt::DashLine));
    painter.drawLine(QPointF(viewport_.left(), pointer_y), QPointF(viewport_.right(), pointer_y));
    const double x = handle(which).x() + grip_width;
    painter.setPen(QPen(colours_.accent, 1, Qt::DotLine));
    painter.drawLine(QPointF(x, pointer_y), QPointF(x, at.left_y));
    QFont font = painter.font();
    font.setPixelSize(model::scaled_px(11));
    painter.setFont(font);
    const QString text = tr("Lands here");
    QRectF box(x + 6, at.left_y - model::scaled(9), painter.fontMetrics().horizontalAdvance(text) + 12.0,
               model::scaled(18));
    painter.setPen(QPen(colours_.accent, 1));
    painter.setBrush(colours_.surface);
    painter.drawRoundedRect(box, 4, 4);
    painter.setPen(colours_.text);
    painter.drawText(box, Qt::AlignCenter, text);
}

/// Returns the closed scope that a cut divides; empty if it divides none, or if the scope is too small to read.
std::optional<QRectF> CutOverlay::closed_scope(std::size_t which) const {
    const graph::NodeIndex after = document_.position(document_.shown_cuts()[which]);
    if (!layout_.cut_line(after).inside_block) return std::nullopt;
    const auto placed = static_cast<std::size_t>(layout_.placed_at(after));
    const QRectF scope = transform_.mapRect(layout_.blocks()[placed].rect);
    return scope.height() >= least_ticked ? std::optional(scope) : std::nullopt;
}

std::vector<CutOverlay::Tick> CutOverlay::ticks() const {
    QFont font;
    font.setPixelSize(model::scaled_px(11));
    const QFontMetricsF metrics(font);
    std::vector<Tick> ticks;
    for (std::size_t i = 0; i < document_.shown_cuts().size(); ++i) {
        const std::optional<QRectF> scope = closed_scope(i);
        if (!scope) continue;
        const Line at = line(i);
        QRectF box(0, 0, metrics.horizontalAdvance(QString::number(i + 1)) + 10, model::scaled(16));
        const bool straight = at.left_y == at.right_y;
        box.moveCenter(straight ? QPointF(scope->right(), at.left_y) : QPointF(at.step_x, scope->bottom()));
        // Move the tick away from other ticks and from the title: to the right in a column of scopes, downward in a
        // folded row.
        const auto covered = [&] {
            return std::ranges::find_if(
                ticks, [&](const Tick& other) { return other.box.adjusted(-2, -2, 2, 2).intersects(box); });
        };
        for (auto other = covered(); other != ticks.end(); other = covered()) {
            if (straight) box.moveLeft(other->box.right() + 3);
            else box.moveTop(other->box.bottom() + 3);
        }
        ticks.push_back({i, box});
    }
    return ticks;
}

/// Paints the line from edge to edge, except inside a closed scope, where the title of the scope is.
void CutOverlay::paint_line(QPainter& painter, std::size_t which) const {
    const Line at = line(which);
    const std::optional<QRectF> scope = closed_scope(which);
    if (!scope || at.left_y != at.right_y) {
        painter.drawPolyline(corners(at));
        return;
    }
    painter.drawLine(QPointF(viewport_.left(), at.left_y), QPointF(scope->left(), at.left_y));
    painter.drawLine(QPointF(scope->right(), at.left_y), QPointF(viewport_.right(), at.left_y));
}

void CutOverlay::paint_ticks(QPainter& painter, int focused) const {
    QFont font = painter.font();
    font.setPixelSize(model::scaled_px(11));
    font.setWeight(QFont::DemiBold);
    painter.setFont(font);
    for (const auto& [cut, box] : ticks()) {
        const bool strong = focused == static_cast<int>(cut);
        painter.setPen(QPen(strong ? colours_.accent : colours_.text, 1.5));
        painter.setBrush(strong ? colours_.accent : colours_.surface);
        painter.drawRoundedRect(box, 4, 4);
        painter.setPen(strong ? colours_.on_accent : colours_.text);
        painter.drawText(box, Qt::AlignCenter, QString::number(cut + 1));
    }
}

void CutOverlay::paint_lines(QPainter& painter, int focused, int hovered, int refused) const {
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < document_.shown_cuts().size(); ++i) {
        const Line at = line(i);
        if (std::max(at.left_y, at.right_y) < viewport_.top() - 20 || at.right_y > viewport_.bottom() + 20) continue;
        const bool strong = focused == static_cast<int>(i) || hovered == static_cast<int>(i);
        const bool bad = refused == static_cast<int>(i);
        const QColor colour = bad ? colours_.bad : strong ? colours_.accent : colours_.text;
        painter.setPen(QPen(colour, strong ? 2.5 : 1.5, bad ? Qt::DashLine : Qt::SolidLine));
        paint_line(painter, i);
        QRectF grip(0, 0, grip_width, grip_height);
        grip.moveCenter(handle(i));
        painter.setPen(QPen(colour, 1.5));
        painter.setBrush(strong ? colour : colours_.surface);
        painter.drawRoundedRect(grip, grip_height / 2, grip_height / 2);
        painter.setPen(QPen(strong ? colours_.on_accent : colours_.text, 1.5));
        for (const double dy : {-3.0, 0.0, 3.0})
            painter.drawLine(grip.center() + QPointF(-8, dy), grip.center() + QPointF(8, dy));
        if (focused == static_cast<int>(i)) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(colours_.accent, 1, Qt::DotLine));
            painter.drawRoundedRect(grip.adjusted(-4, -4, 4, 4), grip_height / 2 + 4, grip_height / 2 + 4);
        }
    }
    paint_ticks(painter, focused);
}

void CutOverlay::paint_labels(QPainter& painter, int priced, const QString& price) const {
    const std::vector<model::SegmentSummary> segments = document_.segments();
    if (segments.size() < 2) return;
    painter.setRenderHint(QPainter::Antialiasing);
    QFont font = painter.font();
    double from = viewport_.top();
    for (std::size_t i = 0; i < segments.size(); ++i) {
        const bool last = i + 1 == segments.size();
        const double to = last ? viewport_.bottom() : std::min(viewport_.bottom(), line(i).left_y);
        const double room = to - from;
        if (room > segment_label_row() + 2 && to > viewport_.top()) {
            const bool full = room > segment_label_height() + 2 * margin;
            const double height = full ? segment_label_height() : segment_label_row();
            const QRectF box(viewport_.left() + margin, from + (room - height) / 2, segment_label_width(), height);
            painter.setPen(QPen(colours_.line, 1));
            painter.setBrush(colours_.surface);
            painter.drawRoundedRect(box, 6, 6);
            const QColor hue = model::segment_colour(static_cast<int>(i), colours_);
            const QRectF swatch(box.left() + 8, box.top() + (segment_label_row() - 12) / 2, 12, 12);
            painter.fillRect(swatch, QBrush(hue, model::segment_pattern(static_cast<int>(i))));
            painter.setPen(QPen(hue, 1));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(swatch);
            font.setPixelSize(model::scaled_px(12));
            font.setWeight(QFont::DemiBold);
            painter.setFont(font);
            painter.setPen(colours_.text);
            const QRectF title(box.left() + 28, box.top(), box.width() - 36, segment_label_row());
            painter.drawText(title, Qt::AlignVCenter | Qt::AlignLeft, tr("Segment %1").arg(i + 1));
            painter.drawText(title, Qt::AlignVCenter | Qt::AlignRight, percent(segments[i].share));
            if (full) {
                font.setPixelSize(model::scaled_px(11));
                font.setWeight(QFont::Normal);
                painter.setFont(font);
                painter.setPen(colours_.faint);
                const auto operators = segments[i].last - segments[i].first + 1;
                const QString count =
                    operators == 1 ? tr("1 operator") : tr("%1 operators").arg(model::count_text(operators));
                const QString text = count + QStringLiteral(" \u00b7 ") + model::flops_text(segments[i].flops) + u'\n' +
                                     tr("Parameters: %1").arg(bytes_text(segments[i].parameter_bytes));
                painter.drawText(box.adjusted(8, segment_label_row(), -8, -4), Qt::AlignTop | Qt::AlignLeft, text);
            }
        }
        if (!last) from = std::max(viewport_.top(), line(i).left_y);
    }
    paint_crossing(painter, priced, price);
}

/// Paints the bytes that cross each cut at the right end of its line, and the price at the line of the cut `priced`.
void CutOverlay::paint_crossing(QPainter& painter, int priced, const QString& price) const {
    const std::vector<model::SegmentSummary> segments = document_.segments();
    QFont font = painter.font();
    font.setPixelSize(model::scaled_px(11));
    font.setWeight(QFont::DemiBold);
    painter.setFont(font);
    for (std::size_t i = 0; i + 1 < segments.size(); ++i) {
        QString text = QStringLiteral("\u2193 %1   \u2191 %2")
                           .arg(bytes_text(segments[i].bytes_out), bytes_text(segments[i].gradient_bytes_out));
        if (static_cast<int>(i) == priced && !price.isEmpty()) text.prepend(price + QStringLiteral("   "));
        const double width = painter.fontMetrics().horizontalAdvance(text) + 16;
        const double left = std::max(viewport_.left() + 4, viewport_.right() - margin - width);
        const QRectF box(left, line(i).right_y - model::scaled(10), width, model::scaled(20));
        painter.setPen(QPen(colours_.line, 1));
        painter.setBrush(colours_.surface);
        painter.drawRoundedRect(box, 10, 10);
        painter.setPen(colours_.text);
        painter.drawText(box, Qt::AlignCenter, text);
    }
}

void CutOverlay::paint_landscape(QPainter& painter) const {
    constexpr double longest = 120;
    const graph::CutList& cuts = document_.model()->cuts;
    std::vector<std::pair<double, std::int64_t>> bars;
    std::int64_t most = 1;
    const QRectF shown = transform_.inverted().mapRect(viewport_);
    const auto [first, last] = layout_.cuts_between(shown.top(), shown.bottom());
    for (std::int32_t legal = first; legal <= last; ++legal) {
        const graph::NodeIndex after = cuts.legal[legal];
        const double y = transform_.map(QPointF(0, layout_.cut_line(after).anchor_y)).y();
        const graph::CutPosition& position = cuts.positions[static_cast<std::size_t>(after)];
        const std::int64_t bytes = position.forward_bytes + position.backward_bytes;
        most = std::max(most, bytes);
        // If positions are closer than the height of a bar, merge them into one bar with the highest value.
        if (!bars.empty() && y - bars.back().first < 3) bars.back().second = std::max(bars.back().second, bytes);
        else bars.emplace_back(y, bytes);
    }
    QColor colour = colours_.warning;
    colour.setAlphaF(0.6F);
    for (const auto& [y, bytes] : bars) {
        const double length = std::max(2.0, longest * static_cast<double>(bytes) / static_cast<double>(most));
        painter.fillRect(QRectF(viewport_.right() - length, y - 1.5, length, 3), colour);
    }
}

QStringList CutOverlay::card_lines(std::size_t which) const {
    const std::vector<model::SegmentSummary> segments = document_.segments();
    const model::SegmentSummary &above = segments[which], &below = segments[which + 1];
    const auto& position = document_.model()->cuts.positions[above.last];
    QStringList lines;
    lines << tr("after %1").arg(QString::fromStdString(document_.model()->graph.nodes[above.last].name));
    lines << tr("Work: %1 above, %2 below").arg(percent(above.share), percent(below.share));
    lines << tr("Crossing: %1 forward, %2 back").arg(bytes_text(above.bytes_out), bytes_text(above.gradient_bytes_out));
    lines << (position.exact ? tr("Tensors: %1").arg(above.values_out)
                             : tr("Tensors: %1, some of unknown size").arg(above.values_out));
    return lines;
}

void CutOverlay::paint_card(QPainter& painter, std::size_t which, QPointF near, const QStringList& notes) const {
    paint_lines_at(painter, card_lines(which) + notes, near, colours_, viewport_);
}

void CutOverlay::paint_lines_at(QPainter& painter, const QStringList& lines, QPointF near,
                                const model::Colours& colours, const QRectF& viewport) {
    QFont font = painter.font();
    font.setPixelSize(model::scaled_px(12));
    painter.setFont(font);
    const QFontMetricsF metrics(font);
    double width = 0;
    for (const QString& text : lines) width = std::max(width, metrics.horizontalAdvance(text));
    width = std::min(width, model::scaled(420));
    const double row = std::ceil(metrics.height()) + 2;
    QRectF box(0, 0, width + 24, row * static_cast<double>(lines.size()) + 16);
    box.moveTopLeft(near + QPointF(20, 16));
    if (box.right() > viewport.right() - 8) box.moveRight(near.x() - 20);
    if (box.bottom() > viewport.bottom() - 8) box.moveBottom(near.y() - 16);
    box.moveLeft(std::max(box.left(), viewport.left() + 8));
    box.moveTop(std::max(box.top(), viewport.top() + 8));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colours.accent, 1));
    painter.setBrush(colours.surface);
    painter.drawRoundedRect(box, 6, 6);
    for (qsizetype i = 0; i < lines.size(); ++i) {
        font.setWeight(i == 0 ? QFont::DemiBold : QFont::Normal);
        painter.setFont(font);
        painter.setPen(colours.text);
        const QRectF at(box.left() + 12, box.top() + 8 + static_cast<double>(i) * row, width, row);
        painter.drawText(at, Qt::AlignVCenter | Qt::AlignLeft, metrics.elidedText(lines[i], Qt::ElideMiddle, width));
    }
}

QString cut_description(const model::GraphDocument& document, std::size_t which) {
    const std::vector<model::SegmentSummary> segments = document.segments();
    const model::SegmentSummary &above = segments[which], &below = segments[which + 1];
    return CutOverlay::tr("Cut %1 after %2: %3 of the work above, %4 below, %5 cross")
        .arg(which + 1)
        .arg(QString::fromStdString(document.model()->graph.nodes[above.last].name), percent(above.share),
             percent(below.share), bytes_text(above.bytes_out));
}

}  // namespace divisi::graphview
