// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/graph_scopes.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace divisi::graphview {

namespace {

/// Maximum number of blocks shown initially, so that they are readable.
constexpr std::size_t blocks_at_first = 60;

}  // namespace

GraphScopes::GraphScopes(GraphCanvas& canvas, GraphCamera& camera, BlockSelection& selection, QWidget& view,
                         std::function<bool()> may_show)
    : canvas_(canvas), camera_(camera), selection_(selection), layouts_(view, std::move(may_show)) {
    connect(&layouts_, &ScopeLayouts::cancelRequested, this, &GraphScopes::cancel);
}

bool GraphScopes::shows(std::int32_t block) const {
    if (!model_) return false;
    const Layout& shown = canvas_.layout();
    const graph::NodeIndex node = model_->tree.blocks[static_cast<std::size_t>(block)].first;
    return shown.blocks()[static_cast<std::size_t>(shown.placed_at(node))].block == block;
}

bool GraphScopes::is_next_version(const model::ModelPtr& model) const {
    return model && subject_ && model::is_version_of(*model, *subject_);
}

void GraphScopes::clear_picture() {
    model_.reset();
    canvas_.show(nullptr, nullptr);
}

void GraphScopes::clear() {
    subject_.reset();
    clear_picture();
    layouts_.drop();
    wanted_open_.clear();
}

void GraphScopes::show_model(model::ModelPtr model) {
    subject_ = std::move(model);
    clear_picture();
    lay_out(model::initially_open(subject_->tree, blocks_at_first), {}, [this] { camera_.fit_width_when_shown(); });
}

void GraphScopes::show_version(model::ModelPtr model) {
    const model::ModelPtr before = std::exchange(subject_, std::move(model));
    const auto path_of = [&before](std::int32_t block) {
        return block >= 0 ? before->tree.blocks[static_cast<std::size_t>(block)].path : std::string();
    };
    LayoutAnchor anchor = camera_.anchor_at(graph::no_node);
    const bool shown = anchor.node != graph::no_node;
    const std::string selected = path_of(selection_.block());
    const std::string middle =
        path_of(shown ? canvas_.layout().blocks()[canvas_.layout().placed_at(anchor.node)].block : -1);
    std::set<std::string> known, opened;
    for (std::size_t i = 0; i < before->tree.blocks.size(); ++i) {
        known.insert(before->tree.blocks[i].path);
        if (wanted_open_[i]) opened.insert(before->tree.blocks[i].path);
    }
    std::vector<bool> open = model::initially_open(subject_->tree, blocks_at_first);
    std::int32_t again = -1;
    anchor.node = graph::no_node;
    for (std::size_t i = 0; i < open.size(); ++i) {
        const std::string& here = subject_->tree.blocks[i].path;
        if (known.contains(here)) open[i] = opened.contains(here);
        if (!selected.empty() && here == selected) again = static_cast<std::int32_t>(i);
        if (shown && here == middle) anchor.node = subject_->tree.blocks[i].first;
    }
    clear_picture();
    lay_out(std::move(open), anchor, [this, again] { select_unless_chosen(again); });
}

/// Requests a layout. Calls `then` when the layout is shown; for a small or cached layout, this is before lay_out()
/// returns.
void GraphScopes::lay_out(std::vector<bool> open, LayoutAnchor anchor, std::function<void()> then) {
    wanted_open_ = open;
    const auto again = [this, open, anchor, then] { lay_out(open, anchor, then); };
    const auto show = [this, anchor, choices = selection_.choices(), then](const LayoutPtr& layout) {
        chosen_since_ = selection_.choices() != choices;
        show_layout(layout, anchor);
        then();
    };
    layouts_.request(subject_, std::move(open), show, again);
}

void GraphScopes::cancel() {
    if (!layouts_.service().busy()) return;
    if (model_) wanted_open_ = open_;
    layouts_.cancel(!model_);
}

/// Shows a layout. The operator of `anchor` keeps its position in the viewport, so that the user does not lose sight of
/// it.
void GraphScopes::show_layout(const LayoutPtr& layout, const LayoutAnchor& anchor) {
    const LayoutAnchor kept = anchor.at ? anchor : camera_.anchor_at(anchor.node);
    layouts_.finish();
    model_ = subject_;
    open_ = wanted_open_;
    canvas_.show(model_.get(), layout);
    Q_EMIT shown();
    camera_.restore(kept);
}

void GraphScopes::toggle(std::int32_t block) {
    if (!model_ || block <= 0 || model_->tree.blocks[block].is_operator()) return;
    const bool opens = !open_[block];
    std::vector<bool> open = wanted_open_;
    open[block] = opens;
    lay_out(std::move(open), {model_->tree.blocks[block].first, {}},
            [this, block, opens] { select_unless_chosen(opens ? -1 : block); });
}

/// Selects a block for a new layout, unless the user has selected something since the layout was requested.
void GraphScopes::select_unless_chosen(std::int32_t block) {
    if (!chosen_since_) selection_.select(block, false);
}

void GraphScopes::reveal(graph::NodeIndex node) {
    if (!subject_) return;
    std::vector<bool> open = wanted_open_;
    const auto& blocks = subject_->tree.blocks;
    for (std::int32_t at = blocks[subject_->tree.operator_block[node]].parent; at > 0; at = blocks[at].parent)
        open[at] = true;
    // Compare with the requested scopes too, because a pending layout may close scopes that are open now.
    if (model_ && open == open_ && open == wanted_open_) return bring_to_middle(node);
    lay_out(std::move(open), {}, [this, node] { bring_to_middle(node); });
}

void GraphScopes::bring_to_middle(graph::NodeIndex node) {
    selection_.select(model_->tree.operator_block[node], false);
    camera_.bring_to_middle(canvas_.layout().blocks()[canvas_.layout().placed_at(node)].rect.center());
}

/// Returns the operator at the top of the view; none without a picture.
LayoutAnchor GraphScopes::top_anchor() const {
    const Layout& layout = canvas_.layout();
    if (layout.rows().empty()) return {};
    const double top = camera_.shown().top();
    const auto rows = static_cast<std::int32_t>(layout.rows().size());
    const std::int32_t row = std::min(layout.rows_between(top, top).first, rows - 1);
    return {layout.blocks()[layout.rows()[row].first].first, {}};
}

void GraphScopes::open_all() {
    if (!subject_) return;
    const auto& blocks = subject_->tree.blocks;
    const std::int32_t selected = selection_.block();
    const LayoutAnchor anchor = selected >= 0 ? LayoutAnchor{blocks[selected].first, {}} : top_anchor();
    const bool stays_selected = selected >= 0 && blocks[selected].is_operator();
    lay_out(std::vector<bool>(blocks.size(), true), anchor,
            [this, again = stays_selected ? selected : -1] { select_unless_chosen(again); });
}

void GraphScopes::close_all() {
    if (!subject_) return;
    lay_out(std::vector<bool>(subject_->tree.blocks.size(), false), {}, [this] { camera_.fit_width(); });
}

}  // namespace divisi::graphview

#include "moc_graph_scopes.cpp"
