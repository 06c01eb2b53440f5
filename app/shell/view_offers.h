// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QWidget>
#include <vector>

#include "app/shell/workbench.h"

namespace divisi::shell {

/// What the views offer by themselves, for the palette: the buttons that are to be seen in them, what opens from these,
/// and what ViewSpec::offer adds. "Leases: Verify" brings the view to the front and does it. What is grey has the
/// reason that its button has. They belong to `owner`.
std::vector<QAction*> view_offers(Workbench& bench, QWidget& owner);

}  // namespace divisi::shell
