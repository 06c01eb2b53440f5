// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topology/topology_view.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <algorithm>
#include <set>

#include "app/client/refusal_text.h"
#include "app/model/wording/drain_text.h"
#include "app/model/wording/sorted_rows.h"
#include "app/model/wording/states.h"
#include "app/model/wording/text.h"
#include "app/topology/drain_menu.h"

namespace divisi::topology {

namespace {

enum Column { name, state, busy, memory, temperature, power, heard, detail, column_count };

Bytes bytes_of(const control::InstanceLoad& load) {
    return load.resident > 0 ? load.resident : load.parameters + load.gradients + load.optimizer + load.activations;
}

QString dash_text() { return QStringLiteral("\u2013"); }

/// Interval of updates in ms. Ages are shown in whole seconds.
constexpr int age_tick_ms = 1000;

constexpr int key_role = model::SortedRows::key_role;
/// Role under which a row's first cell stores the row's key in the view. The key names the row's subject.
constexpr int about_role = key_role + 1;

/// A row that sorts by the key of a cell, or by its text if there is no key.
class Row : public QTreeWidgetItem {
public:
    using QTreeWidgetItem::QTreeWidgetItem;
    bool operator<(const QTreeWidgetItem& other) const override {
        const int column = treeWidget() ? std::max(0, treeWidget()->sortColumn()) : 0;
        const auto key = [column](const QTreeWidgetItem& row) {
            const QVariant said = row.data(column, key_role);
            return said.isValid() ? said : QVariant(row.text(column));
        };
        return model::sorts_before(key(*this), key(other));
    }
};

/// Shows the row if the row, an ancestor (`above`) or a descendant contains the text; otherwise, hides the row. Returns
/// whether the row is shown.
bool show_with(QTreeWidgetItem& row, const QString& wanted, bool above) {
    bool has = above;
    for (int column = 0; column < column_count && !has; ++column)
        has = row.text(column).contains(wanted, Qt::CaseInsensitive);
    bool below = false;
    for (int i = 0; i < row.childCount(); ++i) below = show_with(*row.child(i), wanted, has) || below;
    if (row.isHidden() == (has || below)) row.setHidden(!has && !below);
    return has || below;
}

}  // namespace

TopologyView::TopologyView(client::Client* client, QWidget* parent)
    : ListPage("node", client, parent), tree_(new QTreeWidget(this)) {
    setObjectName(QStringLiteral("topology"));
    tree_->setObjectName(QStringLiteral("topologyTree"));
    tree_->setColumnCount(column_count);
    tree_->setUniformRowHeights(true);
    tree_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    tree_->header()->setStretchLastSection(true);
    tree_->sortByColumn(-1, Qt::AscendingOrder);  // unsorted until a header is pressed
    tree_->setSortingEnabled(true);
    set_list(*tree_);
    setTabOrder(tree_, &filter());
    poll_every(age_tick_ms);
    if (client_) connect(client_, &client::Client::dataChanged, this, &TopologyView::refresh);
    retranslate();
}

QTreeWidgetItem* TopologyView::item(const std::string& key, QTreeWidgetItem* parent) {
    auto [found, fresh] = items_.try_emplace(key, nullptr);
    if (fresh) {
        found->second = parent ? new Row(parent) : new Row(tree_);
        found->second->setExpanded(true);
        found->second->setData(name, about_role, QString::fromStdString(key));
        if (parent) parent->setExpanded(true);
    }
    return found->second;
}

void TopologyView::refresh() {
    if (!isVisible()) return;
    const bool any = client_ && !client_->data().state.nodes.empty();
    filter().setVisible(any);
    show_list();
    if (!any) return;
    const control::ClusterState& cluster = client_->data().state;
    const std::map<NodeId, SteadyTime> heard_of = nodes_heard(client_->data());
    std::set<std::string> alive;
    for (const auto& [id, node] : cluster.nodes) {
        const auto known = heard_of.find(id);
        show_node(node, known == heard_of.end() ? std::nullopt : std::optional(known->second));
        alive.insert("mic " + node.info.mic.value());
        alive.insert("node " + id.value());
    }
    for (const auto& [id, instance] : cluster.instances) {
        const auto task = cluster.tasks.find(instance.task);
        if (task != cluster.tasks.end() && task->second.over()) continue;  // instances of ended tasks are not shown
        if (!cluster.nodes.contains(instance.node)) continue;
        show_instance(instance);
        alive.insert("instance " + id.value());
    }
    // Remove instances before their nodes, and nodes before their MICs: the keys sort in this order.
    for (auto at = items_.begin(); at != items_.end();) {
        if (alive.contains(at->first)) {
            ++at;
            continue;
        }
        delete at->second;
        at = items_.erase(at);
    }
    filter_rows(filter_text());
}

void TopologyView::filter_rows(const QString& text) {
    for (int i = 0; i < tree_->topLevelItemCount(); ++i) show_with(*tree_->topLevelItem(i), text, false);
}

/// Shows the time since the last report. Rows without any report sort last.
void TopologyView::show_heard(QTreeWidgetItem& row, const std::optional<SteadyTime>& last) {
    const auto now = std::chrono::steady_clock::now();
    row.setData(heard, key_role, last ? QVariant::fromValue<qlonglong>(-last->time_since_epoch().count()) : QVariant());
    row.setText(heard, last ? model::age_text(now - *last) : dash_text());
}

/// Shows the figures of a node's machine, which may be null. Unknown figures sort last.
void TopologyView::show_machine(QTreeWidgetItem& row, const control::MachineFigures* machine) {
    const auto show = [&row](Column column, bool told, double value, const QString& text) {
        row.setData(column, key_role, told ? QVariant(value) : QVariant());
        row.setText(column, told ? text : dash_text());
    };
    const control::MachineFigures figures = machine ? *machine : control::MachineFigures();
    const bool told = figures.memory > 0;
    const Bytes used = figures.memory - figures.memory_free;
    const double degrees = figures.temperature_c.value_or(0), watts = figures.power_w.value_or(0);
    show(busy, told, figures.cpu_share, model::percent(figures.cpu_share));
    show(memory, told, static_cast<double>(used), model::bytes_text(used));
    show(temperature, figures.temperature_c.has_value(), degrees, model::degrees_text(degrees));
    show(power, figures.power_w.has_value(), watts, model::watts_text(watts));
}

void TopologyView::show_node(const control::NodeView& node, const std::optional<SteadyTime>& last) {
    const model::Colours& colours = model::colours_of(palette());
    const SteadyTime now = std::chrono::steady_clock::now();
    QTreeWidgetItem* mic = item("mic " + node.info.mic.value(), nullptr);
    mic->setText(name, QString::fromStdString(node.info.mic.value()));
    mic->setText(detail, tr("microservice instance cluster"));
    QTreeWidgetItem* row = item("node " + node.info.id.value(), mic);
    const bool silent = node.state == control::NodeState::ready && is_silent(last, now);
    const model::StateLook look = silent ? model::silent_look(colours) : model::look_of(node.state, colours);
    row->setText(name, QString::fromStdString(node.info.id.value()));
    const QString drain = model::drain_text(client_->data().state, node.info.id);
    row->setText(state, drain.isEmpty() ? look.text() : look.text() + QStringLiteral(" \u00b7 ") + drain);
    row->setForeground(state, look.colour);
    show_machine(*row, machine_of(client_->data(), node.info.id, now));
    show_heard(*row, last);
    row->setToolTip(heard, last ? QString() : tr("Neither the node nor its instances have reported yet"));
    QStringList devices;
    for (const control::Device& device : node.info.devices)
        devices << QString::fromStdString(device.name) + QStringLiteral(": ") + QString::fromStdString(device.type);
    QString text =
        QString::fromStdString(node.info.host) + QStringLiteral(" \u00b7 ") + devices.join(QStringLiteral(", "));
    if (!node.reason.empty()) text = QString::fromStdString(node.reason);
    row->setText(detail, text);
}

/// Clears the load of an instance that has no report at the displayed time.
void TopologyView::forget_load(QTreeWidgetItem& row) {
    for (const int column : {busy, memory, heard}) {
        row.setData(column, key_role, QVariant());
        row.setText(column, QString());
    }
}

void TopologyView::show_instance(const control::InstanceView& instance) {
    const model::Colours& colours = model::colours_of(palette());
    QTreeWidgetItem* row = item("instance " + instance.id.value(), items_.at("node " + instance.node.value()));
    const SteadyTime now = std::chrono::steady_clock::now();
    const bool silent = is_silent(instance_heard(client_->data(), instance), now);
    const model::StateLook look = silent ? model::silent_look(colours) : model::look_of(instance.state, colours);
    row->setText(name, QString::fromStdString(instance.id.value()));
    row->setText(state, look.text());
    row->setForeground(state, look.colour);
    QString text = instance.stage >= 0                        ? tr("stage %1").arg(instance.stage + 1)
                   : instance.stage == control::standby_stage ? tr("standby")
                                                              : tr("data");
    if (!instance.detail.empty()) text += QStringLiteral(" \u00b7 ") + client::quoted(instance.detail);
    row->setText(detail, text);
    const auto loads = client_->data().loads.find(instance.id);
    if (loads == client_->data().loads.end() || loads->second.empty()) return forget_load(*row);
    const client::LoadSample& sample = loads->second.back();
    row->setData(busy, key_role, sample.load.busy_share);
    row->setText(busy, model::percent(sample.load.busy_share));
    row->setData(memory, key_role, QVariant::fromValue<qlonglong>(bytes_of(sample.load)));
    row->setText(memory, model::bytes_text(bytes_of(sample.load)));
    show_heard(*row, sample.time);
}

void TopologyView::select(const NodeId& node) {
    refresh();
    const auto found = items_.find("node " + node.value());
    if (found == items_.end()) return;
    tree_->setCurrentItem(found->second);
    tree_->scrollToItem(found->second);
    tree_->setFocus();
}

/// Returns whether the row is a node, the only kind with actions.
bool TopologyView::is_node(const QTreeWidgetItem* row) const {
    return row && client_ && client_->data().state.nodes.contains(NodeId(row->text(name).toStdString()));
}

void TopologyView::offer(QMenu& menu, const QTreeWidgetItem* row) {
    if (is_node(row)) add_drain_actions(menu, *client_, NodeId(row->text(name).toStdString()));
}

std::vector<model::Selected> TopologyView::about(const QModelIndex& row) const {
    const QString key = row.siblingAtColumn(name).data(about_role).toString();
    const std::string kind = key.section(u' ', 0, 0).toStdString(), id = key.section(u' ', 1).toStdString();
    if (kind == "mic") return {model::Selected::of_mic(MicId(id))};
    if (kind == "node") return {model::Selected::of_node(NodeId(id))};
    if (kind != "instance" || !client_) return {};
    const auto& instances = client_->data().state.instances;
    const auto found = instances.find(InstanceId(id));
    return {model::Selected::of_instance(InstanceId(id), found == instances.end() ? TaskId() : found->second.task)};
}

/// Opens the menu of a node: of the node under the pointer or, if opened by the keyboard, of the current row.
void TopologyView::contextMenuEvent(QContextMenuEvent* event) {
    const bool by_key = event->reason() == QContextMenuEvent::Keyboard;
    const QPoint under = tree_->viewport()->mapFromGlobal(event->globalPos());
    const QTreeWidgetItem* row = by_key ? tree_->currentItem() : tree_->itemAt(under);
    if (!is_node(row)) return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("nodeMenu"));
    menu->setToolTipsVisible(true);
    offer(*menu, row);
    const QPoint at = by_key ? tree_->visualItemRect(row).bottomLeft() : under;
    menu->popup(tree_->viewport()->mapToGlobal(at));
}

void TopologyView::retranslate() {
    tree_->setHeaderLabels({tr("Name"), tr("State"), tr("Busy"), tr("Memory"), tr("Temperature"), tr("Power"),
                            tr("Last heard"), tr("What it is")});
    set_filter_texts(tr("Show only nodes and instances with this text"), tr("Filter of nodes and instances"));
    tree_->setAccessibleName(tr("Nodes and instances of the cluster"));
    show_list();
    refresh();
}

QString TopologyView::empty_text() const {
    if (!client_) return client::no_cluster_text();
    if (!client_->data().state.nodes.empty()) return {};
    if (client_->status().past && !client_->status().problem.isEmpty()) return client_->status().problem;
    return tr("No node is known. Nodes appear here when a cluster is connected.");
}

}  // namespace divisi::topology

#include "moc_topology_view.cpp"
