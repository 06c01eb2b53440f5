// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QToolButton>

#include "app/client/client.h"

namespace divisi::shell {

/// Shows the number of open alerts in the status bar; hidden if there are none. A click shows the alerts.
class AlertButton : public QToolButton {
    Q_OBJECT
public:
    explicit AlertButton(client::Client* client, QWidget* parent = nullptr);

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();

    client::Client* client_;  ///< null: this console has no cluster
};

}  // namespace divisi::shell
