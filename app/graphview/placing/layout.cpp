// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/placing/layout.h"

#include <algorithm>
#include <cmath>

#include "app/graphview/placing/layout_maker.h"

namespace divisi::graphview {

using namespace metrics;

Layout::Layout(const model::LoadedModel& model, const std::vector<bool>& open) {
    *this = *made(model, open, [] { return false; });
}

std::optional<Layout> Layout::made(const model::LoadedModel& model, const std::vector<bool>& open,
                                   const Cancelled& cancelled) {
    return LayoutMaker(model, open, cancelled).make();
}

CutLine Layout::cut_line(graph::NodeIndex after) const {
    const std::int32_t at = placed_at(after);
    const PlacedBlock& placed = blocks_[at];
    const Row& row = rows_[placed.row];
    CutLine line;
    if (after < placed.last) {
        const double share = static_cast<double>(after - placed.first + 1) / (placed.last - placed.first + 1);
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
        return line;  // one height for the whole row; anchor_y keeps the order of cuts
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
    const auto first = std::partition_point(legal_.begin(), legal_.end(),
                                            [&](graph::NodeIndex after) { return cut_line(after).anchor_y < top; });
    const auto last = std::partition_point(first, legal_.end(),
                                           [&](graph::NodeIndex after) { return cut_line(after).anchor_y <= bottom; });
    return {static_cast<std::int32_t>(first - legal_.begin()), static_cast<std::int32_t>(last - legal_.begin()) - 1};
}

std::pair<std::int32_t, std::int32_t> Layout::rows_between(double top, double bottom) const {
    const auto first =
        std::lower_bound(rows_.begin(), rows_.end(), top, [](const Row& row, double y) { return row.bottom < y; });
    const auto last =
        std::upper_bound(first, rows_.end(), bottom, [](double y, const Row& row) { return y < row.top; });
    return {static_cast<std::int32_t>(first - rows_.begin()), static_cast<std::int32_t>(last - rows_.begin()) - 1};
}

}  // namespace divisi::graphview
