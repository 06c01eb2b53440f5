// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QToolButton>

#include "app/client/client.h"

namespace divisi::shell {

/// Shows the state of the connection in the status bar, with the seconds until the next attempt. A click starts an
/// attempt immediately.
class ConnectionLabel : public QToolButton {
    Q_OBJECT
public:
    explicit ConnectionLabel(client::Client* client, QWidget* parent = nullptr);

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();

    client::Client* client_;  ///< null: this console has no cluster
    QTimer tick_;
};

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
