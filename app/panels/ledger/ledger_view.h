// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableView>
#include <QTableWidget>
#include <QTimer>
#include <QToolButton>
#include <optional>

#include "app/client/receipt_export.h"
#include "app/model/wording/sorted_rows.h"
#include "app/panels/ledger/lease_table.h"
#include "app/panels/ledger/receipt_table.h"
#include "app/panels/ledger/totals_tree.h"
#include "app/panels/tables/list_page.h"

namespace divisi::panels {

/// Shows the resources that tasks were granted and have consumed: the leases held now, signed receipts, and their
/// totals by submitter and task. Receipts are exported and verified as `divisictl receipts` does.
class LedgerView : public ListPage {
    Q_OBJECT
public:
    explicit LedgerView(client::Client* client, QWidget* parent = nullptr);

    /// Writes the shown receipts to a file.
    void export_to(const QString& file);
    /// Verifies a CSV export with this cluster's key.
    void verify_file(const QString& file);

protected:
    void refresh() override;
    void retranslate() override;
    void filter_rows(const QString& text) override;
    void poll() override;
    bool has_rows() const override { return all_rows() > 0; }
    bool shows_rows() const override { return shown_rows() > 0; }
    QString all_hidden_text() const override;
    QString no_rows_text() const override;

private:
    enum Page { leases_page, receipts_page, totals_page };

    void build_bar();
    void build_pages();
    void take(const control::LogPage& page);
    /// Removes all receipts and requests them again after a new connection, which may be to another cluster.
    void status_changed();
    void refresh_bar();
    void show_page(int page);
    bool shows_leases() const { return pages_->checkedId() == leases_page; }
    // These functions return the numbers of leases or receipts on the shown page, with and without the filter.
    int shown_rows() const { return shows_leases() ? leases_.rowCount() : receipts_.rowCount(); }
    std::size_t all_rows() const { return shows_leases() ? leases_.held() : receipts_.all().size(); }
    void show_receipt();
    void show_totals();
    void choose_export();
    void choose_file();
    void verify_all();
    void verify(client::ReceiptVerification verification);
    void go_on_verifying();
    /// Reports the result of a verification in words.
    void tell_verified();

    LeaseTable leases_;
    ReceiptTable receipts_;
    model::SortedRows sorted_leases_{leases_}, sorted_receipts_{receipts_};
    bool connected_ = false;
    std::optional<client::ReceiptVerification> verification_;  ///< the running verification
    QString verified_;  ///< file being verified; empty: all receipts of the cluster
    QButtonGroup* pages_ = nullptr;
    QPushButton* export_;
    QToolButton* verify_;  ///< verifies all receipts; its menu verifies a file
    QAction* verify_file_;
    QStackedWidget* stack_;
    QTableView *lease_rows_, *receipt_rows_;
    QTableWidget* fields_;
    TotalsTree* totals_;
    QTimer step_;
};

}  // namespace divisi::panels
