// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTableWidget>
#include <QWidget>

#include "app/client/client.h"
#include "app/model/tracking/selection.h"
#include "app/panels/tables/row_table.h"

namespace divisi::panels {

/// Shows what the orchestrator's rules found wrong: since when, how far from the allowed value, and what to do about
/// it.
class AlertsView : public QWidget {
    Q_OBJECT
public:
    explicit AlertsView(client::Client* client, QWidget* parent = nullptr);

    /// Returns what a row is about: a node, a task, or neither.
    std::vector<model::Selected> about(const QModelIndex& row) const;

Q_SIGNALS:
    /// The user wants to see the subject of an alert: a task, a node, or neither ("queue", "orchestrator").
    void subjectRequested(const divisi::control::Alert& alert);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void build();
    void refresh();
    void fill_table();
    void show_chosen();
    void refresh_bar();
    void go();
    const control::Alert* alert_of(const QString& id) const;  ///< null if there is none
    const control::Alert* chosen() const;
    QString empty_text() const;
    void retranslate();

    client::Client* client_;
    RowModel model_;
    QLineEdit* filter_;
    QCheckBox* cleared_;
    QLabel *count_, *empty_;
    QPushButton* go_;
    QSplitter* split_;
    RowTable* table_;
    QTableWidget* fields_;
};

}  // namespace divisi::panels
