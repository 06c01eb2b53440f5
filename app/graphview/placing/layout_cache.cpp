// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/placing/layout_cache.h"

#include <algorithm>
#include <utility>

namespace divisi::graphview {

namespace {

constexpr std::size_t most_layouts = 32, most_parts = 1'000'000;

std::size_t parts_of(const Layout& layout) { return layout.blocks().size() + layout.edges().size(); }

}  // namespace

QByteArray layout_key(const model::LoadedModel& model, const std::vector<bool>& open) {
    const auto& blocks = model.tree.blocks;
    QByteArray key = model.structure;
    // Use only the flags of scopes in the picture. The flags of operators, and of scopes inside closed scopes, do not
    // affect the layout.
    std::vector<bool> shows(blocks.size(), false);
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        if (blocks[block].is_operator()) continue;
        const std::int32_t parent = blocks[block].parent;
        shows[block] = block == 0 || (open[block] && shows[static_cast<std::size_t>(parent)]);
        if (!shows[block]) continue;
        const auto number = static_cast<std::int32_t>(block);
        key.append(reinterpret_cast<const char*>(&number), sizeof number);
    }
    return key;
}

LayoutPtr LayoutCache::find(const QByteArray& key) {
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&key](const Entry& entry) { return entry.key == key; });
    if (found == entries_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found);
    return entries_.front().layout;
}

void LayoutCache::keep(const QByteArray& key, LayoutPtr layout) {
    if (find(key)) return;  // find() has moved it to the front
    parts_ += parts_of(*layout);
    entries_.push_front({key, std::move(layout)});
    while (entries_.size() > most_layouts || (entries_.size() > 1 && parts_ > most_parts)) {
        parts_ -= parts_of(*entries_.back().layout);
        entries_.pop_back();
    }
}

}  // namespace divisi::graphview
