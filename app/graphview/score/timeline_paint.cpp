// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/score/timeline_paint.h"

#include <algorithm>
#include <cmath>

#include "app/model/estimates/figures.h"
#include "app/model/wording/text.h"
#include "app/model/wording/text_scale.h"

namespace divisi::graphview {

namespace {

constexpr double band_height = 5;
constexpr double knob_width = 20, knob_height = 18;
constexpr double gap = 8;
constexpr double least_lane = 8, most_lane = 56;
constexpr double readable_lane = 16;  ///< minimum height of a lane that remains beside the brackets of scopes
constexpr double line_reach = 5;      ///< distance from a line within which the pointer hits it
/// Minimum width of an operator for an outline, and for a name.
constexpr double least_outline = 4, least_name = 36;
/// Minimum width of a bracket; narrower brackets are merged. A bracket with a name needs more width.
constexpr double least_bracket = 3;
/// The tick above an operator that a search has found, in the gap between lanes; `least_tick` is its minimum width.
constexpr double tick_height = 3, least_tick = 2;
// Row heights, and the distance of ticks, which grow with the size of all text.
double label_row() { return model::scaled(24); }
double bracket_row() { return model::scaled(18); }
double ruler_row() { return model::scaled(24); }
double tick_distance() { return model::scaled(90); }

double heads_bottom() { return label_row() + knob_height + gap; }

void set_size(QPainter& painter, int pixels, QFont::Weight weight = QFont::Normal) {
    QFont font = painter.font();
    font.setPixelSize(model::scaled_px(pixels));
    font.setWeight(weight);
    painter.setFont(font);
}

/// Returns the smallest 1, 2 or 5 times a power of ten that is not below `least`.
double round_step(double least) {
    const double power = std::pow(10, std::floor(std::log10(least)));
    for (const double times : {1.0, 2.0, 5.0})
        if (times * power >= least) return times * power;
    return 10 * power;
}

}  // namespace

TimelinePainter::TimelinePainter(const TimelineSheet& sheet) : sheet_(sheet) {
    if (!sheet_.document.model() || sheet_.layout.count() == 0) return;
    for (const std::int32_t cut : sheet_.document.shown_cuts()) ends_.push_back(sheet_.document.position(cut));
    ends_.push_back(sheet_.layout.count() - 1);
}

double TimelinePainter::segment_start(std::size_t segment) const { return segment == 0 ? 0 : segment_end(segment - 1); }

int TimelinePainter::segment_of(graph::NodeIndex node) const {
    if (const model::Painting* painting = sheet_.document.shown_painting())
        return painting->segment_of[static_cast<std::size_t>(node)];
    return static_cast<int>(std::lower_bound(ends_.begin(), ends_.end(), node) - ends_.begin());
}

QColor TimelinePainter::hue(graph::NodeIndex node) const {
    const bool divided = segments() > 1 || sheet_.document.shown_painting();
    return divided ? model::segment_colour(segment_of(node), sheet_.colours) : sheet_.colours.accent;
}

/// Returns how many depths of scopes fit. In a low view, the deepest brackets are left out, so that operators remain
/// readable.
std::int32_t TimelinePainter::depths() const {
    const double room = sheet_.area.bottom() - ruler_row() - heads_bottom() - 2 * gap - readable_lane;
    return std::clamp(static_cast<std::int32_t>(room / bracket_row()), 0, sheet_.layout.depths());
}

double TimelinePainter::lanes_top() const { return heads_bottom() + bracket_row() * depths() + gap; }
double TimelinePainter::lanes_bottom() const {
    return std::max(lanes_top() + 1, sheet_.area.bottom() - ruler_row() - gap);
}

QRectF TimelinePainter::lane_rect(std::int32_t lane) const {
    const double room = (lanes_bottom() - lanes_top()) / std::max(1, sheet_.layout.lanes());
    const double height = std::clamp(room, least_lane, most_lane);
    return {sheet_.area.left(), std::floor(lanes_top() + lane * height), sheet_.area.width(),
            std::max(4.0, std::floor(height) - 4)};
}

double TimelinePainter::line(std::size_t which) const {
    return std::round(sheet_.axis.x_of(sheet_.layout.cut_at(ends_[which]))) + 0.5;
}

QPointF TimelinePainter::handle(std::size_t which) const { return {line(which), label_row() + knob_height / 2}; }

int TimelinePainter::cut_at(QPointF point) const {
    int best = -1;
    double best_distance = line_reach + 0.01;
    for (std::size_t i = 0; i + 1 < segments(); ++i) {
        double distance = std::abs(point.x() - line(i));
        const bool on_grip = std::abs(point.y() - handle(i).y()) <= knob_height / 2 + 2;
        if (on_grip && distance <= knob_width / 2 + 2) distance = std::min(distance / 2, line_reach);
        if (distance >= best_distance) continue;
        best = static_cast<int>(i);
        best_distance = distance;
    }
    return best;
}

graph::NodeIndex TimelinePainter::operator_at(QPointF point) const {
    if (segments() == 0) return graph::no_node;
    const double at = sheet_.axis.at(point.x());
    if (at < 0 || at > sheet_.layout.total()) return graph::no_node;
    const graph::NodeIndex node = sheet_.layout.node_at(at);
    return lane_rect(sheet_.layout.lane(node)).contains(point) ? node : graph::no_node;
}

QPointF TimelinePainter::operator_middle(graph::NodeIndex node) const {
    const double at = (sheet_.layout.start(node) + sheet_.layout.end(node)) / 2;
    return {sheet_.axis.x_of(at), lane_rect(sheet_.layout.lane(node)).center().y()};
}

QRectF TimelinePainter::operator_rect(graph::NodeIndex node) const {
    const QRectF lane = lane_rect(sheet_.layout.lane(node));
    const double left = sheet_.axis.x_of(sheet_.layout.start(node)), right = sheet_.axis.x_of(sheet_.layout.end(node));
    return {left, lane.top(), right - left, lane.height()};
}

QRectF TimelinePainter::segment_area(std::size_t segment) const {
    const double left = segment == 0 ? sheet_.axis.x_of(0) : line(segment - 1);
    const double right = segment + 1 == segments() ? sheet_.axis.x_of(sheet_.layout.total()) : line(segment);
    const double shown_left = std::max(left, sheet_.area.left()), shown_right = std::min(right, sheet_.area.right());
    return {shown_left, sheet_.area.top(), std::max(0.0, shown_right - shown_left), sheet_.area.height()};
}

void TimelinePainter::paint_ground(QPainter& painter) const {
    painter.fillRect(sheet_.area, sheet_.colours.ground);
    if (segments() < 2 || sheet_.document.shown_painting()) return;
    for (std::size_t i = 0; i < segments(); ++i) {
        const QRectF area = segment_area(i);
        if (area.width() <= 0) continue;
        QColor tint = model::segment_colour(static_cast<int>(i), sheet_.colours);
        tint.setAlphaF(&sheet_.colours == &model::dark_colours() ? 0.09F : 0.07F);
        painter.fillRect(area, tint);
    }
}

QString TimelinePainter::segment_text(std::size_t segment) const {
    const double price = segment_end(segment) - segment_start(segment);
    const double share = sheet_.layout.total() > 0 ? price / sheet_.layout.total() : 0;
    return tr("Segment %1: %2, %3")
        .arg(segment + 1)
        .arg(estimate_sign(segment) + whole_text(sheet_.measure, price), model::percent(share));
}

/// Returns the sign for an estimate, the same as on blocks of the graph: see model::figure_text().
QString TimelinePainter::estimate_sign(std::size_t segment) const {
    if (sheet_.measured.empty()) return {};
    const graph::NodeIndex first = segment == 0 ? 0 : ends_[segment - 1] + 1;
    double known = 0;
    for (graph::NodeIndex node = first; node <= ends_[segment]; ++node)
        if (sheet_.measured[static_cast<std::size_t>(node)])
            known += sheet_.layout.end(node) - sheet_.layout.start(node);
    const double all = segment_end(segment) - segment_start(segment);
    return known >= model::measured_enough * all ? QString() : QStringLiteral("\u2248 ");
}

void TimelinePainter::paint_segments(QPainter& painter) const {
    if (sheet_.document.shown_painting()) {
        set_size(painter, 12);
        painter.setPen(sheet_.colours.text);
        painter.drawText(sheet_.area.adjusted(TimelineAxis::margin, 4, -TimelineAxis::margin, 0),
                         Qt::AlignTop | Qt::AlignLeft,
                         tr("Colours show the painted segments; \"Back to cuts\" restores cuts."));
        return;
    }
    for (std::size_t i = 0; i < segments(); ++i) {
        const QRectF area = segment_area(i);
        if (area.width() < 2) continue;
        const QColor hue = model::segment_colour(static_cast<int>(i), sheet_.colours);
        const QRectF band(area.left(), label_row() - band_height, area.width(), band_height);
        painter.fillRect(band, QBrush(hue, model::segment_pattern(static_cast<int>(i))));
        const QRectF label(area.left() + 6, 0, area.width() - 12, label_row() - band_height);
        set_size(painter, 12, QFont::DemiBold);
        painter.setPen(sheet_.colours.text);
        const double price = segment_end(i) - segment_start(i);
        // If the text is too long, use a shorter form; the shortest form is the number.
        for (const QString& text :
             {segment_text(i),
              QStringLiteral("%1: %2").arg(i + 1).arg(estimate_sign(i) + whole_text(sheet_.measure, price)),
              QString::number(i + 1)}) {
            if (painter.fontMetrics().horizontalAdvance(text) > label.width()) continue;
            painter.drawText(label, Qt::AlignCenter, text);
            break;
        }
    }
}

void TimelinePainter::paint_scopes(QPainter& painter) const {
    const TimelineAxis& axis = sheet_.axis;
    set_size(painter, 11);
    for (std::int32_t depth = 0; depth < depths(); ++depth) {
        const double top = heads_bottom() + depth * bracket_row();
        for (const ScoreRun& run : sheet_.layout.scopes(depth, from(), to(), least_bracket * axis.pixel())) {
            const double left = std::round(std::max(axis.x_of(run.start), sheet_.area.left() - 2));
            const double right = std::round(std::min(axis.x_of(run.end), sheet_.area.right() + 2));
            if (run.count > 1) {  // the scopes are too narrow to be distinguished
                painter.fillRect(QRectF(left, top + 2, right - left, 2), sheet_.colours.scope);
                continue;
            }
            const double last = std::max(left, right - 2);
            painter.fillRect(QRectF(left, top + 2, last - left, 2), sheet_.colours.edge);
            painter.fillRect(QRectF(left, top + 2, 1, bracket_row() - 4), sheet_.colours.edge);
            painter.fillRect(QRectF(last, top + 2, 1, bracket_row() - 4), sheet_.colours.edge);
            if (last - left < least_name) continue;
            const model::Block& block = sheet_.document.model()->tree.blocks[static_cast<std::size_t>(run.first)];
            const QRectF label(left + 4, top + 3, last - left - 8, bracket_row() - 3);
            painter.setPen(sheet_.colours.faint);
            painter.drawText(label, Qt::AlignCenter,
                             painter.fontMetrics().elidedText(QString::fromStdString(block.label), Qt::ElideMiddle,
                                                              static_cast<int>(label.width())));
        }
    }
}

/// Draws a line in the lane from the end of a chain to the last reader of its output. Also draws the lines that connect
/// the chain with its source and its reader.
void TimelinePainter::paint_chains(QPainter& painter, std::int32_t lane) const {
    const TimelineLayout& layout = sheet_.layout;
    const double y = lane_rect(lane).center().y();
    for (const ScoreChain* chain : layout.chains_between(lane, from(), to(), 3 * sheet_.axis.pixel())) {
        const auto [start, end] = layout.span(*chain);
        const double left = sheet_.axis.x_of(start), right = sheet_.axis.x_of(end);
        const double shown_left = std::max(left, sheet_.area.left()),
                     shown_right = std::min(right, sheet_.area.right());
        painter.fillRect(QRectF(shown_left, y - 1, shown_right - shown_left, 2), sheet_.colours.edge);
        const auto connect = [&](double x, graph::NodeIndex other) {
            const double to = lane_rect(layout.lane(other)).center().y();
            if (to != y)
                painter.fillRect(QRectF(std::round(x), std::min(y, to), 1, std::abs(y - to)), sheet_.colours.edge);
        };
        if (chain->from != graph::no_node && left >= sheet_.area.left()) connect(left, chain->from);
        if (chain->until > chain->last && right <= sheet_.area.right()) connect(right, chain->until);
    }
}

void TimelinePainter::paint_name(QPainter& painter, graph::NodeIndex node, const QRectF& rect) const {
    const graph::Node& shown = sheet_.document.model()->graph.nodes[static_cast<std::size_t>(node)];
    const QRectF inside = rect.adjusted(4, 2, -4, -2);
    const int width = static_cast<int>(inside.width());
    painter.setPen(sheet_.colours.text);
    const bool both = inside.height() >= model::scaled(30);
    painter.drawText(inside, (both ? Qt::AlignTop : Qt::AlignVCenter) | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(QString::fromStdString(shown.op_type), Qt::ElideRight, width));
    if (!both) return;
    const double price = sheet_.layout.end(node) - sheet_.layout.start(node);
    painter.drawText(inside, Qt::AlignBottom | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(measure_text(sheet_.measure, price), Qt::ElideRight, width));
}

bool TimelinePainter::some_unmeasured(std::int32_t lane, const ScoreRun& run) const {
    if (sheet_.measured.empty()) return false;
    return std::ranges::any_of(sheet_.layout.nodes_of(lane, run), [this](graph::NodeIndex node) {
        return !sheet_.measured[static_cast<std::size_t>(node)];
    });
}

void TimelinePainter::paint_operator(QPainter& painter, const ScoreRun& run, bool guessed, const QRectF& rect) const {
    const QColor colour = hue(run.first);
    if (run.count > 1 || rect.width() < least_outline) {
        const double strength = run.count > 1 ? 0.2 + 0.6 * run.density : 0.6;
        painter.fillRect(rect, model::mixed(sheet_.colours.ground, colour, strength));
        if (!guessed) return;
        QColor hatch = sheet_.colours.ground;  // the pattern continues in adjacent columns
        hatch.setAlphaF(0.6F);
        painter.fillRect(rect, QBrush(hatch, model::unmeasured_pattern));
        return;
    }
    const QRectF block = rect.adjusted(0, 0, -1, 0);
    painter.fillRect(block, model::mixed(sheet_.colours.raised, colour, 0.28));
    if (guessed) {  // a hatch marks unmeasured values
        QColor hatch = colour;
        hatch.setAlphaF(0.35F);
        painter.fillRect(block, QBrush(hatch, model::unmeasured_pattern));
    }
    painter.setPen(colour);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(block.adjusted(0, 0, -1, -1));
    if (block.width() >= least_name) paint_name(painter, run.first, block);
}

void TimelinePainter::paint_operators(QPainter& painter, graph::NodeIndex first, graph::NodeIndex last) const {
    painter.setRenderHint(QPainter::Antialiasing, false);
    set_size(painter, 11);
    for (std::int32_t lane = 0; lane < sheet_.layout.lanes(); ++lane) paint_chains(painter, lane);
    for (std::int32_t lane = 0; lane < sheet_.layout.lanes(); ++lane) {
        const QRectF row = lane_rect(lane);
        for (const ScoreRun& run : sheet_.layout.operators(lane, from(), to(), sheet_.axis.pixel())) {
            // An operator may be far wider than the view, so its rectangle ends slightly beyond the edges.
            const double left = std::round(std::max(sheet_.axis.x_of(run.start), row.left() - 4));
            const double right = std::round(std::min(sheet_.axis.x_of(run.end), row.right() + 4));
            paint_operator(painter, run, some_unmeasured(lane, run),
                           QRectF(left, row.top(), std::max(1.0, right - left), row.height()));
        }
    }
    if (first < 0) return;
    const double left = std::max(sheet_.axis.x_of(sheet_.layout.start(first)), sheet_.area.left() - 4);
    const double right = std::min(sheet_.axis.x_of(sheet_.layout.end(last)), sheet_.area.right() + 4);
    if (right < left) return;
    QRectF mark = lane_rect(sheet_.layout.lane(first));
    if (first != last) mark.setBottom(lane_rect(sheet_.layout.lanes() - 1).bottom());
    mark.setLeft(std::round(left) - 1);
    mark.setRight(std::max(std::round(right) + 1, mark.left() + 3));
    painter.setPen(QPen(sheet_.colours.accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(mark);
}

void TimelinePainter::paint_matches(QPainter& painter) const {
    painter.setRenderHint(QPainter::Antialiasing, false);
    // x up to which each lane has ticks. If several ticks fall into one column, only the first is drawn.
    std::vector<double> taken(static_cast<std::size_t>(sheet_.layout.lanes()), sheet_.area.left() - 4);
    for (const graph::NodeIndex node : sheet_.matches) {
        if (node >= sheet_.layout.count()) break;
        const QRectF rect = operator_rect(node);
        double& until = taken[static_cast<std::size_t>(sheet_.layout.lane(node))];
        const double left = std::round(std::max(rect.left(), sheet_.area.left() - 4));
        const double right = std::max(std::round(std::min(rect.right(), sheet_.area.right() + 4)), left + least_tick);
        if (right <= until || left > sheet_.area.right()) continue;
        until = right;
        painter.fillRect(QRectF(left, rect.top() - tick_height, right - left, tick_height), sheet_.colours.accent);
        if (right - left < least_outline) continue;
        painter.setPen(QPen(sheet_.colours.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(left + 1, rect.top() + 1, right - left - 3, rect.height() - 2));
    }
}

/// Writes at the end of the ruler, over its last figure, that the times apply to one micro-batch.
void TimelinePainter::paint_unit(QPainter& painter, double top) const {
    if (sheet_.measure != TimelineMeasure::time) return;
    const QString text = tr("of one micro-batch");
    const double width = painter.fontMetrics().horizontalAdvance(text) + 8;
    const QRectF box(sheet_.area.right() - width - 4, top + 4, width, ruler_row() - 6);
    painter.fillRect(box, sheet_.colours.ground);
    painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter, text);
}

void TimelinePainter::paint_ruler(QPainter& painter) const {
    const double top = sheet_.area.bottom() - ruler_row();
    painter.fillRect(QRectF(sheet_.area.left(), top, sheet_.area.width(), 1), sheet_.colours.line);
    if (segments() == 0) return;
    set_size(painter, 10);
    painter.setPen(sheet_.colours.faint);
    const double step = round_step(tick_distance() * sheet_.axis.pixel());
    const double last = std::min(to(), sheet_.layout.total());
    for (double at = std::max(0.0, std::ceil(from() / step) * step); at <= last * (1 + 1e-12); at += step) {
        const double x = std::round(sheet_.axis.x_of(at));
        painter.fillRect(QRectF(x, top, 1, 5), sheet_.colours.faint);
        painter.drawText(QRectF(x + 3, top + 4, tick_distance() - 6, ruler_row() - 6), Qt::AlignLeft | Qt::AlignVCenter,
                         measure_text(sheet_.measure, at));
    }
    paint_unit(painter, top);
}

void TimelinePainter::paint_cuts(QPainter& painter, int focused, int hovered, int refused) const {
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i + 1 < segments(); ++i) {
        const double x = line(i);
        if (x < sheet_.area.left() - knob_width || x > sheet_.area.right() + knob_width) continue;
        const bool focus = focused == static_cast<int>(i), strong = focus || hovered == static_cast<int>(i);
        const bool bad = refused == static_cast<int>(i);
        const QColor colour = bad ? sheet_.colours.bad : strong ? sheet_.colours.accent : sheet_.colours.text;
        painter.setPen(QPen(colour, strong ? 2.5 : 1.5, bad ? Qt::DashLine : Qt::SolidLine));
        painter.drawLine(QPointF(x, label_row() - band_height), QPointF(x, sheet_.area.bottom()));
        QRectF grip(0, 0, knob_width, knob_height);
        grip.moveCenter(handle(i));
        painter.setPen(QPen(colour, 1.5));
        painter.setBrush(strong ? colour : sheet_.colours.surface);
        painter.drawRoundedRect(grip, 6, 6);
        painter.setPen(QPen(strong ? sheet_.colours.on_accent : sheet_.colours.text, 1.5));
        for (const double dx : {-3.0, 0.0, 3.0})
            painter.drawLine(grip.center() + QPointF(dx, -5), grip.center() + QPointF(dx, 5));
        if (!focus) continue;
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(sheet_.colours.accent, 1, Qt::DotLine));
        painter.drawRoundedRect(grip.adjusted(-3, -3, 3, 3), 8, 8);
    }
}

void TimelinePainter::paint_crossing(QPainter& painter, int priced, const QString& price) const {
    if (sheet_.document.shown_painting()) return;
    painter.setRenderHint(QPainter::Antialiasing);
    set_size(painter, 11, QFont::DemiBold);
    const std::vector<model::SegmentSummary> summaries = sheet_.document.segments();
    double taken = sheet_.area.left();
    const auto write = [&](std::size_t i, bool in_hand) {
        QString text =
            QStringLiteral("\u2192 %1   \u2190 %2")
                .arg(model::bytes_text(summaries[i].bytes_out), model::bytes_text(summaries[i].gradient_bytes_out));
        if (in_hand && !price.isEmpty()) text.prepend(price + QStringLiteral("   "));
        QRectF box(0, 0, painter.fontMetrics().horizontalAdvance(text) + 16, model::scaled(20));
        box.moveCenter(QPointF(line(i), sheet_.area.bottom() - ruler_row() - gap - model::scaled(12)));
        if (box.right() < sheet_.area.left() || box.left() > sheet_.area.right()) return;
        if (!in_hand && box.left() < taken) return;
        taken = box.right() + 4;
        painter.setPen(QPen(sheet_.colours.line, 1));
        painter.setBrush(sheet_.colours.surface);
        painter.drawRoundedRect(box, 10, 10);
        painter.setPen(sheet_.colours.text);
        painter.drawText(box, Qt::AlignCenter, text);
    };
    for (std::size_t i = 0; i + 1 < summaries.size(); ++i)
        if (static_cast<int>(i) != priced) write(i, false);
    if (priced >= 0 && static_cast<std::size_t>(priced) + 1 < summaries.size())
        write(static_cast<std::size_t>(priced), true);
}

}  // namespace divisi::graphview
