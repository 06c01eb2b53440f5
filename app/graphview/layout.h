// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QRectF>
#include <functional>
#include <optional>
#include <vector>

#include "app/model/loaded_model.h"

namespace divisi::graphview {

/// A block in its place. Positions are in scene units: pixels at a zoom of 1.
struct PlacedBlock {
    std::int32_t block = 0;                ///< of the BlockTree
    graph::NodeIndex first = 0, last = 0;  ///< its operators, both inclusive
    std::int32_t row = 0;
    QRectF rect;
};

/// The frame around the blocks of an open scope; its top strip carries the name.
struct PlacedScope {
    std::int32_t block = 0;
    std::int32_t depth = 0;
    QRectF rect;
};

/// Data that flows from one placed block to another. A long edge whose way is blocked runs in a lane beside the blocks.
/// Of folded rows edges run between blocks that stand side by side, and in the gaps above and below rows.
struct PlacedEdge {
    std::int32_t from = 0, to = 0;  ///< positions in Layout::blocks
    bool in_lane = false;
    double lane_x = 0;
};

struct Row {
    std::int32_t first = 0, count = 0;  ///< blocks
    double top = 0, bottom = 0;
    std::int32_t columns = 0;  ///< of a folded row: how many there is room for
    bool folded() const { return columns > 0; }
};

/// Where a legal cut runs. Left of `step_x` it lies at `left_y`, right of it at `right_y`: within a row, the
/// blocks to the left are above the cut and those to the right below.
struct CutLine {
    double left_y = 0, right_y = 0, step_x = 0;
    double anchor_y = 0;                ///< strictly ascending over positions: what a pointer snaps to
    bool inside_block = false;          ///< passes through a closed block
    std::optional<double> snap_x = {};  ///< in a folded row: where along it a pointer must be
    bool straight() const { return left_y == right_y; }
};

/// Blocks from top to bottom in canonical order: a row holds consecutive blocks that do not depend on each
/// other, so that every cut is a line with its segment above it. A long column of rows is folded as text is: a row
/// holds as many blocks as make the whole about as wide as high, and goes on in the next one. What a cut in a row
/// divides is the same there.
///
/// Places are stable: the blocks of a scope stand in it as if all were closed, so that opening or closing one moves
/// no block above it, and those below only down or up. A value of its own: nothing of the model is kept.
class Layout {
public:
    /// Whether nobody wants the layout any more. Asked at least every 1,024 operators or edges, which is well below a
    /// millisecond.
    using Cancelled = std::function<bool()>;

    Layout() = default;
    /// Linear in operators and edges. `open` has one flag a block.
    Layout(const model::LoadedModel& model, const std::vector<bool>& open);
    /// The same, for a worker thread; none once `cancelled` says so.
    static std::optional<Layout> made(const model::LoadedModel& model, const std::vector<bool>& open,
                                      const Cancelled& cancelled);

    const std::vector<PlacedBlock>& blocks() const { return blocks_; }
    const std::vector<PlacedScope>& scopes() const { return scopes_; }
    const std::vector<PlacedEdge>& edges() const { return edges_; }
    const std::vector<Row>& rows() const { return rows_; }
    const QRectF& bounds() const { return bounds_; }

    std::int32_t placed_at(graph::NodeIndex node) const { return node_block_[static_cast<std::size_t>(node)]; }
    CutLine cut_line(graph::NodeIndex after) const;
    /// Index into the legal cuts of the one nearest to `y`. Closed blocks are not cut inside unless there is no
    /// other place. -1 where there is none.
    std::int32_t nearest_cut(double y) const;
    /// The same for a point: in a folded row its x decides, as for a caret in a line of text.
    std::int32_t nearest_cut(QPointF point) const;
    /// Whether some rows are folded.
    bool folded() const { return folded_; }
    /// Legal cuts whose anchors lie in [top, bottom]: first and last, or an empty range.
    std::pair<std::int32_t, std::int32_t> cuts_between(double top, double bottom) const;
    /// Rows that touch [top, bottom]: first and last, or an empty range.
    std::pair<std::int32_t, std::int32_t> rows_between(double top, double bottom) const;

private:
    friend class LayoutMaker;
    std::vector<PlacedBlock> blocks_;
    std::vector<PlacedScope> scopes_;
    std::vector<PlacedEdge> edges_;
    std::vector<Row> rows_;
    std::vector<std::int32_t> node_block_;                ///< node -> position in blocks_
    std::vector<graph::NodeIndex> legal_;                 ///< the model's legal cuts
    std::vector<std::pair<double, std::int32_t>> snaps_;  ///< anchor_y and legal cut, ascending
    QRectF bounds_;
    bool folded_ = false;
};

namespace metrics {
inline constexpr double block_width = 216, block_height = 48;
inline constexpr double row_gap = 40, column_gap = 32;
inline constexpr double scope_header = 32, scope_padding = 16;
inline constexpr double lane_gap = 14;
inline constexpr double segment_band = 10;  ///< at the left edge of painted blocks
}  // namespace metrics

}  // namespace divisi::graphview
