// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/landscape_strip.h"

#include <QEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/model/estimates/measurable.h"
#include "app/model/wording/colours.h"
#include "app/model/wording/text.h"
#include "app/model/wording/text_scale.h"

namespace divisi::graphview {

namespace {

/// Number of legal positions by which Shift and an arrow key move a cut.
constexpr std::int32_t far_positions = 10;
constexpr double side = 16, bottom = 10;
/// Step times above this multiple of the best one are drawn at the upper edge, so that differences near the best one
/// remain visible.
constexpr double tallest = 2.5;
/// Margin of the x axis beyond each neighbouring cut, as a share of the range between the neighbouring cuts.
constexpr double margin_share = 0.08;
constexpr int scale_pixels = 10;  ///< font size of the figures on the y axis

/// Returns the text of a step time on the curve.
QString about_text(double step_s) {
    const QString text = model::ms_text(step_s * 1e3);
    return price::Landscape::approximate ? QStringLiteral("\u2248 ") + text : text;
}

}  // namespace

LandscapeStrip::LandscapeStrip(model::GraphDocument& document, model::PriceBoard& board, QWidget* parent)
    : QWidget(parent), document_(document), board_(board) {
    setObjectName(QStringLiteral("landscape"));
    setFixedHeight(112);
    setMouseTracking(true);
    setFocusPolicy(Qt::ClickFocus);
    connect(&board_, &model::PriceBoard::pricesChanged, this, &LandscapeStrip::refresh);
    connect(&document_, &model::GraphDocument::cutsChanged, this, [this] {
        show_where_cuts_are();
        update();
    });
    connect(&document_, &model::GraphDocument::modelChanged, this, &LandscapeStrip::let_go);
    refresh();
}

/// Ends a drag when the model changes: the dragged cut and the hovered position belong to the old model.
void LandscapeStrip::let_go() {
    hovered_ = -1;
    if (std::exchange(dragging_, false)) QToolTip::hideText();
    unsetCursor();
    update();
}

const price::Landscape* LandscapeStrip::landscape() const {
    const auto& prices = board_.prices();
    if (!prices || !prices->landscape || !document_.model()) return nullptr;
    const bool there = prices->moving < static_cast<int>(document_.shown_cuts().size()) &&
                       prices->landscape->positions.size() == document_.model()->cuts.legal.size();
    return there ? &*prices->landscape : nullptr;
}

QRectF LandscapeStrip::plot() const { return QRectF(rect()).adjusted(side, model::scaled(30), -side, -bottom); }

std::int32_t LandscapeStrip::shown_at() const {
    return document_.shown_cuts()[static_cast<std::size_t>(board_.prices()->moving)];
}

std::pair<std::int32_t, std::int32_t> LandscapeStrip::neighbours() const {
    const model::Cuts& cuts = document_.shown_cuts();
    const auto which = static_cast<std::size_t>(board_.prices()->moving);
    return {which == 0 ? -1 : cuts[which - 1], which + 1 == cuts.size() ? document_.legal_count() : cuts[which + 1]};
}

/// Sets the x axis to the range that the cut can reach, so that this range stays wide even with many cuts.
void LandscapeStrip::find_axis() {
    const double end = std::max(1.0, static_cast<double>(document_.legal_count()) - 1);
    first_ = 0;
    last_ = end;
    if (!landscape()) return;
    const auto [before, behind] = neighbours();
    const double margin = std::max(1.0, margin_share * (behind - before));
    first_ = std::max(0.0, before - margin);
    last_ = std::min(end, behind + margin);
}

void LandscapeStrip::follow(const CutAxis* axis) {
    axis_ = axis;
    drawn_ = {};
    update();
}

double LandscapeStrip::x_of(std::int32_t legal) const {
    if (axis_) return axis_->x_of_legal(legal);
    return plot().left() + plot().width() * (legal - first_) / (last_ - first_);
}

double LandscapeStrip::y_of(double step_s) const {
    const double share = high_s_ > low_s_ ? (step_s - low_s_) / (high_s_ - low_s_) : 0;
    return plot().bottom() - plot().height() * std::clamp(share, 0.0, 1.0);
}

std::int32_t LandscapeStrip::legal_at(double x) const {
    if (axis_) return std::clamp(axis_->legal_at(x), 0, document_.legal_count() - 1);
    const double share = std::clamp((x - plot().left()) / std::max(1.0, plot().width()), 0.0, 1.0);
    const auto legal = static_cast<std::int32_t>(std::lround(first_ + share * (last_ - first_)));
    return std::clamp(legal, 0, document_.legal_count() - 1);
}

double LandscapeStrip::left_of(std::int32_t legal) const {
    const std::int32_t count = document_.legal_count();
    if (count < 2) return legal <= 0 ? plot().left() : plot().right();
    if (legal <= 0) return x_of(0) - (x_of(1) - x_of(0)) / 2;
    if (legal >= count) return x_of(count - 1) + (x_of(count - 1) - x_of(count - 2)) / 2;
    return (x_of(legal - 1) + x_of(legal)) / 2;
}

std::pair<std::int32_t, std::int32_t> LandscapeStrip::shown_positions() const {
    const std::int32_t last = document_.legal_count() - 1;
    // Several positions may have the same x, so extend the range until a position lies beyond each edge.
    std::int32_t from = legal_at(plot().left()), to = legal_at(plot().right());
    while (from > 0 && x_of(from) >= plot().left()) --from;
    while (to < last && x_of(to) <= plot().right()) ++to;
    return {from, to};
}

QPoint LandscapeStrip::point_of(std::int32_t legal) const {
    return QPointF(x_of(legal), plot().center().y()).toPoint();
}

void LandscapeStrip::find_range() {
    low_s_ = 0;
    high_s_ = 1;
    const price::Landscape* found = landscape();
    if (!found) return;
    double least = HUGE_VAL, most = 0;
    for (const price::LandscapePosition& position : found->positions) {
        if (position.obstacle == price::Obstacle::order || position.step_s <= 0) continue;
        least = std::min(least, position.step_s);
        most = std::max(most, position.step_s);
    }
    if (most <= 0) return;
    least = std::min(least, board_.prices()->prediction.step_ms / 1e3);
    most = std::min(std::max(most, board_.prices()->prediction.step_ms / 1e3), tallest * least);
    const double margin = std::max(0.08 * (most - least), 0.01 * least);
    low_s_ = least - margin;
    high_s_ = most + margin;
}

void LandscapeStrip::show_where_cuts_are() {
    setVisible(document_.model() && document_.legal_count() > 0 && !document_.shown_painting());
}

void LandscapeStrip::refresh() {
    find_axis();
    find_range();
    drawn_ = {};
    const auto& prices = board_.prices();
    show_where_cuts_are();
    setAccessibleName(tr("Cost landscape"));
    if (prices && prices->ok() && landscape()) setAccessibleDescription(describe(shown_at()));
    update();
}

QString LandscapeStrip::describe(std::int32_t legal) const {
    const price::Landscape* found = landscape();
    if (!found || legal < 0 || legal >= static_cast<std::int32_t>(found->positions.size())) return {};
    const price::LandscapePosition& position = found->positions[static_cast<std::size_t>(legal)];
    const QString name = QString::fromStdString(document_.model()->graph.nodes[document_.position(legal)].name);
    const QString obstacle = board_.prices()->obstacle(legal);
    if (position.obstacle == price::Obstacle::order) return tr("Cut after %1: beyond the next cut").arg(name);
    if (!obstacle.isEmpty()) return tr("Cut after %1: not possible, %2").arg(name, obstacle);
    const model::Prices& prices = *board_.prices();
    if (prices.cuts == document_.shown_cuts()) {
        const QString simulated = tr("Cut after %1: %2 per step");
        if (legal == shown_at()) return simulated.arg(name, model::ms_text(prices.prediction.step_ms));
        if (legal == prices.probe) return simulated.arg(name, model::ms_text(prices.probe_ms));
    }
    return tr("Cut after %1: about %2 per step").arg(name, model::ms_text(position.step_s * 1e3));
}

void LandscapeStrip::draw_obstacles(QPainter& painter) const {
    const model::Colours& colours = model::colours_of(palette());
    const auto& positions = landscape()->positions;
    const auto count = static_cast<std::int32_t>(positions.size());
    for (std::int32_t first = 0; first < count;) {
        const price::Obstacle obstacle = positions[static_cast<std::size_t>(first)].obstacle;
        std::int32_t last = first;
        while (last + 1 < count && positions[static_cast<std::size_t>(last) + 1].obstacle == obstacle) ++last;
        const QRectF range(QPointF(left_of(first), plot().top()), QPointF(left_of(last + 1), plot().bottom()));
        if (obstacle == price::Obstacle::order) {
            painter.fillRect(range.intersected(plot()), model::mixed(colours.surface, colours.ground, 0.6));
        } else if (obstacle != price::Obstacle::none) {
            QColor hatch = colours.bad;
            hatch.setAlphaF(0.7F);
            painter.fillRect(range.intersected(plot()), QBrush(hatch, Qt::BDiagPattern));
        }
        first = last + 1;
    }
}

/// Draws the curve. A model may have more positions than pixels, so only the first, lowest, highest and last value of
/// each pixel column are drawn. The curve looks the same as with all values, and painting stays fast.
void LandscapeStrip::draw_curve(QPainter& painter) const {
    const model::Colours& colours = model::colours_of(palette());
    const auto& positions = landscape()->positions;
    std::vector<QPolygonF> pieces;
    QPolygonF piece;
    struct Column {
        double x = 0, first = 0, least = 0, most = 0, last = 0;
        bool open = false;
    } column;
    const auto end_column = [&] {
        if (!column.open) return;
        column.open = false;
        for (const double y : {column.first, column.least, column.most, column.last})
            if (piece.isEmpty() || piece.back() != QPointF(column.x, y)) piece << QPointF(column.x, y);
    };
    const auto end_piece = [&] {
        end_column();
        if (!piece.isEmpty()) pieces.push_back(std::exchange(piece, {}));
    };
    const auto [first, last] = shown_positions();
    for (std::int32_t i = first; i <= last; ++i) {
        const price::LandscapePosition& position = positions[static_cast<std::size_t>(i)];
        if (position.obstacle == price::Obstacle::order || position.step_s <= 0) {
            end_piece();
            continue;
        }
        const double x = x_of(i), y = y_of(position.step_s);
        if (column.open && x - column.x < 1) {
            column.least = std::min(column.least, y);
            column.most = std::max(column.most, y);
            column.last = y;
            continue;
        }
        end_column();
        column = {x, y, y, y, y, true};
    }
    end_piece();
    QColor fill = colours.accent;
    fill.setAlphaF(0.14F);
    for (QPolygonF& curve : pieces) {
        QPolygonF area = curve;
        area << QPointF(curve.back().x(), plot().bottom()) << QPointF(curve.front().x(), plot().bottom());
        painter.setPen(Qt::NoPen);
        painter.setBrush(fill);
        painter.drawPolygon(area);
        painter.setPen(QPen(colours.accent, 1.5));
        painter.drawPolyline(curve);
    }
}

void LandscapeStrip::draw_best(QPainter& painter) const {
    const std::int32_t best = landscape()->best();
    if (best < 0) return;
    const model::Colours& colours = model::colours_of(palette());
    const QPointF at(x_of(best), y_of(landscape()->positions[static_cast<std::size_t>(best)].step_s));
    painter.setPen(QPen(colours.good, 1, Qt::DashLine));
    painter.drawLine(QPointF(at.x(), plot().top()), QPointF(at.x(), plot().bottom()));
    painter.setPen(QPen(colours.surface, 1.5));
    painter.setBrush(colours.good);  // a diamond, recognisable by its shape as well as its colour
    painter.drawPolygon(QPolygonF({at + QPointF(0, -6), at + QPointF(6, 0), at + QPointF(0, 6), at + QPointF(-6, 0)}));
}

/// Draws the other visible cuts with their numbers. This cut cannot pass its neighbours.
void LandscapeStrip::draw_neighbours(QPainter& painter) const {
    const model::Colours& colours = model::colours_of(palette());
    const model::Cuts& cuts = document_.shown_cuts();
    for (int which = 0; which < static_cast<int>(cuts.size()); ++which) {
        const double x = x_of(cuts[static_cast<std::size_t>(which)]);
        if (which == board_.prices()->moving || x < plot().left() || x > plot().right()) continue;
        const QColor mark = model::segment_colour(which, colours);
        painter.setPen(QPen(mark, 2));
        painter.drawLine(QPointF(x, plot().top()), QPointF(x, plot().bottom()));
        const QRectF beside(x + (which < board_.prices()->moving ? -20 : 4), plot().top(), 16, 14);
        painter.setPen(colours.text);
        painter.drawText(beside, Qt::AlignCenter, QString::number(which + 1));
    }
}

void LandscapeStrip::draw_marks(QPainter& painter) const {
    const model::Colours& colours = model::colours_of(palette());
    const model::Prices& prices = *board_.prices();
    const bool current = document_.shown_cuts() == prices.cuts;
    if (hovered_ >= 0 && !dragging_) {
        painter.setPen(QPen(colours.faint, 1, Qt::DotLine));
        painter.drawLine(QPointF(x_of(hovered_), plot().top()), QPointF(x_of(hovered_), plot().bottom()));
        if (current && prices.probe == hovered_) {
            painter.setPen(QPen(colours.text, 1.5));
            painter.setBrush(colours.surface);
            painter.drawEllipse(QPointF(x_of(hovered_), y_of(prices.probe_ms / 1e3)), 4, 4);
        }
    }
    const std::int32_t now = shown_at();
    const bool possible = landscape()->positions[static_cast<std::size_t>(now)].obstacle == price::Obstacle::none;
    const QColor mark = possible ? model::segment_colour(prices.moving, colours) : colours.bad;
    painter.setPen(QPen(mark, 2, possible ? Qt::SolidLine : Qt::DashLine));
    painter.drawLine(QPointF(x_of(now), plot().top() - 4), QPointF(x_of(now), plot().bottom()));
    if (current) {
        painter.setPen(QPen(colours.surface, 1.5));
        painter.setBrush(mark);
        painter.drawEllipse(QPointF(x_of(now), y_of(prices.prediction.step_ms / 1e3)), 5, 5);
    }
}

/// Writes the values at the upper and lower edge of the plot.
void LandscapeStrip::draw_scale(QPainter& painter) const {
    QFont font = this->font();
    font.setPixelSize(model::scaled_px(scale_pixels));
    painter.save();
    painter.setFont(font);
    painter.setPen(model::colours_of(palette()).faint);
    const QRectF inside = plot().adjusted(4, 0, -4, 0);
    QColor behind = model::colours_of(palette()).surface;
    behind.setAlphaF(0.9F);
    const auto write = [&](Qt::Alignment side, double step_s) {
        const QString text = model::ms_text(step_s * 1e3);
        const auto flags = static_cast<int>(Qt::AlignLeft | side);
        painter.fillRect(painter.boundingRect(inside, flags, text), behind);
        painter.drawText(inside, flags, text);
    };
    write(Qt::AlignTop, high_s_);
    write(Qt::AlignBottom, low_s_);
    painter.restore();
}

/// Returns how much slower the plan on screen is than the best plan, such as " (+4.5 % over the best plan)". While a
/// search is running, compares with the best plan found so far.
QString LandscapeStrip::distance_text() const {
    const auto fastest = board_.comparable();
    if (!fastest) return {};
    const double above = board_.prices()->prediction.step_ms / fastest->step_ms - 1;
    if (above < 0.0005) return {};
    return fastest->complete ? tr(" (+%1 over the best plan)").arg(model::percent(above))
                             : tr(" (+%1 over the best so far)").arg(model::percent(above));
}

/// Returns the measured share of the price, such as ", 40 % measured" or ", unmeasured"; empty if all is measured.
/// Every place that shows an estimate must say that it is an estimate.
QString LandscapeStrip::source_text() const {
    const double share = board_.prices()->prediction.profiled_share;
    if (share >= model::measured_well) return {};
    return share > 0 ? tr(", %1 measured").arg(model::percent(share)) : tr(", unmeasured");
}

QString LandscapeStrip::price_text() const {
    const auto& prices = board_.prices();
    if (!prices || !prices->ok() || !prices->are_of(document_.shown_split())) return {};
    return model::ms_text(prices->prediction.step_ms) + distance_text() + source_text();
}

/// Returns the simulated step time, and how much slower the plan is than the best plan. If the shown cuts are not
/// simulated yet and only the dragged cut has moved, returns the value of the curve.
QString LandscapeStrip::now_text() const {
    const model::Prices& prices = *board_.prices();
    if (prices.are_of(document_.shown_split()))
        return tr("now %1").arg(model::ms_text(prices.prediction.step_ms)) + distance_text() + source_text();
    model::Cuts moved = prices.cuts;
    const std::int32_t at = shown_at();
    if (moved.size() == document_.shown_cuts().size()) moved[static_cast<std::size_t>(prices.moving)] = at;
    const double step_s = landscape()->positions[static_cast<std::size_t>(at)].step_s;
    const bool known = moved == document_.shown_cuts() && step_s > 0;
    return known ? tr("now %1").arg(about_text(step_s)) + source_text() : tr("now %1").arg(QStringLiteral("\u2026"));
}

QString LandscapeStrip::figures() const {
    const std::int32_t best = landscape()->best();
    if (best < 0) return now_text();
    const double best_s = landscape()->positions[static_cast<std::size_t>(best)].step_s;
    return now_text() + tr("  \u25c6 best here %1").arg(about_text(best_s));
}

void LandscapeStrip::draw_text(QPainter& painter) const {
    const model::Colours& colours = model::colours_of(palette());
    const auto& prices = board_.prices();
    const QRectF line = QRectF(rect()).adjusted(side, 8, -side, 0);
    const auto write = [&](Qt::Alignment alignment, const QString& text, const QColor& colour, double width) {
        painter.setPen(colour);
        const QString fitted = painter.fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(width));
        painter.drawText(line, static_cast<int>(alignment | Qt::AlignTop), fitted);
    };
    if (!prices) return write(Qt::AlignLeft, tr("Calculating the cost of the cuts..."), colours.faint, line.width());
    if (!prices->ok()) return write(Qt::AlignLeft, tr("No price: %1").arg(prices->problem), colours.bad, line.width());
    if (!landscape())
        return write(Qt::AlignLeft, tr("Add a cut to see the step time for every position of the cut."), colours.faint,
                     line.width());
    QString left = tr("Step time by position of cut %1").arg(prices->moving + 1);
    if (price::Landscape::approximate) left += tr(" (approximate)");
    QString right = figures();
    const QString obstacle = prices->obstacle(shown_at());
    if (!obstacle.isEmpty()) right = QStringLiteral("\u26a0 ") + tr("Not possible: %1").arg(obstacle);
    if (hovered_ >= 0 && !dragging_) right = describe(hovered_);
    const double wanted = painter.fontMetrics().horizontalAdvance(right);
    write(Qt::AlignRight, right, colours.text, line.width());
    write(Qt::AlignLeft, left, colours.faint, std::max(0.0, line.width() - wanted - 16));
}

void LandscapeStrip::draw_landscape() {
    const double ratio = devicePixelRatioF();
    drawn_ = QPixmap(size() * ratio);
    drawn_.setDevicePixelRatio(ratio);
    drawn_.fill(Qt::transparent);
    QPainter painter(&drawn_);
    painter.setFont(font());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipRect(plot().adjusted(-6, -6, 6, 2));  // the axis of another view can extend beyond the edges
    draw_obstacles(painter);
    draw_curve(painter);
    draw_best(painter);
    painter.setClipping(false);
    draw_scale(painter);
}

void LandscapeStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const model::Colours& colours = model::colours_of(palette());
    painter.fillRect(rect(), colours.surface);
    painter.fillRect(QRect(0, 0, width(), 1), colours.line);
    if (landscape()) {
        if (drawn_.isNull()) draw_landscape();
        painter.drawPixmap(0, 0, drawn_);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setClipRect(plot().adjusted(-6, -6, 6, 2));
        draw_neighbours(painter);
        draw_marks(painter);
        painter.setClipping(false);
    }
    draw_text(painter);
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(colours.accent, 1));
        painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

void LandscapeStrip::move_to(std::int32_t legal) {
    const auto which = static_cast<std::size_t>(board_.prices()->moving);
    document_.preview(document_.moved(which, legal));
}

void LandscapeStrip::mousePressEvent(QMouseEvent* event) {
    document_.settle();
    if (event->button() != Qt::LeftButton || !landscape()) return QWidget::mousePressEvent(event);
    const int moving = board_.prices()->moving;
    const std::int32_t legal = legal_at(event->position().x());
    const auto [before, behind] = neighbours();
    if (legal <= before || legal >= behind) {
        Q_EMIT cutTaken(legal <= before ? moving - 1 : moving + 1);
        return;
    }
    Q_EMIT cutTaken(moving);
    dragging_ = true;
    move_to(legal);
}

void LandscapeStrip::mouseMoveEvent(QMouseEvent* event) {
    if (!landscape()) return;
    hovered_ = legal_at(event->position().x());
    if (dragging_) {
        move_to(hovered_);
        if (board_.refusal(board_.prices()->moving, shown_at()).isEmpty()) unsetCursor();
        else setCursor(Qt::ForbiddenCursor);
        show_reason(event->globalPosition().toPoint(), shown_at());
    } else {
        board_.set_probe(hovered_);
    }
    Q_EMIT hint(describe(dragging_ ? shown_at() : hovered_));
    update();
}

/// Shows beside the pointer why the cut cannot be at this position.
void LandscapeStrip::show_reason(const QPoint& global, std::int32_t legal) {
    const QString reason = board_.prices()->obstacle(legal);
    if (reason.isEmpty()) return QToolTip::hideText();
    QToolTip::showText(global, reason, this);
}

bool LandscapeStrip::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip && landscape()) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), describe(legal_at(help->pos().x())), this);
        return true;
    }
    return QWidget::event(event);
}

void LandscapeStrip::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !dragging_) return QWidget::mouseReleaseEvent(event);
    QToolTip::hideText();
    dragging_ = false;
    if (!landscape()) {  // there are no prices any more, so there is no cut to move
        unsetCursor();
        return document_.drop_preview();
    }
    const QString refusal = board_.refusal(board_.prices()->moving, shown_at());
    unsetCursor();
    if (refusal.isEmpty()) return document_.commit_preview(tr("Move cut"));
    document_.drop_preview();
    Q_EMIT hint(tr("The cut stays where it was: %1").arg(refusal));
}

void LandscapeStrip::leaveEvent(QEvent*) {
    hovered_ = -1;
    board_.set_probe(-1);
    Q_EMIT hint({});
    update();
}

void LandscapeStrip::keyPressEvent(QKeyEvent* event) {
    const bool left = event->key() == Qt::Key_Left, right = event->key() == Qt::Key_Right;
    if (event->key() == Qt::Key_Escape && dragging_) {
        dragging_ = false;
        unsetCursor();
        document_.drop_preview();
    } else if ((left || right) && landscape() && !dragging_) {
        move_by((right ? 1 : -1) * (event->modifiers() & Qt::ShiftModifier ? far_positions : 1));
    } else {
        QWidget::keyPressEvent(event);
    }
}

void LandscapeStrip::move_by(std::int32_t by) {
    document_.settle();
    const auto which = static_cast<std::size_t>(board_.prices()->moving);
    if (which >= document_.cuts().size()) return;
    if (!document_.move_cut(which, document_.cuts()[which] + by))
        Q_EMIT hint(tr("No legal cut position beyond this one"));
}

void LandscapeStrip::resizeEvent(QResizeEvent* event) {
    drawn_ = {};
    QWidget::resizeEvent(event);
}

void LandscapeStrip::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange || event->type() == QEvent::PaletteChange ||
        event->type() == QEvent::FontChange)
        refresh();
    QWidget::changeEvent(event);
}

}  // namespace divisi::graphview

#include "moc_landscape_strip.cpp"
