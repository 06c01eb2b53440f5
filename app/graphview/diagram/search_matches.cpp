// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/search_matches.h"

namespace divisi::graphview {

void SearchMatches::set(std::vector<graph::NodeIndex> nodes, bool searching) {
    nodes_ = std::move(nodes);
    searching_ = searching;
    if (canvas_.model()) show();
    Q_EMIT changed();
}

void SearchMatches::show() {
    if (!searching_) return canvas_.set_matches({});
    const model::BlockTree& tree = canvas_.model()->tree;
    std::vector<bool> blocks(tree.blocks.size(), false);
    for (const graph::NodeIndex node : nodes_)
        for (std::int32_t at = tree.operator_block[node]; at >= 0; at = tree.blocks[at].parent) blocks[at] = true;
    canvas_.set_matches(std::move(blocks));
}

void SearchMatches::forget() {
    nodes_.clear();
    searching_ = false;
}

}  // namespace divisi::graphview

#include "moc_search_matches.cpp"
