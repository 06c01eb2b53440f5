// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QTableView>
#include <QTableWidget>

#include "app/model/tracking/selection.h"
#include "app/model/wording/sorted_rows.h"
#include "app/panels/faults/incident_table.h"
#include "app/panels/tables/list_page.h"

namespace divisi::panels {

/// Shows the faults of the followed task, or of all tasks. For each fault, it shows the phases from the first sign
/// until the task had caught up. The user can open a fault to see the time of each phase.
class RecoveriesView : public ListPage {
    Q_OBJECT
public:
    explicit RecoveriesView(client::Client* client, QWidget* parent = nullptr);

    void show_task(const TaskId& task);
    /// Returns the subjects of a row: the instance at fault, its node, its task.
    std::vector<model::Selected> about(const QModelIndex& row) const;

protected:
    void refresh() override;
    void retranslate() override;
    /// Filters the rows. If this hides the opened incident, clears the current row instead of choosing a
    /// neighbour.
    void filter_rows(const QString& text) override;
    bool has_rows() const override { return incidents_.rowCount() > 0; }
    QString no_rows_text() const override;
    bool eventFilter(QObject* of, QEvent* event) override;

private:
    void build();
    void fit_phases();
    /// Returns the number of the opened incident; 0: none.
    std::uint64_t opened() const;
    void show_incident();

    TaskId task_;
    IncidentTable incidents_;
    model::SortedRows sorted_{incidents_};
    QCheckBox* all_;  ///< shows all tasks, not only the followed one
    QTableView* rows_;
    QTableWidget* fields_;
};

}  // namespace divisi::panels
