// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topology/services_view.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QScrollBar>
#include <QShortcut>
#include <QSplitter>
#include <QVBoxLayout>

#include "app/model/tracking/unit_graph.h"
#include "app/model/wording/states.h"
#include "app/model/wording/text.h"
#include "app/topology/plain_view.h"
#include "backend/control/state/incarnation.h"

namespace divisi::topology {

namespace {

/// Interval for repeating the query and updating ages. The registry answers a watch at each change, and once a second
/// with the ages of leases.
constexpr int tick_ms = 500;

}  // namespace

ServicesView::ServicesView(client::Client* client, QWidget* parent)
    : QWidget(parent),
      client_(client),
      filter_(new QLineEdit(this)),
      prefix_(new QLineEdit(this)),
      count_(new QLabel(this)),
      empty_(new QLabel(this)),
      stack_(new QStackedWidget(this)),
      rows_(new QTableView(this)),
      fields_(new QTableWidget(0, 2, this)) {
    setObjectName(QStringLiteral("services"));
    build();
    tick_.setInterval(tick_ms);
    connect(&tick_, &QTimer::timeout, this, &ServicesView::poll);
    connect(prefix_, &QLineEdit::textChanged, this, &ServicesView::filter);
    connect(filter_, &QLineEdit::textChanged, this, &ServicesView::filter_text);
    connect(rows_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ServicesView::show_fields);
    connect(&sorted_, &QAbstractItemModel::modelReset, this, &ServicesView::show_fields);
    if (client_) {
        connect(client_, &client::Client::servicesCame, this, &ServicesView::take);
        connect(client_, &client::Client::statusChanged, this, &ServicesView::status_changed);
    }
    retranslate();
}

void ServicesView::build() {
    prefix_->setObjectName(QStringLiteral("servicePrefix"));
    filter_->setObjectName(QStringLiteral("serviceFilter"));
    for (QLineEdit* line : {prefix_, filter_}) {
        line->setClearButtonEnabled(true);
        line->setMinimumWidth(60);
    }
    count_->setObjectName(QStringLiteral("serviceCount"));
    count_->setProperty("role", QStringLiteral("faint"));
    empty_->setObjectName(QStringLiteral("serviceEmpty"));
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setWordWrap(true);
    empty_->setProperty("role", QStringLiteral("faint"));
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
    auto* bar = new QHBoxLayout;
    bar->addWidget(filter_, 1);
    bar->addWidget(prefix_, 1);
    bar->addWidget(count_);
    auto* split = new QSplitter(this);
    split->addWidget(rows_);
    split->addWidget(fields_);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 1);
    split->setChildrenCollapsible(false);
    auto* close = new QShortcut(Qt::Key_Escape, split);
    close->setContext(Qt::WidgetWithChildrenShortcut);
    connect(close, &QShortcut::activated, this, [this] { rows_->setCurrentIndex({}); });
    stack_->addWidget(empty_);
    stack_->addWidget(split);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 8, 16, 8);
    column->setSpacing(8);
    column->addLayout(bar);
    column->addWidget(stack_, 1);
}

void ServicesView::poll() {
    if (!client_ || visibleRegion().isEmpty()) return;  // Qt reports a dock behind another tab as visible
    client_->ask_services(table_.next());
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
    if (!visibleRegion().isEmpty()) client_->ask_services(table_.next());
    refresh();
}

void ServicesView::status_changed() {
    const bool connected = client_->status().connection == client::Connection::connected;
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

void ServicesView::filter() {
    const std::string chosen = this->chosen();
    table_.set_prefix(prefix_->text().trimmed().toStdString());
    choose(chosen);
    refresh();
}

/// Filters by the text. Keeps the chosen row: if a row disappears, Qt would make the next one current.
void ServicesView::filter_text() {
    const std::string chosen = this->chosen();
    sorted_.setFilterFixedString(filter_->text().trimmed());
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

void ServicesView::refresh() {
    table_.set_colours(model::colours_of(palette()));
    stack_->setCurrentIndex(sorted_.rowCount() > 0 ? 1 : 0);
    const bool connected = client_ && client_->status().connection == client::Connection::connected;
    if (!client_) {
        empty_->setText(client::no_cluster_text());
    } else if (!table_.complete()) {
        empty_->setText(connected ? tr("Asking the registry\u2026")
                                  : tr("There is no connection to a cluster; see its state at the lower right."));
    } else if (table_.rowCount() > 0) {
        empty_->setText(tr("No service, gateway or router has the text %1.").arg(filter_->text().trimmed()));
    } else if (table_.registered() + table_.registered_devices() > 0) {
        empty_->setText(tr("No service, gateway or router has the prefix %1.").arg(prefix_->text().trimmed()));
    } else {
        empty_->setText(tr("No service is registered. Instances register when a task runs."));
    }
    QString count;
    if (const auto age = table_.age(); age) {
        const auto [services, devices] = present();
        const QString dot = QStringLiteral(" \u00b7 ");
        count = tr("%1 of %2 services").arg(services).arg(table_.registered()) + dot;
        if (table_.registered_devices() > 0)
            count += tr("%1 of %2 gateways and routers").arg(devices).arg(table_.registered_devices()) + dot;
        count += tr("revision %1, confirmed %2").arg(table_.revision()).arg(model::age_text(*age));
    }
    count_->setText(count);
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

/// Adds what the orchestrator knows about the process behind a registration.
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

void ServicesView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    poll();
    tick_.start();
}

void ServicesView::hideEvent(QHideEvent* event) {
    tick_.stop();
    QWidget::hideEvent(event);
}

void ServicesView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QWidget::changeEvent(event);
}

void ServicesView::retranslate() {
    filter_->setPlaceholderText(tr("Show only rows with this text"));
    filter_->setAccessibleName(tr("Filter of services, gateways and routers"));
    prefix_->setPlaceholderText(tr("Show only SIDs and devices with this prefix"));
    prefix_->setAccessibleName(tr("Prefix of the shown SIDs and devices"));
    make_room_for_titles(*rows_);
    rows_->setAccessibleName(tr("Registered services, gateways and routers"));
    fields_->setAccessibleName(tr("Fields of the selected service, gateway or router"));
    show_fields();
    refresh();
}

}  // namespace divisi::topology
