// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/segment_brush.h"

#include <algorithm>
#include <utility>

namespace divisi::graphview {

void SegmentBrush::set_painting(bool on) {
    if (painting_ == on || (on && !canvas_.model())) return;
    painting_ = on;
    Q_EMIT switched(on);
    Q_EMIT changed();
    Q_EMIT hint(on ? tr("Click blocks, or drag over them, to paint them. Drag from empty space to draw a frame, with "
                        "Shift to draw a lasso. Ctrl+click picks a segment. The middle button moves the graph")
                   : QString());
}

void SegmentBrush::choose(int segment) {
    const int most = std::min(segment_count(), static_cast<int>(plan::most_stages) - 1);
    segment_ = std::clamp(segment, 0, most);
    Q_EMIT changed();
}

void SegmentBrush::pick(std::int32_t placed) {
    if (placed < 0) return choose(segment_);
    const graph::NodeIndex node = canvas_.layout().blocks()[placed].first;
    choose(document_.start_painting().segment_of[node]);
}

int SegmentBrush::segment_count() const {
    if (!canvas_.model()) return 0;
    const model::Painting* shown = document_.shown_painting();
    return shown ? shown->segments() : static_cast<int>(document_.shown_cuts().size()) + 1;
}

bool SegmentBrush::paint_selection(int segment) {
    const std::vector<std::int32_t> chosen = canvas_.all_selected();
    if (chosen.empty() || canvas_.selected() < 0) return false;
    segment_ = segment;
    stroke_ = before_stroke_ = document_.start_painting();
    paint(chosen);
    commit_stroke();
    Q_EMIT changed();
    return true;
}

bool SegmentBrush::paint_key(int key) {
    if (key < Qt::Key_1 || key > Qt::Key_9) return false;
    const int segment = key - Qt::Key_1;
    if (!painting_ && canvas_.selected() < 0) return false;
    if (segment > segment_count()) {
        Q_EMIT hint(
            tr("There are %Ln segments; the next new one is %1", nullptr, segment_count()).arg(segment_count() + 1));
        return true;
    }
    if (!paint_selection(segment)) choose(segment);
    return true;
}

void SegmentBrush::begin_stroke() {
    choose(segment_);  // undoing a stroke may have removed the brush's segment
    stroke_ = before_stroke_ = document_.start_painting();
    last_stroke_painted_ = false;
}

void SegmentBrush::paint(const std::vector<std::int32_t>& placed) {
    if (placed.empty()) return;
    for (const std::int32_t i : placed) {
        const PlacedBlock& block = canvas_.layout().blocks()[i];
        model::paint(stroke_, block.first, block.last + 1, segment_);
    }
    preview_stroke();
}

void SegmentBrush::paint_block(std::int32_t block) {
    const model::Block& painted = canvas_.model()->tree.blocks[block];
    model::paint(stroke_, painted.first, painted.last + 1, segment_);
    preview_stroke();
}

void SegmentBrush::preview_stroke() {
    model::follow_consumers(*canvas_.model(), stroke_);
    document_.preview({{}, stroke_});
}

void SegmentBrush::repaint(const std::vector<std::int32_t>& placed) {
    stroke_ = before_stroke_;
    if (placed.empty()) document_.drop_preview();
    paint(placed);
}

void SegmentBrush::commit_stroke() {
    if (!document_.previewing()) return;
    last_painted_.assign(stroke_.segment_of.size(), false);
    for (std::size_t node = 0; node < last_painted_.size(); ++node)
        last_painted_[node] = stroke_.segment_of[node] != before_stroke_.segment_of[node];
    const int steps = document_.undo_stack().index();
    document_.commit_preview(tr("Paint segment %1").arg(segment_ + 1));
    last_stroke_painted_ = document_.undo_stack().index() > steps;
}

std::optional<model::Painting> SegmentBrush::mended() const {
    if (!canvas_.model() || !document_.painting() || document_.previewing() || document_.shown_cycle().empty())
        return {};
    return model::mended(*canvas_.model(), *document_.painting(), last_painted_);
}

void SegmentBrush::mend() {
    if (auto painting = mended()) document_.set_split({{}, std::move(*painting)}, tr("Mend segments"));
}

}  // namespace divisi::graphview

#include "moc_segment_brush.cpp"
