// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <optional>

#include "app/model/documents/stage_range.h"
#include "app/shell/cutting/graph_page.h"

namespace divisi::shell {

/// Connects graph and score with the common selection. A block selected in the graph or score becomes the common
/// selection, together with the instance that runs the block. If a unit or instance is selected elsewhere, its
/// operators are marked, provided that the followed task trains with cuts of the open model.
class GraphSelection : public QObject {
    Q_OBJECT
public:
    /// `context` and `page` must outlive this object. Create this object after all other receivers of the page's
    /// signals.
    GraphSelection(AppContext& context, GraphPage& page);

private:
    void take_block(std::int32_t block);
    void show();
    void show_again();
    void mark_again();
    std::optional<model::OperatorRange> range_of_selected() const;
    void mark(const std::optional<model::OperatorRange>& range);

    AppContext& context_;
    GraphPage& page_;
    bool busy_ = false;                           ///< whether this object is changing the graph, the score or the
                                                  ///< selection
    std::optional<model::OperatorRange> marked_;  ///< operators of the selected instance
};

}  // namespace divisi::shell
