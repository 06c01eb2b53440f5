// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QWidget>
#include <functional>

#include "app/graphview/diagram/graph_snapshot.h"
#include "app/panels/cutting/split_panel.h"
#include "app/shell/basics/app_context.h"
#include "app/shell/basics/message_bar.h"
#include "app/shell/cutting/graph_page.h"
#include "backend/base/result.h"

namespace divisi::shell {

/// The result of writing a picture of the graph.
struct WrittenPicture {
    double zoom = 1;  ///< zoom factor of a PNG: below 1 if the whole graph would exceed the pixel limit
};

/// Writes the graph to a file: as PNG if the name ends in .png, else as SVG. The file is written completely or not at
/// all.
///
/// Runs on any thread and takes seconds for thousands of operators. `stop` is checked between painting and writing; if
/// it returns true, no file is written, and the error is `failed`. Also fails if the file cannot be written, or with
/// `exhausted` if the pixels do not fit into memory.
Result<WrittenPicture> write_picture(const graphview::GraphSnapshot& graph, const QString& path,
                                     const std::function<bool()>& stop = {});

/// Connects the graph view with prices and actions. Shows the price at the dragged cut, decides where a cut may be
/// dropped, colours the blocks, offers to measure missing prices, and exports the graph as a picture.
class GraphTools : public QObject {
    Q_OBJECT
public:
    /// All arguments must outlive this object. `window` owns this object and its dialogs. The bar that offers to
    /// measure is added to `split`.
    GraphTools(AppContext& context, GraphPage& page, panels::SplitPanel& split, MessageBar& messages, QWidget& window);

private:
    void build_colours();
    void colour_by(model::ColourBy by);
    void choose_picture();
    void write(const QString& path);
    void cancel_export();
    void tell_written(const QString& path, const Result<WrittenPicture>& written);
    QString title() const;

    AppContext& context_;
    graphview::GraphView& view_;
    graphview::LandscapeStrip& strip_;
    MessageBar& messages_;
    QWidget& window_;
    model::PlanningLine export_;
};

}  // namespace divisi::shell
