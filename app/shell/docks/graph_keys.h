// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QKeyEvent>
#include <QObject>

#include "app/shell/basics/app_context.h"
#include "app/shell/cutting/graph_page.h"
#include "app/shell/docks/workbench.h"

namespace divisi::shell {

/// Disables the keys of the model graph while the graph is not on screen, because they would change invisible cuts.
///
/// While a table has the focus, single keys act on the table: letters search for a row, and Delete removes a row. This
/// also holds for a table next to the graph. The graph's actions in menus, toolbar and palette always work, and show
/// the graph.
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
