// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/cutting/graph_selection.h"

#include <QScopedValueRollback>

#include "app/model/tracking/selected_instance.h"

namespace divisi::shell {

using model::Selected;

GraphSelection::GraphSelection(AppContext& context, GraphPage& page) : QObject(&page), context_(context), page_(page) {
    connect(&page, &GraphPage::blockSelected, this, &GraphSelection::take_block);
    connect(&context.selection, &model::Selection::changed, this, &GraphSelection::show);
    connect(&page.view(), &graphview::GraphView::layoutChanged, this, &GraphSelection::show_again);
    connect(&context.recut, &model::LiveRecut::changed, this, [this] {
        if (marked_ && range_of_selected() != marked_) show();
    });
}

/// Passes the block selected in the graph to the common selection. When a model is closed, clears the common selection
/// only if a block of this model is selected.
void GraphSelection::take_block(std::int32_t block) {
    if (busy_) return;
    if (block < 0 && marked_) return mark_again();
    const QScopedValueRollback<bool> busy(busy_, true);
    const model::ModelPtr model = context_.document.model();
    if (block < 0 || !model) {
        if (context_.selection.current().kind == Selected::Kind::model_block) context_.selection.clear();
        return;
    }
    marked_.reset();
    const model::Block& chosen = model->tree.blocks[static_cast<std::size_t>(block)];
    InstanceId runs;
    if (context_.client && context_.recut.in_force())
        runs = model::instance_of_stage(context_.client->data().state, context_.recut.task(),
                                        model::stage_of_block(*model, *context_.recut.in_force(), chosen));
    context_.selection.select(Selected::of_block(chosen.path, runs));
}

void GraphSelection::show() {
    const model::ModelPtr model = context_.document.model();
    if (busy_ || !model) return;
    const QScopedValueRollback<bool> busy(busy_, true);
    const Selected& now = context_.selection.current();
    if (now.kind == Selected::Kind::model_block) {
        marked_.reset();
        const std::int32_t block = model::block_of_path(*model, now.id);
        if (block >= 0 && block != page_.view().selection().block()) page_.view().selection().select(block, true);
        return;
    }
    mark(range_of_selected());
}

/// Returns the operators of the selected instance, or of the instance that runs the selected unit, if the instance
/// belongs to the followed task.
std::optional<model::OperatorRange> GraphSelection::range_of_selected() const {
    if (!context_.client || !context_.recut.in_force() || !context_.document.model()) return {};
    const control::ClusterState& cluster = context_.client->data().state;
    const auto found = cluster.instances.find(model::instance_of(context_.selection.current(), cluster));
    if (found == cluster.instances.end() || found->second.task != context_.recut.task()) return {};
    return model::range_of_stage(*context_.document.model(), *context_.recut.in_force(), found->second.stage);
}

/// Marks the range. Without a range, clears the graph's selection if a range was marked or if nothing is selected now.
void GraphSelection::mark(const std::optional<model::OperatorRange>& range) {
    if (range) {
        page_.view().selection().mark_operators(range->first, range->last);
        page_.score().show_operators(range->first, range->last);
    } else if (marked_ || !context_.selection.current()) {
        page_.view().selection().select(-1, false);
    }
    marked_ = range;
}

/// Handles a change of the visible blocks. Selects in the graph a block that was selected while the graph did not show
/// it, for example in the score.
void GraphSelection::show_again() {
    const Selected& now = context_.selection.current();
    const model::ModelPtr model = context_.document.model();
    if (now.kind != Selected::Kind::model_block || !model) return mark_again();
    const std::int32_t block = model::block_of_path(*model, now.id);
    graphview::GraphView& view = page_.view();
    if (busy_ || block < 0 || block == view.selection().block() || !view.scopes().shows(block)) return;
    const QScopedValueRollback<bool> busy(busy_, true);
    view.selection().select(block, false);
}

/// Marks the blocks again after the visible blocks have changed.
void GraphSelection::mark_again() {
    if (busy_ || !marked_ || !context_.document.model()) return;
    const QScopedValueRollback<bool> busy(busy_, true);
    mark(range_of_selected());
}

}  // namespace divisi::shell

#include "moc_graph_selection.cpp"
