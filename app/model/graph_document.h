// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <optional>
#include <vector>

#include "app/model/loaded_model.h"
#include "app/model/painting.h"
#include "backend/plan/cut_choice.h"

namespace divisi::model {

/// Cuts as strictly ascending indices into LoadedModel::cuts.legal.
using Cuts = plan::CutChoice;

/// How a model is divided: by cuts, or by segments painted by hand, beside which there are no cuts.
struct Split {
    Cuts cuts = {};
    std::optional<Painting> painting = {};
    /// The task file asks for a split that is not known: not found yet, or not of this model. It stays the task's.
    bool as_in_task = false;
    bool operator==(const Split&) const = default;
};

/// A model and how it is divided.
struct Shown {
    ModelPtr model;
    Split split;
};

/// One segment as the views show it.
struct SegmentSummary {
    graph::NodeIndex first = 0, last = 0;  ///< operators, both inclusive; painted segments may lie between each other
    std::int32_t operators = 0;            ///< a painted segment may have lost all
    Flops flops = 0;                       ///< of one training step
    double share = 0;                      ///< of the model's FLOPs, 0 to 1
    std::int64_t parameters = 0;           ///< trainable; a weight of two segments counts in the first
    Bytes parameter_bytes = 0;
    Bytes bytes_out = 0;           ///< forward bytes over the cut that ends it, or out of a painted one; 0 for the last
    Bytes gradient_bytes_out = 0;  ///< gradients that come back over it
    std::int32_t values_out = 0;   ///< how many tensors those are
};

/// A model with the cuts or painted segments that divide it. Every change of them is one undo step; a gesture under
/// way is a preview, which all views show and which is either committed as one step or dropped.
class GraphDocument : public QObject {
    Q_OBJECT
public:
    explicit GraphDocument(QObject* parent = nullptr);

    /// Opens a model, or closes the document with null; forgets the undo steps.
    void open(ModelPtr model, Split split);
    void set_model(ModelPtr model, Cuts cuts = {}, std::optional<Painting> painting = {}) {
        open(std::move(model), {std::move(cuts), std::move(painting)});
    }
    /// Shows another version of the model (other sizes, another batch), or one that an undo step brings back; keeps
    /// the undo steps.
    void show(ModelPtr model, Split split);
    /// Takes over what was found for a split that was `as_in_task`; no undo step, as nobody changed anything.
    void take_found(Split split);
    const ModelPtr& model() const { return model_; }

    const Split& split() const { return split_; }
    /// The preview while a gesture is under way, else what is set.
    const Split& shown_split() const { return preview_ ? *preview_ : split_; }
    const Cuts& cuts() const { return split_.cuts; }
    const Cuts& shown_cuts() const { return shown_split().cuts; }
    /// Segments painted by hand; null where cuts divide the model.
    const Painting* painting() const { return split_.painting ? &*split_.painting : nullptr; }
    const Painting* shown_painting() const { return shown_split().painting ? &*shown_split().painting : nullptr; }
    /// Where painted segments wait for each other; empty for what can run.
    const std::vector<plan::BlockLink>& shown_cycle() const { return cycle_; }
    bool previewing() const { return preview_.has_value(); }
    /// Names of the operators that the cuts follow, as a task file has them.
    std::vector<std::string> cut_names() const { return names_of(cuts()); }
    /// The same of other cuts of the model.
    std::vector<std::string> names_of(const Cuts& cuts) const;
    /// Cuts by names or indices; the error names the first that is unknown or not legal.
    Result<Cuts> find_cuts(const std::vector<std::string>& names) const;

    std::int32_t legal_count() const;
    graph::NodeIndex position(std::int32_t legal) const { return model_->cuts.legal[legal]; }

    /// Each is one undo step; false when nothing changed or the place is taken.
    bool move_cut(std::size_t which, std::int32_t legal);
    bool add_cut(std::int32_t legal);
    bool remove_cut(std::size_t which);
    bool clear_cuts();
    /// Segments of work as equal as the legal positions allow; fails when there are too few of these.
    Result<void> split_equally(std::int32_t stages);
    /// Replaces painted segments, too.
    bool set_cuts(Cuts cuts, const QString& text);
    bool set_split(Split split, const QString& text);
    /// An undo step to `after` that leads back to `before`, whatever is set now: for what was done as a whole, in
    /// however many steps it was made ready. False without a model.
    bool record_split(Split before, Split after, const QString& text);
    /// Where undoing this step of the undo stack leads, if record_split() made it; null for all others.
    const Split* way_back(int step) const;
    /// The painted segments, or those that the cuts make: where painting begins.
    Painting start_painting() const {
        return split_.painting ? *split_.painting : painting_of(*model_, cuts(), nodes_);
    }
    /// Nodes that the task wants its stages on; painted segments begin with them.
    void set_stage_nodes(std::vector<std::string> nodes) { nodes_ = std::move(nodes); }
    /// From painted segments to the cuts that none of them reaches across; true where that loses nothing.
    bool paint_to_cuts();

    /// The cuts with `which` at `legal`, kept between its neighbours.
    Cuts moved(std::size_t which, std::int32_t legal) const;
    void preview(Cuts cuts) { preview(Split{std::move(cuts), {}}); }
    void preview(Split split);
    void commit_preview(const QString& text);
    void drop_preview();
    /// Ends what moves the cuts by itself (an animation), where it leads to: before a key or pointer changes them.
    void settle() { Q_EMIT settling(); }

    std::vector<SegmentSummary> segments() const;
    std::vector<SegmentSummary> segments(const Cuts& cuts) const;
    std::int32_t best_new_cut() const;

    QUndoStack& undo_stack() { return undo_; }

Q_SIGNALS:
    void modelChanged();
    /// The shown cuts or painted segments changed: by an undo step, or by the preview.
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

/// The free legal position that takes most work off the segment it divides; -1 where none is free. Linear time.
std::int32_t best_new_cut(const LoadedModel& model, const Cuts& cuts);

}  // namespace divisi::model
