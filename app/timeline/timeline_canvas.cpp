// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/timeline/timeline_canvas.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <array>
#include <cmath>

#include "app/model/wording/text.h"
#include "app/model/wording/text_scale.h"

namespace divisi::timeline {

namespace {

using model::SpanKind;

constexpr int lane_gap = 2, instance_gap = 8, text_pixels = 11;
constexpr double wheel_notch = 120, factor_per_notch = 0.8, key_factor = 0.5;
constexpr double narrowest_ns = 100;  ///< narrowest range that can be zoomed to

// Sizes in pixels, which grow with the size of the text. letter_px() and number_px() are the minimum widths of a span
// that shows its letter, and of a span that also shows its number.
int ruler_height() { return model::scaled_px(22); }
int lane_height() { return model::scaled_px(22); }
int names_width() { return model::scaled_px(132); }
int least_tick_px() { return model::scaled_px(90); }
double letter_px() { return model::scaled(12); }
double number_px() { return model::scaled(26); }

constexpr std::array canvas_keys = {Qt::Key_Plus, Qt::Key_Equal, Qt::Key_Minus, Qt::Key_0,
                                    Qt::Key_Home, Qt::Key_Left,  Qt::Key_Right, Qt::Key_Escape};

bool is_canvas_key(const QKeyEvent& event) {
    const bool plain = !(event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
    return plain && std::find(canvas_keys.begin(), canvas_keys.end(), event.key()) != canvas_keys.end();
}

QString ns_text(double ns) {
    const QString text = model::ms_text(std::abs(ns) / 1e6);
    return ns < 0 ? QStringLiteral("\u2212") + text : text;
}

/// Returns the letter shown in a span, so that the kind of the span can be recognised without colour.
QString letter(SpanKind kind) {
    switch (kind) {
        case SpanKind::data: return QStringLiteral("D");
        case SpanKind::forward: return QStringLiteral("F");
        case SpanKind::backward: return QStringLiteral("B");
        case SpanKind::weight_gradient: return QStringLiteral("W");
        case SpanKind::optimizer: return QStringLiteral("O");
        case SpanKind::evaluate: return QStringLiteral("E");
        default: return {};
    }
}

}  // namespace

QString instance_text(std::int32_t instance) {
    return instance == plan::data_unit ? TimelineCanvas::tr("Data") : TimelineCanvas::tr("Stage %1").arg(instance + 1);
}

QString kind_text(SpanKind kind) {
    switch (kind) {
        case SpanKind::data: return TimelineCanvas::tr("Data");
        case SpanKind::forward: return TimelineCanvas::tr("Forward");
        case SpanKind::backward: return TimelineCanvas::tr("Backward");
        case SpanKind::weight_gradient: return TimelineCanvas::tr("Weight gradients");
        case SpanKind::optimizer: return TimelineCanvas::tr("Optimizer");
        case SpanKind::evaluate: return TimelineCanvas::tr("Evaluation");
        case SpanKind::wire: return TimelineCanvas::tr("Wire");
        case SpanKind::idle: return TimelineCanvas::tr("Idle");
    }
    return {};
}

TimelineCanvas::TimelineCanvas(QWidget* parent) : QWidget(parent), scroll_(new QScrollBar(Qt::Vertical, this)) {
    setObjectName(QStringLiteral("timelineCanvas"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    scroll_->hide();
    tell_screen_readers();
    connect(scroll_, &QScrollBar::valueChanged, this, qOverload<>(&QWidget::update));
}

QSize TimelineCanvas::minimumSizeHint() const { return {names_width() + 120, ruler_height() + 2 * lane_height()}; }
QSize TimelineCanvas::sizeHint() const { return {800, ruler_height() + lanes_height()}; }

void TimelineCanvas::show_tracks(std::vector<Track> tracks, Range whole) {
    if (tracks == tracks_ && whole == whole_) return;
    const bool kept = !tracks_.empty() && shown_ != whole_ && !tracks.empty();
    tracks_ = std::move(tracks);
    whole_ = whole;
    if (!kept) shown_ = whole_;
    lay_out();
    update();
}

/// Lays out the lanes by instance, then by track, so that the prediction is above the measurement.
void TimelineCanvas::lay_out() {
    lanes_.clear();
    std::vector<std::int32_t> instances;
    for (const Track& track : tracks_)
        for (const std::int32_t one : track.timeline->instances)
            if (std::find(instances.begin(), instances.end(), one) == instances.end()) instances.push_back(one);
    std::sort(instances.begin(), instances.end(), [](std::int32_t a, std::int32_t b) {
        return static_cast<std::uint32_t>(a) < static_cast<std::uint32_t>(b);
    });
    int top = 0;
    for (const std::int32_t instance : instances) {
        for (std::size_t i = 0; i < tracks_.size(); ++i) {
            const auto& spans = tracks_[i].timeline->spans;
            const auto mine = [&](const model::Span& span) { return span.instance == instance; };
            const auto begin = std::find_if(spans.begin(), spans.end(), mine);
            if (begin == spans.end()) continue;
            const auto end = std::find_if_not(begin, spans.end(), mine);
            lanes_.push_back({instance, i, top, &*begin, &*begin + (end - begin)});
            top += lane_height() + lane_gap;
        }
        top += instance_gap;
    }
    resizeEvent(nullptr);
    updateGeometry();
}

int TimelineCanvas::lanes_height() const { return lanes_.empty() ? 0 : lanes_.back().top + lane_height() + lane_gap; }

void TimelineCanvas::resizeEvent(QResizeEvent*) {
    const int room = height() - ruler_height(), more = std::max(0, lanes_height() - room);
    scroll_->setVisible(more > 0);
    scroll_->setRange(0, more);
    scroll_->setPageStep(std::max(1, room));
    scroll_->setGeometry(width() - scroll_->sizeHint().width(), ruler_height(), scroll_->sizeHint().width(), room);
}

void TimelineCanvas::show_whole() { set_range(whole_); }

void TimelineCanvas::set_range(Range range) {
    if (range.second - range.first < narrowest_ns || range == shown_) return;
    shown_ = range;
    update();
}

void TimelineCanvas::select(std::optional<Range> range) {
    if (range && range->first > range->second) std::swap(range->first, range->second);
    anchor_.reset();
    if (range == selected_) return;
    selected_ = range;
    update();
    Q_EMIT rangeSelected();
}

/// Moves the end of the selection by `by`, as Shift and arrow keys do in a text; the other end is the anchor. Without a
/// selection, the anchor is the left edge of the shown range, or the right edge if `by` is negative.
void TimelineCanvas::grow_range(double by) {
    if (tracks_.empty()) return;
    const double edge = by > 0 ? shown_.first : shown_.second;
    const double anchor = anchor_.value_or(selected_ ? (by > 0 ? selected_->first : selected_->second) : edge);
    double end = anchor;
    if (selected_) end = selected_->first < anchor ? selected_->first : selected_->second;
    const double to = std::clamp(end + by, shown_.first, shown_.second);
    const bool none = std::abs(to - anchor) < std::abs(by) / 2;  // whether the selection has shrunk to nothing
    select(none ? std::nullopt : std::optional(Range(anchor, to)));
    anchor_ = anchor;
}

void TimelineCanvas::set_moment(std::optional<std::int64_t> ns, std::size_t track) {
    if (ns == moment_ && track == moment_track_) return;
    moment_ = ns;
    moment_track_ = track;
    update();
}

void TimelineCanvas::mark(std::optional<std::int32_t> instance) {
    if (instance == marked_) return;
    marked_ = instance;
    update();
}

double TimelineCanvas::pixel_of(double ns) const {
    const double room = std::max(1, width() - names_width() - (scroll_->isVisible() ? scroll_->width() : 0));
    return names_width() + (ns - shown_.first) / (shown_.second - shown_.first) * room;
}

double TimelineCanvas::ns_at(double pixel) const {
    const double room = pixel_of(shown_.second) - names_width();
    return shown_.first + (pixel - names_width()) / room * (shown_.second - shown_.first);
}

const TimelineCanvas::Lane* TimelineCanvas::lane_under(int y) const {
    if (y < ruler_height()) return nullptr;
    const int at = y - ruler_height() + scroll_->value();
    for (const Lane& lane : lanes_)
        if (at >= lane.top && at < lane.top + lane_height()) return &lane;
    return nullptr;
}

QRect TimelineCanvas::lane_place(const Lane& lane) const {
    return {0, ruler_height() + lane.top - scroll_->value(), width(), lane_height()};
}

std::optional<int> TimelineCanvas::lane_at(std::int32_t instance, std::size_t track) const {
    for (const Lane& lane : lanes_)
        if (lane.instance == instance && lane.track == track)
            return ruler_height() + lane.top - scroll_->value() + lane_height() / 2;
    return std::nullopt;
}

const model::Span* TimelineCanvas::span_under(const QPoint& at) const {
    const Lane* lane = lane_under(at.y());
    if (!lane || at.x() < names_width()) return nullptr;
    const double ns = ns_at(at.x()) + static_cast<double>(tracks_[lane->track].origin_ns);
    for (const model::Span* span = lane->begin; span != lane->end; ++span)
        if (static_cast<double>(span->begin_ns) <= ns && ns < static_cast<double>(span->end_ns)) return span;
    return nullptr;
}

/// Returns a tooltip such as "Stage 1: Forward of micro-batch 2, step 7: 12.3 ms".
QString TimelineCanvas::tip(const model::Span& span, const model::Timeline& timeline) const {
    const QString time = ns_text(static_cast<double>(span.end_ns - span.begin_ns));
    const QString where = instance_text(span.instance);
    if (span.kind == SpanKind::wire) return tr("%1: %2 on the wire: the awaited tensor is being sent").arg(where, time);
    if (span.kind == SpanKind::idle && !timeline.waits_split)
        return tr("%1: waits for %2; the reason is unknown because its plan is unknown here").arg(where, time);
    if (span.kind == SpanKind::idle) return tr("%1: idle for %2, while other instances compute").arg(where, time);
    return tr("%1: %2 of micro-batch %3, step %4: %5")
        .arg(where, kind_text(span.kind))
        .arg(span.microbatch + 1)
        .arg(span.step)
        .arg(time);
}

bool TimelineCanvas::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride && is_canvas_key(*static_cast<QKeyEvent*>(event))) event->accept();
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Lane* lane = lane_under(help->pos().y());
    const model::Span* span = span_under(help->pos());
    if (span) QToolTip::showText(help->globalPos(), tip(*span, *tracks_[lane->track].timeline), this);
    else QToolTip::hideText();
    return true;
}

void TimelineCanvas::zoom(double factor, double at) {
    const double width = (shown_.second - shown_.first) * factor;
    const double from = at - (at - shown_.first) * factor;
    set_range({from, from + width});
}

void TimelineCanvas::wheelEvent(QWheelEvent* event) {
    const int turned = event->angleDelta().y();
    if (turned == 0 || tracks_.empty()) return event->ignore();
    zoom(std::pow(factor_per_notch, turned / wheel_notch), ns_at(event->position().x()));
}

void TimelineCanvas::mousePressEvent(QMouseEvent* event) {
    if (tracks_.empty() || event->button() == Qt::RightButton) return;  // the right button opens the menu of the range
    setFocus(Qt::MouseFocusReason);
    if (const Lane* lane = lane_under(event->pos().y())) Q_EMIT instancePressed(lane->instance);
    moving_ = event->button() == Qt::MiddleButton || event->modifiers() & Qt::ShiftModifier;
    pressed_ = event->position().x();
    moved_from_ = event->position().x();
}

void TimelineCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (!pressed_) return;
    const double x = event->position().x();
    if (moving_) {
        const double by = ns_at(moved_from_) - ns_at(x);
        moved_from_ = x;
        return set_range({shown_.first + by, shown_.second + by});
    }
    if (std::abs(x - *pressed_) < QApplication::startDragDistance() && !selected_) return;
    const auto inside = [&](double pixel) { return std::clamp(ns_at(pixel), shown_.first, shown_.second); };
    select(Range(std::min(inside(*pressed_), inside(x)), std::max(inside(*pressed_), inside(x))));
}

void TimelineCanvas::mouseReleaseEvent(QMouseEvent* event) {
    if (!pressed_) return;
    const bool dragged = std::abs(event->position().x() - *pressed_) >= QApplication::startDragDistance();
    pressed_.reset();
    if (!dragged && !moving_) select(std::nullopt);
}

void TimelineCanvas::contextMenuEvent(QContextMenuEvent* event) {
    if (tracks_.empty()) return event->ignore();
    const bool by_key = event->reason() == QContextMenuEvent::Keyboard;
    const Lane* lane = by_key ? nullptr : lane_under(event->pos().y());
    const std::optional<std::int32_t> instance = lane ? std::optional(lane->instance) : marked_;
    Q_EMIT menuRequested(by_key ? mapToGlobal(QPoint(names_width(), ruler_height())) : event->globalPos(), instance);
}

void TimelineCanvas::mouseDoubleClickEvent(QMouseEvent*) { show_whole(); }

void TimelineCanvas::keyPressEvent(QKeyEvent* event) {
    if (!is_canvas_key(*event)) return QWidget::keyPressEvent(event);
    const double middle = (shown_.first + shown_.second) / 2, tenth = (shown_.second - shown_.first) / 10;
    if (event->modifiers() & Qt::ShiftModifier) {
        if (event->key() == Qt::Key_Left) return grow_range(-tenth / 2);
        if (event->key() == Qt::Key_Right) return grow_range(tenth / 2);
    }
    switch (event->key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal: return zoom(key_factor, middle);
        case Qt::Key_Minus: return zoom(1 / key_factor, middle);
        case Qt::Key_Left: return set_range({shown_.first - tenth, shown_.second - tenth});
        case Qt::Key_Right: return set_range({shown_.first + tenth, shown_.second + tenth});
        case Qt::Key_Escape: return select(std::nullopt);
        default: return show_whole();
    }
}

void TimelineCanvas::mark_wires(std::set<std::int32_t> stages) {
    if (stages == marked_wires_) return;
    marked_wires_ = std::move(stages);
    update();
}

void TimelineCanvas::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange) lay_out();  // lane heights depend on the font
    QWidget::changeEvent(event);
}

void TimelineCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const model::Colours& colours = model::colours_of(palette());
    painter.fillRect(rect(), colours.ground);
    QFont font = this->font();
    font.setPixelSize(model::scaled_px(text_pixels));
    painter.setFont(font);
    if (tracks_.empty()) return;
    painter.setClipRect(QRect(names_width(), ruler_height(), width() - names_width(), height() - ruler_height()));
    for (const Lane& lane : lanes_) paint_lane(painter, lane, colours);
    if (selected_) {
        QColor over = colours.accent;
        over.setAlphaF(0.2F);
        const double left = pixel_of(selected_->first), right = pixel_of(selected_->second);
        painter.fillRect(QRectF(left, 0, right - left, height()), over);
        painter.setPen(QPen(colours.accent, 1));
        painter.drawLine(QPointF(left, 0), QPointF(left, height()));
        painter.drawLine(QPointF(right, 0), QPointF(right, height()));
    }
    painter.setClipping(false);
    paint_ruler(painter, colours);
    paint_names(painter, colours);
    if (!hasFocus()) return;
    painter.setPen(QPen(colours.accent, 1));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void TimelineCanvas::paint_ruler(QPainter& painter, const model::Colours& colours) {
    painter.fillRect(QRect(0, 0, width(), ruler_height()), colours.surface);
    const double per_pixel = (shown_.second - shown_.first) / std::max(1.0, pixel_of(shown_.second) - names_width());
    const double rough = per_pixel * least_tick_px(), power = std::pow(10, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double factor : {5, 2, 1})
        if (factor * power >= rough) step = factor * power;
    for (double at = std::ceil(shown_.first / step) * step; at <= shown_.second; at += step) {
        const double x = pixel_of(at);
        painter.setPen(colours.line);
        painter.drawLine(QPointF(x, ruler_height() - 6), QPointF(x, ruler_height()));
        painter.setPen(colours.faint);
        painter.drawText(QRectF(x + 3, 0, least_tick_px() - 4, ruler_height()), Qt::AlignVCenter | Qt::AlignLeft,
                         std::abs(at) < step / 1e6 ? QStringLiteral("0") : ns_text(at));
    }
}

/// Paints the spans of a lane. Spans that share a pixel are painted as one.
void TimelineCanvas::paint_lane(QPainter& painter, const Lane& lane, const model::Colours& colours) {
    const double top = ruler_height() + lane.top - scroll_->value();
    if (top > height() || top + lane_height() < ruler_height()) return;
    const auto origin = static_cast<double>(tracks_[lane.track].origin_ns);
    double drawn = -1;
    for (const model::Span* span = lane.begin; span != lane.end; ++span) {
        const double from = static_cast<double>(span->begin_ns) - origin;
        const double to = static_cast<double>(span->end_ns) - origin;
        if (to < shown_.first) continue;
        if (from > shown_.second) break;
        const double left = std::max<double>(names_width(), pixel_of(from)),
                     right = std::min(pixel_of(to), width() + 1.0);
        if (right - left < 1 && std::floor(left) == drawn) continue;
        drawn = std::floor(left);
        paint_span(painter, *span, QRectF(left, top, std::max(1.0, right - left), lane_height()), colours);
    }
    if (!moment_ || lane.track != moment_track_) return;
    const double at = pixel_of(static_cast<double>(*moment_) - origin);
    painter.setPen(QPen(colours.text, 1.5));
    painter.drawLine(QPointF(at, top), QPointF(at, top + lane_height()));
}

void TimelineCanvas::paint_span(QPainter& painter, const model::Span& span, const QRectF& box,
                                const model::Colours& colours) {
    if (span.kind == SpanKind::idle) {
        painter.fillRect(box.adjusted(0, lane_height() / 2.0 - 1, 0, 1 - lane_height() / 2.0), colours.line);
        return;
    }
    if (span.kind == SpanKind::wire) {
        painter.fillRect(box.adjusted(0, 4, 0, -4), QBrush(colours.warning, Qt::BDiagPattern));
        if (!marked_wires_.contains(span.instance)) return;
        painter.setPen(QPen(colours.accent, 2));
        painter.drawRect(box.adjusted(0, 2, -1, -3));
        return;
    }
    const auto index = static_cast<int>(span.kind);
    painter.fillRect(box, model::painted_ground(index, colours));
    painter.setPen(model::segment_colour(index, colours));
    if (box.width() > 3) painter.drawRect(box.adjusted(0, 0, -1, -1));
    if (box.width() < letter_px()) return;
    QString text = letter(span.kind);
    const bool numbered = span.kind == SpanKind::forward || span.kind == SpanKind::backward;
    if (numbered && box.width() >= number_px()) text += QString::number(span.microbatch + 1);
    painter.setPen(colours.text);
    painter.drawText(box, Qt::AlignCenter, text);
}

void TimelineCanvas::paint_names(QPainter& painter, const model::Colours& colours) {
    painter.fillRect(QRect(0, ruler_height(), names_width(), height() - ruler_height()), colours.surface);
    painter.setClipRect(QRect(0, ruler_height(), names_width(), height() - ruler_height()));
    const bool several = tracks_.size() > 1;
    for (const Lane& lane : lanes_) {
        const QRectF box(8, ruler_height() + lane.top - scroll_->value(), names_width() - 12, lane_height());
        const bool first = &lane == lanes_.data() || (&lane - 1)->instance != lane.instance;
        if (lane.instance == marked_) painter.fillRect(QRectF(0, box.top(), 4, lane_height()), colours.accent);
        painter.setPen(colours.text);
        if (first) painter.drawText(box, Qt::AlignVCenter | Qt::AlignLeft, instance_text(lane.instance));
        painter.setPen(colours.faint);
        if (several) painter.drawText(box, Qt::AlignVCenter | Qt::AlignRight, tracks_[lane.track].name);
    }
    painter.setClipping(false);
}

}  // namespace divisi::timeline

#include "moc_timeline_canvas.cpp"
