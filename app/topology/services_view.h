// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>
#include <QTableWidget>

#include "app/model/tracking/selection.h"
#include "app/model/wording/sorted_rows.h"
#include "app/panels/tables/list_page.h"
#include "app/topology/service_table.h"

namespace divisi::topology {

/// Shows the registry (SRD) live: which instance serves which SID, on which node, and with what capability. All fields
/// of the chosen row are shown. Watches the registry for changes while visible.
class ServicesView : public panels::ListPage {
    Q_OBJECT
public:
    explicit ServicesView(client::Client* client, QWidget* parent = nullptr);

    /// Returns the instance of a row and its node, or the device of a row.
    std::vector<model::Selected> about(const QModelIndex& row) const;

protected:
    void refresh() override;
    void retranslate() override;
    /// Filters by the text. Keeps the chosen row current, because Qt would make the next row current when rows
    /// disappear.
    void filter_rows(const QString& text) override;
    void appear() override { poll(); }
    void poll() override;
    QString empty_text() const override;

private:
    void build();
    void take(const control::WatchServices& question, const control::ServiceChanges& answer);
    /// Removes all rows and requests them again after a new connection, which may be to another registry.
    void status_changed();
    void filter_prefix();
    /// Counts of the shown rows that are registered. Removed rows are still shown for a while, but they are not
    /// counted.
    struct Present {
        int services = 0, devices = 0;
    };
    Present present() const;
    void show_fields();
    /// Returns the current entry; null if no row is current.
    const ServiceEntry* current() const;
    std::string chosen() const;
    void choose(const std::string& sid);
    void add_instance(std::vector<std::pair<QString, QString>>& rows, const InstanceId& instance) const;

    ServiceTable table_;
    model::SortedRows sorted_{table_};
    bool connected_ = false;
    QLineEdit* prefix_;
    QTableView* rows_;
    QTableWidget* fields_;
};

}  // namespace divisi::topology
