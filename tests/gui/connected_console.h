// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/gui/console.h"
#include "tests/gui/scripted_client.h"

namespace divisi::testing {

/// A fixture with a console that is connected to a scripted cluster.
struct ConnectedConsole {
    ScriptedClient cluster;
    Console console{&cluster};

    /// Connects to a cluster that has no nodes and no tasks yet.
    explicit ConnectedConsole(control::Role role = control::Role::operate) {
        cluster.state.role = role;
        cluster.connect_to(QStringLiteral("lab"));
    }
    /// Connects to a cluster that trains a task, see ScriptedClient::play(), and shows a view.
    explicit ConnectedConsole(const char* dock, control::Role role = control::Role::operate) : ConnectedConsole(role) {
        cluster.play();
        console.show_dock(dock);
    }
};

}  // namespace divisi::testing
