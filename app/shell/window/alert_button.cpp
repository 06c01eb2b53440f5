// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/window/alert_button.h"

#include <QEvent>

#include "app/model/wording/alert_text.h"

namespace divisi::shell {

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

#include "moc_alert_button.cpp"
