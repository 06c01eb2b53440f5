// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsItem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/graphview/placing/layout_cache.h"
#include "app/model/documents/painting.h"
#include "app/model/estimates/figures.h"
#include "app/model/wording/colours.h"

namespace divisi::graphview {

/// Adjacent blocks of a row that have the same colour, in scene units.
struct ColouredPart {
    double left = 0, right = 0;
    QColor colour;
};

/// Paints the blocks, scopes and edges of a layout as a single item. Visible blocks are found by row. For 10,000
/// blocks, this needs a hundredth of the time that one item per block would need, and no index of items. Below the zoom
/// `detail_zoom`, blocks are flat and without text, and edges are straight.
class GraphCanvas : public QGraphicsItem {
public:
    static constexpr std::int32_t mixed_segments = -1;
    static constexpr double detail_zoom = 0.35;
    /// Below this zoom, the names of blocks cannot be read.
    static constexpr double readable_zoom = 0.5;

    GraphCanvas() {
        setFlag(ItemUsesExtendedStyleOption);
    }  // so that paint() gets the exposed part instead of the
       // whole item

    /// Shows a model; null for none. The model must outlive every layout of it that is shown.
    void show(const model::LoadedModel* model, LayoutPtr shown);
    void set_colours(const model::Colours& colours);
    /// Sets the selection: blocks as indices into Layout::blocks, and the current one, which keys move. If `current` is
    /// -1, the blocks are only marked.
    void set_selected(std::int32_t current) { set_selected(current, {current}); }
    void set_selected(std::int32_t current, const std::vector<std::int32_t>& placed);
    void set_matches(std::vector<bool> blocks);
    /// Sets the segments in which the blocks are painted, and the places where segments wait for each other; null for
    /// none. Both are copied.
    void set_painting(const model::Painting* painting, const std::vector<plan::BlockLink>& cycle);

    /// Sets the figures that colour the blocks; empty for none.
    void set_figures(model::BlockFigures figures);
    const model::BlockFigures& figures() const { return figures_; }

    /// Returns the shown model; null for none.
    const model::LoadedModel* model() const { return model_; }
    const Layout& layout() const { return *layout_; }
    std::int32_t selected() const { return selected_; }
    std::vector<std::int32_t> all_selected() const;
    /// Returns the segment of a block; mixed_segments if there are several, or if no segments are painted.
    std::int32_t segment(std::int32_t placed) const {
        return static_cast<std::size_t>(placed) < segment_.size() ? segment_[placed] : mixed_segments;
    }
    bool is_selected(std::int32_t placed) const {
        return placed < static_cast<std::int32_t>(chosen_.size()) && chosen_[placed];
    }
    /// Returns whether a search has found the block or an operator in it.
    bool is_match(std::int32_t placed) const {
        return !matches_.empty() && matches_[static_cast<std::size_t>(layout_->blocks()[placed].block)];
    }
    /// Returns the index into Layout::blocks of the block at a scene point; -1 if none.
    std::int32_t block_at(QPointF point) const;
    /// Returns the BlockTree index of the open scope whose header is at a scene point; -1 if none.
    std::int32_t scope_header_at(QPointF point) const;

    /// Returns the colour of a block when zoomed out, by its figure, its segment, or neither.
    QColor far_colour(std::int32_t placed) const;
    /// Returns the coloured parts of a row, from left to right, as they are drawn when zoomed out. Adjacent blocks of
    /// one colour form one part. A block that starts less than `least` scene units (the size of a pixel) after the
    /// start of a part also belongs to that part. There are no gaps between parts.
    std::vector<ColouredPart> far_parts(const Row& row, double least) const;
    /// Returns whether segments are painted.
    bool painted() const { return painting_.has_value(); }

    QRectF boundingRect() const override { return layout().bounds().adjusted(-8, -8, 8, 8); }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;
    /// Paints the content of a part of the scene. Changes no members, so that another thread can paint a copy of this
    /// item.
    void paint_on(QPainter& painter, const QRectF& exposed) const;
    /// Returns a copy that belongs to no scene.
    std::shared_ptr<const GraphCanvas> copy() const;

private:
    void paint_scopes(QPainter& painter, const QRectF& exposed, double zoom) const;
    void paint_edges(QPainter& painter, const QRectF& exposed, double zoom) const;
    void paint_blocks(QPainter& painter, const QRectF& exposed, double zoom) const;
    void paint_far(QPainter& painter, const QRectF& exposed, double zoom) const;
    void paint_far_marks(QPainter& painter, const Row& row, double pixel) const;
    void paint_block(QPainter& painter, std::int32_t index, double zoom) const;
    void paint_work(QPainter& painter, std::int32_t index) const;
    /// Paints the segments of a block as a band at its left edge, divided in proportion to their shares. Returns the
    /// width of the numbers at the right edge.
    double paint_segments(QPainter& painter, std::int32_t index) const;
    /// Fills a block by its figure. Returns the colour for text on the block.
    QColor fill_by_figure(QPainter& painter, std::int32_t index) const;
    QString subtitle(std::int32_t index) const;
    bool crosses(const PlacedEdge& edge) const;
    bool in_cycle(const PlacedEdge& edge) const;

    const model::LoadedModel* model_ = nullptr;
    LayoutPtr layout_ = std::make_shared<const Layout>();  ///< current layout; never null
    const model::Colours* colours_ = &model::dark_colours();
    std::int32_t selected_ = -1;
    std::vector<bool> chosen_;  ///< selected blocks, by index; empty: none
    std::optional<model::Painting> painting_;
    std::vector<std::int32_t> segment_;  ///< segment of each block while painted; mixed if there are several
    /// edges, given by their two blocks, at which segments wait for each other
    std::vector<std::pair<std::int32_t, std::int32_t>> waiting_;
    std::vector<bool> matches_;    ///< search matches, by block of the tree; empty: no search is active
    double most_work_ = 1;         ///< highest work of a visible block, for the bars
    model::BlockFigures figures_;  ///< figures of the placed blocks; empty: blocks are plain
};

/// Returns the subtitle of a block: "Conv", or "12 operators" for a scope, followed by "64×56×56" and "1.2 GFLOP" if
/// known.
QString block_subtitle(const model::LoadedModel& model, const model::Block& block);
/// Returns everything about a block, as rich text for a tooltip.
QString block_tooltip(const model::LoadedModel& model, const model::Block& block);

}  // namespace divisi::graphview
