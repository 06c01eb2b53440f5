// SPDX-License-Identifier: GPL-3.0-or-later
// Colours the blocks of GraphView, marks search matches, and makes the picture of the whole graph.
#include <QPainter>
#include <algorithm>

#include "app/graphview/diagram/graph_view.h"
#include "app/graphview/diagram/legend.h"

namespace divisi::graphview {

namespace {

/// Margins around the graph in a picture: the segments' labels at the left, crossing bytes at the right, title and
/// legend.
constexpr double picture_left = 216, picture_right = 216, picture_end = 32, title_height = 56, legend_height = 40;

}  // namespace

void GraphView::setColourBy(model::ColourBy by) {
    if (colour_by_ == by) return;
    colour_by_ = by;
    if (!model_) return;
    show_painting();
    show_figures();
}

void GraphView::set_times(std::shared_ptr<const model::OperatorTimes> times) {
    if (times_ == times) return;
    times_ = std::move(times);
    if (model_ && colour_by_ == model::ColourBy::time) show_figures();
}

void GraphView::show_figures() {
    std::vector<model::BlockRange> ranges;
    for (const PlacedBlock& placed : canvas_->layout().blocks()) {
        const model::Block& block = model_->tree.blocks[placed.block];
        ranges.emplace_back(block.first, block.last);
    }
    canvas_->set_figures(model::block_figures(*model_, ranges, colour_by_, times_.get()));
    viewport()->update();
    Q_EMIT coloursChanged();
}

void GraphView::set_search_matches(std::vector<graph::NodeIndex> nodes, bool searching) {
    matches_ = std::move(nodes);
    searching_ = searching;
    if (model_) show_matches();
    Q_EMIT matchesChanged();
}

/// Shows the search matches again, which a new layout does not know.
void GraphView::show_matches() {
    if (!searching_) return canvas_->set_matches({});
    std::vector<bool> blocks(model_->tree.blocks.size(), false);
    for (const graph::NodeIndex node : matches_)
        for (std::int32_t at = model_->tree.operator_block[node]; at >= 0; at = model_->tree.blocks[at].parent)
            blocks[at] = true;
    canvas_->set_matches(std::move(blocks));
}

QSizeF GraphView::picture_size() const {
    const QRectF& graph = canvas_->layout().bounds();
    return {graph.width() + picture_left + picture_right,
            graph.height() + title_height + 2 * picture_end + legend_height};
}

GraphSnapshot GraphView::snapshot(const QString& title) const {
    const model::Colours& colours = model::colours_of(palette());
    const QRectF whole(QPointF(0, 0), picture_size());
    const QRectF graph = canvas_->layout().bounds();
    const QRectF middle = whole.adjusted(0, title_height, 0, -legend_height);
    GraphSnapshot snapshot;
    snapshot.title_ = title;
    snapshot.size_ = whole.size();
    snapshot.model_ = model_;
    snapshot.canvas_ = canvas_->copy();
    snapshot.to_picture_ =
        QTransform::fromTranslate(picture_left - graph.left(), title_height + picture_end - graph.top());
    const CutOverlay cuts(document_, canvas_->layout(), colours, snapshot.to_picture_, middle);
    const bool painted = painting_ || document_.shown_painting();
    QPainter below(&snapshot.below_);
    below.fillRect(whole, colours.ground);
    if (!painted) cuts.paint_tints(below);
    below.end();
    QPainter above(&snapshot.above_);
    if (!painted) {
        cuts.paint_lines(above, -1, -1);
        cuts.paint_labels(above, -1, {});
    }
    QFont font = above.font();
    font.setPixelSize(20);
    font.setWeight(QFont::DemiBold);
    above.setFont(font);
    above.setPen(colours.text);
    above.drawText(QRectF(whole.left() + 16, 0, whole.width() - 32, title_height), Qt::AlignVCenter | Qt::AlignLeft,
                   title);
    Legend(*this).paint(above, QRectF(16, middle.bottom(), whole.width() - 32, legend_height), colours);
    above.end();
    return snapshot;
}

}  // namespace divisi::graphview
