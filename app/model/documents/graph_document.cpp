// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/documents/graph_document.h"

#include <QUndoCommand>
#include <algorithm>

#include "backend/search/layers.h"

namespace divisi::model {

/// The only undo command of the document: replaces one split by another.
class SetSplit : public QUndoCommand {
public:
    SetSplit(GraphDocument& document, Split split, const QString& text)
        : QUndoCommand(text), document_(document), before_(document.split()), after_(std::move(split)) {}
    /// Makes a command for a change that was prepared in several steps. Undoing it restores `before`, which need not be
    /// the current split.
    SetSplit(GraphDocument& document, Split before, Split after, const QString& text)
        : QUndoCommand(text),
          document_(document),
          before_(std::move(before)),
          after_(std::move(after)),
          recorded_(true) {}
    void undo() override { document_.apply(before_); }
    void redo() override { document_.apply(after_); }
    const Split* way_back() const { return recorded_ ? &before_ : nullptr; }

private:
    GraphDocument& document_;
    Split before_, after_;
    bool recorded_ = false;
};

GraphDocument::GraphDocument(QObject* parent) : QObject(parent) {}

void GraphDocument::open(ModelPtr model, Split split) {
    settle();
    undo_.clear();
    show(std::move(model), std::move(split));
}

void GraphDocument::show(ModelPtr model, Split split) {
    const bool other = model_ != model;
    preview_.reset();
    cycle_.clear();
    model_ = std::move(model);
    split_ = std::move(split);
    if (other) Q_EMIT modelChanged();
    changed();
}

void GraphDocument::take_found(Split split) {
    if (model_ && split_.as_in_task) apply(std::move(split));
}

void GraphDocument::changed() {
    cycle_.clear();
    if (shown_painting()) cycle_ = cycle_of(*model_, *shown_painting());
    Q_EMIT cutsChanged();
}

std::vector<std::string> GraphDocument::names_of(const Cuts& cuts) const {
    std::vector<std::string> names;
    for (const std::int32_t cut : cuts) names.push_back(model_->graph.nodes[position(cut)].name);
    return names;
}

Result<Cuts> GraphDocument::find_cuts(const std::vector<std::string>& names) const {
    return plan::choose_cuts(model_->graph, model_->cuts, names);
}

std::int32_t GraphDocument::legal_count() const {
    return model_ ? static_cast<std::int32_t>(model_->cuts.legal.size()) : 0;
}

bool GraphDocument::set_cuts(Cuts cuts, const QString& text) { return set_split({std::move(cuts), {}}, text); }

bool GraphDocument::set_split(Split split, const QString& text) {
    if (!model_ || split == split_) return false;
    undo_.push(new SetSplit(*this, std::move(split), text));  // the stack owns it
    return true;
}

bool GraphDocument::record_split(Split before, Split after, const QString& text) {
    if (!model_) return false;
    undo_.push(new SetSplit(*this, std::move(before), std::move(after), text));  // the stack owns it
    return true;
}

/// In an undo step of several commands, record_split() can have made only the first one.
const Split* GraphDocument::way_back(int step) const {
    const QUndoCommand* command = undo_.command(step);
    if (command && command->childCount() > 0) command = command->child(0);
    const auto* set = dynamic_cast<const SetSplit*>(command);
    return set ? set->way_back() : nullptr;
}

bool GraphDocument::paint_to_cuts() {
    if (!split_.painting) return true;
    const std::vector<std::int32_t> counts = operator_counts(*model_, *split_.painting);
    const auto segments = static_cast<std::size_t>(
        std::count_if(counts.begin(), counts.end(), [](std::int32_t count) { return count > 0; }));
    Cuts cuts = cuts_of(*model_, *split_.painting);
    const bool all = cuts.size() + 1 == segments;
    set_cuts(std::move(cuts), tr("Back to cuts"));
    return all;
}

bool GraphDocument::move_cut(std::size_t which, std::int32_t legal) {
    settle();
    return set_cuts(moved(which, legal), tr("Move cut"));
}

bool GraphDocument::add_cut(std::int32_t legal) {
    settle();
    if (legal < 0 || legal >= legal_count()) return false;
    Cuts cuts = split_.painting ? cuts_of(*model_, *split_.painting) : split_.cuts;
    if (std::binary_search(cuts.begin(), cuts.end(), legal)) return false;
    cuts.insert(std::lower_bound(cuts.begin(), cuts.end(), legal), legal);
    return set_cuts(std::move(cuts), tr("Add cut"));
}

bool GraphDocument::remove_cut(std::size_t which) {
    settle();
    if (which >= split_.cuts.size()) return false;
    Cuts cuts = split_.cuts;
    cuts.erase(cuts.begin() + static_cast<std::ptrdiff_t>(which));
    return set_cuts(std::move(cuts), tr("Remove cut"));
}

bool GraphDocument::clear_cuts() { return set_cuts({}, tr("Remove all cuts")); }

Result<void> GraphDocument::split_equally(std::int32_t stages) {
    if (!model_) return Error{ErrorCode::not_found, "no model is open", {}, "open a model first"};
    DIVISI_ASSIGN(Cuts cuts, search::equal_flops(model_->graph, model_->cuts, model_->cost, stages));
    set_cuts(std::move(cuts), tr("Equal FLOPs"));
    return {};
}

Cuts GraphDocument::moved(std::size_t which, std::int32_t legal) const {
    Cuts cuts = split_.cuts;
    if (which >= cuts.size()) return cuts;
    const std::int32_t lowest = which == 0 ? 0 : cuts[which - 1] + 1;
    const std::int32_t highest = which + 1 == cuts.size() ? legal_count() - 1 : cuts[which + 1] - 1;
    cuts[which] = std::clamp(legal, lowest, highest);
    return cuts;
}

void GraphDocument::preview(Split split) {
    const bool same = shown_split() == split;
    preview_ = std::move(split);
    if (!same) changed();
}

void GraphDocument::commit_preview(const QString& text) {
    if (!preview_) return;
    Split split = std::move(*preview_);
    preview_.reset();
    if (!set_split(std::move(split), text)) changed();
}

void GraphDocument::drop_preview() {
    if (!preview_) return;
    preview_.reset();
    changed();
}

std::vector<SegmentSummary> GraphDocument::segments() const {
    return shown_painting() ? painted_segments(*shown_painting()) : segments(shown_cuts());
}

std::vector<SegmentSummary> GraphDocument::painted_segments(const Painting& painting) const {
    std::vector<SegmentSummary> result(painting.places.size());
    const std::vector<std::int32_t> counts = operator_counts(*model_, painting);
    for (std::size_t i = 0; i < result.size(); ++i) result[i].operators = counts[i];
    for (graph::NodeIndex node = 0; node < model_->node_count(); ++node) {
        SegmentSummary& segment = result[painting.segment_of[node]];
        const graph::NodeCost& cost = model_->cost.node(node);
        segment.flops += LoadedModel::work_of(cost);
        segment.parameters += cost.parameters;
        segment.parameter_bytes += static_cast<Bytes>(cost.parameter_bytes);
        segment.last = node;
        for (const graph::ValueIndex output : model_->graph.nodes[node].outputs) {
            if (output == graph::no_value) continue;
            const graph::Value& value = model_->graph.values[output];
            const auto leaves = [&](graph::NodeIndex reader) {
                return painting.segment_of[reader] != painting.segment_of[node];
            };
            if (std::none_of(value.consumers.begin(), value.consumers.end(), leaves)) continue;
            const Bytes bytes = graph::size_bytes(value).value_or(0);
            segment.bytes_out += bytes;
            if (model_->with_gradient[output]) segment.gradient_bytes_out += bytes;
            ++segment.values_out;
        }
    }
    for (graph::NodeIndex node = model_->node_count() - 1; node >= 0; --node)
        result[painting.segment_of[node]].first = node;
    if (model_->total_work() > 0)
        for (SegmentSummary& segment : result) segment.share = segment.flops / model_->total_work();
    return result;
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
        segment.operators = to - from;
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

std::int32_t GraphDocument::best_new_cut() const { return model_ ? model::best_new_cut(*model_, split_.cuts) : -1; }

void GraphDocument::apply(Split split) {
    preview_.reset();
    split_ = std::move(split);
    changed();
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

#include "moc_graph_document.cpp"
