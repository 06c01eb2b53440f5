// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <optional>
#include <vector>

#include "app/graphview/drawing/graph_canvas.h"
#include "app/model/documents/graph_document.h"

namespace divisi::graphview {

/// Assigns blocks to segments by painting. A stroke is a preview of the document, and becomes one undo step. The first
/// stroke turns cuts into segments.
class SegmentBrush : public QObject {
    Q_OBJECT
public:
    /// `document` and `canvas` must outlive the brush.
    SegmentBrush(model::GraphDocument& document, const GraphCanvas& canvas) : document_(document), canvas_(canvas) {}

    /// Returns whether the pointer paints instead of moving cuts.
    bool painting() const { return painting_; }
    /// Switches painting on or off. Does nothing if no graph is shown.
    void set_painting(bool on);

    /// Returns the segment that the brush paints, from 0. An index equal to segment_count() creates a new one.
    int segment() const { return segment_; }
    /// Chooses a segment. The number is limited to the existing segments and, if permitted, one new segment.
    void choose(int segment);
    /// Chooses the segment of a block of the layout; -1 keeps the current one.
    void pick(std::int32_t placed);
    /// Returns the number of existing segments.
    int segment_count() const;

    /// Paints all selected blocks with a segment. Returns false if nothing is selected.
    bool paint_selection(int segment);
    /// Handles a key. Returns false unless it is a digit that paints the selection or chooses a segment.
    bool paint_key(int key);

    void begin_stroke();
    /// Adds blocks of the layout to the stroke.
    void paint(const std::vector<std::int32_t>& placed);
    /// Adds a block of the BlockTree to the stroke.
    void paint_block(std::int32_t block);
    /// Paints these blocks of the layout instead of all that the stroke has painted before.
    void repaint(const std::vector<std::int32_t>& placed);
    void commit_stroke();
    /// Returns whether the last stroke became an undo step.
    bool last_stroke_painted() const { return last_stroke_painted_; }

    /// Returns the painted segments, changed as little as needed to remove all cycles, see model::mended(); empty if
    /// there is no cycle.
    std::optional<model::Painting> mended() const;
    void mend();

    /// Forgets the last stroke, because its operators do not belong to the current model.
    void forget_stroke() { last_painted_.clear(); }
    /// Chooses the first segment, for another model.
    void reset() { segment_ = 0; }

Q_SIGNALS:
    /// Painting was switched on or off. Emitted before changed().
    void switched(bool on);
    /// Painting was switched on or off, or the segment of the brush has changed.
    void changed();
    void hint(const QString& text);

private:
    void preview_stroke();

    model::GraphDocument& document_;
    const GraphCanvas& canvas_;
    bool painting_ = false;
    int segment_ = 0;
    model::Painting stroke_;            ///< painting of the current stroke
    model::Painting before_stroke_;     ///< painting when the stroke began
    std::vector<bool> last_painted_;    ///< operators of the last stroke, which mending preserves
    bool last_stroke_painted_ = false;  ///< whether the last stroke became an undo step
};

}  // namespace divisi::graphview
