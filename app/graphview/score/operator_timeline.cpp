// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/score/operator_timeline.h"

#include <QEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/model/wording/text.h"

namespace divisi::graphview {

namespace {

/// Width of the average operator in pixels after zoomReset().
constexpr double readable_operator = 96;
/// Width of the average operator, in widths of the view, at the maximum zoom.
constexpr double most_views = 4;
/// Maximum width of the whole axis in pixels that a scroll bar can handle.
constexpr double most_pixels = 1e9;

}  // namespace

OperatorTimeline::OperatorTimeline(GraphView& graph, model::GraphDocument& document, model::PriceBoard& board,
                                   QWidget* parent)
    : QWidget(parent), graph_(graph), document_(document), board_(board) {
    setObjectName(QStringLiteral("scoreView"));
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumHeight(80);
    setAttribute(Qt::WA_OpaquePaintEvent);
    connect(&document_, &model::GraphDocument::modelChanged, this, &OperatorTimeline::onModelChanged);
    connect(&document_, &model::GraphDocument::cutsChanged, this, &OperatorTimeline::onCutsChanged);
    connect(&board_, &model::PriceBoard::pricesChanged, this, &OperatorTimeline::take_prices);
    // New prices can change whether the dragged cut may be dropped.
    connect(&board_, &model::PriceBoard::pricesChanged, this, &OperatorTimeline::judge_drop);
    // Ignore the focus if the graph view already shows a newer model. The focus is read again when this view shows that
    // model.
    connect(&graph_.cut_focus(), &CutFocus::changed, this, [this](int which) {
        if (model_ != document_.model()) return;
        if (which >= 0) ensure_visible(layout_.cut_at(document_.position(document_.shown_cuts()[which])));
        describe();
        update();
    });
    connect(&graph_.selection(), &BlockSelection::changed, this, [this](std::int32_t block) {
        if (!selecting_ && model_ == document_.model()) show_block(block);
    });
    connect(&graph_.matches(), &SearchMatches::changed, this, qOverload<>(&QWidget::update));
    tell_screen_readers();
    onModelChanged();
}

TimelineSheet OperatorTimeline::sheet() const {
    static const std::vector<bool> nothing_told;
    const std::vector<bool>& measured = times_ ? times_->measured : nothing_told;
    return {document_,     layout_, axis_, measure_, measured, graph_.matches().nodes(), model::colours_of(palette()),
            QRectF(rect())};
}

void OperatorTimeline::onModelChanged() {
    end_gesture();
    const model::ModelPtr before = std::exchange(model_, document_.model());
    const bool version = model_ && before && model::is_version_of(*model_, *before);
    hovered_cut_ = -1;
    layout_ = model_ ? TimelineLayout(*model_) : TimelineLayout();
    if (version && times_ && static_cast<std::int32_t>(times_->ms.size()) == layout_.count()) {
        layout_.set_prices(times_->ms);  // the times of the previous version, until the new times are known
        set_axis(axis_.first, fitted_ ? least_scale() : axis_.scale);
    } else {
        times_ = nullptr;
        priced_ = false;
        fitted_ = fitted_ || !version;
    }
    take_prices();
    show_block(model_ ? graph_.selection().block() : -1);
}

void OperatorTimeline::onCutsChanged() {
    hovered_cut_ = -1;
    if (!document_.previewing()) take_prices();
    describe();
    update();
}

void OperatorTimeline::set_measure(TimelineMeasure measure) {
    if (std::exchange(wanted_, measure) == measure) return;
    priced_ = false;
    take_prices();
}

/// Updates the widths, but not during a gesture, because the axis would move under the pointer.
void OperatorTimeline::take_prices() {
    if (!model_ || document_.previewing()) return;
    const auto& prices = board_.prices();
    const bool known = prices && prices->ok() && prices->model == model_ && prices->times &&
                       static_cast<std::int32_t>(prices->times->ms.size()) == model_->node_count();
    if (wanted_ == TimelineMeasure::time && known) {
        if (!priced_ || measure_ != TimelineMeasure::time || times_ != prices->times) {
            times_ = prices->times;
            set_prices(TimelineMeasure::time, times_->ms);
        }
    } else if (wanted_ == TimelineMeasure::time && priced_ && measure_ == TimelineMeasure::time && !prices) {
        return;  // newer prices will arrive
    } else {
        const TimelineMeasure measure = wanted_ == TimelineMeasure::time ? TimelineMeasure::flops : wanted_;
        if (!priced_ || measure_ != measure) {
            times_ = nullptr;
            set_prices(measure, operator_prices(*model_, measure));
        }
    }
    describe();
    Q_EMIT pricesChanged();
}

/// Changes the widths. The operators at both edges of the view stay at the edges.
void OperatorTimeline::set_prices(TimelineMeasure measure, const std::vector<double>& prices) {
    if (layout_.count() == 0) return;
    const double left_at = axis_.at(TimelineAxis::margin), right_at = axis_.at(width() - TimelineAxis::margin);
    const auto place = [this](double at) {
        const graph::NodeIndex node = layout_.node_at(at);
        const double price = layout_.end(node) - layout_.start(node);
        const double share = price > 0 ? std::clamp((at - layout_.start(node)) / price, 0.0, 1.0) : 0;
        return std::pair(node, share);
    };
    const auto left = place(left_at), right = place(right_at);
    layout_.set_prices(prices);
    measure_ = measure;
    priced_ = true;
    const auto back = [this](std::pair<graph::NodeIndex, double> at) {
        return layout_.start(at.first) + at.second * (layout_.end(at.first) - layout_.start(at.first));
    };
    const double from = back(left), to = back(right);
    if (fitted_ || to <= from) return fitAll();
    set_axis(from, room() / (to - from));
}

QString OperatorTimeline::source_text() const {
    if (!model_) return {};
    const auto& prices = board_.prices();
    if (wanted_ == TimelineMeasure::time && measure_ != TimelineMeasure::time) {
        if (!prices || prices->ok())
            return tr("Calculating the times of the operators; until then the widths are FLOPs");
        return tr("No predicted time; the widths are FLOPs: %1").arg(prices->problem);
    }
    if (measure_ != TimelineMeasure::time) return {};
    double known = 0, total = 0;
    for (std::size_t i = 0; times_ && i < times_->ms.size(); ++i) {
        total += times_->ms[i];
        if (times_->measured[i]) known += times_->ms[i];
    }
    const double share = total > 0 ? known / total : 0;
    if (share > 0.99) return tr("measured operators");
    if (share > 0) return tr("%1 of the time measured; hatched operators are not").arg(model::percent(share));
    return tr("unmeasured operators");
}

double OperatorTimeline::room() const { return std::max(1.0, width() - 2 * TimelineAxis::margin); }
double OperatorTimeline::least_scale() const { return room() / std::max(layout_.total(), 1e-300); }

double OperatorTimeline::most_scale() const {
    const double widest = std::min(most_views * room() * std::max(1, layout_.count()), most_pixels);
    return widest / std::max(layout_.total(), 1e-300);
}

double OperatorTimeline::full_width() const { return layout_.total() * axis_.scale; }

void OperatorTimeline::set_axis(double first, double scale) {
    if (layout_.count() == 0) return;
    axis_.scale = std::clamp(scale, least_scale(), most_scale());
    fitted_ = axis_.scale <= least_scale() * (1 + 1e-9);
    axis_.first = std::clamp(first, 0.0, std::max(0.0, layout_.total() - room() * axis_.pixel()));
    // Align to whole pixels, so that merged columns do not change while scrolling.
    axis_.first = std::round(axis_.first * axis_.scale) / axis_.scale;
    update();
    Q_EMIT viewChanged();
}

void OperatorTimeline::scroll_to(double pixels) { set_axis(pixels * axis_.pixel(), axis_.scale); }

void OperatorTimeline::zoom_by(double factor, double x) {
    const double at = axis_.at(x);
    const double scale = std::clamp(axis_.scale * factor, least_scale(), most_scale());
    set_axis(at - (x - TimelineAxis::margin) / scale, scale);
}

void OperatorTimeline::zoomReset() {
    if (layout_.count() > 0)
        zoom_by(readable_operator * layout_.count() / layout_.total() / axis_.scale, width() / 2.0);
}

void OperatorTimeline::fitAll() { set_axis(0, least_scale()); }

void OperatorTimeline::centre() {
    if (!model_) return;
    const int cut = graph_.cut_focus().cut();
    double at = -1;
    if (cut >= 0) at = layout_.cut_at(document_.position(document_.shown_cuts()[static_cast<std::size_t>(cut)]));
    else if (first_selected_ >= 0) at = (layout_.start(first_selected_) + layout_.end(last_selected_)) / 2;
    const auto centred = [&](double scale) {
        const double first = at - room() / 2 / scale;
        return std::clamp(first, 0.0, std::max(0.0, layout_.total() - room() / scale));
    };
    const double readable = readable_operator * layout_.count() / layout_.total();
    const double scale = std::max(axis_.scale, std::clamp(readable, least_scale(), most_scale()));
    const bool there = scale == axis_.scale && std::abs(centred(scale) - axis_.first) * scale <= 2;
    if (at < 0 || there) return fitAll();
    set_axis(centred(scale), scale);
}

void OperatorTimeline::ensure_visible(double at) {
    const double edge = room() * 0.1;
    const double x = axis_.x_of(at);
    if (x < TimelineAxis::margin - 1 || x > width() - TimelineAxis::margin + 1)
        set_axis(at - (x < edge ? edge : room() - edge) * axis_.pixel(), axis_.scale);
}

QPoint OperatorTimeline::cut_handle(std::size_t which) const {
    const QPointF at = TimelinePainter(sheet()).handle(which);
    return {static_cast<int>(std::floor(at.x())), static_cast<int>(std::lround(at.y()))};
}

QPoint OperatorTimeline::snap_point(std::int32_t legal) const {
    return {static_cast<int>(std::lround(x_of_legal(legal))), height() / 2};
}

double OperatorTimeline::x_of_legal(std::int32_t legal) const {
    return axis_.x_of(layout_.cut_at(document_.position(legal)));
}

std::int32_t OperatorTimeline::legal_at(double x) const { return layout_.nearest_cut(axis_.at(x)); }

void OperatorTimeline::addCut() {
    if (!model_) return;
    document_.settle();
    std::int32_t legal = document_.best_new_cut();
    if (last_selected_ >= 0) legal = model_->cuts.nearest(last_selected_);
    if (!document_.add_cut(legal)) {
        Q_EMIT hint(legal < 0 ? tr("This model has no legal cut left") : tr("A cut is already here"));
        return;
    }
    const auto& cuts = document_.cuts();
    setFocus();
    graph_.cut_focus().focus(static_cast<int>(std::lower_bound(cuts.begin(), cuts.end(), legal) - cuts.begin()));
}

void OperatorTimeline::show_block(std::int32_t block) {
    if (block < 0 || !model_) return show_operators(-1, -1);
    const model::Block& shown = model_->tree.blocks[static_cast<std::size_t>(block)];
    show_operators(shown.first, shown.last);
}

void OperatorTimeline::show_operators(graph::NodeIndex first, graph::NodeIndex last) {
    const bool shown = first >= 0 && last < layout_.count();
    first_selected_ = shown ? first : -1;
    last_selected_ = shown ? last : -1;
    if (shown) ensure_visible((layout_.start(first) + layout_.end(last)) / 2);
    describe();
    update();
}

/// Describes the cuts and the segments between them to screen readers, which cannot read the picture itself.
void OperatorTimeline::describe() {
    if (document_.previewing()) return;  // describe() is called again when the drag ends
    QStringList parts;
    const int cut = graph_.cut_focus().cut();
    const auto count = static_cast<int>(document_.shown_cuts().size());
    if (model_ && priced_ && !document_.shown_painting()) {
        const TimelinePainter score(sheet());
        if (cut >= 0 && cut < count) parts << cut_description(document_, static_cast<std::size_t>(cut));
        for (int i = 0; i <= count; ++i) {
            parts << score.segment_text(static_cast<std::size_t>(i));
            if (i == count) break;
            const graph::NodeIndex after = document_.position(document_.shown_cuts()[static_cast<std::size_t>(i)]);
            parts << tr("cut %1 after %2")
                         .arg(i + 1)
                         .arg(QString::fromStdString(model_->graph.nodes[static_cast<std::size_t>(after)].name));
        }
    }
    const QString text = parts.join(QStringLiteral("; "));
    if (accessibleDescription() != text) setAccessibleDescription(text);
    if (accessibleName() != tr("Model score")) setAccessibleName(tr("Model score"));
}

QStringList OperatorTimeline::card_lines(std::size_t which) const {
    const std::vector<model::SegmentSummary> segments = document_.segments();
    const TimelinePainter score(sheet());
    const model::SegmentSummary& before = segments[which];
    const auto& position = model_->cuts.positions[static_cast<std::size_t>(before.last)];
    QStringList lines;
    if (!refusal_.isEmpty()) lines << QStringLiteral("\u26a0 ") + tr("Cannot be dropped here: %1").arg(refusal_);
    lines
        << tr("after %1").arg(QString::fromStdString(model_->graph.nodes[static_cast<std::size_t>(before.last)].name));
    lines << score.segment_text(which) << score.segment_text(which + 1);
    lines << tr("Crossing: %1 forward, %2 back")
                 .arg(model::bytes_text(before.bytes_out), model::bytes_text(before.gradient_bytes_out));
    lines << (position.exact ? tr("Tensors: %1").arg(before.values_out)
                             : tr("Tensors: %1, some of unknown size").arg(before.values_out));
    return lines + graph_.cut_card().notes();
}

void OperatorTimeline::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const TimelinePainter score(sheet());
    score.paint_ground(painter);
    if (!model_) return;
    score.paint_scopes(painter);
    score.paint_operators(painter, first_selected_, last_selected_);
    score.paint_matches(painter);
    score.paint_ruler(painter);
    score.paint_segments(painter);
    if (document_.shown_painting()) return;
    const int in_hand = gesture_cut_ >= 0 ? gesture_cut_ : graph_.cut_focus().cut();
    score.paint_cuts(painter, graph_.cut_focus().cut(), gesture_cut_ >= 0 ? gesture_cut_ : hovered_cut_,
                     refusal_.isEmpty() ? -1 : gesture_cut_);
    score.paint_crossing(painter, in_hand, graph_.cut_card().price());
    const int card = gesture_ == Gesture::drag_cut ? gesture_cut_ : gesture_ == Gesture::none ? hovered_cut_ : -1;
    if (card >= 0)
        CutOverlay::paint_lines_at(painter, card_lines(static_cast<std::size_t>(card)), last_,
                                   model::colours_of(palette()), QRectF(rect()));
}

void OperatorTimeline::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (fitted_) fitAll();
    else set_axis(axis_.first, axis_.scale);
}

void OperatorTimeline::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) {
        setAccessibleName(tr("Model score"));
        describe();
        Q_EMIT pricesChanged();
    }
    if (event->type() == QEvent::PaletteChange) update();
    QWidget::changeEvent(event);
}

}  // namespace divisi::graphview

#include "moc_operator_timeline.cpp"
