// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QStackedLayout>
#include <QTimer>
#include <QTreeWidget>
#include <QWidget>
#include <map>
#include <optional>
#include <vector>

#include "app/client/client.h"
#include "app/model/tracking/selection.h"
#include "app/topology/node_age.h"

namespace divisi::topology {

/// Shows MICs, their nodes and the instances on them as a tree, which screen readers can read. Each row has its state
/// as a sign and a word, its load, and the age of its data. The load of a node is that of its machine, the load of an
/// instance its own.
class TopologyView : public QWidget {
    Q_OBJECT
public:
    explicit TopologyView(client::Client* client, QWidget* parent = nullptr);

    /// Makes the row of a node current, if there is one.
    void select(const NodeId& node);
    /// Adds the actions for the node of the current row.
    void offer(QMenu& menu) { offer(menu, tree_->currentItem()); }
    /// Returns the MIC, node or instance of a tree row.
    std::vector<model::Selected> about(const QModelIndex& row) const;

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    bool is_node(const QTreeWidgetItem* row) const;
    void offer(QMenu& menu, const QTreeWidgetItem* row);
    void refresh();
    void show_filtered();
    void show_node(const control::NodeView& node, const std::optional<SteadyTime>& last);
    static void show_heard(QTreeWidgetItem& row, const std::optional<SteadyTime>& last);
    static void show_machine(QTreeWidgetItem& row, const control::MachineFigures* machine);
    static void forget_load(QTreeWidgetItem& row);
    void show_instance(const control::InstanceView& instance);
    QTreeWidgetItem* item(const std::string& key, QTreeWidgetItem* parent);
    QString why_empty() const;
    void retranslate();

    client::Client* client_;
    QTreeWidget* tree_;
    QLineEdit* filter_;
    QLabel* empty_;
    QStackedLayout* stack_ = nullptr;
    std::map<std::string, QTreeWidgetItem*> items_;  ///< owned by the tree
    QTimer tick_;
};

}  // namespace divisi::topology
