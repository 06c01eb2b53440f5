// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "app/model/documents/cut_animation.h"
#include "app/panels/cutting/split_panel.h"
#include "app/shell/basics/app_context.h"
#include "app/shell/basics/message_bar.h"
#include "app/shell/cutting/graph_page.h"

namespace divisi::shell {

/// Changes all cuts at once: equal segments, the fastest cuts, or cuts instead of painted segments. Also manages the
/// split table beside the graph.
class SplitController : public QObject {
    Q_OBJECT
public:
    SplitController(AppContext& context, GraphPage& page, panels::SplitPanel& panel, MessageBar& messages,
                    QObject* parent);

    void split_equally();
    /// `optimize` requests the fastest cuts, which are applied when they are found. `back_to_cuts` turns painted
    /// segments into cuts.
    void optimize();
    void back_to_cuts();

private:
    void take_found(const model::FoundCuts& found);

    AppContext& context_;
    GraphPage& page_;
    panels::SplitPanel& panel_;
    MessageBar& messages_;
    model::CutAnimation animation_;
};

}  // namespace divisi::shell
