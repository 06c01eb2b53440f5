// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QButtonGroup>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableView>
#include <QTableWidget>
#include <QTimer>
#include <QToolButton>
#include <QWidget>
#include <optional>

#include "app/client/receipt_export.h"
#include "app/model/wording/sorted_rows.h"
#include "app/panels/ledger/lease_table.h"
#include "app/panels/ledger/receipt_table.h"
#include "app/panels/ledger/totals_tree.h"

namespace divisi::panels {

/// Shows what tasks were granted and have consumed: the leases held now, signed receipts, and their totals by submitter
/// and task. Receipts are exported and verified as `divisictl receipts` does.
class LedgerView : public QWidget {
    Q_OBJECT
public:
    explicit LedgerView(client::Client* client, QWidget* parent = nullptr);

    /// Writes the shown receipts to a file.
    void export_to(const QString& file);
    /// Verifies a CSV export with this cluster's key.
    void verify_file(const QString& file);

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    enum Page { leases_page, receipts_page, totals_page };

    void build_bar();
    void build_pages();
    void poll();
    void take(const control::LogPage& page);
    /// Starts over after a new connection, which may lead to another cluster.
    void status_changed();
    void filter();
    void refresh();
    void refresh_bar();
    void show_page(int page);
    QString empty_text() const;
    void show_receipt();
    void show_totals();
    void choose_export();
    void choose_file();
    void verify_all();
    void verify(client::ReceiptVerification verification);
    void go_on_verifying();
    /// Reports the result of a verification in words.
    void tell_verified();
    void retranslate();

    client::Client* client_;
    LeaseTable leases_;
    ReceiptTable receipts_;
    model::SortedRows sorted_leases_{leases_}, sorted_receipts_{receipts_};
    bool connected_ = false;
    std::optional<client::ReceiptVerification> verification_;  ///< the running verification
    QString verified_;  ///< file being verified; empty: all receipts of the cluster
    QButtonGroup* pages_;
    QLineEdit* filter_;
    QLabel *count_, *notice_, *empty_;
    QPushButton* export_;
    QToolButton* verify_;  ///< verifies all receipts; its menu verifies a file
    QAction* verify_file_;
    QStackedWidget* stack_;
    QTableView *lease_rows_, *receipt_rows_;
    QTableWidget* fields_;
    TotalsTree* totals_;
    QTimer tick_, step_;
};

}  // namespace divisi::panels
