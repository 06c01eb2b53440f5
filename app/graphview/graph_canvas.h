// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsItem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/graphview/layout_cache.h"
#include "app/model/colours.h"
#include "app/model/figures.h"
#include "app/model/painting.h"

namespace divisi::graphview {

/// Neighbouring blocks of a row that have one colour; in scene units.
struct ColouredPart {
    double left = 0, right = 0;
    QColor colour;
};

/// Paints blocks, scopes and edges of a layout. One item for all: what shows is found by row, which costs a
/// hundredth of an item a block (10,000 of them) and needs no index. Below a zoom of `detail_zoom` blocks
/// are flat and without text, edges straight.
class GraphCanvas : public QGraphicsItem {
public:
    static constexpr std::int32_t mixed_segments = -1;
    static constexpr double detail_zoom = 0.35;
    /// Below it the names of blocks cannot be read.
    static constexpr double readable_zoom = 0.5;

    GraphCanvas() { setFlag(ItemUsesExtendedStyleOption); }  // else everything counts as exposed

    /// Null for none. The model must outlive what is shown of it.
    void show(const model::LoadedModel* model, LayoutPtr shown);
    void set_colours(const model::Colours& colours);
    /// The selection: blocks by position in Layout::blocks, and the one of them that keys move; -1 for
    /// none: then they are only marked.
    void set_selected(std::int32_t current) { set_selected(current, {current}); }
    void set_selected(std::int32_t current, const std::vector<std::int32_t>& placed);
    void set_matches(std::vector<bool> blocks);
    /// Segments to paint the blocks with, and where they wait for each other; null for none. Copied.
    void set_painting(const model::Painting* painting, const std::vector<plan::BlockLink>& cycle);

    /// What to colour the blocks by; none where it is empty.
    void set_figures(model::BlockFigures figures);
    const model::BlockFigures& figures() const { return figures_; }

    const Layout& layout() const { return *layout_; }
    std::int32_t selected() const { return selected_; }
    std::vector<std::int32_t> all_selected() const;
    /// The one segment of a block; mixed_segments where there are several or none is painted.
    std::int32_t segment(std::int32_t placed) const {
        return static_cast<std::size_t>(placed) < segment_.size() ? segment_[placed] : mixed_segments;
    }
    bool is_selected(std::int32_t placed) const {
        return placed < static_cast<std::int32_t>(chosen_.size()) && chosen_[placed];
    }
    /// Whether a search has found it, or something in it.
    bool is_match(std::int32_t placed) const {
        return !matches_.empty() && matches_[static_cast<std::size_t>(layout_->blocks()[placed].block)];
    }
    /// Position in Layout::blocks under a scene point, or -1.
    std::int32_t block_at(QPointF point) const;
    /// BlockTree index of the open scope whose header is under a scene point, or -1.
    std::int32_t scope_header_at(QPointF point) const;

    /// The colour of a block from afar: of its figure, its segment, or none of them.
    QColor far_colour(std::int32_t placed) const;
    /// A row from afar, from left to right: blocks of one colour are one part, and one that begins less than `least`
    /// (scene units, of a pixel) behind the start of a part belongs to it. Parts leave no gap.
    std::vector<ColouredPart> far_parts(const Row& row, double least) const;
    /// Whether segments are painted.
    bool painted() const { return painting_.has_value(); }

    QRectF boundingRect() const override { return layout().bounds().adjusted(-8, -8, 8, 8); }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;
    /// Paints what lies in a part of the scene; changes nothing, so that a copy may be painted beside the GUI thread.
    void paint_on(QPainter& painter, const QRectF& exposed) const;
    /// The same picture in no scene.
    std::shared_ptr<const GraphCanvas> copy() const;

private:
    void paint_scopes(QPainter& painter, const QRectF& exposed, double zoom) const;
    void paint_edges(QPainter& painter, const QRectF& exposed, double zoom) const;
    void paint_blocks(QPainter& painter, const QRectF& exposed, double zoom) const;
    void paint_far(QPainter& painter, const QRectF& exposed, double zoom) const;
    void paint_far_marks(QPainter& painter, const Row& row, double pixel) const;
    void paint_block(QPainter& painter, std::int32_t index, double zoom) const;
    void paint_work(QPainter& painter, std::int32_t index) const;
    /// The segments of a block: a band at its left edge by their shares. Returns the width of the numbers at its right.
    double paint_segments(QPainter& painter, std::int32_t index) const;
    /// Fills a block by its figure; returns the colour of text on it.
    QColor fill_by_figure(QPainter& painter, std::int32_t index) const;
    QString subtitle(std::int32_t index) const;
    bool crosses(const PlacedEdge& edge) const;
    bool in_cycle(const PlacedEdge& edge) const;

    const model::LoadedModel* model_ = nullptr;
    LayoutPtr layout_ = std::make_shared<const Layout>();  ///< never null
    const model::Colours* colours_ = &model::dark_colours();
    std::int32_t selected_ = -1;
    std::vector<bool> chosen_;  ///< by block; empty: none
    std::optional<model::Painting> painting_;
    std::vector<std::int32_t> segment_;                           ///< painted: of each block, mixed where several
    std::vector<std::pair<std::int32_t, std::int32_t>> waiting_;  ///< edges by their blocks, where segments wait
    std::vector<bool> matches_;                                   ///< by block of the tree; empty: no search
    double most_work_ = 1;                                        ///< of one shown block, for the bars
    model::BlockFigures figures_;                                 ///< by placed block; empty: blocks are plain
};

/// "Conv", or "12 operators" for a scope; and "64×56×56", "1.2 GFLOP" as far as known.
QString block_subtitle(const model::LoadedModel& model, const model::Block& block);
/// Everything about a block, as rich text for a tooltip.
QString block_tooltip(const model::LoadedModel& model, const model::Block& block);

}  // namespace divisi::graphview
