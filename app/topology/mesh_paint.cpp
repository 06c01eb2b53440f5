// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topology/mesh_paint.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <algorithm>
#include <cmath>

#include "app/model/wording/text.h"
#include "app/model/wording/text_scale.h"
#include "app/topology/mesh_layout.h"
#include "app/topology/node_age.h"

namespace divisi::topology {

namespace {

struct Paint {
    Q_DECLARE_TR_FUNCTIONS(divisi::topology::MeshPaint)
};

constexpr double hexagon_point = 16, cut_corner = 12;
constexpr double name_size = 13, text_size = 11;
/// Minimum text height in pixels on screen; text below this height is left out.
constexpr double least_readable = 6;
constexpr double chip_width = 66, chip_height = 20, chip_gap = 5, node_padding = 10;
/// `lane_offset` is half the distance between the two lanes of a link. `gauge_distance` is the gauge's distance from
/// the end of its lane, `gauge_offset` its distance beside the lane.
constexpr double lane_offset = 5.5, gauge_distance = 4, gauge_offset = 10, gauge_length = 30, gauge_width = 7;
/// Below this zoom, gauges are left out, because they would be unreadable.
constexpr double least_gauge_zoom = 0.35;
/// Link figures older than this show their age, even if there is no traffic.
constexpr std::chrono::seconds fresh_figures{3};
/// Share of credit below which queued data is waiting for credit.
constexpr double low_credit = 0.1;

QFont font_of(double size, bool bold) {
    QFont font = QGuiApplication::font();
    font.setPixelSize(static_cast<int>(size));
    font.setBold(bold);
    return font;
}

/// Returns the text size enlarged for presenter mode, as far as the row is high enough.
double grown(double size, const QRectF& row) {
    return std::min(model::scaled(size), std::max(size, row.height() * 0.9));
}

/// Returns the row height of a link's label, whose size is not limited by an element.
double link_label_row() { return model::scaled(15); }

/// Writes one line of text, and shortens it if it is too long.
void write(QPainter& painter, const QRectF& rect, const QString& text, const QColor& colour, double size, bool bold,
           Qt::Alignment align, double zoom, Qt::TextElideMode elide = Qt::ElideRight) {
    if (size * zoom < least_readable || rect.width() <= 0) return;
    const QFont font = font_of(grown(size, rect), bold);
    painter.setFont(font);
    painter.setPen(colour);
    painter.drawText(rect, static_cast<int>(align | Qt::AlignVCenter),
                     QFontMetricsF(font).elidedText(text, elide, rect.width()));
}

/// Returns a text size with which a name stays readable when zoomed out, as far as the name's element is large enough.
double far_size(double size, const QRectF& rect, double zoom) {
    return std::clamp(9.5 / zoom, size, std::max(size, std::min(rect.height() * 0.42, size * 3)));
}

/// Returns the age of a report as a text. For a device that is away, the text is empty below a second, because "now"
/// would be misleading.
QString age_of(const std::optional<MeshWatch::Time>& heard, MeshWatch::Time now, bool here = true) {
    const bool told = heard && (here || now - *heard >= std::chrono::seconds(1));
    return told ? QStringLiteral(" \u00b7 ") + model::age_text(now - *heard) : QString();
}

/// Returns a line width that remains visible when zoomed out.
double seen(double width, const PaintStyle& style) { return std::max(width, 1 / style.zoom); }

QPen outline_pen(Presence presence, const PaintStyle& style, bool lit) {
    const model::Colours& colours = *style.colours;
    if (presence == Presence::away) return {colours.bad, seen(2, style), Qt::DashLine};
    if (presence == Presence::gone) return {colours.faint, seen(1.2, style), Qt::DotLine};
    return {lit ? colours.accent : colours.edge, seen(lit ? 2.2 : 1.4, style)};
}

/// Paints a share as a bar. The bar has a frame, so that it is visible even if the share is 0.
void paint_bar(QPainter& painter, const QRectF& rect, double share, const QColor& colour, const QColor& frame) {
    QRectF filled = rect.adjusted(1.5, 1.5, -1.5, -1.5);
    const double part = std::clamp(share, 0.0, 1.0);
    filled.setRight(filled.left() + filled.width() * part);
    painter.setPen(QPen(frame, 1));
    painter.drawRect(rect);
    if (part > 0) painter.fillRect(filled, colour);
}

void paint_instance(QPainter& painter, const QRectF& rect, const InstanceLook& look, const PaintStyle& style) {
    const model::Colours& colours = *style.colours;
    const QColor hue = look.stage < 0 ? colours.edge : model::segment_colour(look.stage, colours);
    const model::StateLook state = model::look_of(look.state, colours);
    painter.setPen(QPen(look.lit ? colours.accent : hue, look.lit ? 2 : 1.2));
    painter.setBrush(model::mixed(colours.ground, hue, 0.22));
    painter.drawRoundedRect(rect, 4, 4);
    painter.setBrush(Qt::NoBrush);
    const double full = rect.width() - 8;
    painter.fillRect(QRectF(rect.left() + 4, rect.bottom() - 5, full * std::clamp(look.busy_share, 0.0, 1.0), 2.5),
                     hue);
    const QString text = look.stage >= 0                        ? Paint::tr("stage %1").arg(look.stage + 1)
                         : look.stage == control::standby_stage ? Paint::tr("standby")
                                                                : Paint::tr("data");
    const QRectF line = rect.adjusted(4, 0, -4, -4);
    write(painter, line, state.sign, state.colour, 9, false, Qt::AlignRight, style.zoom);
    write(painter, line.adjusted(0, 0, -10, 0), text, colours.text, 10, false, Qt::AlignLeft, style.zoom);
}

QLineF clipped(const QLineF& line, const QPainterPath& from, const QPainterPath& to) {
    const auto leaves = [](const QLineF& way, const QPainterPath& outline) {
        double inside = 0, outside = 1;
        for (int i = 0; i < 20; ++i) {
            const double middle = (inside + outside) / 2;
            (outline.contains(way.pointAt(middle)) ? inside : outside) = middle;
        }
        return way.pointAt(outside);
    };
    return {leaves(line, from), leaves(QLineF(line.p2(), line.p1()), to)};
}

/// Returns the arrow character, such as "→", that points along the line on screen, or against it if `back` is set.
QString arrow(const QLineF& line, bool back) {
    static const QString right = QStringLiteral("\u2192"), left = QStringLiteral("\u2190"),
                         up = QStringLiteral("\u2191"), down = QStringLiteral("\u2193");
    const double dx = back ? -line.dx() : line.dx(), dy = back ? -line.dy() : line.dy();
    if (std::abs(dx) * 1.5 >= std::abs(dy)) return dx >= 0 ? right : left;
    return dy >= 0 ? down : up;
}

void paint_lane(QPainter& painter, const QLineF& lane, const LaneLook& look, const LinkLook& link,
                const PaintStyle& style) {
    const model::Colours& colours = *style.colours;
    const double width = seen(lane_width(look.bytes_per_s.value_or(0)), style);
    QPen pen(look.lit ? colours.accent : colours.edge, width, Qt::SolidLine, Qt::FlatCap);
    if (link.state == LinkState::failed) pen = QPen(colours.bad, seen(1.6, style), Qt::DashLine);
    if (link.state == LinkState::unknown) pen = QPen(colours.faint, seen(1.2, style), Qt::DotLine);
    painter.setPen(pen);
    painter.drawLine(lane);
    if (link.state != LinkState::usable || look.bytes_per_s.value_or(0) <= 0) return;
    const QLineF unit = lane.unitVector();
    const QPointF along(unit.dx(), unit.dy()), across(-along.y(), along.x());
    const double size = 4 + width * 0.8;
    const QPointF tip = lane.pointAt(0.78) + along * size;
    painter.setPen(Qt::NoPen);
    painter.setBrush(pen.color());
    const QPointF points[] = {tip, tip - along * size * 1.7 + across * size, tip - along * size * 1.7 - across * size};
    painter.drawPolygon(points, 3);
    painter.setBrush(Qt::NoBrush);
}

/// Paints a gauge beside a lane. It shows the remaining credit of one end, relative to the highest credit seen, and is
/// filled from that end.
void paint_gauge(QPainter& painter, const QLineF& lane, QPointF outward, const LaneLook& look,
                 const PaintStyle& style) {
    if (!look.reported || lane.length() < 4 * gauge_length) return;
    const model::Colours& colours = *style.colours;
    const bool low = look.queued > 0 && look.credit_share() < low_credit;
    const QLineF unit = lane.unitVector();
    const QPointF along(unit.dx(), unit.dy());
    const QPointF start = lane.p1() + along * gauge_distance + outward * gauge_offset;
    painter.save();
    painter.translate(start);
    painter.rotate(-lane.angle());
    const QRectF bar(0, -gauge_width / 2, gauge_length, gauge_width);
    painter.fillRect(bar, colours.ground);
    paint_bar(painter, bar, look.credit_share(), low ? colours.warning : colours.good,
              low ? colours.warning : colours.edge);
    painter.restore();
    if (look.credit == 0 && !low) return;  // there is no traffic in this direction
    QRectF text(0, 0, 64, 12);
    text.moveCenter(start + along * gauge_length / 2 + outward * 13);
    write(painter, text, model::bytes_text(static_cast<Bytes>(look.credit)), low ? colours.warning : colours.faint, 10,
          false, Qt::AlignHCenter, style.zoom * 0.8);
}

struct LabelLine {
    QString text;
    QColor colour;
};

/// Returns the label of a link: injected faults, its state unless good, traffic, and the age of the figures.
std::vector<LabelLine> label_lines(const LinkGeometry& geometry, const LinkLook& look, const PaintStyle& style) {
    const model::Colours& colours = *style.colours;
    std::vector<LabelLine> lines;
    if (look.fault) lines.push_back({fault_text(*look.fault), colours.warning});
    if (look.state == LinkState::failed) lines.push_back({QStringLiteral("\u2715 ") + Paint::tr("down"), colours.bad});
    if (look.state == LinkState::unknown)
        lines.push_back({QStringLiteral("? ") + Paint::tr("has not reported"), colours.faint});
    bool traffic = false;
    for (const bool back : {false, true}) {
        const double rate = (back ? look.back : look.there).bytes_per_s.value_or(0);
        if (look.state != LinkState::usable || rate <= 0) continue;
        lines.push_back({arrow(geometry.line, back) + u' ' + rate_text(rate), colours.text});
        traffic = true;
    }
    const auto heard = look.heard();
    if (heard && (traffic || style.now - *heard >= fresh_figures))
        lines.push_back({model::age_text(style.now - *heard), colours.faint});
    return lines;
}

QRectF box_of(const std::vector<LabelLine>& lines, const LinkGeometry& geometry, const PaintStyle& style) {
    if (lines.empty() || text_size * style.zoom < least_readable) return {};
    const QFontMetricsF metrics(font_of(grown(text_size, QRectF(0, 0, 0, link_label_row())), false));
    double width = 0;
    for (const LabelLine& line : lines) width = std::max(width, metrics.horizontalAdvance(line.text));
    QRectF box(0, 0, width + 12, static_cast<double>(lines.size()) * link_label_row() + 4);
    box.moveCenter(geometry.line.center());
    return box;
}

void paint_label(QPainter& painter, const LinkGeometry& geometry, const LinkLook& look, const PaintStyle& style) {
    const model::Colours& colours = *style.colours;
    const std::vector<LabelLine> lines = label_lines(geometry, look, style);
    const QRectF box = box_of(lines, geometry, style);
    if (box.isEmpty()) return;
    painter.setPen(look.fault ? QPen(colours.warning, seen(1.4, style)) : QPen(Qt::NoPen));
    painter.setBrush(colours.ground);
    painter.drawRoundedRect(box, 4, 4);
    painter.setBrush(Qt::NoBrush);
    double top = box.top() + 2;
    for (const LabelLine& line : lines) {
        write(painter, QRectF(box.left(), top, box.width(), link_label_row()), line.text, line.colour, text_size, false,
              Qt::AlignHCenter, style.zoom);
        top += link_label_row();
    }
}

/// Paints two strokes across each half of the link, as the sign of a break.
void paint_cut(QPainter& painter, const QLineF& line, const PaintStyle& style) {
    const QLineF unit = line.unitVector();
    const QPointF along(unit.dx(), unit.dy()), across(-along.y(), along.x());
    for (const double at : {0.28, 0.72}) {
        const QPointF middle = line.pointAt(at);
        painter.setPen(QPen(style.colours->ground, seen(7, style), Qt::SolidLine, Qt::FlatCap));
        painter.drawLine(QLineF(middle - across * 10, middle + across * 10));
        painter.setPen(QPen(style.colours->warning, seen(2.4, style), Qt::SolidLine, Qt::RoundCap));
        for (const double side : {-3.5, 3.5})
            painter.drawLine(
                QLineF(middle + along * (side - 3) - across * 10, middle + along * (side + 3) + across * 10));
    }
}

}  // namespace

QPainterPath device_outline(const QRectF& rect, mesh::DeviceRole role) {
    QPolygonF points;
    if (role == mesh::DeviceRole::router) {
        const double y = rect.center().y();
        points << QPointF(rect.left(), y) << rect.topLeft() + QPointF(hexagon_point, 0)
               << rect.topRight() - QPointF(hexagon_point, 0) << QPointF(rect.right(), y)
               << rect.bottomRight() - QPointF(hexagon_point, 0) << rect.bottomLeft() + QPointF(hexagon_point, 0);
    } else {
        points << rect.topLeft() + QPointF(cut_corner, 0) << rect.topRight() - QPointF(cut_corner, 0)
               << rect.topRight() + QPointF(0, cut_corner) << rect.bottomRight() - QPointF(0, cut_corner)
               << rect.bottomRight() - QPointF(cut_corner, 0) << rect.bottomLeft() + QPointF(cut_corner, 0)
               << rect.bottomLeft() - QPointF(0, cut_corner) << rect.topLeft() + QPointF(0, cut_corner);
    }
    QPainterPath path;
    path.addPolygon(points);
    path.closeSubpath();
    return path;
}

std::vector<QRectF> instance_places(const QRectF& node, std::size_t count) {
    std::vector<QRectF> places;
    const QRectF row(node.left() + node_padding, node.bottom() - chip_height - 8, node.width() - 2 * node_padding,
                     chip_height);
    for (std::size_t i = 0; i < count; ++i) {
        const QRectF place(row.left() + static_cast<double>(i) * (chip_width + chip_gap), row.top(), chip_width,
                           chip_height);
        const bool last = i + 1 == count;  // needs no space for a text such as "+3" after it
        if (place.right() + (last ? 0 : 24) > row.right()) break;
        places.push_back(place);
    }
    return places;
}

LinkGeometry link_geometry(const QRectF& a, mesh::DeviceRole role_a, const QRectF& b, mesh::DeviceRole role_b) {
    LinkGeometry geometry;
    const QLineF middle(a.center(), b.center());
    geometry.line =
        middle.length() < 1 ? middle : clipped(middle, device_outline(a, role_a), device_outline(b, role_b));
    const double length = std::max(1.0, middle.length());
    geometry.side = QPointF(middle.dy(), -middle.dx()) / length;
    geometry.label = QRectF(0, 0, 100, 40);
    geometry.label.moveCenter(geometry.line.center());
    return geometry;
}

double lane_width(double bytes_per_s) {
    return 1.5 + 8.5 * std::clamp((std::log10(std::max(bytes_per_s, 1.0)) - 3) / 6, 0.0, 1.0);
}

QString rate_text(double bytes_per_s) {
    return Paint::tr("%1/s").arg(model::bytes_text(static_cast<Bytes>(std::llround(bytes_per_s))));
}

QString mic_text(const MicLook& look) {
    QString text =
        look.nodes == 0 ? Paint::tr("no node") : Paint::tr("%1 of %2 nodes ready").arg(look.ready).arg(look.nodes);
    if (look.left > 0) text += QStringLiteral(" \u00b7 ") + Paint::tr("%1 left").arg(look.left);
    return text;
}

QString link_text(const LinkLook& look) {
    QString text = look.state == LinkState::failed    ? QStringLiteral("\u2715 ") + Paint::tr("down")
                   : look.state == LinkState::unknown ? QStringLiteral("? ") + Paint::tr("has not reported")
                                                      : QStringLiteral("\u2713 ") + Paint::tr("usable");
    if (look.fault) text += QStringLiteral(" \u00b7 ") + fault_text(*look.fault);
    return text;
}

QString fault_text(const control::LinkFault& fault) {
    if (fault.cut) return QStringLiteral("\u2702 ") + Paint::tr("cut on purpose");
    QStringList parts;
    if (fault.bytes_per_s > 0) parts << Paint::tr("%1 MB/s").arg(model::figure_text(fault.bytes_per_s / 1e6, 4));
    if (fault.delay_s > 0) parts << QStringLiteral("+") + model::ms_text(fault.delay_s * 1e3);
    return QStringLiteral("\u25bc ") + Paint::tr("slowed: %1").arg(parts.join(QStringLiteral(", ")));
}

void paint_mic(QPainter& painter, const QRectF& rect, const QString& name, const MicLook& look,
               const PaintStyle& style) {
    const model::Colours& colours = *style.colours;
    const bool whole = look.ready == look.nodes;
    painter.setPen(
        QPen(whole ? colours.line : colours.warning, seen(1.4, style), whole ? Qt::SolidLine : Qt::DashLine));
    painter.setBrush(colours.surface);
    painter.drawRoundedRect(rect, 10, 10);
    painter.setBrush(Qt::NoBrush);
    const QRectF title(rect.left() + 12, rect.top() + 2, rect.width() - 24, title_height - 4);
    const double size = std::min(far_size(name_size, rect, style.zoom), title_height - 6);
    const QString shown = name.isEmpty() ? Paint::tr("nodes without a MIC") : name;
    const double used = QFontMetricsF(font_of(grown(size, title), true)).horizontalAdvance(shown) + 12;
    write(painter, title, shown, colours.text, size, true, Qt::AlignLeft, style.zoom, Qt::ElideMiddle);
    const QString state = (whole ? QString() : QStringLiteral("\u26a0 ")) + mic_text(look);
    write(painter, title.adjusted(std::min(used, title.width()), 0, 0, 0), state,
          whole ? colours.faint : colours.warning, text_size, false, Qt::AlignRight, style.zoom);
}

model::StateLook node_look(const NodeLook& look, const model::Colours& colours, MeshWatch::Time now) {
    if (!look.state) return model::gone_look(colours);
    if (look.state == control::NodeState::ready && is_silent(look.heard, now)) return model::silent_look(colours);
    if (look.state == control::NodeState::ready && !look.draining.isEmpty())
        return {QStringLiteral("\u25a3"), look.draining, colours.warning};
    return model::look_of(*look.state, colours);
}

void paint_node(QPainter& painter, const QRectF& rect, const QString& name, const NodeLook& look,
                const PaintStyle& style) {
    const model::Colours& colours = *style.colours;
    const model::StateLook state = node_look(look, colours, style.now);
    const bool ready = look.state == control::NodeState::ready;
    const Presence presence = ready                                    ? Presence::here
                              : look.state == control::NodeState::lost ? Presence::away
                                                                       : Presence::gone;
    painter.setPen(presence == Presence::here && !look.lit ? QPen(colours.line, seen(1.2, style))
                                                           : outline_pen(presence, style, look.lit));
    painter.setBrush(colours.raised);
    painter.drawRoundedRect(rect, 6, 6);
    painter.setBrush(Qt::NoBrush);
    const QRectF inner = rect.adjusted(node_padding, 6, -node_padding, -6);
    const double size = far_size(name_size, rect, style.zoom);
    write(painter, QRectF(inner.left(), inner.top(), inner.width(), size + 6), name, colours.text, size, true,
          Qt::AlignLeft, style.zoom, Qt::ElideMiddle);
    const std::optional<MeshWatch::Time> known = ready ? look.heard : std::nullopt;
    write(painter, QRectF(inner.left(), inner.top() + 20, inner.width(), 15), state.text() + age_of(known, style.now),
          state.colour, text_size, false, Qt::AlignLeft, style.zoom);
    const std::vector<QRectF> places = instance_places(rect, look.instances.size());
    for (std::size_t i = 0; i < places.size(); ++i) paint_instance(painter, places[i], look.instances[i], style);
    const std::size_t more = look.instances.size() - places.size();
    const QRectF rest(rect.right() - node_padding - 24, rect.bottom() - chip_height - 8, 24, chip_height);
    if (more > 0)
        write(painter, rest, QStringLiteral("+%1").arg(more), colours.text, text_size, true, Qt::AlignRight,
              style.zoom);
    if (look.instances.empty() && ready)
        write(painter, QRectF(inner.left(), rect.bottom() - chip_height - 8, inner.width(), chip_height),
              Paint::tr("idle"), colours.faint, text_size, false, Qt::AlignLeft, style.zoom);
}

void paint_device(QPainter& painter, const QRectF& rect, const QString& name, const DeviceLook& look,
                  const PaintStyle& style) {
    const model::Colours& colours = *style.colours;
    const bool here = look.presence == Presence::here;
    const model::StateLook state =
        look.presence == Presence::gone ? model::gone_look(colours) : model::device_look(here, colours);
    const QPainterPath outline = device_outline(rect, look.role);
    painter.setPen(outline_pen(look.presence, style, look.lit));
    painter.setBrush(here ? colours.raised : colours.ground);
    painter.drawPath(outline);
    if (look.presence == Presence::away) painter.fillPath(outline, QBrush(colours.bad, Qt::BDiagPattern));
    painter.setBrush(Qt::NoBrush);
    const QRectF inner = rect.adjusted(hexagon_point, 7, -hexagon_point, -7);
    if (look.presence == Presence::away) painter.fillRect(inner.adjusted(0, -1, 0, 1), colours.ground);
    const double size = far_size(name_size, rect, style.zoom);
    write(painter, QRectF(inner.left(), inner.top(), inner.width(), size + 6), name, colours.text, size, true,
          Qt::AlignHCenter, style.zoom, Qt::ElideMiddle);
    write(painter, QRectF(inner.left() - 6, inner.top() + 21, inner.width() + 12, 15),
          state.text() + age_of(look.heard, style.now, here), state.colour, text_size, false, Qt::AlignHCenter,
          style.zoom);
    if (!here) return;
    write(painter, QRectF(inner.left(), inner.top() + 37, inner.width(), 15),
          Paint::tr("%1 promised").arg(model::bytes_text(look.promised)), colours.faint, text_size, false,
          Qt::AlignHCenter, style.zoom);
    const double share = look.buffer == 0 ? 0 : static_cast<double>(look.promised) / static_cast<double>(look.buffer);
    paint_bar(painter, QRectF(inner.left() + 8, inner.bottom() - 8, inner.width() - 16, 6), share, colours.accent,
              colours.line);
}

QRectF link_label(const LinkGeometry& geometry, const LinkLook& look, const PaintStyle& style) {
    return box_of(label_lines(geometry, look, style), geometry, style);
}

void paint_link(QPainter& painter, const LinkGeometry& geometry, const LinkLook& look, const PaintStyle& style) {
    if (style.choosing && !look.lit() && look.state == LinkState::usable && !look.fault) painter.setOpacity(0.55);
    const QPointF off = geometry.side * lane_offset;
    const QLineF there = geometry.line.translated(off);
    const QLineF back = QLineF(geometry.line.p2(), geometry.line.p1()).translated(-off);
    paint_lane(painter, there, look.there, look, style);
    paint_lane(painter, back, look.back, look, style);
    if (style.zoom > least_gauge_zoom && look.state == LinkState::usable) {
        paint_gauge(painter, there, geometry.side, look.there, style);
        paint_gauge(painter, back, -geometry.side, look.back, style);
    }
    painter.setOpacity(1);  // paint the label opaque, so that the link is not visible behind it
    if (look.fault && look.fault->cut) paint_cut(painter, geometry.line, style);
    paint_label(painter, geometry, look, style);
}

}  // namespace divisi::topology
