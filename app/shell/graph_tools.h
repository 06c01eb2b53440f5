// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QWidget>

#include "app/panels/split_panel.h"
#include "app/shell/desk.h"
#include "app/shell/graph_page.h"
#include "app/shell/graph_picture.h"
#include "app/shell/message_bar.h"

namespace divisi::shell {

/// Connects the graph view with prices and actions: the price at the cut in hand, where a cut may be dropped, what
/// blocks are coloured by, the offer to measure unmeasured prices, and the picture of the graph as a file.
class GraphTools : public QObject {
    Q_OBJECT
public:
    /// All outlive it; `window` owns it and the dialogs, `split` gets the offer to measure.
    GraphTools(Desk& desk, GraphPage& page, panels::SplitPanel& split, MessageBar& messages, QWidget& window);

private:
    void build_colours();
    void colour_by(model::ColourBy by);
    void choose_picture();
    void write(const QString& path);
    void cancel_export();
    void tell_written(const QString& path, const Result<WrittenPicture>& written);
    QString title() const;

    Desk& desk_;
    graphview::GraphView& view_;
    graphview::LandscapeStrip& strip_;
    MessageBar& messages_;
    QWidget& window_;
    model::PlanningLine export_;
};

}  // namespace divisi::shell
