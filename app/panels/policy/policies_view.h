// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPushButton>
#include <QStackedWidget>
#include <QTableWidget>
#include <optional>

#include "app/model/wording/colours.h"
#include "app/panels/tables/list_page.h"
#include "backend/control/protocol/policy_messages.h"
#include "backend/control/state/policy_trial.h"

namespace divisi::panels {

/// Shows the policy of gateways and routers: its versions, which devices apply which version or why not, and the known
/// paths. Authorised users can set a policy, simulate it first, or roll back.
class PoliciesView : public ListPage {
    Q_OBJECT
public:
    explicit PoliciesView(client::Client* client, QWidget* parent = nullptr);

protected:
    void refresh() override;
    void retranslate() override;
    void filter_rows(const QString& text) override;
    void appear() override;
    void poll() override;
    void recolour() override { refresh(); }
    bool has_rows() const override;
    QString no_rows_text() const override;

private:
    enum Page { versions_page, devices_page, paths_page, trial_page };

    void build_bar();
    void build_pages();
    void take(const control::PoliciesState& policies);
    void take(const control::PolicyTrial& trial);
    void take(const control::PolicyNumber& made);
    /// Removes all rows when a connection is lost or made, because the next connection may be to another cluster.
    void status_changed();
    void refresh_bar();
    void fill_versions();
    void fill_devices(const model::Colours& colours);
    void fill_paths();
    void fill_trial(const model::Colours& colours);
    bool may_change() const;
    std::vector<std::string> settings() const;
    /// Returns the chosen version; empty if it is the current version or if none is chosen.
    std::optional<std::uint64_t> chosen_version() const;
    void try_settings();
    void set_settings();
    void roll_back();

    std::optional<control::PoliciesState> policies_;
    std::optional<control::PolicyTrial> trial_;
    bool connected_ = false, asked_ = false;  ///< asked_: whether a change or trial has been requested and not answered
    QButtonGroup* pages_ = nullptr;
    QLineEdit* settings_;
    QPushButton *try_, *set_, *roll_back_;
    QLabel* trial_notes_;
    QStackedWidget* stack_;
    QTableWidget *versions_, *devices_, *paths_, *tried_;
};

}  // namespace divisi::panels
