// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/graph_document.h"

#include <QUndoCommand>
#include <algorithm>

namespace divisi::model {

/// The one undo command of the cuts: from here to there.
class SetCuts : public QUndoCommand {
public:
    SetCuts(GraphDocument& document, Cuts cuts, const QString& text)
        : QUndoCommand(text), document_(document), before_(document.cuts()), after_(std::move(cuts)) {}
    void undo() override { document_.apply(before_); }
    void redo() override { document_.apply(after_); }

private:
    GraphDocument& document_;
    Cuts before_, after_;
};

GraphDocument::GraphDocument(QObject* parent) : QObject(parent) {}

void GraphDocument::set_model(ModelPtr model, Cuts cuts) {
    undo_.clear();
    preview_.reset();
    model_ = std::move(model);
    cuts_ = std::move(cuts);
    Q_EMIT modelChanged();
    Q_EMIT cutsChanged();
}

std::vector<std::string> GraphDocument::cut_names() const {
    std::vector<std::string> names;
    for (const std::int32_t cut : cuts_) names.push_back(model_->graph.nodes[position(cut)].name);
    return names;
}

Result<Cuts> GraphDocument::find_cuts(const std::vector<std::string>& names) const {
    return plan::choose_cuts(model_->graph, model_->cuts, names);
}

std::int32_t GraphDocument::legal_count() const {
    return model_ ? static_cast<std::int32_t>(model_->cuts.legal.size()) : 0;
}

bool GraphDocument::set_cuts(Cuts cuts, const QString& text) {
    if (!model_ || cuts == cuts_) return false;
    undo_.push(new SetCuts(*this, std::move(cuts), text));  // the stack owns it
    return true;
}

bool GraphDocument::move_cut(std::size_t which, std::int32_t legal) {
    return set_cuts(moved(which, legal), tr("Move cut"));
}

bool GraphDocument::add_cut(std::int32_t legal) {
    if (legal < 0 || legal >= legal_count() || std::binary_search(cuts_.begin(), cuts_.end(), legal)) return false;
    Cuts cuts = cuts_;
    cuts.insert(std::lower_bound(cuts.begin(), cuts.end(), legal), legal);
    return set_cuts(std::move(cuts), tr("Add cut"));
}

bool GraphDocument::remove_cut(std::size_t which) {
    if (which >= cuts_.size()) return false;
    Cuts cuts = cuts_;
    cuts.erase(cuts.begin() + static_cast<std::ptrdiff_t>(which));
    return set_cuts(std::move(cuts), tr("Remove cut"));
}

bool GraphDocument::clear_cuts() { return set_cuts({}, tr("Remove all cuts")); }

Result<void> GraphDocument::split_equally(std::int32_t stages) {
    if (!model_) return Error{ErrorCode::not_found, "no model is open", {}, "open a model first"};
    DIVISI_ASSIGN(Cuts cuts, plan::equal_flops(model_->graph, model_->cuts, model_->cost, stages));
    set_cuts(std::move(cuts), tr("Equal FLOPs"));
    return {};
}

Cuts GraphDocument::moved(std::size_t which, std::int32_t legal) const {
    Cuts cuts = cuts_;
    if (which >= cuts.size()) return cuts;
    const std::int32_t lowest = which == 0 ? 0 : cuts[which - 1] + 1;
    const std::int32_t highest = which + 1 == cuts.size() ? legal_count() - 1 : cuts[which + 1] - 1;
    cuts[which] = std::clamp(legal, lowest, highest);
    return cuts;
}

void GraphDocument::preview(Cuts cuts) {
    if (shown_cuts() == cuts) {
        preview_ = std::move(cuts);
        return;
    }
    preview_ = std::move(cuts);
    Q_EMIT cutsChanged();
}

void GraphDocument::commit_preview(const QString& text) {
    if (!preview_) return;
    Cuts cuts = std::move(*preview_);
    preview_.reset();
    if (!set_cuts(std::move(cuts), text)) Q_EMIT cutsChanged();
}

void GraphDocument::drop_preview() {
    if (!preview_) return;
    preview_.reset();
    Q_EMIT cutsChanged();
}

std::vector<SegmentSummary> GraphDocument::segments(const Cuts& cuts) const {
    std::vector<SegmentSummary> result;
    if (!model_ || model_->node_count() == 0) return result;
    graph::NodeIndex from = -1;
    for (std::size_t i = 0; i <= cuts.size(); ++i) {
        const bool last = i == cuts.size();
        const graph::NodeIndex to = last ? model_->node_count() - 1 : position(cuts[i]);
        SegmentSummary segment;
        segment.first = from + 1;
        segment.last = to;
        const graph::NodeCost cost = model_->cost.range(from + 1, to + 1);
        segment.flops = LoadedModel::work_of(cost);
        if (model_->total_work() > 0) segment.share = segment.flops / model_->total_work();
        segment.parameters = cost.parameters;
        segment.parameter_bytes = static_cast<Bytes>(cost.parameter_bytes);
        if (!last) {
            segment.bytes_out = model_->cuts.positions[to].forward_bytes;
            segment.gradient_bytes_out = model_->cuts.positions[to].backward_bytes;
            segment.values_out = model_->cuts.positions[to].values;
        }
        result.push_back(segment);
        from = to;
    }
    return result;
}

std::int32_t GraphDocument::best_new_cut() const { return model_ ? model::best_new_cut(*model_, cuts_) : -1; }

void GraphDocument::apply(Cuts cuts) {
    preview_.reset();
    cuts_ = std::move(cuts);
    Q_EMIT cutsChanged();
}

std::int32_t best_new_cut(const LoadedModel& model, const Cuts& cuts) {
    std::int32_t best = -1;
    Flops best_gain = 0;
    std::size_t segment = 0;
    for (std::int32_t legal = 0; legal < static_cast<std::int32_t>(model.cuts.legal.size()); ++legal) {
        if (segment < cuts.size() && cuts[segment] == legal) {
            ++segment;
            continue;
        }
        const graph::NodeIndex from = segment == 0 ? -1 : model.cuts.legal[cuts[segment - 1]];
        const graph::NodeIndex to = segment == cuts.size() ? model.node_count() - 1 : model.cuts.legal[cuts[segment]];
        const graph::NodeIndex here = model.cuts.legal[legal];
        const Flops gain = std::min(model.work(from + 1, here + 1), model.work(here + 1, to + 1));
        if (best < 0 || gain > best_gain) {
            best = legal;
            best_gain = gain;
        }
    }
    return best;
}

}  // namespace divisi::model
