// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "app/model/cut_animation.h"
#include "app/panels/split_panel.h"
#include "app/shell/desk.h"
#include "app/shell/graph_page.h"
#include "app/shell/message_bar.h"

namespace divisi::shell {

/// What is done with all cuts at once: equal segments, the fastest ones, cuts in place of painted segments; and the
/// table of the split beside the graph.
class SplitController : public QObject {
    Q_OBJECT
public:
    SplitController(Desk& desk, GraphPage& page, panels::SplitPanel& panel, MessageBar& messages, QObject* parent);

    void split_equally();
    /// Asks for the fastest cuts; they are taken when they are found.
    void optimize();
    void back_to_cuts();

private:
    void take_found(const model::FoundCuts& found);

    Desk& desk_;
    GraphPage& page_;
    panels::SplitPanel& panel_;
    MessageBar& messages_;
    model::CutAnimation animation_;
};

}  // namespace divisi::shell
