// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/window/status_buttons.h"

#include <QEvent>
#include <algorithm>

#include "app/model/wording/alert_text.h"

namespace divisi::shell {

ConnectionLabel::ConnectionLabel(client::Client* client, QWidget* parent) : QToolButton(parent), client_(client) {
    setObjectName(QStringLiteral("connectionState"));
    setAutoRaise(true);
    tick_.setInterval(250);
    connect(&tick_, &QTimer::timeout, this, &ConnectionLabel::refresh);
    if (client_) {
        connect(client_, &client::Client::statusChanged, this, &ConnectionLabel::refresh);
        connect(this, &QToolButton::clicked, client_, &client::Client::retry);
    }
    refresh();
}

void ConnectionLabel::refresh() {
    const client::Status status = client_ ? client_->status() : client::Status{};
    QString text, tip = status.problem;
    bool ticking = false;
    switch (status.connection) {
        case client::Connection::none:
            text = QStringLiteral("\u25cb ") + tr("No cluster");
            tip = tr("Models can be opened and cut; running a task needs a cluster.");
            break;
        case client::Connection::starting:
            text = QStringLiteral("\u25d4 ") + tr("Starting a cluster on this machine...");
            break;
        case client::Connection::connecting:
            text = QStringLiteral("\u25d4 ") + tr("Connecting to %1...").arg(status.where);
            break;
        case client::Connection::connected:
            text = QStringLiteral("\u25cf ") + tr("Connected to %1").arg(status.where);
            if (!status.replayed) break;
            text = QStringLiteral("\u25b6 ") + tr("Recording of %1").arg(status.where);
            if (!tip.isEmpty()) tip = tr("The recording console was not connected then: %1").arg(tip);
            break;
        case client::Connection::waiting: {
            using namespace std::chrono;
            const auto left = duration_cast<milliseconds>(status.retry_at - steady_clock::now()).count();
            text = QStringLiteral("\u26a0 ") +
                   tr("Not connected, next attempt in %1 s").arg(std::max<qint64>(0, (left + 999) / 1000));
            ticking = true;
            break;
        }
    }
    setText(text);
    setToolTip(tip);
    setAccessibleName(text);
    if (ticking && !tick_.isActive()) tick_.start();
    if (!ticking) tick_.stop();
}

void ConnectionLabel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) refresh();
    QToolButton::changeEvent(event);
}

AlertButton::AlertButton(client::Client* client, QWidget* parent) : QToolButton(parent), client_(client) {
    setObjectName(QStringLiteral("openAlerts"));
    setAutoRaise(true);
    if (client_) connect(client_, &client::Client::dataChanged, this, &AlertButton::refresh);
    refresh();
}

void AlertButton::refresh() {
    const std::size_t open = client_ ? model::open_alerts(client_->data().state) : 0;
    setVisible(open > 0);
    if (open == 0) return;
    setText(QStringLiteral("\u26a0 ") + tr("Alerts: %1").arg(open));
    const control::Alert* newest = nullptr;
    for (const auto& [number, alert] : client_->data().state.alerts)
        if (alert.stands()) newest = &alert;
    setToolTip(tr("%1. Click to see all.").arg(QString::fromStdString(newest->what)));
    setAccessibleName(text());
}

void AlertButton::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) refresh();
    QToolButton::changeEvent(event);
}

}  // namespace divisi::shell

#include "moc_status_buttons.cpp"
