// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QTableView>
#include <QTableWidget>
#include <QWidget>

#include "app/model/selection.h"
#include "app/model/sorted_rows.h"
#include "app/panels/incident_table.h"

namespace divisi::panels {

/// Faults that the followed task met, or all tasks did: each with its phases from the first sign until the task had
/// caught up, and opened with its times one by one.
class RecoveriesView : public QWidget {
    Q_OBJECT
public:
    explicit RecoveriesView(client::Client* client, QWidget* parent = nullptr);

    void show_task(const TaskId& task);
    /// What a row of the table is about: the instance whose fault it was, its node, the task.
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
    /// 0: none is.
    std::uint64_t opened() const;
    void show_incident();
    QString empty_text() const;
    void retranslate();

    client::Client* client_;
    TaskId task_;
    IncidentTable incidents_;
    model::SortedRows sorted_{incidents_};
    QLineEdit* filter_;
    QCheckBox* all_;  ///< not of the followed task alone
    QLabel *count_, *empty_;
    QSplitter* split_;
    QTableView* rows_;
    QTableWidget* fields_;
};

}  // namespace divisi::panels
