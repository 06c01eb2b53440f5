// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>
#include <QTreeWidget>
#include <map>
#include <optional>
#include <vector>

#include "app/model/tracking/selection.h"
#include "app/panels/tables/list_page.h"
#include "app/topology/node_age.h"

namespace divisi::topology {

/// Shows MICs, their nodes and the instances on the nodes as a tree, which screen readers can read. Each row shows a
/// state as a sign and a word, a load, and the age of the data. A node's row shows the load of the node's machine; an
/// instance's row shows the load of the instance.
class TopologyView : public panels::ListPage {
    Q_OBJECT
public:
    explicit TopologyView(client::Client* client, QWidget* parent = nullptr);

    /// Makes the row of a node current, if the tree contains the node.
    void select(const NodeId& node);
    /// Adds the actions for the node of the current row.
    void offer(QMenu& menu) { offer(menu, tree_->currentItem()); }
    /// Returns the MIC, node or instance of a tree row.
    std::vector<model::Selected> about(const QModelIndex& row) const;

protected:
    void refresh() override;
    void retranslate() override;
    void filter_rows(const QString& text) override;
    void poll() override { refresh(); }  // updates ages even if nothing is received
    QString empty_text() const override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    bool is_node(const QTreeWidgetItem* row) const;
    void offer(QMenu& menu, const QTreeWidgetItem* row);
    void show_node(const control::NodeView& node, const std::optional<SteadyTime>& last);
    static void show_heard(QTreeWidgetItem& row, const std::optional<SteadyTime>& last);
    static void show_machine(QTreeWidgetItem& row, const control::MachineFigures* machine);
    static void forget_load(QTreeWidgetItem& row);
    void show_instance(const control::InstanceView& instance);
    QTreeWidgetItem* item(const std::string& key, QTreeWidgetItem* parent);

    QTreeWidget* tree_;
    std::map<std::string, QTreeWidgetItem*> items_;  ///< items of the tree, by element; owned by the tree
};

}  // namespace divisi::topology
