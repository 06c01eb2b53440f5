// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QRectF>
#include <functional>
#include <optional>
#include <vector>

#include "app/model/documents/loaded_model.h"

namespace divisi::graphview {

/// A placed block. Positions are in scene units: pixels at a zoom of 1.
struct PlacedBlock {
    std::int32_t block = 0;                ///< index in the BlockTree
    graph::NodeIndex first = 0, last = 0;  ///< first and last operator, both inclusive
    std::int32_t row = 0;
    QRectF rect;
};

/// The frame around the blocks of an open scope. Its top strip shows the name.
struct PlacedScope {
    std::int32_t block = 0;
    std::int32_t depth = 0;
    QRectF rect;
};

/// An edge: data that flows from one placed block to another. A long edge whose path is blocked runs in a lane beside
/// the blocks. In folded rows, edges run between adjacent blocks, and in the gaps above and below rows.
struct PlacedEdge {
    std::int32_t from = 0, to = 0;  ///< indices into Layout::blocks
    bool in_lane = false;
    double lane_x = 0;
};

struct Row {
    std::int32_t first = 0, count = 0;  ///< range of the row's blocks in Layout::blocks
    double top = 0, bottom = 0;
    std::int32_t columns = 0;  ///< capacity of a folded row; 0: not folded
    bool folded() const { return columns > 0; }
};

/// The line of a legal cut. It is at `left_y` to the left of `step_x`, and at `right_y` to the right of `step_x`. In a
/// row, blocks to the left are above the cut, and blocks to the right are below.
struct CutLine {
    double left_y = 0, right_y = 0, step_x = 0;
    double anchor_y = 0;                ///< y to which a pointer snaps; strictly ascending from position to position
    bool inside_block = false;          ///< whether the cut crosses a closed block
    std::optional<double> snap_x = {};  ///< x to which a pointer snaps in a folded row
    bool straight() const { return left_y == right_y; }
};

/// Places blocks from top to bottom in canonical order. A row contains consecutive blocks that do not depend on each
/// other. Every cut is thus a line, and the segment before the cut is above this line. A long column of rows is folded
/// like text, into rows of so many blocks that the whole picture is about as wide as high. Cuts divide folded rows in
/// the same way.
///
/// Positions are stable: the blocks of a scope are placed as if all of them were closed. Opening or closing a block
/// thus does not move the blocks above it, and moves the blocks below it only up or down. A layout is a value that
/// keeps no reference to the model.
class Layout {
public:
    /// Function that returns whether the layout is no longer needed. It is called at least once per 1,024 operators or
    /// edges, that is, much more often than once per millisecond.
    using Cancelled = std::function<bool()>;

    Layout() = default;
    /// Takes time linear in operators and edges. `open` has one flag per block.
    Layout(const model::LoadedModel& model, const std::vector<bool>& open);
    /// Makes a layout on a worker thread. Returns nothing once `cancelled` returns true.
    static std::optional<Layout> made(const model::LoadedModel& model, const std::vector<bool>& open,
                                      const Cancelled& cancelled);

    const std::vector<PlacedBlock>& blocks() const { return blocks_; }
    const std::vector<PlacedScope>& scopes() const { return scopes_; }
    const std::vector<PlacedEdge>& edges() const { return edges_; }
    const std::vector<Row>& rows() const { return rows_; }
    const QRectF& bounds() const { return bounds_; }

    std::int32_t placed_at(graph::NodeIndex node) const { return node_block_[static_cast<std::size_t>(node)]; }
    CutLine cut_line(graph::NodeIndex after) const;
    /// Returns the index into the legal cuts of the cut nearest to `y`; -1 if there are no cuts. Cuts inside closed
    /// blocks are used only if there are no other cuts.
    std::int32_t nearest_cut(double y) const;
    /// Returns the index of the cut nearest to a point. In a folded row, x determines the cut, like a caret in a line
    /// of text.
    std::int32_t nearest_cut(QPointF point) const;
    /// Returns whether some rows are folded.
    bool folded() const { return folded_; }
    /// Returns the first and last legal cut whose anchor lies in [top, bottom], or an empty range.
    std::pair<std::int32_t, std::int32_t> cuts_between(double top, double bottom) const;
    /// Returns the first and last row that touch [top, bottom], or an empty range.
    std::pair<std::int32_t, std::int32_t> rows_between(double top, double bottom) const;

private:
    friend class LayoutMaker;
    std::vector<PlacedBlock> blocks_;
    std::vector<PlacedScope> scopes_;
    std::vector<PlacedEdge> edges_;
    std::vector<Row> rows_;
    std::vector<std::int32_t> node_block_;                ///< maps a node to its index in blocks_
    std::vector<graph::NodeIndex> legal_;                 ///< the model's legal cuts
    std::vector<std::pair<double, std::int32_t>> snaps_;  ///< anchor_y and index of the legal cut, ascending
    QRectF bounds_;
    bool folded_ = false;
};

namespace metrics {
inline constexpr double block_width = 216, block_height = 48;
inline constexpr double row_gap = 40, column_gap = 32;
inline constexpr double scope_header = 32, scope_padding = 16;
inline constexpr double lane_gap = 14;
inline constexpr double segment_band = 10;  ///< width of the band at the left edge of blocks in painting mode
}  // namespace metrics

}  // namespace divisi::graphview
