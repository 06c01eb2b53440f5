// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/graph_camera.h"

#include <QScrollBar>
#include <QTimerEvent>
#include <algorithm>
#include <cmath>
#include <utility>

namespace divisi::graphview {
namespace {

constexpr double least_zoom = 0.0005, most_zoom = 4;

/// Distance in pixels from an edge of the viewport within which a gesture scrolls, and the pixels per scroll step.
constexpr int scroll_edge = 32, scroll_step = 18;

}  // namespace

void GraphCamera::zoom_by(double factor, QPoint anchor) {
    show({std::clamp(zoom() * factor, least_zoom, most_zoom), view_.mapToScene(anchor), QPointF(anchor)});
}

void GraphCamera::zoom_in() {
    zoom_by(1.25, view_.viewport()->rect().center());
    keep_in_sight();
}

void GraphCamera::zoom_out() { zoom_by(0.8, view_.viewport()->rect().center()); }

void GraphCamera::zoom_reset() {
    zoom_by(1 / zoom(), view_.viewport()->rect().center());
    keep_in_sight();
}

/// Scrolls so that the centre of the view is on the graph. Otherwise, the graph could leave the view when the user
/// zooms in.
void GraphCamera::keep_in_sight() {
    if (!canvas_.model()) return;
    const QPoint middle = view_.viewport()->rect().center();
    const QPointF at = view_.mapToScene(middle);
    const QPointF nearest = nearest_in(canvas_.layout().bounds(), at);
    if (nearest != at) show({zoom(), nearest, middle});
}

/// Returns the point of the focused cut or selected block. Without one, returns the centre of the view, shifted
/// horizontally to the middle of the graph.
QPointF GraphCamera::point_of_interest() const {
    if (const std::optional<QPointF> chosen = chosen_()) return *chosen;
    const QRectF& graph = canvas_.layout().bounds();
    const double y = view_.mapToScene(view_.viewport()->rect().center()).y();
    return {graph.center().x(), std::clamp(y, graph.top(), graph.bottom())};
}

void GraphCamera::centre() {
    if (!canvas_.model()) return;
    const QPointF middle = viewport().center();
    const QPointF point = point_of_interest();
    const QPointF before = view_.mapFromScene(point);
    const bool there = zoom() >= GraphCanvas::detail_zoom && (before - middle).manhattanLength() <= 2;
    if (!chosen_() || there) return fit_all();
    show({zoom() < GraphCanvas::readable_zoom ? 0.8 : zoom(), point, middle});
}

void GraphCamera::show(const CameraPosition& position) {
    view_.setTransform(QTransform::fromScale(position.zoom, position.zoom));
    const QPointF moved = view_.mapFromScene(position.scene) - position.viewport;
    scroll_by({static_cast<int>(std::lround(moved.x())), static_cast<int>(std::lround(moved.y()))});
    Q_EMIT changed();
}

void GraphCamera::scroll_by(QPoint pixels) {
    QScrollBar &across = *view_.horizontalScrollBar(), &down = *view_.verticalScrollBar();
    across.setValue(across.value() + pixels.x());
    down.setValue(down.value() + pixels.y());
}

void GraphCamera::fit_all() {
    if (!canvas_.model()) return;
    const QRectF& graph = canvas_.layout().bounds();
    if (const std::optional<CameraPosition> whole = fit_whole(graph, viewport())) return show(*whole);
    show(fit_readable(graph, viewport(), point_of_interest()));
    Q_EMIT hint(tr("The whole graph is too long to be readable here; the overview beside it shows the whole graph"));
}

void GraphCamera::fit_width() {
    if (canvas_.model()) show(graphview::fit_width(canvas_.layout().bounds(), viewport()));
}

void GraphCamera::fit_width_when_shown() {
    fit_pending_ = !view_.isVisible();
    fit_width();
}

void GraphCamera::view_shown() {
    if (std::exchange(fit_pending_, false)) fit_width();
}

void GraphCamera::go_to_end(bool last) {
    if (canvas_.model()) show(end_of_graph(canvas_.layout().bounds(), viewport(), zoom(), shown().center().x(), last));
}

void GraphCamera::ensure_visible(const CutLine& line) {
    if (const std::optional<QPointF> to = centre_for(line, shown())) view_.centerOn(*to);
}

void GraphCamera::bring_to_middle(QPointF point) {
    if (zoom() < GraphCanvas::readable_zoom) zoom_by(0.8 / zoom(), view_.viewport()->rect().center());
    view_.centerOn(point);
    Q_EMIT changed();
}

LayoutAnchor GraphCamera::anchor_at(graph::NodeIndex node) const {
    const Layout& layout = canvas_.layout();
    if (!canvas_.model() || layout.rows().empty()) return {};
    const auto area = [&](graph::NodeIndex of) {
        return view_.mapFromScene(layout.blocks()[layout.placed_at(of)].rect).boundingRect();
    };
    if (node == graph::no_node || !area(node).intersects(view_.viewport()->rect())) {
        const QPointF middle = view_.mapToScene(view_.viewport()->rect().center());
        const auto last = static_cast<std::int32_t>(layout.rows().size()) - 1;
        const Row& row = layout.rows()[std::min(layout.rows_between(middle.y(), middle.y()).first, last)];
        const auto first = layout.blocks().begin() + row.first;
        node = std::min_element(first, first + row.count, [&](const PlacedBlock& a, const PlacedBlock& b) {
                   return std::abs(a.rect.center().x() - middle.x()) < std::abs(b.rect.center().x() - middle.x());
               })->first;
    }
    return {node, view_.mapFromScene(layout.blocks()[layout.placed_at(node)].rect.topLeft())};
}

void GraphCamera::restore(const LayoutAnchor& anchor) {
    if (anchor.at && anchor.node != graph::no_node) {
        const Layout& layout = canvas_.layout();
        scroll_by(view_.mapFromScene(layout.blocks()[layout.placed_at(anchor.node)].rect.topLeft()) - *anchor.at);
    }
    Q_EMIT changed();
}

void EdgeScroll::follow(QPoint pointer) {
    pointer_ = pointer;
    const QRect inside = viewport_.rect().adjusted(0, scroll_edge, 0, -scroll_edge);
    const bool scroll = pointer.y() < inside.top() || pointer.y() > inside.bottom() || sideways() != 0;
    if (scroll && !timer_.isActive()) timer_.start(30, this);
    if (!scroll) timer_.stop();
}

/// Returns -1 near the left edge and 1 near the right edge, because folded rows may be wider than the view; otherwise
/// 0.
int EdgeScroll::sideways() const {
    if (!canvas_.layout().folded()) return 0;
    return pointer_.x() < scroll_edge ? -1 : pointer_.x() > viewport_.width() - scroll_edge ? 1 : 0;
}

void EdgeScroll::timerEvent(QTimerEvent* event) {
    if (event->timerId() != timer_.timerId()) return QObject::timerEvent(event);
    const int by = pointer_.y() < viewport_.height() / 2 ? -scroll_step : scroll_step;
    const bool at_end = pointer_.y() < scroll_edge || pointer_.y() > viewport_.height() - scroll_edge;
    camera_.scroll_by({sideways() * scroll_step, at_end ? by : 0});
    Q_EMIT scrolled();
}

}  // namespace divisi::graphview

#include "moc_graph_camera.cpp"
