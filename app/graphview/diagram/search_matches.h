// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <utility>
#include <vector>

#include "app/graphview/drawing/graph_canvas.h"

namespace divisi::graphview {

/// Marks the operators that a search has found, and the closed scopes that contain such operators, until the model
/// changes.
class SearchMatches : public QObject {
    Q_OBJECT
public:
    /// `canvas` must outlive this object.
    explicit SearchMatches(GraphCanvas& canvas) : canvas_(canvas) {}

    /// Sets the found operators, ascending. If `searching`, all other blocks are dimmed, even if nothing was found.
    void set(std::vector<graph::NodeIndex> nodes, bool searching);
    const std::vector<graph::NodeIndex>& nodes() const { return nodes_; }
    /// Returns whether a search has found a block of the layout or an operator in it.
    bool contains(std::int32_t placed) const { return canvas_.is_match(placed); }
    /// Marks the matches in a new layout.
    void show();
    /// Forgets the matches without repainting, because another model is being shown.
    void forget();

Q_SIGNALS:
    void changed();

private:
    GraphCanvas& canvas_;
    std::vector<graph::NodeIndex> nodes_;
    bool searching_ = false;
};

}  // namespace divisi::graphview
