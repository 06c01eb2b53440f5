// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/graph_view.h"

#include <QEvent>
#include <QScrollBar>
#include <algorithm>
#include <cmath>
#include <utility>

namespace divisi::graphview {

namespace {

constexpr double least_zoom = 0.0005, most_zoom = 4;
/// Minimum zoom to fit the graph, at which rows are 3 pixels apart. A graph that needs a smaller zoom would be a mere
/// line, so only part of it is shown.
constexpr double least_fit = 3 / (metrics::block_height + metrics::row_gap);
/// Room in pixels around the fitted graph, for the segments' labels and the crossing bytes.
constexpr double left_room = 216, right_room = 168, end_room = 32;

}  // namespace

GraphView::GraphView(model::GraphDocument& document, QWidget* parent)
    : QGraphicsView(parent), document_(document), canvas_(new GraphCanvas), notice_(new LayoutNotice(this)) {
    scene_.addItem(canvas_);  // the scene takes ownership
    setScene(&scene_);
    setObjectName(QStringLiteral("graphView"));
    setFrameShape(QFrame::NoFrame);
    setTransformationAnchor(NoAnchor);
    setResizeAnchor(NoAnchor);
    setAlignment(Qt::AlignLeft | Qt::AlignTop);
    // The minimap shows the position instead.
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    // Labels stick to the edges of the viewport, so scrolling must repaint it completely (3 ms).
    setViewportUpdateMode(FullViewportUpdate);
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    canvas_->set_colours(model::colours_of(palette()));
    connect(&document_, &model::GraphDocument::modelChanged, this, &GraphView::onModelChanged);
    connect(&document_, &model::GraphDocument::cutsChanged, this, &GraphView::onCutsChanged);
    connect(this, &GraphView::blockSelected, this, &GraphView::describe);
    connect(this, &GraphView::focusedCutChanged, this, &GraphView::describe);
    connect_notice();
    tell_screen_readers();
    onModelChanged();
}

CutOverlay GraphView::overlay() const {
    return CutOverlay(document_, canvas_->layout(), model::colours_of(palette()), viewportTransform(),
                      QRectF(viewport()->rect()));
}

void GraphView::onCutsChanged() {
    const auto count = static_cast<int>(document_.shown_cuts().size());
    if (focused_cut_ >= count) focus_cut(count - 1);
    hovered_cut_ = -1;
    const bool coloured = show_painting();
    viewport()->update();
    Q_EMIT viewChanged();
    if (coloured) Q_EMIT coloursChanged();
    if (focused_cut_ >= 0) Q_EMIT hint(cut_description(document_, static_cast<std::size_t>(focused_cut_)));
    describe();
}

/// Tells screen readers what is focused or selected, since the picture itself tells them nothing.
void GraphView::describe() {
    if (document_.previewing()) return;  // called again when the drag ends
    QString text;
    const auto cut = static_cast<std::size_t>(focused_cut_);
    if (focused_cut_ >= 0 && cut < document_.shown_cuts().size() && !document_.shown_painting()) {
        text = cut_description(document_, cut);
    } else if (model_ && selected_block() >= 0) {
        const model::Block& block = model_->tree.blocks[selected_block()];
        text = QString::fromStdString(block.label) + QStringLiteral(", ") + block_subtitle(*model_, block);
    }
    if (accessibleDescription() == text) return;
    setAccessibleDescription(text);
    if (focused_cut_ >= 0 && focused_cut_ < told_cuts()) model::tell_part_changed(this, *this, focused_cut_);
}

QPoint GraphView::cut_handle(std::size_t which) const { return overlay().handle(which).toPoint(); }

std::vector<QRectF> GraphView::cut_ticks() const {
    std::vector<QRectF> boxes;
    for (const CutOverlay::Tick& tick : overlay().ticks()) boxes.push_back(tick.box);
    return boxes;
}

QPoint GraphView::snap_point(std::int32_t legal) const {
    const CutLine line = canvas_->layout().cut_line(document_.position(legal));
    const QPoint at = mapFromScene(QPointF(line.snap_x.value_or(0), line.anchor_y));
    return {line.snap_x ? at.x() : viewport()->width() / 2, at.y()};
}

void GraphView::focus_cut(int which) {
    if (focused_cut_ == which) return;
    focused_cut_ = which;
    viewport()->update();
    if (which >= 0 && which < told_cuts()) model::tell_part_focused(this, *this, which);
    Q_EMIT focusedCutChanged(which);
    Q_EMIT hint(which < 0 ? QString() : cut_description(document_, static_cast<std::size_t>(which)));
}

void GraphView::show_cut(int which) {
    focus_cut(which);
    if (which >= 0) ensure_cut_visible(static_cast<std::size_t>(which));
    else go_to_end(true);
}

void GraphView::ensure_cut_visible(std::size_t which) {
    if (!model_) return;  // the graph has no picture yet
    const CutLine line = canvas_->layout().cut_line(document_.position(document_.shown_cuts()[which]));
    const double y = line.left_y;
    const QRectF shown = mapToScene(viewport()->rect()).boundingRect();
    const double room = shown.height() * 0.15;
    const double x = line.snap_x.value_or(shown.center().x());
    if (x < shown.left() || x > shown.right()) return centerOn(QPointF(x, y));
    if (y < shown.top() + room || y > shown.bottom() - room) centerOn(QPointF(shown.center().x(), y));
}

std::int32_t GraphView::selected_block() const {
    const std::int32_t placed = canvas_->selected();
    return placed < 0 ? -1 : canvas_->layout().blocks()[placed].block;
}

void GraphView::select_block(std::int32_t block, bool scroll_to) {
    std::int32_t found = -1;
    if (block >= 0 && model_) {
        const graph::NodeIndex node = model_->tree.blocks[block].first;
        found = canvas_->layout().placed_at(node);
    }
    anchor_ = found;
    ++choices_;
    canvas_->set_selected(found);
    if (found >= 0 && scroll_to) ensureVisible(canvas_->layout().blocks()[found].rect, 80, 80);
    Q_EMIT blockSelected(selected_block());
}

void GraphView::mark_operators(graph::NodeIndex first, graph::NodeIndex last) {
    const auto& placed = canvas_->layout().blocks();
    std::vector<std::int32_t> marked;
    for (std::size_t i = 0; i < placed.size(); ++i) {
        const model::Block& block = model_->tree.blocks[placed[i].block];
        if (block.last >= first && block.first <= last) marked.push_back(static_cast<std::int32_t>(i));
    }
    anchor_ = -1;
    ++choices_;
    canvas_->set_selected(-1, marked);
    Q_EMIT blockSelected(-1);
}

bool GraphView::shows(std::int32_t block) const {
    if (!model_) return false;
    const Layout& shown = canvas_->layout();
    const graph::NodeIndex node = model_->tree.blocks[static_cast<std::size_t>(block)].first;
    return shown.blocks()[static_cast<std::size_t>(shown.placed_at(node))].block == block;
}

bool GraphView::is_marked(std::int32_t block) const {
    const auto& placed = canvas_->layout().blocks();
    for (std::size_t i = 0; i < placed.size(); ++i)
        if (placed[i].block == block) return canvas_->is_selected(static_cast<std::int32_t>(i));
    return false;
}

void GraphView::set_notes(const QStringList& notes) {
    if (std::exchange(notes_, notes) != notes) viewport()->update();
}

void GraphView::set_price(const QString& price) {
    if (gesture_ == Gesture::drag_cut) judge_drop();  // a newly known obstacle may forbid the place
    if (std::exchange(price_, price) != price) viewport()->update();
}

void GraphView::zoom_by(double factor, QPoint anchor) {
    const double target = std::clamp(zoom() * factor, least_zoom, most_zoom);
    const QPointF before = mapToScene(anchor);
    setTransform(QTransform::fromScale(target, target));
    const QPointF moved = mapFromScene(before) - QPointF(anchor);
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() + static_cast<int>(std::lround(moved.x())));
    verticalScrollBar()->setValue(verticalScrollBar()->value() + static_cast<int>(std::lround(moved.y())));
    Q_EMIT viewChanged();
}

void GraphView::zoomIn() {
    zoom_by(1.25, viewport()->rect().center());
    keep_in_sight();
}

void GraphView::zoomOut() { zoom_by(0.8, viewport()->rect().center()); }

void GraphView::zoomReset() {
    zoom_by(1 / zoom(), viewport()->rect().center());
    keep_in_sight();
}

/// Moves a narrow graph back into view. A graph beside the centre would leave the view when it grows.
void GraphView::keep_in_sight() {
    if (!model_) return;
    const QRectF& graph = canvas_->layout().bounds();
    const QPoint middle = viewport()->rect().center();
    const QPointF at = mapToScene(middle);
    const QPointF nearest(std::clamp(at.x(), graph.left(), graph.right()),
                          std::clamp(at.y(), graph.top(), graph.bottom()));
    if (nearest != at) show_at(zoom(), nearest, middle);
}

/// Returns the user's point of interest: the focused cut, else the selected block, else the centre of the view.
QPointF GraphView::point_of_interest() const {
    const QRectF& graph = canvas_->layout().bounds();
    if (focused_cut_ >= 0) {
        const graph::NodeIndex after =
            document_.position(document_.shown_cuts()[static_cast<std::size_t>(focused_cut_)]);
        const CutLine line = canvas_->layout().cut_line(after);
        return {line.snap_x.value_or(graph.center().x()), line.left_y};
    }
    if (canvas_->selected() >= 0) return canvas_->layout().blocks()[canvas_->selected()].rect.center();
    const double y = mapToScene(viewport()->rect().center()).y();
    return {graph.center().x(), std::clamp(y, graph.top(), graph.bottom())};
}

void GraphView::centre() {
    if (!model_) return;
    const QPointF middle = QRectF(viewport()->rect()).center();
    const QPointF before = mapFromScene(point_of_interest());
    const bool chosen = focused_cut_ >= 0 || canvas_->selected() >= 0;
    const bool there = zoom() >= GraphCanvas::detail_zoom && (before - middle).manhattanLength() <= 2;
    if (!chosen || there) return fitAll();
    show_at(zoom() < GraphCanvas::readable_zoom ? 0.8 : zoom(), point_of_interest(), middle);
}

void GraphView::show_at(double zoom, QPointF scene, QPointF viewport_point) {
    setTransform(QTransform::fromScale(zoom, zoom));
    const QPointF moved = mapFromScene(scene) - viewport_point;
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() + static_cast<int>(std::lround(moved.x())));
    verticalScrollBar()->setValue(verticalScrollBar()->value() + static_cast<int>(std::lround(moved.y())));
    Q_EMIT viewChanged();
}

void GraphView::fitAll() {
    if (!model_) return;
    const QRectF& graph = canvas_->layout().bounds();
    const QRectF room = QRectF(viewport()->rect()).adjusted(left_room, end_room, -right_room, -end_room);
    const double scale = std::min(room.width() / graph.width(), room.height() / graph.height());
    if (scale >= least_fit) return show_at(std::min(scale, 1.0), graph.center(), room.center());
    const QPointF at = point_of_interest();
    const double zoom = std::clamp(room.width() / graph.width(), GraphCanvas::readable_zoom, 1.0);
    show_at(zoom, at, room.center());
    Q_EMIT hint(tr("The graph is too long to read as a whole; the overview beside it shows all of it"));
}

void GraphView::fitWidth() {
    if (!model_) return;
    const QRectF& graph = canvas_->layout().bounds();
    const QRectF room = QRectF(viewport()->rect()).adjusted(left_room, end_room, -right_room, -end_room);
    const double zoom = std::clamp(room.width() / graph.width(), 0.6, 1.0);
    const bool fits = graph.width() * zoom <= room.width();
    show_at(zoom, QPointF(fits ? graph.center().x() : graph.left(), graph.top()),
            QPointF(fits ? room.center().x() : room.left(), room.top()));
}

void GraphView::go_to_end(bool last) {
    if (!model_) return;
    const QRectF& graph = canvas_->layout().bounds();
    const double x = mapToScene(viewport()->rect()).boundingRect().center().x();
    const double y = last ? viewport()->height() - end_room : end_room;
    show_at(zoom(), QPointF(x, last ? graph.bottom() : graph.top()), QPointF(viewport()->width() / 2.0, y));
}

void GraphView::addCut() {
    if (!model_) return;
    document_.settle();
    std::int32_t legal = document_.best_new_cut();
    if (selected_block() >= 0) legal = model_->cuts.nearest(model_->tree.blocks[selected_block()].last);
    if (!document_.add_cut(legal)) {
        Q_EMIT hint(legal < 0 ? tr("This model has no legal cut left") : tr("A cut is already here"));
        return;
    }
    const auto& cuts = document_.cuts();
    const auto which = std::lower_bound(cuts.begin(), cuts.end(), legal) - cuts.begin();
    setFocus();
    focus_cut(static_cast<int>(which));
    ensure_cut_visible(static_cast<std::size_t>(which));
}

void GraphView::removeCut() {
    if (focused_cut_ >= 0) document_.remove_cut(static_cast<std::size_t>(focused_cut_));
}

void GraphView::nextCut() {
    const auto count = static_cast<int>(document_.shown_cuts().size());
    if (count == 0) return;
    setFocus();
    focus_cut((focused_cut_ + 1) % count);
    ensure_cut_visible(static_cast<std::size_t>(focused_cut_));
}

void GraphView::previousCut() {
    const auto count = static_cast<int>(document_.shown_cuts().size());
    if (count == 0) return;
    setFocus();
    focus_cut(focused_cut_ <= 0 ? count - 1 : focused_cut_ - 1);
    ensure_cut_visible(static_cast<std::size_t>(focused_cut_));
}

void GraphView::drawBackground(QPainter* painter, const QRectF&) {
    const model::Colours& colours = model::colours_of(palette());
    painter->save();
    painter->resetTransform();
    painter->fillRect(viewport()->rect(), colours.ground);
    if (model_ && !painting_) overlay().paint_tints(*painter);
    painter->restore();
}

void GraphView::drawForeground(QPainter* painter, const QRectF&) {
    if (!model_) return;
    painter->save();
    painter->resetTransform();
    if (painting_ || document_.shown_painting()) {
        paint_frame(*painter);
        painter->restore();
        return;
    }
    const CutOverlay cuts = overlay();
    const bool drag = gesture_ == Gesture::drag_cut;
    if (drag) {
        cuts.paint_landscape(*painter);
        cuts.paint_guide(*painter, static_cast<std::size_t>(gesture_cut_), snapped_, last_.y());
    }
    const bool refused = drag && !refusal_.isEmpty();
    cuts.paint_lines(*painter, focused_cut_, gesture_cut_ >= 0 ? gesture_cut_ : hovered_cut_,
                     refused ? gesture_cut_ : -1);
    cuts.paint_labels(*painter, gesture_cut_ >= 0 ? gesture_cut_ : focused_cut_, price_);
    QStringList notes = notes_;
    if (refused) notes.prepend(QStringLiteral("\u26a0 ") + tr("Cannot be dropped here: %1").arg(refusal_));
    if (drag) cuts.paint_card(*painter, static_cast<std::size_t>(gesture_cut_), last_, notes);
    else if (hovered_cut_ >= 0) cuts.paint_card(*painter, static_cast<std::size_t>(hovered_cut_), last_, notes_);
    painter->restore();
}

void GraphView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange)
        canvas_->set_colours(model::colours_of(palette()));
    QGraphicsView::changeEvent(event);
}

void GraphView::showEvent(QShowEvent* event) {
    QGraphicsView::showEvent(event);
    if (std::exchange(fit_pending_, false)) fitWidth();
}

void GraphView::resizeEvent(QResizeEvent* event) {
    QGraphicsView::resizeEvent(event);
    notice_->place();
    Q_EMIT viewChanged();
}

void GraphView::scrollContentsBy(int dx, int dy) {
    QGraphicsView::scrollContentsBy(dx, dy);
    Q_EMIT viewChanged();
}

}  // namespace divisi::graphview
