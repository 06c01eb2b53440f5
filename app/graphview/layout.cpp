// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/layout.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>

namespace divisi::graphview {

using namespace metrics;

namespace {

constexpr std::int32_t most_columns = 6;
constexpr std::int32_t most_lanes = 16;
/// Farther than this a way between blocks is not searched for; the edge takes a lane.
constexpr std::int32_t longest_free_way = 8;
/// A column of more rows in one scope is folded: fitted into a view it would be a line. What lies in several open
/// scopes is not: their frames go around whole rows.
constexpr std::int32_t longest_column = 240;

std::vector<std::int32_t> open_ancestors(const model::BlockTree& tree, std::int32_t block) {
    std::vector<std::int32_t> chain;
    for (std::int32_t at = tree.blocks[block].parent; at > 0; at = tree.blocks[at].parent) chain.push_back(at);
    std::reverse(chain.begin(), chain.end());
    return chain;
}

}  // namespace

Layout::Layout(const model::LoadedModel& model, const std::vector<bool>& open) : model_(&model) {
    node_block_.assign(static_cast<std::size_t>(model.node_count()), 0);
    for (const std::int32_t block : model::visible_blocks(model.tree, open)) {
        const model::Block& shown = model.tree.blocks[block];
        for (graph::NodeIndex node = shown.first; node <= shown.last; ++node)
            node_block_[node] = static_cast<std::int32_t>(blocks_.size());
        blocks_.push_back({block, 0, {}});
    }
    // Edges between blocks, each once; consumers come in canonical order, so repeats of a pair lie close.
    std::unordered_set<std::int64_t> seen;
    for (const graph::Value& value : model.graph.values) {
        if (value.producer == graph::no_node) continue;
        const std::int32_t from = node_block_[value.producer];
        for (const graph::NodeIndex consumer : value.consumers) {
            const std::int32_t to = node_block_[consumer];
            if (from != to && seen.insert((std::int64_t{from} << 32) | to).second) edges_.push_back({from, to});
        }
    }
    std::sort(edges_.begin(), edges_.end(), [](const PlacedEdge& a, const PlacedEdge& b) {
        return std::pair(a.to, a.from) < std::pair(b.to, b.from);
    });
    place_rows();
    place_columns();
    frame_scopes(open);
    route_edges();
    collect_snaps();
}

/// Rows by their blocks alone.
std::vector<Row> Layout::find_rows() const {
    std::vector<Row> rows;
    std::int32_t around = -1;  // innermost open scope of the row before
    std::size_t edge = 0;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(blocks_.size()); ++i) {
        bool depends = rows.empty();
        for (; edge < edges_.size() && edges_[edge].to == i; ++edge)
            depends |= !rows.empty() && edges_[edge].from >= rows.back().first;
        const std::int32_t scope = model_->tree.blocks[blocks_[i].block].parent;
        if (depends || rows.back().count == most_columns || around != scope) rows.push_back({i, 0});
        around = scope;
        ++rows.back().count;
    }
    return rows;
}

std::vector<Row> Layout::fold(const std::vector<Row>& rows) const {
    const auto scope = [&](std::size_t row) { return model_->tree.blocks[blocks_[rows[row].first].block].parent; };
    std::vector<Row> folded;
    for (std::size_t first = 0, next = 0; first < rows.size(); first = next) {
        for (next = first + 1; next < rows.size() && scope(next) == scope(first);) ++next;
        if (next - first <= longest_column) {
            folded.insert(folded.end(), rows.begin() + static_cast<std::ptrdiff_t>(first),
                          rows.begin() + static_cast<std::ptrdiff_t>(next));
            continue;
        }
        const std::int32_t end = rows[next - 1].first + rows[next - 1].count;
        // A place in a row is about three times as wide as high, and views are a little higher than wide.
        const auto columns = static_cast<std::int32_t>(std::lround(std::sqrt(end - rows[first].first) / 2));
        for (std::int32_t block = rows[first].first; block < end; block += columns)
            folded.push_back({block, std::min(columns, end - block), 0, 0, columns});
    }
    return folded;
}

void Layout::place_rows() {
    std::vector<std::int32_t> scopes;  // open scopes around the row before
    double y = 0;
    rows_ = fold(find_rows());
    for (std::size_t number = 0; number < rows_.size(); ++number) {
        Row& row = rows_[number];
        std::vector<std::int32_t> around = open_ancestors(model_->tree, blocks_[row.first].block);
        const auto common = static_cast<std::size_t>(
            std::mismatch(scopes.begin(), scopes.end(), around.begin(), around.end()).first - scopes.begin());
        y += static_cast<double>(scopes.size() - common) * scope_padding;
        if (number > 0) y += row_gap;
        y += static_cast<double>(around.size() - common) * scope_header;
        row.top = y;
        y += block_height;
        row.bottom = y;
        scopes = std::move(around);
        folded_ |= row.folded();
        for (std::int32_t i = row.first; i < row.first + row.count; ++i)
            blocks_[i].row = static_cast<std::int32_t>(number);
    }
}

void Layout::place_columns() {
    constexpr double pitch = block_width + column_gap;
    std::vector<double> sum(blocks_.size(), 0), centre(blocks_.size(), 0);
    std::vector<int> count(blocks_.size(), 0);
    std::size_t edge = 0;
    for (const Row& row : rows_) {
        if (row.folded()) {
            for (std::int32_t k = 0; k < row.count; ++k) centre[row.first + k] = (k - (row.columns - 1) / 2.0) * pitch;
            while (edge < edges_.size() && edges_[edge].to < row.first + row.count) ++edge;
            continue;
        }
        for (std::int32_t i = row.first; i < row.first + row.count; ++i) {
            for (; edge < edges_.size() && edges_[edge].to == i; ++edge) {
                const double x = centre[edges_[edge].from];
                // Neighbours decide; what comes from far above only pulls where nothing near does.
                const double weight = blocks_[i].row - blocks_[edges_[edge].from].row == 1 ? 8 : 1;
                sum[i] += x * weight;
                count[i] += static_cast<int>(weight);
            }
            centre[i] = count[i] > 0 ? sum[i] / count[i] : 0;
        }
        // Keep the order of the row and the distance, around the place where its blocks would like to be.
        double wanted = 0, packed = 0, at = 0;
        std::vector<double> place(static_cast<std::size_t>(row.count));
        for (std::int32_t k = 0; k < row.count; ++k) {
            wanted += centre[row.first + k];
            at = k == 0 ? centre[row.first] : std::max(at + pitch, centre[row.first + k]);
            place[static_cast<std::size_t>(k)] = at;
            packed += at;
        }
        const double shift = (wanted - packed) / row.count;
        for (std::int32_t k = 0; k < row.count; ++k) {
            const double limit = most_columns * pitch / 2;
            centre[row.first + k] = std::clamp(place[static_cast<std::size_t>(k)] + shift, k * pitch - limit,
                                               limit - (row.count - 1 - k) * pitch);
        }
    }
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        const double x = std::round(centre[i] - block_width / 2);
        blocks_[i].rect = QRectF(x, rows_[blocks_[i].row].top, block_width, block_height);
        bounds_ |= blocks_[i].rect;
    }
}

void Layout::frame_scopes(const std::vector<bool>& open) {
    std::map<std::int32_t, std::size_t> frames;
    for (const PlacedBlock& placed : blocks_) {
        const std::vector<std::int32_t> chain = open_ancestors(model_->tree, placed.block);
        for (std::size_t depth = 0; depth < chain.size(); ++depth) {
            const auto [at, fresh] = frames.try_emplace(chain[depth], scopes_.size());
            if (fresh) scopes_.push_back({chain[depth], static_cast<std::int32_t>(depth), placed.rect});
            else scopes_[at->second].rect |= placed.rect;
        }
    }
    // From the inside out: a frame holds its inner frames with room around them.
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        scope->rect.adjust(-scope_padding, -scope_header, scope_padding, scope_padding);
        const std::int32_t parent = model_->tree.blocks[scope->block].parent;
        if (parent > 0 && open[parent]) scopes_[frames.at(parent)].rect |= scope->rect;
    }
    for (const PlacedScope& scope : scopes_) bounds_ |= scope.rect;
}

bool Layout::way_is_free(double x, std::int32_t after_row, std::int32_t before_row) const {
    for (std::int32_t row = after_row + 1; row < before_row; ++row)
        for (std::int32_t i = rows_[row].first; i < rows_[row].first + rows_[row].count; ++i)
            if (std::abs(blocks_[i].rect.center().x() - x) < block_width / 2 + 4) return false;
    return true;
}

void Layout::route_edges() {
    struct Bus {
        std::int32_t from, first_row, last_row;
        std::vector<std::size_t> edges;
    };
    std::map<std::int32_t, Bus> buses;  // edges of one block share a lane
    for (std::size_t i = 0; i < edges_.size(); ++i) {
        const PlacedBlock &from = blocks_[edges_[i].from], &to = blocks_[edges_[i].to];
        const bool near = to.row - from.row <= longest_free_way;
        if (rows_[from.row].folded() || rows_[to.row].folded()) {
            if (to.row - from.row <= 1) continue;  // in the row, or in the gap below it
        } else if (near && way_is_free(to.rect.center().x(), from.row, to.row)) {
            continue;
        }
        Bus& bus = buses.try_emplace(edges_[i].from, Bus{edges_[i].from, from.row, to.row, {}}).first->second;
        bus.last_row = std::max(bus.last_row, to.row);
        bus.edges.push_back(i);
    }
    // Lanes by interval partitioning: buses come ordered by their first row.
    std::vector<std::int32_t> lane_ends;
    const double first_lane = bounds_.right() + lane_gap;
    for (auto& [from, bus] : buses) {
        std::size_t lane = 0;
        while (lane < lane_ends.size() && lane_ends[lane] > bus.first_row) ++lane;
        if (lane == lane_ends.size() && lane < most_lanes) lane_ends.push_back(0);
        lane = std::min(lane, lane_ends.size() - 1);
        lane_ends[lane] = bus.last_row;
        double x = first_lane + static_cast<double>(lane) * lane_gap;
        for (const std::size_t edge : bus.edges) {
            edges_[edge].in_lane = true;
            edges_[edge].lane_x = x;
        }
    }
    if (!lane_ends.empty()) bounds_.setRight(first_lane + static_cast<double>(lane_ends.size()) * lane_gap);
}

CutLine Layout::cut_line(graph::NodeIndex after) const {
    const std::int32_t at = placed_at(after);
    const PlacedBlock& placed = blocks_[at];
    const model::Block& block = model_->tree.blocks[placed.block];
    const Row& row = rows_[placed.row];
    CutLine line;
    if (after < block.last) {
        const double share = static_cast<double>(after - block.first + 1) / block.operator_count();
        line.inside_block = true;
        line.anchor_y = row.top + (at - row.first + share) / row.count * (row.bottom - row.top);
        if (row.folded()) {
            line.step_x = placed.rect.left() + share * placed.rect.width();
            line.left_y = row.bottom + row_gap / 4;
            line.right_y = row.top - row_gap / 4;
            line.snap_x = line.step_x;
            return line;
        }
        line.left_y = line.right_y = placed.rect.top() + share * placed.rect.height();
        return line;  // left neighbours in the row end above, right ones begin below; the anchor keeps the order
    }
    const std::int32_t place = at - row.first + 1;
    if (place == row.count) {
        line.left_y = line.right_y = line.anchor_y = row.bottom + row_gap / 2;
        if (row.folded()) line.snap_x = placed.rect.right();
        return line;
    }
    line.step_x = (placed.rect.right() + blocks_[at + 1].rect.left()) / 2;
    line.left_y = row.bottom + row_gap / 4 * place / row.count;
    line.right_y = row.top - row_gap / 4 * (row.count - place) / row.count;
    line.anchor_y = row.top + (row.bottom - row.top) * place / row.count;
    if (row.folded()) line.snap_x = line.step_x;
    return line;
}

void Layout::collect_snaps() {
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(model_->cuts.legal.size()); ++i) {
        const CutLine line = cut_line(model_->cuts.legal[i]);
        if (!line.inside_block) snaps_.emplace_back(line.anchor_y, i);
    }
    if (!snaps_.empty()) return;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(model_->cuts.legal.size()); ++i)
        snaps_.emplace_back(cut_line(model_->cuts.legal[i]).anchor_y, i);
}

std::int32_t Layout::nearest_cut(double y) const {
    if (snaps_.empty()) return -1;
    const auto next = std::lower_bound(snaps_.begin(), snaps_.end(), std::pair(y, std::int32_t{-1}));
    if (next == snaps_.end()) return snaps_.back().second;
    if (next == snaps_.begin()) return next->second;
    const auto before = std::prev(next);
    return y - before->first <= next->first - y ? before->second : next->second;
}

std::int32_t Layout::nearest_cut(QPointF point) const {
    const auto at = std::lower_bound(rows_.begin(), rows_.end(), point.y(),
                                     [](const Row& row, double y) { return row.bottom + row_gap / 2 <= y; });
    if (at == rows_.end() || !at->folded() || point.y() < at->top - row_gap / 2) return nearest_cut(point.y());
    const auto first = blocks_.begin() + at->first;
    const auto place =
        std::partition_point(first, first + at->count,
                             [&](const PlacedBlock& placed) { return placed.rect.center().x() < point.x(); }) -
        first;
    if (place == at->count) return nearest_cut(at->bottom + row_gap / 2);
    if (place == 0) return nearest_cut(at->top - row_gap / 2);
    return nearest_cut(at->top + (at->bottom - at->top) * static_cast<double>(place) / at->count);
}

std::pair<std::int32_t, std::int32_t> Layout::cuts_between(double top, double bottom) const {
    const auto& legal = model_->cuts.legal;
    const auto first = std::partition_point(legal.begin(), legal.end(),
                                            [&](graph::NodeIndex after) { return cut_line(after).anchor_y < top; });
    const auto last = std::partition_point(first, legal.end(),
                                           [&](graph::NodeIndex after) { return cut_line(after).anchor_y <= bottom; });
    return {static_cast<std::int32_t>(first - legal.begin()), static_cast<std::int32_t>(last - legal.begin()) - 1};
}

std::pair<std::int32_t, std::int32_t> Layout::rows_between(double top, double bottom) const {
    const auto first =
        std::lower_bound(rows_.begin(), rows_.end(), top, [](const Row& row, double y) { return row.bottom < y; });
    const auto last =
        std::upper_bound(first, rows_.end(), bottom, [](double y, const Row& row) { return y < row.top; });
    return {static_cast<std::int32_t>(first - rows_.begin()), static_cast<std::int32_t>(last - rows_.begin()) - 1};
}

}  // namespace divisi::graphview
