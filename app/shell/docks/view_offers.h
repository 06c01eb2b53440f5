// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QWidget>
#include <vector>

#include "app/shell/docks/workbench.h"

namespace divisi::shell {

/// Returns what the views offer, for the palette: their visible buttons, the entries of these buttons' menus, and what
/// ViewSpec::offer adds. "Leases: Verify" shows the view and runs the action. A disabled entry has its button's reason.
/// `owner` owns the actions.
std::vector<QAction*> view_offers(Workbench& bench, QWidget& owner);

}  // namespace divisi::shell
