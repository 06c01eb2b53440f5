// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <memory>
#include <optional>
#include <vector>

#include "app/graphview/diagram/segment_brush.h"

namespace divisi::graphview {

/// Colours the blocks by a figure, or by their segments, which cuts or the brush determine.
class BlockColours : public QObject {
    Q_OBJECT
public:
    /// All arguments must outlive this object.
    BlockColours(const model::GraphDocument& document, GraphCanvas& canvas, const SegmentBrush& brush)
        : document_(document), canvas_(canvas), brush_(brush) {}

    model::ColourBy by() const { return by_; }
    void set_by(model::ColourBy by);
    /// Sets the predicted times of the model's operators; null while unknown.
    void set_times(std::shared_ptr<const model::OperatorTimes> times);
    /// Forgets the times without recolouring, because another model is being shown.
    void forget_times() { times_.reset(); }

    /// Returns the figures that determine the colours of the visible blocks. They have no values if they are unknown,
    /// or if blocks are not coloured by a figure.
    const model::BlockFigures& figures() const { return canvas_.figures(); }
    QColor colour(std::int32_t placed) const { return canvas_.far_colour(placed); }
    /// See GraphCanvas::far_parts().
    std::vector<ColouredPart> parts(const Row& row, double least) const { return canvas_.far_parts(row, least); }
    /// Returns the segment of a block of the layout, from 0; -1 if the block has no segment or several.
    std::int32_t segment(std::int32_t placed) const { return canvas_.segment(placed); }

    /// Colours the blocks of a new layout. Does nothing without a layout.
    void show();
    /// Updates the segments after cuts, segments or the brush have changed.
    void update_segments();

Q_SIGNALS:
    void changed();  ///< the figure, its values or the segments of blocks have changed

private:
    bool show_segments();
    void show_figures();

    const model::GraphDocument& document_;
    GraphCanvas& canvas_;
    const SegmentBrush& brush_;
    model::ColourBy by_ = model::ColourBy::nothing;
    std::shared_ptr<const model::OperatorTimes> times_;
    std::optional<model::Cuts> shown_cuts_;  ///< cuts whose segments the canvas shows; none if it shows painted
                                             ///< segments
};

}  // namespace divisi::graphview
