// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/ledger/ledger_view.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QScrollBar>

#include "app/client/refusal_text.h"
#include "app/model/wording/text.h"
#include "app/panels/tables/plain_table.h"

namespace divisi::panels {

namespace {

/// Interval for repeating the query for receipts. Receipts are requested when the cluster reports that there are more.
constexpr int tick_ms = 500;
/// Number of signatures that are checked before the event loop continues. Checking a thousand signatures takes about
/// 100 ms.
constexpr std::size_t checked_together = 100;

/// Sets the column widths. `wide` is the column that gets the remaining width.
void set_widths(QTableView& table, int wide, std::initializer_list<int> widths) {
    table.horizontalHeader()->setSectionResizeMode(QHeaderView::Interactive);
    table.horizontalHeader()->setSectionResizeMode(wide, QHeaderView::Stretch);
    table.horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table.verticalHeader()->setDefaultSectionSize(24);
    int column = 0;
    for (const int width : widths) table.setColumnWidth(column++, width);
}

}  // namespace

LedgerView::LedgerView(client::Client* client, QWidget* parent)
    : ListPage("ledger", client, parent),
      export_(new QPushButton(this)),
      verify_(new QToolButton(this)),
      verify_file_(new QAction(this)),
      stack_(new QStackedWidget(this)),
      lease_rows_(new QTableView(this)),
      receipt_rows_(new QTableView(this)),
      fields_(new QTableWidget(0, 2, this)),
      totals_(new TotalsTree(this)) {
    setObjectName(QStringLiteral("ledger"));
    build_bar();
    build_pages();
    poll_every(tick_ms);
    step_.setInterval(0);
    connect(&step_, &QTimer::timeout, this, &LedgerView::go_on_verifying);
    connect(pages_, &QButtonGroup::idClicked, this, &LedgerView::show_page);
    connect(export_, &QPushButton::clicked, this, &LedgerView::choose_export);
    connect(verify_, &QToolButton::clicked, this, &LedgerView::verify_all);
    connect(verify_file_, &QAction::triggered, this, &LedgerView::choose_file);
    connect(receipt_rows_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &LedgerView::show_receipt);
    connect(&sorted_receipts_, &QAbstractItemModel::modelReset, this, &LedgerView::show_receipt);
    if (client_) {
        connect(client_, &client::Client::dataChanged, this, &LedgerView::refresh);
        client_->on_answer<control::QueryLog>(this,
                                              [this](const control::QueryLog& question, const control::LogPage& page) {
                                                  if (question.kind == receipts_.next().kind) take(page);
                                              });
        connect(client_, &client::Client::statusChanged, this, &LedgerView::status_changed);
    }
    retranslate();
}

void LedgerView::build_bar() {
    pages_ = &add_pages({"showLeases", "showReceipts", "showTotals"});
    filter().setMinimumWidth(80);
    add_count();
    bar().addWidget(export_);
    bar().addWidget(verify_);
    export_->setObjectName(QStringLiteral("exportReceipts"));
    verify_->setObjectName(QStringLiteral("verifyReceipts"));
    verify_->setPopupMode(QToolButton::MenuButtonPopup);
    verify_->addAction(verify_file_);
    verify_file_->setObjectName(QStringLiteral("verifyFile"));
}

void LedgerView::build_pages() {
    lease_rows_->setObjectName(QStringLiteral("leaseTable"));
    lease_rows_->setModel(&sorted_leases_);
    make_plain(*lease_rows_);
    sort_by_headers(*lease_rows_);
    set_widths(*lease_rows_, LeaseTable::instance, {56, 110, 220, 120, 80, 110, 90, 80, 90, 90, 90, 90});
    receipt_rows_->setObjectName(QStringLiteral("receiptTable"));
    receipt_rows_->setModel(&sorted_receipts_);
    make_plain(*receipt_rows_);
    sort_by_headers(*receipt_rows_);
    for (QAbstractButton* button : {static_cast<QAbstractButton*>(verify_), static_cast<QAbstractButton*>(export_)})
        offer_in_menu(*receipt_rows_, *button);
    set_widths(*receipt_rows_, ReceiptTable::task, {76, 130, 130, 110, 150, 110, 80, 70, 90, 90, 90});
    fields_->setObjectName(QStringLiteral("receiptFields"));
    make_plain(*fields_);
    fields_->setAlternatingRowColors(false);
    fields_->horizontalHeader()->hide();
    fields_->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
    fields_->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    fields_->setMinimumWidth(260);
    fields_->hide();
    receipt_rows_->setMinimumWidth(160);
    auto* split = new QSplitter(this);
    split->addWidget(receipt_rows_);
    split->addWidget(fields_);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 1);
    split->setChildrenCollapsible(false);
    clear_by_escape(*split, {receipt_rows_});
    stack_->addWidget(lease_rows_);
    stack_->addWidget(split);
    stack_->addWidget(totals_);
    set_list(*stack_);
}

void LedgerView::poll() {
    if (!client_ || !is_on_screen()) return;
    if (!receipts_.complete() || receipts_.all().size() < client_->data().state.lease_book.receipts)
        client_->poll(receipts_.next());
}

void LedgerView::take(const control::LogPage& page) {
    {
        const model::KeptPlace kept(*receipt_rows_);
        receipts_.take(page);
    }
    if (!receipts_.complete()) poll();
    show_totals();
    refresh();
}

void LedgerView::status_changed() {
    const bool connected = is_connected();
    if (std::exchange(connected_, connected) == connected) return;
    if (connected) receipts_.clear();
    show_totals();
    refresh();
}

void LedgerView::filter_rows(const QString& text) {
    receipts_.set_filter(text);
    show_totals();
    refresh();
}

void LedgerView::refresh() {
    if (!isVisible() || !client_) return refresh_bar();
    const model::Colours& colours = model::colours_of(palette());
    leases_.set_colours(colours);
    receipts_.set_colours(colours);
    {
        const model::KeptPlace kept(*lease_rows_);
        leases_.show(client_->data(), filter_text());
    }
    refresh_bar();
    poll();
}

void LedgerView::refresh_bar() {
    show_list();
    const QString text = shows_leases() ? tr("%1 of %2 leases") : tr("%1 of %2 receipts");
    set_count(has_rows() ? text.arg(model::count_text(shown_rows())).arg(model::count_text(qlonglong(all_rows())))
                         : QString());
    const bool some = receipts_.complete() && receipts_.rowCount() > 0 && !verification_;
    export_->setEnabled(some);
    const bool keyed = client_ && !client_->data().state.lease_book.key.empty();
    verify_->setEnabled(keyed && receipts_.complete() && !verification_);
}

QString LedgerView::all_hidden_text() const {
    return shows_leases() ? tr("No lease has this text.") : tr("No receipt has this text.");
}

QString LedgerView::no_rows_text() const {
    if (shows_leases()) return tr("No lease is held. Each instance of a running task holds one.");
    if (!receipts_.complete()) return tr("Asking for receipts\u2026");
    return tr("There is no receipt yet. One is written when a node reclaims an instance's place.");
}

void LedgerView::show_page(int page) {
    stack_->setCurrentIndex(page);
    show_totals();
    refresh();
}

/// Shows the fields of the current receipt, with the names used in an export.
void LedgerView::show_receipt() {
    const QModelIndex current = receipt_rows_->currentIndex();
    fields_->setVisible(current.isValid());
    if (!current.isValid()) return;
    const std::vector<std::string> values = control::receipt_fields(receipts_.at(sorted_receipts_.source_row(current)));
    fields_->setRowCount(static_cast<int>(values.size()));
    for (int row = 0; row < fields_->rowCount(); ++row) {
        const auto at = static_cast<std::size_t>(row);
        const QString value = values[at].empty() ? QStringLiteral("\u2013") : QString::fromStdString(values[at]);
        fields_->setItem(row, 0, new QTableWidgetItem(QString::fromStdString(control::receipt_columns()[at])));
        fields_->setItem(row, 1, new QTableWidgetItem(value));
        fields_->item(row, 1)->setToolTip(value);
    }
}

void LedgerView::show_totals() {
    if (stack_->currentIndex() == totals_page) totals_->show_totals(receipts_.totals());
}

void LedgerView::choose_export() {
    auto* dialog = new QFileDialog(this, tr("Export receipts"), {}, tr("Receipts (*.csv)"));
    dialog->setObjectName(QStringLiteral("exportDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    dialog->selectFile(QStringLiteral("receipts.csv"));
    connect(dialog, &QFileDialog::fileSelected, this, &LedgerView::export_to);
    dialog->open();
}

void LedgerView::export_to(const QString& file) {
    const std::vector<control::Receipt> some = receipts_.shown();
    const Result<void> written = client::export_receipts(file.toStdString(), some);
    if (!written.ok()) return show_notice(client::quoted(written.error()), true);
    const QString count = model::count_text(qlonglong(some.size()));
    if (some.size() == receipts_.all().size())
        return show_notice(tr("%Ln receipts written to %1", nullptr, static_cast<int>(some.size())).arg(file), false);
    show_notice(tr("%1 of %2 receipts written to %3; verify a partial export with 'divisictl receipts verify --part'")
                    .arg(count, model::count_text(qlonglong(receipts_.all().size())), file),
                false);
}

void LedgerView::choose_file() {
    auto* dialog = new QFileDialog(this, tr("Verify an export of receipts"), {}, tr("Receipts (*.csv);;All files (*)"));
    dialog->setObjectName(QStringLiteral("verifyDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &LedgerView::verify_file);
    dialog->open();
}

void LedgerView::verify_file(const QString& file) {
    auto verification = client::ReceiptVerification::of_file(file.toStdString(), client_->data().state.lease_book.key);
    if (!verification.ok()) return show_notice(client::quoted(verification.error()), true);
    verified_ = QFileInfo(file).fileName();
    verify(*std::move(verification));
}

void LedgerView::verify_all() {
    verified_.clear();
    verify({receipts_.all(), client_->data().state.lease_book.key});
}

void LedgerView::verify(client::ReceiptVerification verification) {
    verification_ = std::move(verification);
    refresh_bar();
    step_.start();
}

void LedgerView::go_on_verifying() {
    if (verification_->go_on(checked_together))
        return show_notice(tr("Verifying: %1 of %2 receipts")
                               .arg(model::count_text(qlonglong(verification_->done())))
                               .arg(model::count_text(qlonglong(verification_->total()))),
                           false);
    step_.stop();
    tell_verified();
    verification_.reset();
    refresh_bar();
}

/// Reports the result of a verification in the same words as `divisictl receipts verify`.
void LedgerView::tell_verified() {
    const QString of = verified_.isEmpty() ? QString() : verified_ + QStringLiteral(": ");
    const client::ReceiptVerification& found = *verification_;
    if (found.problem()) return show_notice(QStringLiteral("\u2715 ") + client::quoted(*found.problem()), true);
    if (found.total() == 0) return show_notice(of + tr("the file contains no receipts"), false);
    const auto total = static_cast<int>(found.total());
    const QString last = model::count_text(qlonglong(found.last()));
    if (found.missing() > 0)
        return show_notice(QStringLiteral("\u26a0 ") + of +
                               tr("%Ln receipts up to number %1: all signed with this cluster's key and unchanged; %2 "
                                  "earlier ones are missing",
                                  nullptr, total)
                                   .arg(last, model::count_text(qlonglong(found.missing()))),
                           verified_.isEmpty());
    show_notice(QStringLiteral("\u2713 ") + of +
                    tr("%Ln receipts up to number %1: all signed with this cluster's key and unchanged; no earlier one "
                       "is missing",
                       nullptr, total)
                        .arg(last),
                false);
}

void LedgerView::retranslate() {
    pages_->button(leases_page)->setText(tr("Leases"));
    pages_->button(leases_page)->setToolTip(tr("Places on nodes that instances hold now"));
    pages_->button(receipts_page)->setText(tr("Receipts"));
    pages_->button(receipts_page)->setToolTip(tr("What each lease consumed, signed when it was reclaimed"));
    pages_->button(totals_page)->setText(tr("Totals"));
    pages_->button(totals_page)->setToolTip(tr("Totals of the shown receipts by submitter and task"));
    for (QTableView* table : {lease_rows_, receipt_rows_}) make_room_for_titles(*table);
    set_filter_texts(tr("Show only leases and receipts whose task, node or submitter contains this text"),
                     tr("Filter of leases and receipts"));
    export_->setText(tr("Export CSV\u2026"));
    export_->setToolTip(tr("Export the shown receipts, each with its signature"));
    verify_->setText(tr("Verify"));
    verify_->setToolTip(tr("Verify all receipts of this cluster with its key; the arrow verifies a file"));
    verify_file_->setText(tr("Verify an export\u2026"));
    lease_rows_->setAccessibleName(tr("Held leases"));
    receipt_rows_->setAccessibleName(tr("Receipts"));
    fields_->setAccessibleName(tr("Fields of the selected receipt"));
    totals_->retranslate();
    refresh();
}

}  // namespace divisi::panels

#include "moc_ledger_view.cpp"
