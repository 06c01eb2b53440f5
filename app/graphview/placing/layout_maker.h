// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "app/graphview/placing/layout.h"

namespace divisi::graphview {

/// Makes one layout step by step, and stops between two blocks or edges when cancelled. Only reads the model and the
/// flags of open scopes, so that a worker thread can make a layout while other threads read them.
class LayoutMaker {
public:
    LayoutMaker(const model::LoadedModel& model, const std::vector<bool>& open, const Layout::Cancelled& cancelled);

    /// Returns the layout; empty if it was cancelled.
    std::optional<Layout> make();

private:
    /// The position of a block in its scope, computed as if all blocks of the scope were closed.
    struct Stand {
        std::int32_t row = 0;
        double x = 0;               ///< x of the block's centre: relative to the scope, later relative to the scene
        std::int32_t columns = 0;   ///< capacity of a row in a folded scope
        std::int32_t position = 0;  ///< index among the blocks of its scope
    };
    /// The blocks that a block depends on in its own scope, as a range of `sources_`.
    struct Sources {
        std::size_t first = 0, last = 0;
    };

    bool stopped();
    bool is_open_scope(std::int32_t block) const;
    std::vector<std::int32_t> open_ancestors(std::int32_t block) const;
    void place_blocks();
    void find_edges();
    std::pair<std::int32_t, std::int32_t> siblings(std::int32_t from, std::int32_t to) const;
    void find_sources();
    void stand_in_scopes();
    std::int32_t find_rows(const model::Block& scope);
    bool folds(const model::Block& scope, std::int32_t rows) const;
    void stand_in_columns(const model::Block& scope);
    double wished_x(std::int32_t block) const;
    void place_rows();
    void place_columns();
    void frame_scopes();
    void route_edges();
    void collect_snaps();
    bool way_is_free(double x, std::int32_t after_row, std::int32_t before_row) const;

    const model::LoadedModel& model_;
    const std::vector<model::Block>& tree_;
    const std::vector<bool>& open_;
    const Layout::Cancelled& cancelled_;
    bool stopped_ = false;
    int steps_ = 0;
    Layout layout_;
    std::vector<Stand> stands_;          ///< position of each block of the tree
    std::vector<Sources> sources_of_;    ///< sources of each block of the tree
    std::vector<std::int32_t> sources_;  ///< blocks of the tree, ascending per block
};

}  // namespace divisi::graphview
