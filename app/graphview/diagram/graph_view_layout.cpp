// SPDX-License-Identifier: GPL-3.0-or-later
// Requests layouts for GraphView: for an opened model, and for opened and closed scopes. A large layout arrives later
// from a worker. Until then the picture of the same model stays usable.
#include <QScrollBar>
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "app/graphview/diagram/graph_view.h"

namespace divisi::graphview {

namespace {

/// Number of blocks initially shown, so that they are readable.
constexpr std::size_t blocks_at_first = 60;
/// Scene margin around the graph, so that its ends can be moved to the centre of the view.
constexpr double pan_room = 4000;

}  // namespace

void GraphView::connect_notice() {
    connect(&layouts_, &LayoutService::busyChanged, this, [this](bool busy) {
        if (!busy) notice_->finish();
    });
    connect(notice_, &LayoutNotice::cancelRequested, this, [this] {
        setFocus();  // the focused button disappears
        cancelLayout();
    });
    connect(notice_, &LayoutNotice::againRequested, this, [this] {
        setFocus();
        if (dropped_) std::exchange(dropped_, nullptr)();
    });
    connect(notice_, &LayoutNotice::scoreRequested, this, &GraphView::scoreRequested);
}

void GraphView::onModelChanged() {
    arrived_ = nullptr;
    end_gesture();
    const model::ModelPtr before = std::exchange(subject_, document_.model());
    times_.reset();
    matches_.clear();
    searching_ = false;
    if (subject_ && before && model::is_version_of(*subject_, *before)) return show_version(*before);
    focused_cut_ = hovered_cut_ = -1;
    brush_ = 0;
    last_painted_.clear();
    clear_picture();
    if (!subject_) {
        layouts_.cancel();
        notice_->finish();
        wanted_open_.clear();
        setPainting(false);
        scene_.setSceneRect({});
        return tell_cleared();
    }
    lay_out(model::initially_open(subject_->tree, blocks_at_first), {}, [this] {
        fit_pending_ = !isVisible();
        fitWidth();
    });
    if (!model_) return tell_cleared();
    select_block(-1, false);
}

/// Clears the picture until the next layout, since the cuts of one model do not fit the picture of another.
void GraphView::clear_picture() {
    model_.reset();
    coloured_cuts_.reset();
    canvas_->show(nullptr, nullptr);
}

void GraphView::tell_cleared() {
    viewport()->update();
    Q_EMIT blockSelected(-1);
    Q_EMIT layoutChanged();
    Q_EMIT coloursChanged();
}

/// Shows the same model with other sizes: zoom, position, open scopes and selection stay.
void GraphView::show_version(const model::LoadedModel& before) {
    const auto path_of = [&before](std::int32_t block) {
        return block >= 0 ? before.tree.blocks[static_cast<std::size_t>(block)].path : std::string();
    };
    LayoutAnchor anchor = anchor_at(graph::no_node);
    const bool shown = anchor.node != graph::no_node;
    const std::string selected = path_of(selected_block());
    const std::string middle =
        path_of(shown ? canvas_->layout().blocks()[canvas_->layout().placed_at(anchor.node)].block : -1);
    std::set<std::string> known, opened;
    for (std::size_t i = 0; i < before.tree.blocks.size(); ++i) {
        known.insert(before.tree.blocks[i].path);
        if (wanted_open_[i]) opened.insert(before.tree.blocks[i].path);
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
    last_painted_.clear();
    clear_picture();
    lay_out(std::move(open), anchor, [this, again] { select_unless_chosen(again); });
    if (!model_) tell_cleared();
}

void GraphView::lay_out(std::vector<bool> open, LayoutAnchor anchor, std::function<void()> then) {
    arrived_ = nullptr;
    wanted_open_ = open;
    // Kept in case the user cancels the layout and then wants it after all.
    dropped_ = [this, open, anchor, then] { lay_out(open, anchor, then); };
    const int choices = choices_;
    layouts_.ask(subject_, std::move(open), [this, anchor, choices, then = std::move(then)](const LayoutPtr& layout) {
        const auto show = [this, anchor, then, layout, choices] {
            chosen_since_ = choices_ != choices;
            show_layout(layout, anchor);
            then();
        };
        // Do not replace the picture during a gesture, or the user could not aim.
        if (gesture_ == Gesture::none) show();
        else arrived_ = show;
    });
    if (layouts_.busy()) notice_->begin(subject_->node_count());
}

void GraphView::cancelLayout() {
    if (!layouts_.busy()) return;
    layouts_.cancel();
    if (model_) wanted_open_ = open_;
    notice_->show_cancelled(!model_);
}

/// Returns the operator that keeps its place, with its position in the viewport: the given one if visible, else the one
/// in the centre of the view.
GraphView::LayoutAnchor GraphView::anchor_at(graph::NodeIndex node) const {
    const Layout& layout = canvas_->layout();
    if (!model_ || layout.rows().empty()) return {};
    const auto area = [&](graph::NodeIndex of) {
        return mapFromScene(layout.blocks()[layout.placed_at(of)].rect).boundingRect();
    };
    if (node == graph::no_node || !area(node).intersects(viewport()->rect())) {
        const QPointF middle = mapToScene(viewport()->rect().center());
        const auto last = static_cast<std::int32_t>(layout.rows().size()) - 1;
        const Row& row = layout.rows()[std::min(layout.rows_between(middle.y(), middle.y()).first, last)];
        const auto first = layout.blocks().begin() + row.first;
        node = std::min_element(first, first + row.count, [&](const PlacedBlock& a, const PlacedBlock& b) {
                   return std::abs(a.rect.center().x() - middle.x()) < std::abs(b.rect.center().x() - middle.x());
               })->first;
    }
    return {node, mapFromScene(layout.blocks()[layout.placed_at(node)].rect.topLeft())};
}

/// Shows a layout. One operator keeps its place in the viewport, so that the user does not lose it.
void GraphView::show_layout(const LayoutPtr& layout, const LayoutAnchor& anchor) {
    const LayoutAnchor kept = anchor.at ? anchor : anchor_at(anchor.node);
    dropped_ = nullptr;
    notice_->finish();
    model_ = subject_;
    open_ = wanted_open_;
    canvas_->show(model_.get(), layout);
    coloured_cuts_.reset();
    show_painting();
    show_figures();
    show_matches();
    scene_.setSceneRect(layout->bounds().adjusted(-pan_room, -pan_room, pan_room, pan_room));
    viewport()->update();
    Q_EMIT layoutChanged();
    if (kept.at && kept.node != graph::no_node) {
        const QPoint moved = mapFromScene(layout->blocks()[layout->placed_at(kept.node)].rect.topLeft()) - *kept.at;
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() + moved.x());
        verticalScrollBar()->setValue(verticalScrollBar()->value() + moved.y());
    }
    Q_EMIT viewChanged();
}

void GraphView::toggle_open(std::int32_t block) {
    if (!model_ || block <= 0 || model_->tree.blocks[block].is_operator()) return;
    const bool opens = !open_[block];
    std::vector<bool> open = wanted_open_;
    open[block] = opens;
    lay_out(std::move(open), {model_->tree.blocks[block].first, {}},
            [this, block, opens] { select_unless_chosen(opens ? -1 : block); });
}

/// Selects a block for a new layout, unless the user has selected something since the layout was requested.
void GraphView::select_unless_chosen(std::int32_t block) {
    if (!chosen_since_) select_block(block, false);
}

void GraphView::reveal_node(graph::NodeIndex node) {
    if (!subject_) return;
    std::vector<bool> open = wanted_open_;
    const auto& blocks = subject_->tree.blocks;
    for (std::int32_t at = blocks[subject_->tree.operator_block[node]].parent; at > 0; at = blocks[at].parent)
        open[at] = true;
    // A pending layout may close the scopes that are open now.
    if (model_ && open == open_ && open == wanted_open_) return bring_to_middle(node);
    lay_out(std::move(open), {}, [this, node] { bring_to_middle(node); });
}

void GraphView::bring_to_middle(graph::NodeIndex node) {
    if (zoom() < GraphCanvas::readable_zoom) zoom_by(0.8 / zoom(), viewport()->rect().center());
    select_block(model_->tree.operator_block[node], false);
    centerOn(canvas_->layout().blocks()[canvas_->layout().placed_at(node)].rect.center());
    Q_EMIT viewChanged();
}

void GraphView::openAll() {
    if (!subject_) return;
    const std::int32_t selected = selected_block();
    LayoutAnchor anchor;
    if (selected >= 0) {
        anchor.node = subject_->tree.blocks[selected].first;
    } else if (!canvas_->layout().rows().empty()) {  // keep the block at the top of the view
        const double top = mapToScene(viewport()->rect()).boundingRect().top();
        const auto rows = static_cast<std::int32_t>(canvas_->layout().rows().size());
        const std::int32_t row = std::min(canvas_->layout().rows_between(top, top).first, rows - 1);
        anchor.node = canvas_->layout().blocks()[canvas_->layout().rows()[row].first].first;
    }
    const bool stays_selected = selected >= 0 && subject_->tree.blocks[selected].is_operator();
    lay_out(std::vector<bool>(subject_->tree.blocks.size(), true), anchor,
            [this, again = stays_selected ? selected : -1] { select_unless_chosen(again); });
}

void GraphView::closeAll() {
    if (!subject_) return;
    lay_out(std::vector<bool>(subject_->tree.blocks.size(), false), {}, [this] { fitWidth(); });
}

}  // namespace divisi::graphview
