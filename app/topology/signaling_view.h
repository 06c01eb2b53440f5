// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QTableWidget>
#include <QTimer>
#include <QToolButton>
#include <QWidget>

#include "app/client/client.h"
#include "app/model/selection.h"
#include "app/model/sorted_rows.h"
#include "app/topology/signal_log.h"

namespace divisi::topology {

/// What gateways and routers say to each other about credit, live: filtered by text, type, sender and flow, and any
/// message taken apart. While it is seen it asks the cluster for new ones twice a second.
class SignalingView : public QWidget {
    Q_OBJECT
public:
    explicit SignalingView(client::Client* client, QWidget* parent = nullptr);

    /// From now on messages over the selected link, and fields about it, are in bold, and a button shows only those
    /// messages. A message that somebody goes to selects the link that it went over, a field the one that it is about.
    void use(model::Selection& selection);

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void build();
    void poll();
    void take(const control::Signals& signal_messages);
    void take_names(const control::MeshState& mesh);
    /// After a new connection numbers may begin anew.
    void status_changed();
    void filter();
    std::uint64_t selected() const;  ///< its number; 0: none
    /// Whether it is there.
    bool select(std::uint64_t number);
    void mark_link(const model::Selected& now);
    void select_link();
    void select_field_link(int row);
    void show_fields();
    void mark_fields();
    void show_count();
    void retranslate();

    client::Client* client_;
    SignalLog log_;
    model::SortedRows sorted_{log_};
    bool connected_ = false;
    QLineEdit* filter_;
    QComboBox *type_, *sender_;
    QLineEdit* flow_;
    QToolButton *link_, *hold_;
    model::Selection* selection_ = nullptr;
    bool choosing_ = false;  ///< a row becomes the current one, and nobody chose it
    QLabel* count_;
    QTableView* table_;
    QTableWidget* fields_;
    std::vector<model::Selected> field_links_;  ///< by row of fields_
    QTimer tick_;
};

}  // namespace divisi::topology
