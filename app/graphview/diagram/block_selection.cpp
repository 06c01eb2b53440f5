// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/block_selection.h"

#include <algorithm>

namespace divisi::graphview {

std::int32_t BlockSelection::block() const {
    const std::int32_t placed = canvas_.selected();
    return placed < 0 ? -1 : canvas_.layout().blocks()[placed].block;
}

bool BlockSelection::contains(std::int32_t block) const {
    const auto& placed = canvas_.layout().blocks();
    for (std::size_t i = 0; i < placed.size(); ++i)
        if (placed[i].block == block) return canvas_.is_selected(static_cast<std::int32_t>(i));
    return false;
}

void BlockSelection::choose(std::int32_t current, const std::vector<std::int32_t>& placed) {
    ++choices_;
    canvas_.set_selected(current, placed);
}

void BlockSelection::select(std::int32_t block, bool scroll_to) {
    const model::LoadedModel* model = canvas_.model();
    std::int32_t found = -1;
    if (block >= 0 && model) found = canvas_.layout().placed_at(model->tree.blocks[block].first);
    anchor_ = found;
    choose(found, {found});
    if (found >= 0 && scroll_to) camera_.ensure_visible(canvas_.layout().blocks()[found].rect);
    Q_EMIT changed(this->block());
}

void BlockSelection::click(std::int32_t placed, Qt::KeyboardModifiers modifiers) {
    if (placed < 0 || canvas_.selected() < 0 || !(modifiers & (Qt::ShiftModifier | Qt::ControlModifier)))
        return select(placed < 0 ? -1 : canvas_.layout().blocks()[placed].block, false);
    std::vector<std::int32_t> chosen;
    std::int32_t current = placed;
    if (modifiers & Qt::ShiftModifier) {  // select from the anchor to the block, in canonical order
        for (std::int32_t i = std::min(anchor_, placed); i <= std::max(anchor_, placed); ++i) chosen.push_back(i);
    } else {
        chosen = canvas_.all_selected();
        if (std::erase(chosen, placed) == 0) chosen.push_back(placed);
        anchor_ = placed;
        if (!chosen.empty()) current = chosen.back();
    }
    choose(chosen.empty() ? -1 : current, chosen);
    Q_EMIT changed(block());
    if (chosen.size() > 1)
        Q_EMIT hint(
            tr("%1 blocks selected; press a digit to paint them with the segment of that number").arg(chosen.size()));
}

void BlockSelection::move(int by, bool extend) {
    const auto& blocks = canvas_.layout().blocks();
    const auto count = static_cast<std::int32_t>(blocks.size());
    if (count == 0) return;
    const std::int32_t at = canvas_.selected();
    const std::int32_t next = at < 0 ? (by > 0 ? 0 : count - 1) : std::clamp(at + by, 0, count - 1);
    if (!extend || at < 0) return select(blocks[next].block, true);
    click(next, Qt::ShiftModifier);
    camera_.ensure_visible(blocks[next].rect);
}

void BlockSelection::select_segment(int segment) {
    std::vector<std::int32_t> blocks;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(canvas_.layout().blocks().size()); ++i)
        if (canvas_.segment(i) == segment) blocks.push_back(i);
    if (blocks.empty()) return select(-1, false);
    anchor_ = blocks.front();
    choose(blocks.front(), blocks);
    camera_.ensure_visible(canvas_.layout().blocks()[blocks.front()].rect);
    Q_EMIT changed(block());
}

void BlockSelection::mark_operators(graph::NodeIndex first, graph::NodeIndex last) {
    const auto& placed = canvas_.layout().blocks();
    std::vector<std::int32_t> marked;
    for (std::size_t i = 0; i < placed.size(); ++i)
        if (placed[i].last >= first && placed[i].first <= last) marked.push_back(static_cast<std::int32_t>(i));
    anchor_ = -1;
    choose(-1, marked);
    Q_EMIT changed(-1);
}

}  // namespace divisi::graphview

#include "moc_block_selection.cpp"
