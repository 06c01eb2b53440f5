// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/faults/alerts_view.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include "app/client/refusal_text.h"
#include "app/model/wording/alert_text.h"
#include "app/model/wording/text.h"
#include "app/panels/tables/plain_table.h"
#include "app/panels/tables/text_table.h"

namespace divisi::panels {

namespace {

enum Column { rule, subject, since, value, threshold, state, what, column_count };

QString alert_words(const std::string& text) { return QString::fromStdString(text); }

std::vector<std::pair<QString, QString>> fields_of_alert(const control::ClusterState& cluster,
                                                         const control::Alert& one, const model::Colours& colours) {
    std::vector<std::pair<QString, QString>> rows{
        {AlertsView::tr("Rule"), model::rule_text(one.rule)},
        {AlertsView::tr("State"), model::look_of(one, colours).text()},
        {AlertsView::tr("What"), client::quoted(one.what)},
        {AlertsView::tr("What to do"), model::alert_next_text(one, cluster)},
        {AlertsView::tr("Value"), model::alert_value_text(one.rule, one.value)},
        {AlertsView::tr("Threshold"), model::alert_value_text(one.rule, one.bound)},
        {AlertsView::tr("Since"), model::date_text(one.raised)},
        {AlertsView::tr("Cleared"), one.stands() ? QString() : model::date_text(one.cleared)},
        {AlertsView::tr("Task"), alert_words(one.task.value())},
        {AlertsView::tr("Node"), alert_words(one.node.value())}};
    std::erase_if(rows, [](const auto& row) { return row.second.isEmpty(); });
    return rows;
}

}  // namespace

AlertsView::AlertsView(client::Client* client, QWidget* parent)
    : QWidget(parent),
      client_(client),
      model_(column_count, {value, threshold}),
      filter_(new QLineEdit(this)),
      cleared_(new QCheckBox(this)),
      count_(new QLabel(this)),
      empty_(new QLabel(this)),
      go_(new QPushButton(this)),
      split_(new QSplitter(this)),
      table_(new RowTable("alertTable", model_, split_)),
      fields_(new QTableWidget(0, 2, split_)) {
    setObjectName(QStringLiteral("alerts"));
    build();
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        table_->set_filter(text);
        refresh_bar();
    });
    connect(cleared_, &QCheckBox::toggled, this, &AlertsView::refresh);
    connect(table_, &RowTable::currentRowChanged, this, &AlertsView::show_chosen);
    connect(table_, &QAbstractItemView::activated, this, &AlertsView::go);
    connect(go_, &QPushButton::clicked, this, &AlertsView::go);
    if (client_) {
        connect(client_, &client::Client::dataChanged, this, &AlertsView::refresh);
        connect(client_, &client::Client::statusChanged, this, &AlertsView::refresh);
    }
    retranslate();
}

void AlertsView::build() {
    filter_->setObjectName(QStringLiteral("alertFilter"));
    filter_->setClearButtonEnabled(true);
    cleared_->setObjectName(QStringLiteral("clearedAlerts"));
    cleared_->setChecked(true);
    count_->setObjectName(QStringLiteral("alertCount"));
    count_->setProperty("role", QStringLiteral("faint"));
    go_->setObjectName(QStringLiteral("alertSubject"));
    empty_->setObjectName(QStringLiteral("alertEmpty"));
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setWordWrap(true);
    empty_->setProperty("role", QStringLiteral("faint"));
    fields_->setObjectName(QStringLiteral("alertFields"));
    make_fields(*fields_);
    fields_->hide();
    offer_in_menu(*table_, *go_);
    split_->addWidget(table_);
    split_->addWidget(fields_);
    split_->setStretchFactor(0, 2);
    split_->setStretchFactor(1, 1);
    split_->setChildrenCollapsible(false);
    auto* bar = new QHBoxLayout;
    bar->addWidget(filter_, 1);
    bar->addWidget(cleared_);
    bar->addWidget(count_);
    bar->addWidget(go_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 8, 16, 8);
    column->setSpacing(8);
    column->addLayout(bar);
    column->addWidget(empty_, 1);
    column->addWidget(split_, 1);
}

void AlertsView::refresh() {
    if (!isVisible()) return;
    fill_table();
    show_chosen();
}

/// Fills the table: open alerts first, then closed ones, each with the newest first.
void AlertsView::fill_table() {
    if (!client_) return;
    const model::Colours& colours = model::colours_of(palette());
    std::vector<TableRow> rows;
    const auto& all = client_->data().state.alerts;
    for (const bool standing : {true, false}) {
        for (auto at = all.rbegin(); at != all.rend(); ++at) {
            const control::Alert& one = at->second;
            if (one.stands() != standing || (!standing && !cleared_->isChecked())) continue;
            const model::StateLook look = model::look_of(one, colours);
            TableRow row{QString::number(one.number), std::vector<RowCell>(column_count)};
            row.cells[rule] = {model::rule_text(one.rule)};
            row.cells[subject] = {alert_words(one.subject)};
            row.cells[since] = {model::date_text(one.raised), qlonglong(one.raised.time_since_epoch().count())};
            row.cells[value] = {model::alert_value_text(one.rule, one.value), one.value};
            row.cells[threshold] = {model::alert_value_text(one.rule, one.bound), one.bound};
            row.cells[state] = {look.text(), {}, look.colour};
            row.cells[what] = {client::quoted(one.what)};
            row.time = one.raised;
            row.about = model::things_of({}, one.node, one.task);
            rows.push_back(std::move(row));
        }
    }
    model_.set_rows(std::move(rows));
}

std::vector<model::Selected> AlertsView::about(const QModelIndex& row) const {
    const control::Alert* one = alert_of(row.data(RowModel::id_role).toString());
    if (!one) return {};
    return model::things_of({}, one->node, one->task);
}

const control::Alert* AlertsView::chosen() const { return alert_of(table_->current()); }

const control::Alert* AlertsView::alert_of(const QString& id) const {
    if (!client_) return nullptr;
    const auto& all = client_->data().state.alerts;
    const auto found = all.find(id.toULongLong());
    return found == all.end() ? nullptr : &found->second;
}

void AlertsView::show_chosen() {
    const control::Alert* one = chosen();
    fields_->setVisible(one != nullptr);
    if (one) show_fields(*fields_, fields_of_alert(client_->data().state, *one, model::colours_of(palette())));
    refresh_bar();
}

/// Returns why there is nothing to see, and what to do; empty if there is something.
QString AlertsView::empty_text() const {
    if (!client_) return client::no_cluster_text();
    if (table_->shown() > 0) return {};
    if (client_->status().connection != client::Connection::connected)
        return tr("There is no connection to a cluster; see its state at the lower right.");
    if (model_.rowCount() > 0) return tr("No alert has this text. Clear the filter to see all.");
    if (!client_->data().state.alerts.empty()) return tr("No alert is open. Tick \"Cleared too\" to see past alerts.");
    return tr(
        "No alerts. The rules in [alerts] of the cluster file raise them: slow training, silent nodes, a long queue, "
        "full disks, losses that are not numbers.");
}

void AlertsView::refresh_bar() {
    const QString empty = empty_text();
    empty_->setText(empty);
    empty_->setVisible(!empty.isEmpty());
    split_->setVisible(empty.isEmpty());
    const std::size_t open = client_ ? model::open_alerts(client_->data().state) : 0;
    count_->setText(model_.rowCount() == 0 ? QString() : tr("%1 open").arg(open));
    const control::Alert* one = chosen();
    go_->setEnabled(one != nullptr);
    go_->setToolTip(one ? tr("Show %1").arg(alert_words(one->subject)) : tr("Choose an alert in the table first"));
}

void AlertsView::go() {
    if (const control::Alert* one = chosen()) Q_EMIT subjectRequested(*one);
}

void AlertsView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    stack_when_narrow(*split_, width());
}

void AlertsView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

void AlertsView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QWidget::changeEvent(event);
}

void AlertsView::retranslate() {
    filter_->setPlaceholderText(tr("Show only alerts with this text"));
    filter_->setAccessibleName(tr("Filter of the alerts"));
    cleared_->setText(tr("Cleared too"));
    go_->setText(tr("Show the subject"));
    table_->setAccessibleName(tr("Alerts"));
    fields_->setAccessibleName(tr("Fields of the selected alert"));
    model_.set_header({tr("Rule"), tr("Subject"), tr("Since"), tr("Value"), tr("Threshold"), tr("State"), tr("What")});
    fill_table();
    show_chosen();
}

}  // namespace divisi::panels
