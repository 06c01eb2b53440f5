// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QPushButton>
#include <QTableWidget>

#include "app/model/tracking/selection.h"
#include "app/panels/tables/list_page.h"
#include "app/panels/tables/row_table.h"

namespace divisi::panels {

/// Shows the problems that the orchestrator's rules have found. For each problem it shows the start, the measured
/// value, its limit, and what to do.
class AlertsView : public ListPage {
    Q_OBJECT
public:
    explicit AlertsView(client::Client* client, QWidget* parent = nullptr);

    /// Returns the subjects of a row: its node and its task, if it has them.
    std::vector<model::Selected> about(const QModelIndex& row) const;

Q_SIGNALS:
    /// The user wants to see the subject of an alert: a task, a node, or neither ("queue", "orchestrator").
    void subjectRequested(const divisi::control::Alert& alert);

protected:
    void refresh() override;
    void retranslate() override;
    void filter_rows(const QString& text) override;
    bool has_rows() const override { return model_.rowCount() > 0; }
    bool shows_rows() const override { return table_->shown() > 0; }
    QString all_hidden_text() const override;
    QString no_rows_text() const override;

private:
    void build();
    void fill_table();
    void show_chosen();
    void refresh_bar();
    void go();
    const control::Alert* alert_of(const QString& id) const;  ///< null if there is none
    const control::Alert* chosen() const;

    RowModel model_;
    QCheckBox* cleared_;
    QPushButton* go_;
    RowTable* table_;
    QTableWidget* fields_;
};

}  // namespace divisi::panels
