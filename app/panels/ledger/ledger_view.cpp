// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/ledger/ledger_view.h"

#include <QEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QScrollBar>
#include <QShortcut>
#include <QSplitter>
#include <QStyle>
#include <QVBoxLayout>

#include "app/client/refusal_text.h"
#include "app/model/wording/text.h"
#include "app/panels/tables/notice.h"
#include "app/panels/tables/plain_table.h"

namespace divisi::panels {

namespace {

/// Interval for repeating the query for receipts. Receipts are requested when the cluster reports that there are more.
constexpr int tick_ms = 500;
/// Number of signatures checked before events are handled. A thousand take some 100 ms.
constexpr std::size_t checked_together = 100;

/// `wide` is the column that takes the remaining width.
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
    : QWidget(parent),
      client_(client),
      pages_(new QButtonGroup(this)),
      filter_(new QLineEdit(this)),
      count_(new QLabel(this)),
      notice_(new QLabel(this)),
      empty_(new QLabel(this)),
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
    tick_.setInterval(tick_ms);
    connect(&tick_, &QTimer::timeout, this, &LedgerView::poll);
    step_.setInterval(0);
    connect(&step_, &QTimer::timeout, this, &LedgerView::go_on_verifying);
    connect(pages_, &QButtonGroup::idClicked, this, &LedgerView::show_page);
    connect(filter_, &QLineEdit::textChanged, this, &LedgerView::filter);
    connect(export_, &QPushButton::clicked, this, &LedgerView::choose_export);
    connect(verify_, &QToolButton::clicked, this, &LedgerView::verify_all);
    connect(verify_file_, &QAction::triggered, this, &LedgerView::choose_file);
    connect(receipt_rows_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &LedgerView::show_receipt);
    connect(&sorted_receipts_, &QAbstractItemModel::modelReset, this, &LedgerView::show_receipt);
    if (client_) {
        connect(client_, &client::Client::dataChanged, this, &LedgerView::refresh);
        connect(client_, &client::Client::receiptsCame, this, &LedgerView::take);
        connect(client_, &client::Client::statusChanged, this, &LedgerView::status_changed);
    }
    retranslate();
}

void LedgerView::build_bar() {
    const char* const names[] = {"showLeases", "showReceipts", "showTotals"};
    auto* bar = new QHBoxLayout;
    for (int page = leases_page; page <= totals_page; ++page) {
        auto* button = new QToolButton(this);
        button->setObjectName(QString::fromLatin1(names[page]));
        button->setCheckable(true);
        button->setChecked(page == leases_page);
        pages_->addButton(button, page);
        bar->addWidget(button);
    }
    filter_->setObjectName(QStringLiteral("ledgerFilter"));
    filter_->setClearButtonEnabled(true);
    filter_->setMinimumWidth(80);
    count_->setObjectName(QStringLiteral("ledgerCount"));
    count_->setProperty("role", QStringLiteral("faint"));
    export_->setObjectName(QStringLiteral("exportReceipts"));
    verify_->setObjectName(QStringLiteral("verifyReceipts"));
    verify_->setPopupMode(QToolButton::MenuButtonPopup);
    verify_->addAction(verify_file_);
    verify_file_->setObjectName(QStringLiteral("verifyFile"));
    notice_->setObjectName(QStringLiteral("ledgerNotice"));
    notice_->setWordWrap(true);
    notice_->hide();
    bar->addWidget(filter_, 1);
    bar->addWidget(count_);
    bar->addWidget(export_);
    bar->addWidget(verify_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 8, 16, 8);
    column->setSpacing(8);
    column->addLayout(bar);
    column->addWidget(notice_);
    column->addWidget(empty_, 1);
    column->addWidget(stack_, 1);
}

void LedgerView::build_pages() {
    empty_->setObjectName(QStringLiteral("ledgerEmpty"));
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setWordWrap(true);
    empty_->setProperty("role", QStringLiteral("faint"));
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
    auto* close = new QShortcut(Qt::Key_Escape, split);
    close->setContext(Qt::WidgetWithChildrenShortcut);
    connect(close, &QShortcut::activated, this, [this] { receipt_rows_->setCurrentIndex({}); });
    stack_->addWidget(lease_rows_);
    stack_->addWidget(split);
    stack_->addWidget(totals_);
}

void LedgerView::poll() {
    if (!client_ || visibleRegion().isEmpty()) return;  // Qt reports a dock behind another tab as visible
    if (!receipts_.complete() || receipts_.all().size() < client_->data().state.lease_book.receipts)
        client_->ask_receipts(receipts_.next());
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
    const bool connected = client_->status().connection == client::Connection::connected;
    if (std::exchange(connected_, connected) == connected) return;
    if (connected) receipts_.clear();
    show_totals();
    refresh();
}

void LedgerView::filter() {
    receipts_.set_filter(filter_->text().trimmed());
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
        leases_.show(client_->data(), filter_->text().trimmed());
    }
    refresh_bar();
    poll();
}

void LedgerView::refresh_bar() {
    const int page = pages_->checkedId();
    const QString empty = empty_text();
    empty_->setText(empty);
    empty_->setVisible(!empty.isEmpty());
    stack_->setVisible(empty.isEmpty());
    const std::size_t all = page == leases_page ? leases_.held() : receipts_.all().size();
    const int shown = page == leases_page ? leases_.rowCount() : receipts_.rowCount();
    const QString text = page == leases_page ? tr("%1 of %2 leases") : tr("%1 of %2 receipts");
    count_->setText(all == 0 ? QString() : text.arg(model::count_text(shown)).arg(model::count_text(qlonglong(all))));
    const bool some = receipts_.complete() && receipts_.rowCount() > 0 && !verification_;
    export_->setEnabled(some);
    const bool keyed = client_ && !client_->data().state.lease_book.key.empty();
    verify_->setEnabled(keyed && receipts_.complete() && !verification_);
}

/// Returns why there is nothing to see; empty if there is something.
QString LedgerView::empty_text() const {
    const bool of_leases = pages_->checkedId() == leases_page;
    if ((of_leases ? leases_.rowCount() : receipts_.rowCount()) > 0) return {};
    if (!client_) return client::no_cluster_text();
    if (of_leases && leases_.held() > 0) return tr("No lease has this text.");
    if (!of_leases && !receipts_.all().empty()) return tr("No receipt has this text.");
    const bool connected = client_->status().connection == client::Connection::connected;
    if (!connected) return tr("There is no connection to a cluster; see its state at the lower right.");
    if (of_leases) return tr("No lease is held. Each instance of a running task holds one.");
    if (!receipts_.complete()) return tr("Asking for receipts\u2026");
    return tr("There is no receipt yet. One is written when a node reclaims an instance's place.");
}

void LedgerView::show_page(int page) {
    stack_->setCurrentIndex(page);
    show_totals();
    refresh();
}

/// Shows the fields of a receipt under the names used in an export.
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
    if (!written.ok()) return show_notice(notice_, client::quoted(written.error()), true);
    const QString count = model::count_text(qlonglong(some.size()));
    if (some.size() == receipts_.all().size())
        return show_notice(notice_, tr("%Ln receipts written to %1", nullptr, static_cast<int>(some.size())).arg(file),
                           false);
    show_notice(notice_,
                tr("%1 of %2 receipts written to %3; verify such a part with 'divisictl receipts verify --part'")
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
    if (!verification.ok()) return show_notice(notice_, client::quoted(verification.error()), true);
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
        return show_notice(notice_,
                           tr("Verifying: %1 of %2 receipts")
                               .arg(model::count_text(qlonglong(verification_->done())))
                               .arg(model::count_text(qlonglong(verification_->total()))),
                           false);
    step_.stop();
    tell_verified();
    verification_.reset();
    refresh_bar();
}

/// Reports the result of a verification in the words of `divisictl receipts verify`.
void LedgerView::tell_verified() {
    const QString of = verified_.isEmpty() ? QString() : verified_ + QStringLiteral(": ");
    const client::ReceiptVerification& found = *verification_;
    if (found.problem())
        return show_notice(notice_, QStringLiteral("\u2715 ") + client::quoted(*found.problem()), true);
    if (found.total() == 0) return show_notice(notice_, of + tr("there are no receipts in it"), false);
    const auto total = static_cast<int>(found.total());
    const QString last = model::count_text(qlonglong(found.last()));
    if (found.missing() > 0)
        return show_notice(notice_,
                           QStringLiteral("\u26a0 ") + of +
                               tr("%Ln receipts up to number %1: all signed with this cluster's key and unchanged; %2 "
                                  "earlier ones are missing",
                                  nullptr, total)
                                   .arg(last, model::count_text(qlonglong(found.missing()))),
                           verified_.isEmpty());
    show_notice(notice_,
                QStringLiteral("\u2713 ") + of +
                    tr("%Ln receipts up to number %1: all signed with this cluster's key and unchanged; no earlier one "
                       "is missing",
                       nullptr, total)
                        .arg(last),
                false);
}

void LedgerView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    tick_.start();
    refresh();
}

void LedgerView::hideEvent(QHideEvent* event) {
    tick_.stop();
    QWidget::hideEvent(event);
}

void LedgerView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QWidget::changeEvent(event);
}

void LedgerView::retranslate() {
    notice_->hide();  // its text is still in the previous language
    pages_->button(leases_page)->setText(tr("Leases"));
    pages_->button(leases_page)->setToolTip(tr("Places on nodes that instances hold now"));
    pages_->button(receipts_page)->setText(tr("Receipts"));
    pages_->button(receipts_page)->setToolTip(tr("What each lease consumed, signed when it was reclaimed"));
    pages_->button(totals_page)->setText(tr("Totals"));
    pages_->button(totals_page)->setToolTip(tr("Totals of the shown receipts by submitter and task"));
    for (QTableView* table : {lease_rows_, receipt_rows_}) make_room_for_titles(*table);
    filter_->setPlaceholderText(tr("Show only tasks, nodes and submitters with this text"));
    filter_->setAccessibleName(tr("Filter of leases and receipts"));
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
