// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QTableView>
#include <QTableWidget>
#include <QToolButton>

#include "app/model/tracking/selection.h"
#include "app/model/wording/sorted_rows.h"
#include "app/panels/tables/list_page.h"
#include "app/topology/signal_log.h"

namespace divisi::topology {

/// Shows live the messages of gateways and routers about credit, filtered by text, type, sender and flow; any message
/// can be decoded. While visible, it requests new messages from the cluster twice a second.
class SignalingView : public panels::ListPage {
    Q_OBJECT
public:
    explicit SignalingView(client::Client* client, QWidget* parent = nullptr);

    /// Connects the view with the selection. Messages over the selected link, and fields about the link, are in bold; a
    /// button hides all other messages. If the user goes to a message, its link is selected. If the user goes to a
    /// field, the link that the field is about is selected.
    void use(model::Selection& selection);

protected:
    void refresh() override;
    void retranslate() override;
    void filter_rows(const QString&) override { apply_filters(); }
    void appear() override { poll(); }
    void poll() override;
    QString empty_text() const override { return {}; }  // without messages the table is empty

private:
    void build();
    void take(const control::Signals& signal_messages);
    void take_names(const control::MeshState& mesh);
    /// Clears the log after a new connection, as numbering may restart.
    void status_changed();
    void apply_filters();
    std::uint64_t selected() const;  ///< number of the selected message; 0: none
    /// Selects a message. Returns whether it is shown.
    bool select(std::uint64_t number);
    void mark_link(const model::Selected& now);
    void select_link();
    void select_field_link(int row);
    void show_fields();
    void mark_fields();
    /// Updates the tooltip of the button that shows only messages over the selected link.
    void explain_link_button();

    SignalLog log_;
    model::SortedRows sorted_{log_};
    bool connected_ = false;
    QComboBox *type_, *sender_;
    QLineEdit* flow_;
    QToolButton *link_, *hold_;
    model::Selection* selection_ = nullptr;
    bool choosing_ = false;  ///< whether the program, and not the user, is changing the current row
    QTableView* table_;
    QTableWidget* fields_;
    std::vector<model::Selected> field_links_;  ///< link of each row of fields_
};

}  // namespace divisi::topology
