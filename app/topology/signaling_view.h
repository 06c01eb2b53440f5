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
#include "app/model/tracking/selection.h"
#include "app/model/wording/sorted_rows.h"
#include "app/topology/signal_log.h"

namespace divisi::topology {

/// Shows live what gateways and routers signal about credit, filtered by text, type, sender and flow; any message can
/// be decoded. While visible it asks the cluster for new messages twice a second.
class SignalingView : public QWidget {
    Q_OBJECT
public:
    explicit SignalingView(client::Client* client, QWidget* parent = nullptr);

    /// Connects the selection. Messages over the selected link, and fields about it, are in bold; a button shows only
    /// those messages. Going to a message selects its link; going to a field selects the link that the field is about.
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
    /// Clears the log after a new connection, as numbering may restart.
    void status_changed();
    void filter();
    std::uint64_t selected() const;  ///< number of the selected message; 0: none
    /// Selects a message. Returns whether it is shown.
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
    bool choosing_ = false;  ///< the program, not the user, changes the current row
    QLabel* count_;
    QTableView* table_;
    QTableWidget* fields_;
    std::vector<model::Selected> field_links_;  ///< link of each row of fields_
    QTimer tick_;
};

}  // namespace divisi::topology
