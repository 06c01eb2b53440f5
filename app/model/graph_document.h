// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <optional>
#include <vector>

#include "app/model/loaded_model.h"
#include "backend/plan/segmentation.h"

namespace divisi::model {

/// Cuts as strictly ascending indices into LoadedModel::cuts.legal.
using Cuts = plan::CutChoice;

/// One segment as the views show it.
struct SegmentSummary {
    graph::NodeIndex first = 0, last = 0;  ///< operators, both inclusive
    Flops flops = 0;                       ///< of one training step
    double share = 0;                      ///< of the model's FLOPs, 0 to 1
    std::int64_t parameters = 0;           ///< trainable; a weight of two segments counts in the first
    Bytes parameter_bytes = 0;
    Bytes bytes_out = 0;           ///< forward bytes over the cut that ends it; 0 for the last
    Bytes gradient_bytes_out = 0;  ///< gradients that come back over it
    std::int32_t values_out = 0;   ///< how many tensors those are
};

/// A model with the cuts that divide it. Every change of the cuts is one undo step; a gesture under way is
/// a preview, which all views show and which is either committed as one step or dropped.
class GraphDocument : public QObject {
    Q_OBJECT
public:
    explicit GraphDocument(QObject* parent = nullptr);

    /// Replaces model and cuts; forgets the undo steps. Null closes the document.
    void set_model(ModelPtr model, Cuts cuts = {});
    const ModelPtr& model() const { return model_; }

    const Cuts& cuts() const { return cuts_; }
    /// The preview while a gesture is under way, else the cuts.
    const Cuts& shown_cuts() const { return preview_ ? *preview_ : cuts_; }
    bool previewing() const { return preview_.has_value(); }
    /// Names of the operators that the cuts follow, as a task file has them.
    std::vector<std::string> cut_names() const;
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
    bool set_cuts(Cuts cuts, const QString& text);

    /// The cuts with `which` at `legal`, kept between its neighbours.
    Cuts moved(std::size_t which, std::int32_t legal) const;
    void preview(Cuts cuts);
    void commit_preview(const QString& text);
    void drop_preview();

    std::vector<SegmentSummary> segments() const { return segments(shown_cuts()); }
    std::vector<SegmentSummary> segments(const Cuts& cuts) const;
    std::int32_t best_new_cut() const;

    QUndoStack& undo_stack() { return undo_; }

Q_SIGNALS:
    void modelChanged();
    /// The shown cuts changed: by an undo step, or by the preview.
    void cutsChanged();

private:
    friend class SetCuts;
    void apply(Cuts cuts);

    ModelPtr model_;
    Cuts cuts_;
    std::optional<Cuts> preview_;
    QUndoStack undo_;
};

/// The free legal position that takes most work off the segment it divides; -1 where none is free. Linear time.
std::int32_t best_new_cut(const LoadedModel& model, const Cuts& cuts);

}  // namespace divisi::model
