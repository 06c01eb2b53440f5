// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/placing/layout_service.h"

#include <utility>

namespace divisi::graphview {

void LayoutService::ask(const model::ModelPtr& model, std::vector<bool> open, Then then) {
    const QByteArray key = layout_key(*model, open);
    if (busy() && key == under_way_) {
        then_ = std::move(then);
        return;
    }
    if (const LayoutPtr layout = at_once(key, *model, open)) {
        cancel();
        return then(layout);
    }
    under_way_ = key;
    // The worker can read its input without a lock: the model never changes, and the flags are a copy.
    line_.ask(
        [model, open = std::move(open), make = make_](const model::JobContext& context) {
            std::optional<Layout> made = make(*model, open, [&context] { return context.cancelled(); });
            return made ? std::make_shared<const Layout>(*std::move(made)) : LayoutPtr();
        },
        [this, key](const LayoutPtr& layout) { take(key, layout); });
    set_then(std::move(then));
}

/// Returns a cached or small layout; null if the layout is neither.
LayoutPtr LayoutService::at_once(const QByteArray& key, const model::LoadedModel& model,
                                 const std::vector<bool>& open) {
    if (LayoutPtr kept = cache_.find(key)) return kept;
    if (model.node_count() > operators_at_once) return nullptr;
    if (model::visible_blocks(model.tree, open).size() > blocks_at_once) return nullptr;
    auto layout = std::make_shared<const Layout>(model, open);
    ++made_;
    cache_.keep(key, layout);
    return layout;
}

void LayoutService::take(const QByteArray& key, const LayoutPtr& layout) {
    if (!layout) return set_then(nullptr);
    ++made_;
    cache_.keep(key, layout);
    const Then then = std::move(then_);
    set_then(nullptr);
    then(layout);
}

void LayoutService::cancel() {
    line_.cancel();
    set_then(nullptr);
}

void LayoutService::set_then(Then then) {
    const bool was = busy_;
    then_ = std::move(then);
    busy_ = then_ != nullptr;
    if (was != busy_) Q_EMIT busyChanged(busy_);
}

}  // namespace divisi::graphview

#include "moc_layout_service.cpp"
