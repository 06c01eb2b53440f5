// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <functional>

namespace divisi::shell {

class MainWindow;

/// Starts a console with these arguments. Returns false if that fails.
using StartConsole = std::function<bool(const QStringList& arguments)>;

/// Returns the command line arguments that make another window show the same: the workspace, and the task file, model
/// file or zoo model. Unsaved changes are not included.
QStringList shown_in(MainWindow& window);
/// Opens another cluster or a recording in a separate console with these settings, so that this console loses nothing.
/// The console of a cluster also opens the file that is open here.
void offer_new_windows(MainWindow& window, const QStringList& settings, const StartConsole& start);

}  // namespace divisi::shell
