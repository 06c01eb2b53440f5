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
#include "app/model/selection.h"
#include "app/model/sorted_rows.h"
#include "app/topology/service_table.h"

namespace divisi::topology {

/// The registry (SRD) live: which instance answers for which SID, where, and with what; any row opened for all that it
/// carries. While it is seen it watches the registry for changes.
class ServicesView : public QWidget {
    Q_OBJECT
public:
    explicit ServicesView(client::Client* client, QWidget* parent = nullptr);

    /// The instance that a row is of, and its node; of a device that.
    std::vector<model::Selected> about(const QModelIndex& row) const;

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void build();
    void poll();
    void take(const control::WatchServices& question, const control::ServiceChanges& answer);
    /// After a new connection it may be another registry.
    void status_changed();
    void filter();
    void filter_text();
    /// Of the rows that are shown, those that are registered: what has left is shown for a while, and not counted.
    struct Present {
        int services = 0, devices = 0;
    };
    Present present() const;
    void refresh();
    void show_fields();
    /// Null where none is current.
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
