// SPDX-License-Identifier: GPL-3.0-or-later
// Paints segments in GraphView: strokes, frames and keys.
#include <QPainter>
#include <algorithm>
#include <utility>

#include "app/graphview/diagram/graph_view.h"

namespace divisi::graphview {

namespace {

/// Distance in pixels between two corners of a lasso.
constexpr double lasso_step = 4;

/// Returns whether the pointer's path touches a block (clipping by Liang and Barsky).
bool touches(const QRectF& rect, QPointF from, QPointF to) {
    double enter = 0, leave = 1;
    const auto clip = [&](double start, double way, double low, double high) {
        if (way == 0) return start >= low && start <= high;
        const double a = (low - start) / way, b = (high - start) / way;
        enter = std::max(enter, std::min(a, b));
        leave = std::min(leave, std::max(a, b));
        return true;
    };
    return clip(from.x(), to.x() - from.x(), rect.left(), rect.right()) &&
           clip(from.y(), to.y() - from.y(), rect.top(), rect.bottom()) && enter <= leave;
}

}  // namespace

/// Updates the painted segments. Returns whether blocks may look different.
bool GraphView::show_painting() {
    if (!model_) return false;
    const std::optional<model::Cuts> before = std::exchange(coloured_cuts_, {});
    if (const model::Painting* shown = document_.shown_painting()) {
        canvas_->set_painting(shown, document_.shown_cycle());
        return true;
    }
    if (painting_) {
        const model::Painting stages = document_.start_painting();
        canvas_->set_painting(&stages, {});
        return true;
    }
    if (colour_by_ != model::ColourBy::segment) {
        const bool painted = canvas_->painted();
        if (painted) canvas_->set_painting(nullptr, {});
        return painted;
    }
    coloured_cuts_ = document_.shown_cuts();
    if (before == coloured_cuts_) return false;  // the gesture ended in the state that its preview showed
    const model::Painting stages = model::painting_of(*model_, *coloured_cuts_, {});
    canvas_->set_painting(&stages, {});
    return true;
}

int GraphView::segment_count() const {
    if (!model_) return 0;
    const model::Painting* shown = document_.shown_painting();
    return shown ? shown->segments() : static_cast<int>(document_.shown_cuts().size()) + 1;
}

void GraphView::setPainting(bool on) {
    if (painting_ == on || (on && !model_)) return;
    end_gesture();
    painting_ = on;
    if (on) {
        focus_cut(-1);
        select_block(-1, false);
        setFocus();
    }
    end_gesture();  // resets the pointer's shape
    if (show_painting()) Q_EMIT coloursChanged();
    Q_EMIT paintingChanged();
    Q_EMIT hint(on ? tr("Click or drag over blocks to paint them; drag from empty space to frame them, with Shift to "
                        "lasso them; Ctrl+click picks a segment; the middle button moves the graph")
                   : QString());
}

void GraphView::setBrush(int segment) {
    const int most = std::min(segment_count(), static_cast<int>(plan::most_stages) - 1);
    brush_ = std::clamp(segment, 0, most);
    Q_EMIT paintingChanged();
}

void GraphView::selectSegment(int segment) {
    std::vector<std::int32_t> blocks;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(canvas_->layout().blocks().size()); ++i)
        if (canvas_->segment(i) == segment) blocks.push_back(i);
    setBrush(segment);
    if (blocks.empty()) return select_block(-1, false);
    anchor_ = blocks.front();
    ++choices_;
    canvas_->set_selected(blocks.front(), blocks);
    ensureVisible(canvas_->layout().blocks()[blocks.front()].rect, 80, 80);
    Q_EMIT blockSelected(selected_block());
}

int GraphView::segment_at(std::int32_t placed) const {
    const graph::NodeIndex node = model_->tree.blocks[canvas_->layout().blocks()[placed].block].first;
    return document_.start_painting().segment_of[node];
}

void GraphView::begin_stroke(QPoint position, bool lasso) {
    const QPointF point = mapToScene(position);
    const std::int32_t scope = canvas_->scope_header_at(point);
    const bool on_block = canvas_->block_at(point) >= 0;
    setBrush(brush_);  // undoing a stroke may have removed the brush's segment
    select_block(-1, false);
    stroke_ = before_stroke_ = document_.start_painting();
    frame_from_ = point;
    click_painted_ = false;
    lasso_ = {point};
    if (lasso) {
        gesture_ = Gesture::lasso;
        return;
    }
    gesture_ = on_block || scope > 0 ? Gesture::stroke : Gesture::frame;
    if (on_block) stroke_to(position);
    else if (scope > 0) paint_range(model_->tree.blocks[scope].first, model_->tree.blocks[scope].last + 1);
}

void GraphView::stroke_to(QPoint position) {
    const QPointF from = mapToScene(last_), to = mapToScene(position);
    last_ = position;
    const auto [first, last] = canvas_->layout().rows_between(std::min(from.y(), to.y()), std::max(from.y(), to.y()));
    std::vector<std::int32_t> hit;
    for (std::int32_t row = first; row <= last; ++row) {
        const Row& blocks = canvas_->layout().rows()[row];
        for (std::int32_t i = blocks.first; i < blocks.first + blocks.count; ++i)
            if (touches(canvas_->layout().blocks()[i].rect, from, to)) hit.push_back(i);
    }
    paint_blocks(hit);
    scroll_at_edge(position);
}

void GraphView::frame_to(QPoint position) {
    last_ = position;
    const QRectF frame = QRectF(frame_from_, mapToScene(position)).normalized();
    const auto [first, last] = canvas_->layout().rows_between(frame.top(), frame.bottom());
    std::vector<std::int32_t> hit;
    for (std::int32_t row = first; row <= last; ++row) {
        const Row& blocks = canvas_->layout().rows()[row];
        for (std::int32_t i = blocks.first; i < blocks.first + blocks.count; ++i)
            if (canvas_->layout().blocks()[i].rect.intersects(frame)) hit.push_back(i);
    }
    preview_framed(hit);
    scroll_at_edge(position);
}

/// Paints the blocks whose centre lies inside the pointer's path, closed by a straight line.
void GraphView::lasso_to(QPoint position) {
    last_ = position;
    const QPointF point = mapToScene(position);
    if (QLineF(lasso_.back(), point).length() * zoom() >= lasso_step) lasso_ << point;
    const QRectF around = lasso_.boundingRect();
    const auto [first, last] = canvas_->layout().rows_between(around.top(), around.bottom());
    std::vector<std::int32_t> hit;
    for (std::int32_t row = first; row <= last; ++row) {
        const Row& blocks = canvas_->layout().rows()[row];
        for (std::int32_t i = blocks.first; i < blocks.first + blocks.count; ++i)
            if (lasso_.containsPoint(canvas_->layout().blocks()[i].rect.center(), Qt::OddEvenFill)) hit.push_back(i);
    }
    preview_framed(hit);
    scroll_at_edge(position);
}

void GraphView::preview_framed(const std::vector<std::int32_t>& hit) {
    stroke_ = before_stroke_;
    if (hit.empty()) document_.drop_preview();
    paint_blocks(hit);
    viewport()->update();
}

void GraphView::paint_blocks(const std::vector<std::int32_t>& placed) {
    if (placed.empty()) return;
    for (const std::int32_t i : placed) {
        const model::Block& block = model_->tree.blocks[canvas_->layout().blocks()[i].block];
        model::paint(stroke_, block.first, block.last + 1, brush_);
    }
    model::follow_consumers(*model_, stroke_);
    document_.preview({{}, stroke_});
}

void GraphView::paint_range(graph::NodeIndex first, graph::NodeIndex last) {
    model::paint(stroke_, first, last, brush_);
    model::follow_consumers(*model_, stroke_);
    document_.preview({{}, stroke_});
}

void GraphView::commit_stroke() {
    if (!document_.previewing()) return;
    last_painted_.assign(stroke_.segment_of.size(), false);
    for (std::size_t node = 0; node < last_painted_.size(); ++node)
        last_painted_[node] = stroke_.segment_of[node] != before_stroke_.segment_of[node];
    const int steps = document_.undo_stack().index();
    document_.commit_preview(tr("Paint segment %1").arg(brush_ + 1));
    click_painted_ = document_.undo_stack().index() > steps;
}

bool GraphView::paint_selection(int segment) {
    const std::vector<std::int32_t> chosen = canvas_->all_selected();
    if (chosen.empty() || canvas_->selected() < 0) return false;
    brush_ = segment;
    stroke_ = before_stroke_ = document_.start_painting();
    paint_blocks(chosen);
    commit_stroke();
    Q_EMIT paintingChanged();
    return true;
}

bool GraphView::paint_key(int key) {
    if (key < Qt::Key_1 || key > Qt::Key_9 || drags()) return false;
    const int segment = key - Qt::Key_1;
    if (!painting_ && canvas_->selected() < 0) return false;
    if (segment > segment_count()) {
        Q_EMIT hint(
            tr("There are %Ln segments; the next new one is %1", nullptr, segment_count()).arg(segment_count() + 1));
        return true;
    }
    if (!paint_selection(segment)) setBrush(segment);
    return true;
}

std::optional<model::Painting> GraphView::mended() const {
    if (!model_ || !document_.painting() || document_.previewing() || document_.shown_cycle().empty()) return {};
    return model::mended(*model_, *document_.painting(), last_painted_);
}

void GraphView::mend() {
    if (auto painting = mended()) document_.set_split({{}, std::move(*painting)}, tr("Mend segments"));
}

void GraphView::paint_frame(QPainter& painter) const {
    if ((gesture_ != Gesture::frame && gesture_ != Gesture::lasso) || press_ == last_) return;
    const model::Colours& colours = model::colours_of(palette());
    QColor fill = model::segment_colour(brush_, colours);
    painter.setPen(QPen(fill, 1.5, Qt::DashLine));
    fill.setAlphaF(0.12F);
    painter.setBrush(fill);
    if (gesture_ == Gesture::lasso) painter.drawPolygon(mapFromScene(lasso_), Qt::OddEvenFill);
    else painter.drawRect(QRect(mapFromScene(frame_from_), last_).normalized());
}

}  // namespace divisi::graphview
