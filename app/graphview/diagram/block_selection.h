// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <vector>

#include "app/graphview/diagram/graph_camera.h"

namespace divisi::graphview {

/// Selects blocks of the graph, or only marks them. Keys and menus act only on selected blocks, not on marked blocks.
class BlockSelection : public QObject {
    Q_OBJECT
public:
    /// `canvas` and `camera` must outlive the selection.
    BlockSelection(GraphCanvas& canvas, GraphCamera& camera) : canvas_(canvas), camera_(camera) {}

    /// Returns the BlockTree index of the selected block; -1 if none.
    std::int32_t block() const;
    /// Returns whether a visible block of the BlockTree is selected or marked.
    bool contains(std::int32_t block) const;
    /// Returns the number of selections and marks so far.
    int choices() const { return choices_; }

    /// Selects a block of the BlockTree, or the closed scope around it; -1 for none.
    void select(std::int32_t block, bool scroll_to);
    /// Selects a block of the layout as a click with these keys does: Shift extends the selection, Ctrl adds or removes
    /// the block. -1 is the background.
    void click(std::int32_t placed, Qt::KeyboardModifiers modifiers);
    /// Moves the selection by `by` blocks in canonical order.
    void move(int by, bool extend);
    /// Selects all blocks that are painted with a segment.
    void select_segment(int segment);
    /// Clears the selection, and marks all blocks with operators from `first` to `last`.
    void mark_operators(graph::NodeIndex first, graph::NodeIndex last);
    /// Reports that nothing is selected, because the picture was cleared.
    void tell_cleared() { Q_EMIT changed(-1); }

Q_SIGNALS:
    void changed(std::int32_t block);
    void hint(const QString& text);

private:
    void choose(std::int32_t current, const std::vector<std::int32_t>& placed);

    GraphCanvas& canvas_;
    GraphCamera& camera_;
    std::int32_t anchor_ = -1;  ///< block at which a selection of several blocks began
    int choices_ = 0;
};

}  // namespace divisi::graphview
