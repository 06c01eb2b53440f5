// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/faults/alerts_view.h"

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
    : ListPage("alert", client, parent),
      model_(column_count, {value, threshold}),
      cleared_(new QCheckBox(this)),
      go_(new QPushButton(this)),
      table_(new RowTable("alertTable", model_, this)),
      fields_(new QTableWidget(0, 2, this)) {
    setObjectName(QStringLiteral("alerts"));
    build();
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
    cleared_->setObjectName(QStringLiteral("clearedAlerts"));
    cleared_->setChecked(true);
    go_->setObjectName(QStringLiteral("alertSubject"));
    fields_->setObjectName(QStringLiteral("alertFields"));
    make_fields(*fields_);
    fields_->hide();
    offer_in_menu(*table_, *go_);
    set_list(*table_, *fields_, {2, 1}, Details::below_if_narrow);
    bar().addWidget(cleared_);
    add_count();
    bar().addWidget(go_);
}

void AlertsView::filter_rows(const QString& text) {
    table_->set_filter(text);
    refresh_bar();
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

QString AlertsView::all_hidden_text() const {
    return is_connected() ? tr("No alert has this text. Clear the filter to see all.") : client::no_connection_text();
}

QString AlertsView::no_rows_text() const {
    if (!client_->data().state.alerts.empty()) return tr("No alert is open. Tick \"Cleared too\" to see past alerts.");
    return tr(
        "No alerts. The rules in [alerts] of the cluster file raise them: slow training, silent nodes, a long queue, "
        "full disks, losses that are not numbers.");
}

void AlertsView::refresh_bar() {
    show_list();
    const std::size_t open = client_ ? model::open_alerts(client_->data().state) : 0;
    set_count(model_.rowCount() == 0 ? QString() : tr("%1 open").arg(open));
    const control::Alert* one = chosen();
    go_->setEnabled(one != nullptr);
    go_->setToolTip(one ? tr("Show %1").arg(alert_words(one->subject)) : tr("Choose an alert in the table first"));
}

void AlertsView::go() {
    if (const control::Alert* one = chosen()) Q_EMIT subjectRequested(*one);
}

void AlertsView::retranslate() {
    set_filter_texts(tr("Show only alerts with this text"), tr("Filter of the alerts"));
    cleared_->setText(tr("Cleared too"));
    go_->setText(tr("Show the subject"));
    table_->setAccessibleName(tr("Alerts"));
    fields_->setAccessibleName(tr("Fields of the selected alert"));
    model_.set_header({tr("Rule"), tr("Subject"), tr("Since"), tr("Value"), tr("Threshold"), tr("State"), tr("What")});
    fill_table();
    show_chosen();
}

}  // namespace divisi::panels

#include "moc_alerts_view.cpp"
