// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <optional>

#include "app/model/stage_range.h"
#include "app/shell/graph_page.h"

namespace divisi::shell {

/// Ties graph and score to the one selection: a block that is selected there is selected everywhere, together with the
/// instance that runs it; of a unit or an instance that is selected elsewhere they mark the operators that it runs,
/// where the followed task trains by cuts of the model on screen.
class GraphSelection : public QObject {
    Q_OBJECT
public:
    /// Both outlive it. To be made after what else hears the page's signals.
    GraphSelection(Desk& desk, GraphPage& page);

private:
    void take_block(std::int32_t block);
    void show();
    void show_again();
    void mark_again();
    std::optional<model::OperatorRange> range_of_selected() const;
    void mark(const std::optional<model::OperatorRange>& range);

    Desk& desk_;
    GraphPage& page_;
    bool busy_ = false;                           ///< graph, score or the selection is being changed from here
    std::optional<model::OperatorRange> marked_;  ///< operators of an instance
};

}  // namespace divisi::shell
