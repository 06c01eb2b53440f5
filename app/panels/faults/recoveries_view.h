// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QTableView>
#include <QTableWidget>
#include <QWidget>

#include "app/model/tracking/selection.h"
#include "app/model/wording/sorted_rows.h"
#include "app/panels/faults/incident_table.h"

namespace divisi::panels {

/// Shows the faults that the followed task met, or that all tasks met. Each has its phases from the first sign until
/// the task had caught up, and opens to its individual times.
class RecoveriesView : public QWidget {
    Q_OBJECT
public:
    explicit RecoveriesView(client::Client* client, QWidget* parent = nullptr);

    void show_task(const TaskId& task);
    /// Returns what a row is about: the instance at fault, its node, its task.
    std::vector<model::Selected> about(const QModelIndex& row) const;

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* of, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void build();
    void filter(const QString& text);
    void fit_phases();
    void refresh();
    /// Returns the number of the opened incident; 0: none.
    std::uint64_t opened() const;
    void show_incident();
    QString empty_text() const;
    void retranslate();

    client::Client* client_;
    TaskId task_;
    IncidentTable incidents_;
    model::SortedRows sorted_{incidents_};
    QLineEdit* filter_;
    QCheckBox* all_;  ///< shows all tasks, not only the followed one
    QLabel *count_, *empty_;
    QSplitter* split_;
    QTableView* rows_;
    QTableWidget* fields_;
};

}  // namespace divisi::panels
