// SPDX-License-Identifier: GPL-3.0-or-later
// Connects the parts of GraphView, and paints the layers below and above the graph.
#include "app/graphview/diagram/graph_view.h"

#include <QEvent>
#include <QHelpEvent>
#include <QToolTip>

namespace divisi::graphview {

namespace {

/// Margin of the scene around the graph, so that the ends of the graph can be moved to the centre of the view.
constexpr double pan_room = 4000;

/// Returns the focused cut or the selected block as a point of the scene; nothing if there is none.
std::optional<QPointF> chosen_point(const CutFocus& focus, const GraphCanvas& canvas) {
    if (const std::optional<QPointF> cut = focus.point()) return cut;
    if (canvas.selected() < 0) return {};
    return canvas.layout().blocks()[canvas.selected()].rect.center();
}

}  // namespace

GraphView::GraphView(model::GraphDocument& document, QWidget* parent)
    : QGraphicsView(parent),
      document_(document),
      canvas_(new GraphCanvas),
      camera_(*this, *canvas_, [this] { return chosen_point(cut_focus_, *canvas_); }),
      edge_scroll_(*viewport(), *canvas_, camera_),
      selection_(*canvas_, camera_),
      cut_focus_(document, *canvas_, camera_, *this),
      cut_drag_(document, *canvas_, *this),
      brush_(document, *canvas_),
      colours_(document, *canvas_, brush_),
      matches_(*canvas_),
      scopes_(*canvas_, camera_, selection_, *this, [this] { return gesture_ == Gesture::none; }) {
    scene_.addItem(canvas_);  // the scene takes ownership
    setScene(&scene_);
    set_up_view();
    connect_parts();
    tell_screen_readers();
    onModelChanged();
}

void GraphView::set_up_view() {
    setObjectName(QStringLiteral("graphView"));
    setFrameShape(QFrame::NoFrame);
    setTransformationAnchor(NoAnchor);
    setResizeAnchor(NoAnchor);
    setAlignment(Qt::AlignLeft | Qt::AlignTop);
    // A scroll bar is not needed, because the minimap shows the position.
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    // Labels stay at the edges of the viewport, so scrolling must repaint the whole viewport (3 ms).
    setViewportUpdateMode(FullViewportUpdate);
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    canvas_->set_colours(model::colours_of(palette()));
}

void GraphView::connect_parts() {
    const auto repaint = qOverload<>(&QWidget::update);
    connect(&document_, &model::GraphDocument::modelChanged, this, &GraphView::onModelChanged);
    connect(&document_, &model::GraphDocument::cutsChanged, this, &GraphView::onCutsChanged);
    connect(&camera_, &GraphCamera::changed, this, &GraphView::viewChanged);
    connect(&camera_, &GraphCamera::hint, this, &GraphView::hint);
    connect(&edge_scroll_, &EdgeScroll::scrolled, this, &GraphView::follow_scrolling);
    connect(&selection_, &BlockSelection::changed, this, &GraphView::describe);
    connect(&selection_, &BlockSelection::hint, this, &GraphView::hint);
    connect(&cut_focus_, &CutFocus::changed, this, &GraphView::onCutFocused);
    connect(&cut_focus_, &CutFocus::hint, this, &GraphView::hint);
    connect(&cut_drag_, &CutDrag::changed, viewport(), repaint);
    connect(&cut_drag_, &CutDrag::hint, this, &GraphView::hint);
    connect(&cut_card_, &CutCard::changed, viewport(), repaint);
    connect(&brush_, &SegmentBrush::switched, this, &GraphView::onPaintingSwitched);
    connect(&brush_, &SegmentBrush::hint, this, &GraphView::hint);
    connect(&colours_, &BlockColours::changed, viewport(), repaint);
    connect(&scopes_, &GraphScopes::shown, this, &GraphView::onLayoutShown);
}

void GraphView::onModelChanged() {
    scopes_.layouts().forget_arrived();
    end_gesture();
    colours_.forget_times();
    matches_.forget();
    brush_.forget_stroke();
    const model::ModelPtr model = document_.model();
    if (scopes_.is_next_version(model)) {
        scopes_.show_version(model);
        if (!canvas_->model()) tell_cleared();
        return;
    }
    cut_focus_.forget();
    cut_drag_.end_hover();
    brush_.reset();
    if (!model) {
        scopes_.clear();
        brush_.set_painting(false);
        scene_.setSceneRect({});
        return tell_cleared();
    }
    scopes_.show_model(model);
    if (!canvas_->model()) return tell_cleared();
    selection_.select(-1, false);
}

void GraphView::tell_cleared() {
    viewport()->update();
    selection_.tell_cleared();
    Q_EMIT layoutChanged();
    colours_.show();
}

void GraphView::onLayoutShown() {
    colours_.show();
    matches_.show();
    scene_.setSceneRect(layout().bounds().adjusted(-pan_room, -pan_room, pan_room, pan_room));
    viewport()->update();
    Q_EMIT layoutChanged();
}

void GraphView::onCutsChanged() {
    cut_focus_.keep_within_cuts();
    cut_drag_.end_hover();
    colours_.update_segments();
    viewport()->update();
    Q_EMIT viewChanged();
    cut_focus_.describe();
    describe();
}

void GraphView::onCutFocused(int which) {
    viewport()->update();
    if (which >= 0 && which < told_cuts()) model::tell_part_focused(this, *this, which);
    describe();
}

/// Ends a gesture when painting is switched on or off, since pointer and keys mean something else then.
void GraphView::onPaintingSwitched(bool on) {
    end_gesture();
    if (on) {
        cut_focus_.focus(-1);
        selection_.select(-1, false);
        setFocus();
    }
    colours_.update_segments();
}

/// Describes the focused or selected element to screen readers, which cannot read the picture.
void GraphView::describe() {
    if (document_.previewing()) return;  // describe() is called again when the drag ends
    QString text;
    const int focused = cut_focus_.cut();
    const auto cut = static_cast<std::size_t>(focused);
    if (focused >= 0 && cut < document_.shown_cuts().size() && !document_.shown_painting()) {
        text = cut_description(document_, cut);
    } else if (canvas_->model() && selection_.block() >= 0) {
        const model::Block& block = canvas_->model()->tree.blocks[selection_.block()];
        text = QString::fromStdString(block.label) + QStringLiteral(", ") + block_subtitle(*canvas_->model(), block);
    }
    if (accessibleDescription() == text) return;
    setAccessibleDescription(text);
    if (focused >= 0 && focused < told_cuts()) model::tell_part_changed(this, *this, focused);
}

void GraphView::show_tooltip(QHelpEvent* event) {
    const model::LoadedModel* model = canvas_->model();
    const std::int32_t placed = model ? canvas_->block_at(mapToScene(event->pos())) : -1;
    if (placed < 0 || cut_drag_.hovered() >= 0) return QToolTip::hideText();
    const PlacedBlock& block = layout().blocks()[placed];
    const QRect area = mapFromScene(block.rect).boundingRect();
    QToolTip::showText(event->globalPos(), block_tooltip(*model, model->tree.blocks[block.block]), this, area);
}

void GraphView::drawBackground(QPainter* painter, const QRectF&) {
    const model::Colours& colours = model::colours_of(palette());
    painter->save();
    painter->resetTransform();
    painter->fillRect(viewport()->rect(), colours.ground);
    if (canvas_->model() && !brush_.painting()) cut_drag_.overlay().paint_tints(*painter);
    painter->restore();
}

void GraphView::drawForeground(QPainter* painter, const QRectF&) {
    if (!canvas_->model()) return;
    painter->save();
    painter->resetTransform();
    if (brush_.painting() || document_.shown_painting()) {
        const QColor colour = model::segment_colour(brush_.segment(), model::colours_of(palette()));
        if (gesture_ == Gesture::paint && press_ != last_) sweep_.paint(*painter, viewportTransform(), last_, colour);
        painter->restore();
        return;
    }
    const CutOverlay cuts = cut_drag_.overlay();
    const int pressed = cut_drag_.pressed(), focused = cut_focus_.cut();
    if (cut_drag_.dragging()) {
        cuts.paint_landscape(*painter);
        cuts.paint_guide(*painter, static_cast<std::size_t>(pressed), cut_drag_.snapped(), last_.y());
    }
    const bool refused = cut_drag_.dragging() && !cut_drag_.refusal().isEmpty();
    cuts.paint_lines(*painter, focused, pressed >= 0 ? pressed : cut_drag_.hovered(), refused ? pressed : -1);
    cuts.paint_labels(*painter, pressed >= 0 ? pressed : focused, cut_card_.price());
    cut_card_.paint(*painter, cuts, cut_drag_, last_);
    painter->restore();
}

void GraphView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange)
        canvas_->set_colours(model::colours_of(palette()));
    QGraphicsView::changeEvent(event);
}

void GraphView::showEvent(QShowEvent* event) {
    QGraphicsView::showEvent(event);
    camera_.view_shown();
}

void GraphView::resizeEvent(QResizeEvent* event) {
    QGraphicsView::resizeEvent(event);
    scopes_.layouts().place_notice();
    Q_EMIT viewChanged();
}

void GraphView::scrollContentsBy(int dx, int dy) {
    QGraphicsView::scrollContentsBy(dx, dy);
    Q_EMIT viewChanged();
}

}  // namespace divisi::graphview

#include "moc_graph_view.cpp"
