// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>
#include <QObject>

#include "app/shell/basics/app_context.h"
#include "app/shell/docks/workbench.h"
#include "app/topology/topology_page.h"

namespace divisi::shell {

/// The menu for injecting faults into links and processes. Visible only on clusters that allow faults.
class FaultMenu : public QObject {
    Q_OBJECT
public:
    /// `menu` contains the actions and is the parent of this object.
    FaultMenu(AppContext& context, Workbench& bench, QMenu& menu);

private:
    void connect_actions();
    void explain();
    void show();

    AppContext& context_;
    Workbench& bench_;
    topology::TopologyPage& page_;
    QMenu& menu_;
};

}  // namespace divisi::shell
