// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/block_colours.h"

#include <utility>

namespace divisi::graphview {

void BlockColours::set_by(model::ColourBy by) {
    if (by_ == by) return;
    by_ = by;
    if (!canvas_.model()) return;
    show_segments();
    show_figures();
}

void BlockColours::set_times(std::shared_ptr<const model::OperatorTimes> times) {
    if (times_ == times) return;
    times_ = std::move(times);
    if (canvas_.model() && by_ == model::ColourBy::time) show_figures();
}

void BlockColours::show() {
    shown_cuts_.reset();
    if (!canvas_.model()) {
        Q_EMIT changed();
        return;
    }
    show_segments();
    show_figures();
}

void BlockColours::update_segments() {
    if (show_segments()) Q_EMIT changed();
}

/// Passes the shown segments to the canvas. Returns whether the colours of blocks may have changed.
bool BlockColours::show_segments() {
    if (!canvas_.model()) return false;
    const std::optional<model::Cuts> before = std::exchange(shown_cuts_, {});
    if (const model::Painting* shown = document_.shown_painting()) {
        canvas_.set_painting(shown, document_.shown_cycle());
        return true;
    }
    if (brush_.painting()) {
        const model::Painting stages = document_.start_painting();
        canvas_.set_painting(&stages, {});
        return true;
    }
    if (by_ != model::ColourBy::segment) {
        const bool painted = canvas_.painted();
        if (painted) canvas_.set_painting(nullptr, {});
        return painted;
    }
    shown_cuts_ = document_.shown_cuts();
    if (before == shown_cuts_) return false;  // unchanged, as when a gesture ends with the cuts of its preview
    const model::Painting stages = model::painting_of(*canvas_.model(), *shown_cuts_, {});
    canvas_.set_painting(&stages, {});
    return true;
}

void BlockColours::show_figures() {
    std::vector<model::BlockRange> ranges;
    for (const PlacedBlock& placed : canvas_.layout().blocks()) ranges.emplace_back(placed.first, placed.last);
    canvas_.set_figures(model::block_figures(*canvas_.model(), ranges, by_, times_.get()));
    Q_EMIT changed();
}

}  // namespace divisi::graphview

#include "moc_block_colours.cpp"
