// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "app/shell/desk.h"
#include "app/shell/workbench.h"
#include "backend/control/types/alert_types.h"

namespace divisi::shell {

/// What the cluster says unasked or on request about how it fares: alerts, which lead to what they are about, and
/// advice on other cuts for a task that trains.
class CareController : public QObject {
    Q_OBJECT
public:
    /// Both outlive it.
    CareController(Desk& desk, Workbench& bench, QObject* parent);

    /// Where the open alerts are.
    void show_alerts();
    /// Allows to ask for advice, or says why that cannot be done.
    void update_advice();

private:
    void connect_advice();
    void show_subject(const control::Alert& alert);

    Desk& desk_;
    Workbench& bench_;
};

}  // namespace divisi::shell
