// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topology/signaling_view.h"

#include <QFontDatabase>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <algorithm>

#include "app/panels/tables/text_table.h"
#include "app/topology/plain_view.h"
#include "backend/control/protocol/mesh_messages.h"

namespace divisi::topology {

namespace {

constexpr int poll_ms = 500;

/// Adds the entry that matches all messages; the entry's data is empty.
void add_all(QComboBox& box) { box.addItem(QString(), QString()); }

}  // namespace

SignalingView::SignalingView(client::Client* client, QWidget* parent)
    : ListPage("signal", client, parent),
      type_(new QComboBox(this)),
      sender_(new QComboBox(this)),
      flow_(panels::make_filter(QStringLiteral("signalFlow"), this)),
      link_(new QToolButton(this)),
      hold_(new QToolButton(this)),
      table_(new QTableView(this)),
      fields_(new QTableWidget(0, 2, this)) {
    setObjectName(QStringLiteral("signaling"));
    build();
    poll_every(poll_ms);
    connect(type_, &QComboBox::currentIndexChanged, this, &SignalingView::apply_filters);
    connect(sender_, &QComboBox::currentIndexChanged, this, &SignalingView::apply_filters);
    connect(flow_, &QLineEdit::textChanged, this, &SignalingView::apply_filters);
    connect(link_, &QToolButton::toggled, this, &SignalingView::apply_filters);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &SignalingView::show_fields);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &SignalingView::select_link);
    connect(table_, &QTableView::clicked, this, &SignalingView::select_link);  // also if the row is already current
    connect(&sorted_, &QAbstractItemModel::modelReset, this, &SignalingView::show_fields);
    connect(fields_, &QTableWidget::cellClicked, this, [this](int row, int) { select_field_link(row); });
    connect(fields_, &QTableWidget::cellActivated, this, [this](int row, int) { select_field_link(row); });
    if (client_) {
        client_->on_answer<control::QuerySignals>(this, &SignalingView::take);
        client_->on_answer<control::QueryMesh>(this, &SignalingView::take_names);
        connect(client_, &client::Client::statusChanged, this, &SignalingView::status_changed);
    }
    retranslate();
}

void SignalingView::build() {
    type_->setObjectName(QStringLiteral("signalType"));
    sender_->setObjectName(QStringLiteral("signalSender"));
    table_->setObjectName(QStringLiteral("signalTable"));
    fields_->setObjectName(QStringLiteral("signalFields"));
    add_all(*type_);
    for (const auto type : {mesh::RsvpType::credit_path, mesh::RsvpType::credit_resv, mesh::RsvpType::path_tear,
                            mesh::RsvpType::path_error})
        type_->addItem(QString::fromLatin1(mesh::to_string(type)), QString::fromLatin1(mesh::to_string(type)));
    for (const QString& type : advert_types()) type_->addItem(type, type);
    add_all(*sender_);
    hold_->setObjectName(QStringLiteral("signalHold"));
    hold_->setCheckable(true);
    link_->setObjectName(QStringLiteral("signalLink"));
    link_->setCheckable(true);
    link_->setEnabled(false);
    table_->setModel(&sorted_);
    make_plain(*table_);
    sort_by_headers(*table_);
    const int widths[] = {110, 140, 100, 100, 340, 120};
    for (int column = 0; column < SignalLog::column_count; ++column) table_->setColumnWidth(column, widths[column]);
    table_->horizontalHeader()->setStretchLastSection(true);
    make_fields(*fields_);
    for (QComboBox* box : {type_, sender_}) bar().addWidget(box);
    bar().addWidget(flow_, 1);
    for (QToolButton* button : {link_, hold_}) bar().addWidget(button);
    add_count();
    table_->setMinimumWidth(160);
    fields_->setMinimumWidth(260);
    fields_->hide();
    set_list(*table_, *fields_, {2, 1}, Details::beside);
}

void SignalingView::use(model::Selection& selection) {
    selection_ = &selection;
    connect(&selection, &model::Selection::changed, this, &SignalingView::mark_link);
}

/// Marks the selected link. Any other selection clears the mark, and all messages are shown again.
void SignalingView::mark_link(const model::Selected& now) {
    const bool link = now.kind == model::Selected::Kind::link;
    log_.mark_link(link ? now : model::Selected());
    link_->setEnabled(link);
    if (!link && link_->isChecked()) link_->setChecked(false);
    else if (link_->isChecked()) apply_filters();
    mark_fields();
    explain_link_button();
}

/// Selects the link of the current message. Only messages between two devices used a link.
void SignalingView::select_link() {
    const QModelIndex current = table_->currentIndex();
    if (!selection_ || choosing_ || !current.isValid()) return;
    const model::Selected link = link_of(log_.at(sorted_.source_row(current)), log_.devices());
    if (link) selection_->select(link);
}

/// Selects the link of a row about credit or queues.
void SignalingView::select_field_link(int row) {
    if (!selection_ || row < 0 || row >= static_cast<int>(field_links_.size())) return;
    const model::Selected link = field_links_[static_cast<std::size_t>(row)];
    if (link) selection_->select(link);
}

void SignalingView::poll() {
    if (!client_ || hold_->isChecked() || !is_on_screen()) return;
    client_->poll(control::QueryMesh{});  // requests the names of devices
    if (!log_.devices().empty()) client_->poll(control::QuerySignals{log_.last_number()});
}

void SignalingView::take_names(const control::MeshState& mesh) {
    const QScopedValueRollback<bool> choosing(choosing_, true);
    const std::uint64_t chosen = selected();
    log_.take_names(mesh);
    select(chosen);
    for (const QString& name : log_.devices().all())
        if (sender_->findData(name) < 0) sender_->addItem(name, name);
}

void SignalingView::take(const control::Signals& signal_messages) {
    if (hold_->isChecked()) return;
    const QScrollBar* bar = table_->verticalScrollBar();
    const bool at_end = bar->value() >= bar->maximum() - 1;
    {
        // ignore changes of the current row that result from removed rows
        const QScopedValueRollback<bool> choosing(choosing_, true);
        const model::KeptPlace kept(*table_);
        log_.append(signal_messages.records);
    }
    if (at_end && !sorted_.is_sorted()) table_->scrollToBottom();
    refresh();
    if (signal_messages.more) client_->poll(control::QuerySignals{log_.last_number()});
}

void SignalingView::status_changed() {
    const bool connected = is_connected();
    if (std::exchange(connected_, connected) || !connected) return;
    log_.clear();
}

void SignalingView::apply_filters() {
    const std::uint64_t chosen = selected();
    const QScopedValueRollback<bool> choosing(choosing_, true);
    sorted_.setFilterFixedString(filter_text());
    log_.set_filter({type_->currentData().toString(), sender_->currentData().toString(), flow_->text().trimmed(),
                     link_->isChecked()});
    if (!select(chosen)) table_->scrollToBottom();
    refresh();
}

std::uint64_t SignalingView::selected() const {
    const QModelIndex current = table_->currentIndex();
    return current.isValid() ? log_.at(sorted_.source_row(current)).record.number : 0;
}

bool SignalingView::select(std::uint64_t number) {
    const int known = number > 0 ? log_.row_of(number) : -1, row = known < 0 ? -1 : sorted_.row_of(known);
    if (row >= 0 && table_->currentIndex().row() != row) table_->selectRow(row);
    return row >= 0;
}

void SignalingView::show_fields() {
    const QModelIndex current = table_->currentIndex();
    fields_->setRowCount(0);
    fields_->setVisible(current.isValid());
    if (!current.isValid()) return;
    field_links_.clear();
    for (const SignalField& field : fields_of(log_.at(sorted_.source_row(current)), log_.devices())) {
        const int row = fields_->rowCount();
        fields_->insertRow(row);
        fields_->setItem(row, 0, new QTableWidgetItem(field.name));
        fields_->setItem(row, 1, new QTableWidgetItem(field.value));
        field_links_.push_back(field.link);
        for (int column = 0; field.link && column < 2; ++column)
            fields_->item(row, column)->setToolTip(tr("Click or press Enter to select this link"));
    }
    fields_->item(fields_->rowCount() - 1, 1)->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    mark_fields();
}

/// Shows the fields about the selected link in bold.
void SignalingView::mark_fields() {
    const model::Selected now = selection_ ? selection_->current() : model::Selected();
    for (int row = 0; row < std::min(fields_->rowCount(), static_cast<int>(field_links_.size())); ++row) {
        const model::Selected& link = field_links_[static_cast<std::size_t>(row)];
        for (int column = 0; link && column < 2; ++column) {
            QFont font = fields_->item(row, column)->font();
            font.setBold(link == now);
            fields_->item(row, column)->setFont(font);
        }
    }
}

void SignalingView::refresh() {
    show_list();
    set_count(tr("%1 of %2 messages").arg(sorted_.rowCount()).arg(log_.total()));
}

void SignalingView::explain_link_button() {
    const model::Selected now = selection_ ? selection_->current() : model::Selected();
    link_->setToolTip(now.kind != model::Selected::Kind::link
                          ? tr("First select a link, in the topology or by one of its messages")
                          : tr("Show only messages between %1 and %2")
                                .arg(QString::fromStdString(now.id), QString::fromStdString(now.other)));
}

void SignalingView::retranslate() {
    const QScopedValueRollback<bool> choosing(choosing_, true);
    const std::uint64_t chosen = selected();
    log_.retranslate();
    select(chosen);  // updates the names of the message's fields
    type_->setItemText(0, tr("All types"));
    sender_->setItemText(0, tr("All senders"));
    type_->setAccessibleName(tr("Type of message"));
    sender_->setAccessibleName(tr("Sender"));
    make_room_for_titles(*table_);
    set_filter_texts(tr("Show only messages with this text"), tr("Filter of the messages"));
    flow_->setPlaceholderText(tr("Show only flows with this text"));
    flow_->setAccessibleName(tr("Filter by flow"));
    link_->setText(tr("Selected link"));
    explain_link_button();
    hold_->setText(tr("Hold"));
    hold_->setToolTip(tr("Stop adding new messages while you read; release the button to add them"));
    table_->setAccessibleName(tr("Messages between gateways and routers"));
    fields_->setAccessibleName(tr("Fields of the selected message"));
    refresh();
}

}  // namespace divisi::topology

#include "moc_signaling_view.cpp"
