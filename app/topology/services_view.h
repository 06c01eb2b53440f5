// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QStackedWidget>
#include <QTableView>
#include <QTableWidget>
#include <QTimer>
#include <QWidget>

#include "app/client/client.h"
#include "app/model/tracking/selection.h"
#include "app/model/wording/sorted_rows.h"
#include "app/topology/service_table.h"

namespace divisi::topology {

/// Shows the registry (SRD) live: which instance serves which SID, where and with what capability. Each row opens to
/// all its fields. Watches the registry for changes while visible.
class ServicesView : public QWidget {
    Q_OBJECT
public:
    explicit ServicesView(client::Client* client, QWidget* parent = nullptr);

    /// Returns the instance of a row and its node, or the device of a row.
    std::vector<model::Selected> about(const QModelIndex& row) const;

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void build();
    void poll();
    void take(const control::WatchServices& question, const control::ServiceChanges& answer);
    /// Starts over after a new connection, which may lead to another registry.
    void status_changed();
    void filter();
    void filter_text();
    /// Counts of the shown rows that are registered. Removed rows are still shown for a while, but not counted.
    struct Present {
        int services = 0, devices = 0;
    };
    Present present() const;
    void refresh();
    void show_fields();
    /// Returns the current entry; null if no row is current.
    const ServiceEntry* current() const;
    std::string chosen() const;
    void choose(const std::string& sid);
    void add_instance(std::vector<std::pair<QString, QString>>& rows, const InstanceId& instance) const;
    void retranslate();

    client::Client* client_;
    ServiceTable table_;
    model::SortedRows sorted_{table_};
    bool connected_ = false;
    QLineEdit *filter_, *prefix_;
    QLabel* count_;
    QLabel* empty_;
    QStackedWidget* stack_;
    QTableView* rows_;
    QTableWidget* fields_;
    QTimer tick_;
};

}  // namespace divisi::topology
