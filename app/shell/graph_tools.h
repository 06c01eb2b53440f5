// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QObject>
#include <QSettings>
#include <QWidget>

#include "app/client/client.h"
#include "app/graphview/graph_view.h"
#include "app/graphview/landscape_strip.h"
#include "app/model/price_board.h"
#include "app/model/task_draft.h"
#include "app/shell/actions.h"
#include "app/shell/message_bar.h"

namespace divisi::shell {

/// What GraphTools works on; all must outlive it.
struct GraphParts {
    graphview::GraphView& view;
    graphview::LandscapeStrip& strip;
    model::GraphDocument& document;
    model::TaskDraft& draft;
    model::PriceBoard& prices;
    Actions& actions;
    QSettings& settings;
    QLabel& hint;
    MessageBar& messages;
    client::Client* client;  ///< may be null
};

/// Connects the graph view with prices and actions: the price at the cut in hand, where a cut may be dropped, what
/// blocks are coloured by, the offer to measure unmeasured prices, and the picture of the graph as a file.
class GraphTools : public QObject {
    Q_OBJECT
public:
    /// `window` owns it and the dialogs; its Split panel gets the offer to measure.
    GraphTools(const GraphParts& parts, QWidget& window);

private:
    void build_colours();
    void colour_by(model::ColourBy by);
    void choose_picture();
    void write(const QString& path);
    QString title() const;
    void update_actions();

    GraphParts parts_;
    QWidget& window_;
};

}  // namespace divisi::shell
