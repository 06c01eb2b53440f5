// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <optional>
#include <vector>

#include "app/model/documents/loaded_model.h"
#include "app/model/documents/painting.h"
#include "backend/plan/cut_choice.h"

namespace divisi::model {

/// Cuts as strictly ascending indices into LoadedModel::cuts.legal.
using Cuts = plan::CutChoice;

/// The division of a model: by cuts, or by hand-painted segments without cuts.
struct Split {
    Cuts cuts = {};
    std::optional<Painting> painting = {};
    /// Whether the split is unknown, because it is not found yet or belongs to another model. The request in the task
    /// file is then kept.
    bool as_in_task = false;
    bool operator==(const Split&) const = default;
};

/// A model and how it is divided.
struct Shown {
    ModelPtr model;
    Split split;
};

/// A segment as shown by views.
struct SegmentSummary {
    /// first and last operator, both inclusive; painted segments may be interleaved
    graph::NodeIndex first = 0, last = 0;
    std::int32_t operators = 0;   ///< number of operators; may be 0 for a painted segment
    Flops flops = 0;              ///< FLOPs of training with ModelSource::batch samples
    double share = 0;             ///< share of the model's FLOPs, 0 to 1
    std::int64_t parameters = 0;  ///< trainable parameters; a weight shared by two segments counts in the first
    Bytes parameter_bytes = 0;
    Bytes bytes_out = 0;  ///< bytes sent forward over the cut at its end, or out of a painted segment; 0 for the last
    Bytes gradient_bytes_out = 0;  ///< bytes of the gradients sent back
    std::int32_t values_out = 0;   ///< number of tensors sent forward over this cut or out of this segment
};

/// A model with the cuts or painted segments that divide it. Each change is one undo step. While a gesture runs, its
/// changes are a preview, which all views show. At the end of the gesture, the preview is committed as one step or
/// dropped.
class GraphDocument : public QObject {
    Q_OBJECT
public:
    explicit GraphDocument(QObject* parent = nullptr);

    /// Opens a model, or closes the document if it is null. Clears the undo stack.
    void open(ModelPtr model, Split split);
    void set_model(ModelPtr model, Cuts cuts = {}, std::optional<Painting> painting = {}) {
        open(std::move(model), {std::move(cuts), std::move(painting)});
    }
    /// Shows another version of the model (other sizes, another batch), or a version restored by an undo step. Keeps
    /// the undo stack.
    void show(ModelPtr model, Split split);
    /// Sets the split that was found for an unknown split (Split::as_in_task). This is not an undo step, because the
    /// user changed nothing.
    void take_found(Split split);
    const ModelPtr& model() const { return model_; }

    const Split& split() const { return split_; }
    /// Returns the preview during a gesture, else the actual split.
    const Split& shown_split() const { return preview_ ? *preview_ : split_; }
    const Cuts& cuts() const { return split_.cuts; }
    const Cuts& shown_cuts() const { return shown_split().cuts; }
    /// Returns the hand-painted segments; null if cuts divide the model.
    const Painting* painting() const { return split_.painting ? &*split_.painting : nullptr; }
    const Painting* shown_painting() const { return shown_split().painting ? &*shown_split().painting : nullptr; }
    /// Returns the places where painted segments wait for each other; empty if the plan can run.
    const std::vector<plan::BlockLink>& shown_cycle() const { return cycle_; }
    bool previewing() const { return preview_.has_value(); }
    /// Returns the cuts as in a task file: each by the name of the operator before it.
    std::vector<std::string> cut_names() const { return names_of(cuts()); }
    /// Returns the names of the operators before the given cuts.
    std::vector<std::string> names_of(const Cuts& cuts) const;
    /// Finds cuts by names or indices. The error names the first one that is unknown or illegal.
    Result<Cuts> find_cuts(const std::vector<std::string>& names) const;

    std::int32_t legal_count() const;
    graph::NodeIndex position(std::int32_t legal) const { return model_->cuts.legal[legal]; }

    /// Each call of these functions is one undo step. They return false if nothing changes, or if another cut has the
    /// position.
    bool move_cut(std::size_t which, std::int32_t legal);
    bool add_cut(std::int32_t legal);
    bool remove_cut(std::size_t which);
    bool clear_cuts();
    /// Divides the work as equally as the legal positions allow. Fails if there are too few legal positions.
    Result<void> split_equally(std::int32_t stages);
    /// Sets the cuts; also replaces painted segments.
    bool set_cuts(Cuts cuts, const QString& text);
    bool set_split(Split split, const QString& text);
    /// Records an undo step from `before` to `after`, whatever the current split is, for a change that was prepared in
    /// several steps. Returns false without a model.
    bool record_split(Split before, Split after, const QString& text);
    /// Returns the split that undoing this step restores, if record_split() made the step; otherwise null.
    const Split* way_back(int step) const;
    /// Returns the segments with which painting starts: the painted segments, or else the segments between the cuts.
    Painting start_painting() const {
        return split_.painting ? *split_.painting : painting_of(*model_, cuts(), nodes_);
    }
    /// Sets the nodes that the task requires for its stages; painted segments start with these nodes.
    void set_stage_nodes(std::vector<std::string> nodes) { nodes_ = std::move(nodes); }
    /// Converts painted segments to the cuts that no segment crosses. Returns true if no information is lost.
    bool paint_to_cuts();

    /// Returns the cuts after cut `which` has moved to position `legal`, as far as its neighbours allow.
    Cuts moved(std::size_t which, std::int32_t legal) const;
    void preview(Cuts cuts) { preview(Split{std::move(cuts), {}}); }
    void preview(Split split);
    void commit_preview(const QString& text);
    void drop_preview();
    /// Ends a running animation immediately, with the cuts at their final positions. Called before a key or pointer
    /// changes the cuts.
    void settle() { Q_EMIT settling(); }

    std::vector<SegmentSummary> segments() const;
    std::vector<SegmentSummary> segments(const Cuts& cuts) const;
    std::int32_t best_new_cut() const;

    QUndoStack& undo_stack() { return undo_; }

Q_SIGNALS:
    void modelChanged();
    /// The shown cuts or painted segments have changed, by an undo step or by the preview.
    void cutsChanged();
    void settling();

private:
    friend class SetSplit;
    void apply(Split split);
    void changed();
    std::vector<SegmentSummary> painted_segments(const Painting& painting) const;

    ModelPtr model_;
    Split split_;
    std::optional<Split> preview_;
    std::vector<plan::BlockLink> cycle_;
    std::vector<std::string> nodes_;
    QUndoStack undo_;
};

/// Returns the free legal position at which the smaller part of the divided segment has the most work; -1 if none is
/// free. Linear time.
std::int32_t best_new_cut(const LoadedModel& model, const Cuts& cuts);

}  // namespace divisi::model
