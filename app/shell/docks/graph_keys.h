// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QKeyEvent>
#include <QObject>

#include "app/shell/basics/app_context.h"
#include "app/shell/cutting/graph_page.h"
#include "app/shell/docks/workbench.h"

namespace divisi::shell {

/// Lets the keys of the model graph work only while it is on screen: otherwise they would change invisible cuts.
///
/// In a table, even one next to the graph, single keys belong to the table: letters search for a row, and Delete
/// removes one. Menus, toolbar and palette work everywhere and show the graph.
class GraphKeys : public QObject {
    Q_OBJECT
public:
    /// All arguments must outlive this object, which `window` owns.
    GraphKeys(AppContext& context, Workbench& bench, GraphPage& graph, QWidget& window);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool has_split_table() const;
    bool is_graph_key(const QKeyEvent& key) const;
    void say_where() const;

    AppContext& context_;
    Workbench& bench_;
    GraphPage& graph_;
};

}  // namespace divisi::shell
