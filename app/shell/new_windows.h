// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <functional>

namespace divisi::shell {

class MainWindow;

/// Starts a console with these arguments; false where it cannot.
using StartConsole = std::function<bool(const QStringList& arguments)>;

/// What shows in a window, as the command line of another names it: its workspace, and its task file, model file or
/// model of the zoo. What was not saved is not in it.
QStringList shown_in(MainWindow& window);
/// Another cluster, or a recording, gets a console of its own, with these settings: nothing of this one is lost by it.
/// A cluster's opens what is open here.
void offer_new_windows(MainWindow& window, const QStringList& settings, const StartConsole& start);

}  // namespace divisi::shell
