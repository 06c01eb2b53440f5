// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QKeyEvent>
#include <QObject>

#include "app/shell/desk.h"
#include "app/shell/graph_page.h"
#include "app/shell/workbench.h"

namespace divisi::shell {

/// Keeps the keys of the model graph to where it is on screen: elsewhere they would change cuts that nobody sees. In a
/// table, also beside the graph, single keys are the table's: letters look for a row, Delete drops one. Menus, toolbar
/// and palette do as they say everywhere, and bring the graph to sight.
class GraphKeys : public QObject {
    Q_OBJECT
public:
    /// All of them outlive it; it belongs to the window.
    GraphKeys(Desk& desk, Workbench& bench, GraphPage& graph, QWidget& window);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool has_split_table() const;
    bool is_graph_key(const QKeyEvent& key) const;
    void say_where() const;

    Desk& desk_;
    Workbench& bench_;
    GraphPage& graph_;
};

}  // namespace divisi::shell
