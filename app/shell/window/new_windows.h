// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <functional>

namespace divisi::shell {

class MainWindow;

/// Function that starts a console with these arguments. Returns false on failure.
using StartConsole = std::function<bool(const QStringList& arguments)>;

/// Returns the command line arguments with which another window shows the workspace of this window, and its task file,
/// model file or zoo model. Unsaved changes are not included.
QStringList shown_in(MainWindow& window);
/// Connects the window's signals for opening another cluster or a recording, so that each starts a separate console
/// with these settings. This console thus loses no state. The console of a cluster also opens the file that is open in
/// this console.
void offer_new_windows(MainWindow& window, const QStringList& settings, const StartConsole& start);

}  // namespace divisi::shell
