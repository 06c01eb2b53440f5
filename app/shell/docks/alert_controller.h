// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "app/shell/basics/app_context.h"
#include "app/shell/docks/workbench.h"
#include "backend/control/types/alert_types.h"

namespace divisi::shell {

/// Shows the alerts of the cluster and goes to the subject of an alert. On request, also shows the cluster's advice on
/// better cuts for a training task.
class AlertController : public QObject {
    Q_OBJECT
public:
    /// `context` and `bench` must outlive this object.
    AlertController(AppContext& context, Workbench& bench, QObject* parent);

    /// Shows the view of alerts.
    void show_alerts();
    /// Enables asking for advice, or disables it with the reason.
    void update_advice();

private:
    void connect_advice();
    void show_subject(const control::Alert& alert);

    AppContext& context_;
    Workbench& bench_;
};

}  // namespace divisi::shell
