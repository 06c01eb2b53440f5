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

/// How a model is divided: by cuts, or by hand-painted segments, in which case there are no cuts.
struct Split {
    Cuts cuts = {};
    std::optional<Painting> painting = {};
    /// Whether the split requested by the task file is unknown: not found yet, or for another model. The task keeps it.
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
    std::int32_t operators = 0;   ///< may be 0 for a painted segment
    Flops flops = 0;              ///< of one training step
    double share = 0;             ///< share of the model's FLOPs, 0 to 1
    std::int64_t parameters = 0;  ///< trainable parameters; a weight shared by two segments counts in the first
    Bytes parameter_bytes = 0;
    Bytes bytes_out = 0;  ///< forward bytes over the cut that ends it, or out of a painted segment; 0 for the last
    Bytes gradient_bytes_out = 0;  ///< gradient bytes that come back
    std::int32_t values_out = 0;   ///< number of these tensors
};

/// A model with the cuts or painted segments that divide it. Each change is one undo step. A running gesture is a
/// preview, which all views show and which is then committed as one step or dropped.
class GraphDocument : public QObject {
    Q_OBJECT
public:
    explicit GraphDocument(QObject* parent = nullptr);

    /// Opens a model, or closes the document if it is null. Clears the undo stack.
    void open(ModelPtr model, Split split);
    void set_model(ModelPtr model, Cuts cuts = {}, std::optional<Painting> painting = {}) {
        open(std::move(model), {std::move(cuts), std::move(painting)});
    }
    /// Shows another version of the model (other sizes, another batch), or one restored by an undo step. Keeps the undo
    /// stack.
    void show(ModelPtr model, Split split);
    /// Takes the result for a split that was `as_in_task`. This is no undo step, as the user changed nothing.
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
    /// Returns where painted segments wait for each other; empty if the plan can run.
    const std::vector<plan::BlockLink>& shown_cycle() const { return cycle_; }
    bool previewing() const { return preview_.has_value(); }
    /// Returns the names of the operators before the cuts, as in a task file.
    std::vector<std::string> cut_names() const { return names_of(cuts()); }
    /// Returns the names of the operators before other cuts of the model.
    std::vector<std::string> names_of(const Cuts& cuts) const;
    /// Finds cuts by names or indices. The error names the first one that is unknown or illegal.
    Result<Cuts> find_cuts(const std::vector<std::string>& names) const;

    std::int32_t legal_count() const;
    graph::NodeIndex position(std::int32_t legal) const { return model_->cuts.legal[legal]; }

    /// Each call is one undo step. Returns false if nothing changed or the position is taken.
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
    /// Returns the segments with which painting starts: the painted ones, or those made by the cuts.
    Painting start_painting() const {
        return split_.painting ? *split_.painting : painting_of(*model_, cuts(), nodes_);
    }
    /// Sets the nodes that the task wants for its stages; painted segments start with them.
    void set_stage_nodes(std::vector<std::string> nodes) { nodes_ = std::move(nodes); }
    /// Converts painted segments to the cuts that no segment crosses. Returns true if this loses nothing.
    bool paint_to_cuts();

    /// Returns the cuts with `which` moved to `legal`, but kept between its neighbours.
    Cuts moved(std::size_t which, std::int32_t legal) const;
    void preview(Cuts cuts) { preview(Split{std::move(cuts), {}}); }
    void preview(Split split);
    void commit_preview(const QString& text);
    void drop_preview();
    /// Finishes an animation of the cuts at its end, before a key or pointer changes them.
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

/// Returns the free legal position that takes most work off the segment it divides; -1 if none is free. Linear time.
std::int32_t best_new_cut(const LoadedModel& model, const Cuts& cuts);

}  // namespace divisi::model
