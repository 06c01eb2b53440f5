// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QButtonGroup>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableWidget>
#include <QTimer>
#include <QWidget>
#include <optional>

#include "app/client/client.h"
#include "app/model/wording/colours.h"

namespace divisi::panels {

/// Shows the policy of gateways and routers: its versions, which devices apply which version or why not, and the known
/// paths. Authorised users can set a policy, simulate it first, or roll back.
class PoliciesView : public QWidget {
    Q_OBJECT
public:
    explicit PoliciesView(client::Client* client, QWidget* parent = nullptr);

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    enum Page { versions_page, devices_page, paths_page, trial_page };

    void build_bar();
    void build_pages();
    void poll();
    void take(const control::PoliciesState& policies);
    void take(const control::PolicyTrial& trial);
    /// Starts over after a new connection, which may lead to another cluster.
    void status_changed();
    void refresh();
    void refresh_bar();
    void show_filtered();
    void fill_versions();
    void fill_devices(const model::Colours& colours);
    void fill_paths();
    void fill_trial(const model::Colours& colours);
    QString empty_text() const;
    bool may_change() const;
    std::vector<std::string> settings() const;
    /// Returns the chosen version; empty if it is the one in force or nothing is chosen.
    std::optional<std::uint64_t> chosen_version() const;
    void try_settings();
    void set_settings();
    void roll_back();
    void retranslate();

    client::Client* client_;
    std::optional<control::PoliciesState> policies_;
    std::optional<control::PolicyTrial> trial_;
    bool connected_ = false, asked_ = false;  ///< asked_: a change or trial is under way
    QButtonGroup* pages_;
    QLineEdit *settings_, *filter_;
    QPushButton *try_, *set_, *roll_back_;
    QLabel *notice_, *empty_, *trial_notes_;
    QStackedWidget* stack_;
    QTableWidget *versions_, *devices_, *paths_, *tried_;
    QTimer tick_;
};

}  // namespace divisi::panels
