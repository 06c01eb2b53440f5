// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QWidget>
#include <vector>

#include "app/shell/docks/workbench.h"

namespace divisi::shell {

/// Returns the actions that the views offer, for the palette: their visible buttons, the entries of these buttons'
/// menus, and the additions of ViewSpec::offer. An entry such as "Leases: Verify" shows the view and runs the action. A
/// disabled entry shows the reason why its button is disabled. `owner` owns the actions.
std::vector<QAction*> view_offers(Workbench& bench, QWidget& owner);

}  // namespace divisi::shell
