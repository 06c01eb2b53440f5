// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/placing/layout_maker.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace divisi::graphview {

using namespace metrics;

namespace {

constexpr std::int32_t most_columns = 6;
constexpr std::int32_t most_lanes = 16;
constexpr double pitch = block_width + column_gap;
/// Maximum number of rows that an edge may cross without a lane.
constexpr std::int32_t longest_free_way = 8;
/// Maximum number of rows in the column of one scope. A longer column is folded, because it would be too narrow to
/// recognise when the graph is fitted into a view.
constexpr std::int32_t longest_column = 240;
/// Number of steps between two checks whether the layout is still needed.
constexpr int steps_between_looks = 1024;

}  // namespace

LayoutMaker::LayoutMaker(const model::LoadedModel& model, const std::vector<bool>& open,
                         const Layout::Cancelled& cancelled)
    : model_(model), tree_(model.tree.blocks), open_(open), cancelled_(cancelled) {}

std::optional<Layout> LayoutMaker::make() {
    layout_.legal_ = model_.cuts.legal;
    for (void (LayoutMaker::*step)() :
         {&LayoutMaker::place_blocks, &LayoutMaker::find_edges, &LayoutMaker::find_sources,
          &LayoutMaker::stand_in_scopes, &LayoutMaker::place_rows, &LayoutMaker::place_columns,
          &LayoutMaker::frame_scopes, &LayoutMaker::route_edges, &LayoutMaker::collect_snaps}) {
        if (cancelled_()) return {};
        (this->*step)();
        if (stopped_) return {};
    }
    return std::move(layout_);
}

bool LayoutMaker::stopped() {
    if (++steps_ % steps_between_looks == 0) stopped_ = stopped_ || cancelled_();
    return stopped_;
}

bool LayoutMaker::is_open_scope(std::int32_t block) const {
    return block == 0 || (!tree_[block].is_operator() && open_[block]);
}

std::vector<std::int32_t> LayoutMaker::open_ancestors(std::int32_t block) const {
    std::vector<std::int32_t> chain;
    for (std::int32_t at = tree_[block].parent; at > 0; at = tree_[at].parent) chain.push_back(at);
    std::reverse(chain.begin(), chain.end());
    return chain;
}

void LayoutMaker::place_blocks() {
    layout_.node_block_.assign(static_cast<std::size_t>(model_.node_count()), 0);
    for (const std::int32_t block : model::visible_blocks(model_.tree, open_)) {
        const model::Block& shown = tree_[block];
        for (graph::NodeIndex node = shown.first; node <= shown.last; ++node) {
            if (stopped()) return;
            layout_.node_block_[node] = static_cast<std::int32_t>(layout_.blocks_.size());
        }
        layout_.blocks_.push_back({block, shown.first, shown.last, 0, {}});
    }
}

/// Finds the edges between blocks, each once, ordered by target and then by source.
void LayoutMaker::find_edges() {
    std::vector<std::int32_t> from;
    for (std::int32_t to = 0; to < static_cast<std::int32_t>(layout_.blocks_.size()); ++to) {
        from.clear();
        for (graph::NodeIndex node = layout_.blocks_[to].first; node <= layout_.blocks_[to].last; ++node) {
            for (const graph::ValueIndex input : model_.graph.nodes[node].inputs) {
                if (stopped()) return;
                if (input == graph::no_value) continue;
                const graph::NodeIndex producer = model_.graph.values[input].producer;
                if (producer == graph::no_node) continue;
                if (layout_.node_block_[producer] != to) from.push_back(layout_.node_block_[producer]);
            }
        }
        std::sort(from.begin(), from.end());
        from.erase(std::unique(from.begin(), from.end()), from.end());
        for (const std::int32_t source : from) layout_.edges_.push_back({source, to});
    }
}

/// Returns the ancestors of an edge's two ends that are in the same scope. One of these ancestors depends on the other.
std::pair<std::int32_t, std::int32_t> LayoutMaker::siblings(std::int32_t from, std::int32_t to) const {
    const graph::NodeIndex producer = tree_[from].first, consumer = tree_[to].first;
    while (tree_[tree_[from].parent].last < consumer) from = tree_[from].parent;
    while (tree_[tree_[to].parent].first > producer) to = tree_[to].parent;
    return {from, to};
}

void LayoutMaker::find_sources() {
    std::vector<std::pair<std::int32_t, std::int32_t>> pairs;  // edges, each as target and source
    std::vector<std::size_t> begin(tree_.size() + 1, 0);
    for (const PlacedEdge& edge : layout_.edges_) {
        if (stopped()) return;
        const auto [from, to] = siblings(layout_.blocks_[edge.from].block, layout_.blocks_[edge.to].block);
        pairs.emplace_back(to, from);
        ++begin[static_cast<std::size_t>(to) + 1];
    }
    for (std::size_t block = 0; block < tree_.size(); ++block) begin[block + 1] += begin[block];
    sources_.resize(pairs.size());
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for (const auto& [to, from] : pairs) {
        if (stopped()) return;
        sources_[next[static_cast<std::size_t>(to)]++] = from;
    }
    // Merge several edges between two scopes into one, so that opening a scope does not change the weights.
    sources_of_.resize(tree_.size());
    for (std::size_t block = 0; block < tree_.size(); ++block) {
        if (stopped()) return;
        const auto first = sources_.begin() + static_cast<std::ptrdiff_t>(begin[block]);
        const auto last = sources_.begin() + static_cast<std::ptrdiff_t>(begin[block + 1]);
        std::sort(first, last);
        sources_of_[block] = {begin[block], static_cast<std::size_t>(std::unique(first, last) - sources_.begin())};
    }
}

/// Places blocks within their scopes, from the outermost scope to the innermost. An open scope has the position that it
/// has when closed. Inside a folded scope, an open scope is centred, because its frame has separate rows.
void LayoutMaker::stand_in_scopes() {
    stands_.assign(tree_.size(), {});
    for (std::size_t number = 0; number < tree_.size(); ++number) {
        const auto block = static_cast<std::int32_t>(number);
        if (stopped()) return;
        if (!is_open_scope(block) || (block > 0 && !is_open_scope(tree_[block].parent))) continue;
        const model::Block& scope = tree_[block];
        const std::int32_t rows = find_rows(scope);
        if (stopped_) return;
        if (folds(scope, rows)) {
            const auto count = static_cast<std::int32_t>(scope.children.size());
            // The space of a block is about three times as wide as high, and views are slightly higher than wide.
            const auto columns = static_cast<std::int32_t>(std::lround(std::sqrt(count) / 2));
            for (std::int32_t i = 0; i < count; ++i) {
                const bool framed = is_open_scope(scope.children[i]);
                const double x = framed ? 0 : (i % columns - (columns - 1) / 2.0) * pitch;
                stands_[scope.children[i]] = {i / columns, x, columns, i};
            }
        } else {
            stand_in_columns(scope);
        }
        for (const std::int32_t child : scope.children) stands_[child].x += stands_[number].x;
    }
}

/// Groups blocks into rows of mutually independent blocks. Returns the number of rows.
std::int32_t LayoutMaker::find_rows(const model::Block& scope) {
    std::int32_t row = -1, count = 0;
    std::int32_t first = 0;  // first block of the row, in the tree
    for (std::size_t i = 0; i < scope.children.size() && !stopped(); ++i) {
        const std::int32_t block = scope.children[i];
        const Sources& range = sources_of_[static_cast<std::size_t>(block)];
        // Blocks of the tree are in canonical order, so the last source is the nearest one.
        const bool depends = row >= 0 && range.last > range.first && sources_[range.last - 1] >= first;
        if (row < 0 || depends || count == most_columns) {
            ++row;
            count = 0;
            first = block;
        }
        ++count;
        stands_[block] = {row, 0, 0, static_cast<std::int32_t>(i)};
    }
    return row + 1;
}

/// Returns whether a scope is folded. A scope with many open blocks is not folded, because their frames span whole
/// rows.
bool LayoutMaker::folds(const model::Block& scope, std::int32_t rows) const {
    if (rows <= longest_column) return false;
    const auto framed = std::count_if(scope.children.begin(), scope.children.end(),
                                      [this](std::int32_t child) { return is_open_scope(child); });
    return static_cast<std::size_t>(framed) * 4 <= scope.children.size();
}

/// Returns the preferred x of a block, below its sources. Sources in the previous row have the highest weight, so that
/// distant sources decide only if there are no near ones.
double LayoutMaker::wished_x(std::int32_t block) const {
    const Sources& range = sources_of_[static_cast<std::size_t>(block)];
    double sum = 0, weights = 0;
    for (std::size_t i = range.first; i < range.last; ++i) {
        const Stand& source = stands_[sources_[i]];
        const double weight = stands_[block].row - source.row == 1 ? 8 : 1;
        sum += source.x * weight;
        weights += weight;
    }
    return weights > 0 ? sum / weights : 0;
}

void LayoutMaker::stand_in_columns(const model::Block& scope) {
    constexpr double limit = most_columns * pitch / 2;
    const std::vector<std::int32_t>& all = scope.children;
    for (std::size_t begin = 0, end = 0; begin < all.size() && !stopped(); begin = end) {
        // Keep the order and the minimum distance of the blocks in the row. Shift them so that their average position
        // equals the average of the preferred positions.
        double wanted = 0, packed = 0, at = 0;
        for (end = begin; end < all.size() && stands_[all[end]].row == stands_[all[begin]].row; ++end) {
            const double wish = wished_x(all[end]);
            at = end == begin ? wish : std::max(at + pitch, wish);
            stands_[all[end]].x = at;
            wanted += wish;
            packed += at;
        }
        const auto count = static_cast<double>(end - begin);
        for (std::size_t i = begin; i < end; ++i) {
            const auto before = static_cast<double>(i - begin), behind = static_cast<double>(end - 1 - i);
            const double x = stands_[all[i]].x + (wanted - packed) / count;
            stands_[all[i]].x = std::clamp(x, before * pitch - limit, limit - behind * pitch);
        }
    }
}

void LayoutMaker::place_rows() {
    std::vector<std::int32_t> scopes;  // open scopes around the previous row
    double y = 0;
    std::int32_t before = -1;  // index of the previous block in the tree
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(layout_.blocks_.size()); ++i) {
        if (stopped()) return;
        PlacedBlock& placed = layout_.blocks_[i];
        const Stand& stand = stands_[placed.block];
        const bool goes_on = before >= 0 && tree_[before].parent == tree_[placed.block].parent &&
                             stands_[before].row == stand.row && stands_[before].position + 1 == stand.position;
        before = placed.block;
        if (!goes_on) {
            std::vector<std::int32_t> around = open_ancestors(placed.block);
            const auto common = static_cast<std::size_t>(
                std::mismatch(scopes.begin(), scopes.end(), around.begin(), around.end()).first - scopes.begin());
            y += static_cast<double>(scopes.size() - common) * scope_padding;
            if (i > 0) y += row_gap;
            y += static_cast<double>(around.size() - common) * scope_header;
            layout_.rows_.push_back({i, 0, y, y + block_height, stand.columns});
            y += block_height;
            scopes = std::move(around);
            layout_.folded_ |= stand.columns > 0;
        }
        ++layout_.rows_.back().count;
        placed.row = static_cast<std::int32_t>(layout_.rows_.size()) - 1;
    }
}

void LayoutMaker::place_columns() {
    for (PlacedBlock& placed : layout_.blocks_) {
        if (stopped()) return;
        const double x = std::round(stands_[placed.block].x - block_width / 2);
        placed.rect = QRectF(x, layout_.rows_[placed.row].top, block_width, block_height);
        layout_.bounds_ |= placed.rect;
    }
}

void LayoutMaker::frame_scopes() {
    auto& scopes = layout_.scopes_;
    std::map<std::int32_t, std::size_t> frames;
    for (const PlacedBlock& placed : layout_.blocks_) {
        if (stopped()) return;
        const std::vector<std::int32_t> chain = open_ancestors(placed.block);
        for (std::size_t depth = 0; depth < chain.size(); ++depth) {
            const auto [at, fresh] = frames.try_emplace(chain[depth], scopes.size());
            if (fresh) scopes.push_back({chain[depth], static_cast<std::int32_t>(depth), placed.rect});
            else scopes[at->second].rect |= placed.rect;
        }
    }
    // From the innermost to the outermost scope: a frame encloses its inner frames with a margin.
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
        scope->rect.adjust(-scope_padding, -scope_header, scope_padding, scope_padding);
        const std::int32_t parent = tree_[scope->block].parent;
        if (parent > 0 && open_[parent]) scopes[frames.at(parent)].rect |= scope->rect;
    }
    for (const PlacedScope& scope : scopes) layout_.bounds_ |= scope.rect;
}

bool LayoutMaker::way_is_free(double x, std::int32_t after_row, std::int32_t before_row) const {
    for (std::int32_t number = after_row + 1; number < before_row; ++number) {
        const Row& row = layout_.rows_[number];
        for (std::int32_t i = row.first; i < row.first + row.count; ++i)
            if (std::abs(layout_.blocks_[i].rect.center().x() - x) < block_width / 2 + 4) return false;
    }
    return true;
}

void LayoutMaker::route_edges() {
    struct Bus {
        std::int32_t from, first_row, last_row;
        std::vector<std::size_t> edges;
    };
    const auto& rows = layout_.rows_;
    std::map<std::int32_t, Bus> buses;  // lanes by source block, because edges from one block share a lane
    for (std::size_t i = 0; i < layout_.edges_.size(); ++i) {
        if (stopped()) return;
        const PlacedEdge& edge = layout_.edges_[i];
        const PlacedBlock &from = layout_.blocks_[edge.from], &to = layout_.blocks_[edge.to];
        const bool near = to.row - from.row <= longest_free_way;
        if (rows[from.row].folded() || rows[to.row].folded()) {
            if (to.row - from.row <= 1) continue;  // the edge needs no lane
        } else if (near && way_is_free(to.rect.center().x(), from.row, to.row)) {
            continue;
        }
        Bus& bus = buses.try_emplace(edge.from, Bus{edge.from, from.row, to.row, {}}).first->second;
        bus.last_row = std::max(bus.last_row, to.row);
        bus.edges.push_back(i);
    }
    // Assign lanes by interval partitioning: buses are ordered by their first row.
    std::vector<std::int32_t> lane_ends;
    const double first_lane = layout_.bounds_.right() + lane_gap;
    for (auto& [from, bus] : buses) {
        std::size_t lane = 0;
        while (lane < lane_ends.size() && lane_ends[lane] > bus.first_row) ++lane;
        if (lane == lane_ends.size() && lane < most_lanes) lane_ends.push_back(0);
        lane = std::min(lane, lane_ends.size() - 1);
        lane_ends[lane] = bus.last_row;
        const double x = first_lane + static_cast<double>(lane) * lane_gap;
        for (const std::size_t edge : bus.edges) {
            if (stopped()) return;
            layout_.edges_[edge].in_lane = true;
            layout_.edges_[edge].lane_x = x;
        }
    }
    if (!lane_ends.empty()) layout_.bounds_.setRight(first_lane + static_cast<double>(lane_ends.size()) * lane_gap);
}

/// Collects the snap positions. Cuts inside closed blocks are used only if there are no other cuts.
void LayoutMaker::collect_snaps() {
    for (const bool inside : {false, true}) {
        for (std::int32_t i = 0; i < static_cast<std::int32_t>(layout_.legal_.size()); ++i) {
            if (stopped()) return;
            const CutLine line = layout_.cut_line(layout_.legal_[i]);
            if (line.inside_block == inside) layout_.snaps_.emplace_back(line.anchor_y, i);
        }
        if (!layout_.snaps_.empty()) return;
    }
}

}  // namespace divisi::graphview
