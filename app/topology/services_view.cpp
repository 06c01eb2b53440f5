// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topology/services_view.h"

#include <QScrollBar>

#include "app/model/tracking/unit_graph.h"
#include "app/model/wording/states.h"
#include "app/model/wording/text.h"
#include "app/panels/tables/text_table.h"
#include "app/topology/plain_view.h"
#include "backend/control/state/incarnation.h"

namespace divisi::topology {

namespace {

/// Interval for repeating the query and updating ages. The registry answers a watch at each change, and once a second
/// with the ages of leases.
constexpr int tick_ms = 500;

}  // namespace

ServicesView::ServicesView(client::Client* client, QWidget* parent)
    : ListPage("service", client, parent),
      prefix_(panels::make_filter(QStringLiteral("servicePrefix"), this)),
      rows_(new QTableView(this)),
      fields_(new QTableWidget(0, 2, this)) {
    setObjectName(QStringLiteral("services"));
    build();
    poll_every(tick_ms);
    connect(prefix_, &QLineEdit::textChanged, this, &ServicesView::filter_prefix);
    connect(rows_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ServicesView::show_fields);
    connect(&sorted_, &QAbstractItemModel::modelReset, this, &ServicesView::show_fields);
    if (client_) {
        client_->on_answer<control::WatchServices>(this, &ServicesView::take);
        connect(client_, &client::Client::statusChanged, this, &ServicesView::status_changed);
    }
    retranslate();
}

void ServicesView::build() {
    rows_->setObjectName(QStringLiteral("serviceTable"));
    rows_->setModel(&sorted_);
    make_plain(*rows_);
    sort_by_headers(*rows_);
    rows_->setTextElideMode(Qt::ElideMiddle);
    const int widths[] = {190, 80, 100, 100, 90, 130, 150, 180, 90};
    for (int column = 0; column + 1 < ServiceTable::column_count; ++column)
        rows_->setColumnWidth(column, widths[column]);
    rows_->horizontalHeader()->setStretchLastSection(true);
    rows_->setMinimumWidth(160);
    fields_->setObjectName(QStringLiteral("serviceFields"));
    make_fields(*fields_);
    fields_->setMinimumWidth(260);
    fields_->hide();
    clear_by_escape(set_list(*rows_, *fields_, {3, 1}, Details::beside), {rows_});
    bar().addWidget(prefix_, 1);
    add_count();
}

void ServicesView::poll() {
    if (!client_ || !is_on_screen()) return;
    client_->poll(table_.next());
    {
        const model::KeptPlace kept(*rows_);
        table_.advance(ServiceTable::Time::clock::now());
    }
    refresh();
}

void ServicesView::take(const control::WatchServices& question, const control::ServiceChanges& answer) {
    const std::string chosen = this->chosen();
    {
        const model::KeptPlace kept(*rows_);
        table_.take(question, answer, ServiceTable::Time::clock::now());
    }
    if (this->chosen() != chosen) choose(chosen);
    if (is_on_screen()) client_->poll(table_.next());
    refresh();
}

void ServicesView::status_changed() {
    const bool connected = is_connected();
    if (std::exchange(connected_, connected) == connected) return;
    if (connected) table_.clear();
    refresh();
}

const ServiceEntry* ServicesView::current() const {
    const QModelIndex current = rows_->currentIndex();
    return current.isValid() ? &table_.at(sorted_.source_row(current)) : nullptr;
}

std::vector<model::Selected> ServicesView::about(const QModelIndex& row) const {
    const ServiceEntry& entry = table_.at(sorted_.source_row(row));
    if (entry.device) return {model::Selected::of_device(entry.device->name)};
    const mesh::Registration& said = entry.row.said;
    return {model::Selected::of_instance(control::instance_of(said.sid, said.incarnation), said.task),
            model::Selected::of_node(said.node)};
}

std::string ServicesView::chosen() const { return current() ? current()->row.said.sid.value() : std::string(); }

void ServicesView::choose(const std::string& sid) {
    const int row = table_.row_of(sid), shown = row < 0 ? -1 : sorted_.row_of(row);
    if (shown >= 0) rows_->selectRow(shown);
    else rows_->setCurrentIndex({});
}

void ServicesView::filter_prefix() {
    const std::string chosen = this->chosen();
    table_.set_prefix(prefix_->text().trimmed().toStdString());
    choose(chosen);
    refresh();
}

void ServicesView::filter_rows(const QString& text) {
    const std::string chosen = this->chosen();
    sorted_.setFilterFixedString(text);
    choose(chosen);
    refresh();
}

ServicesView::Present ServicesView::present() const {
    Present count;
    for (int row = 0; row < sorted_.rowCount(); ++row) {
        const ServiceEntry& entry = table_.at(sorted_.source_row(sorted_.index(row, 0)));
        if (!entry.row.removed) ++(entry.device ? count.devices : count.services);
    }
    return count;
}

QString ServicesView::empty_text() const {
    if (!client_) return client::no_cluster_text();
    if (sorted_.rowCount() > 0) return {};
    if (!table_.complete()) return is_connected() ? tr("Asking the registry\u2026") : client::no_connection_text();
    if (table_.rowCount() > 0) return tr("No service, gateway or router has the text %1.").arg(filter_text());
    if (table_.registered() + table_.registered_devices() > 0)
        return tr("No service, gateway or router has the prefix %1.").arg(prefix_->text().trimmed());
    return tr("No service is registered. Instances register when a task runs.");
}

void ServicesView::refresh() {
    table_.set_colours(model::colours_of(palette()));
    show_list();
    QString count;
    if (const auto age = table_.age(); age) {
        const auto [services, devices] = present();
        const QString dot = QStringLiteral(" \u00b7 ");
        count = tr("%1 of %2 services").arg(services).arg(table_.registered()) + dot;
        if (table_.registered_devices() > 0)
            count += tr("%1 of %2 gateways and routers").arg(devices).arg(table_.registered_devices()) + dot;
        count += tr("revision %1, confirmed %2").arg(table_.revision()).arg(model::age_text(*age));
    }
    set_count(count);
    if (rows_->currentIndex().isValid()) show_fields();
}

void ServicesView::show_fields() {
    const ServiceEntry* current = this->current();
    fields_->setVisible(current != nullptr);
    if (!current) return;
    const ServiceEntry& entry = *current;
    auto rows = fields_of(entry, model::colours_of(palette()), ServiceTable::Time::clock::now());
    if (!entry.device) add_instance(rows, control::instance_of(entry.row.said.sid, entry.row.said.incarnation));
    topology::show_fields(*fields_, rows);
}

/// Adds the orchestrator's data about the process that made a registration.
void ServicesView::add_instance(std::vector<std::pair<QString, QString>>& rows, const InstanceId& instance) const {
    if (!client_) return;
    const client::ClusterData& data = client_->data();
    const auto view = data.state.instances.find(instance);
    if (view == data.state.instances.end()) return;
    rows.emplace_back(tr("Instance"), model::look_of(view->second.state, model::colours_of(palette())).text());
    const auto loads = data.loads.find(instance);
    if (loads == data.loads.end() || loads->second.empty()) return;
    const control::InstanceLoad& load = loads->second.back().load;
    QStringList others;
    for (const InstanceId& other : load.waits_for) others << QString::fromStdString(other.value());
    const QString waits = others.isEmpty() ? tr("waits") : tr("waits for %1").arg(others.join(QStringLiteral(", ")));
    const QString what = load.operation.empty() ? waits : model::operation_text(load.operation);
    const auto ms = static_cast<double>(load.operation.empty() ? load.waits_ms : load.operation_ms);
    rows.emplace_back(tr("Doing"), tr("%1, for %2").arg(what, model::ms_text(ms)));
}

void ServicesView::retranslate() {
    set_filter_texts(tr("Show only rows with this text"), tr("Filter of services, gateways and routers"));
    prefix_->setPlaceholderText(tr("Show only SIDs and devices with this prefix"));
    prefix_->setAccessibleName(tr("Prefix of the shown SIDs and devices"));
    make_room_for_titles(*rows_);
    rows_->setAccessibleName(tr("Registered services, gateways and routers"));
    fields_->setAccessibleName(tr("Fields of the selected service, gateway or router"));
    show_fields();
    refresh();
}

}  // namespace divisi::topology

#include "moc_services_view.cpp"
