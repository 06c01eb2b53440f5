// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/gui/console.h"
#include "tests/gui/embedded_options.h"

namespace divisi::testing {

/// A running embedded cluster with its own data folder, which this process uses from now on.
struct EmbeddedCluster : tests::Programs {
    EmbeddedCluster() {
        qputenv("DIVISI_DATA", data().toUtf8());
        qputenv("XDG_RUNTIME_DIR", folder().toUtf8());
        if (!cluster_up()) qFatal("the cluster does not start");
    }
};

/// A fixture with a console on a cluster of real processes.
struct LiveConsole {
    client::ClusterClient cluster;
    Console console{&cluster};

    explicit LiveConsole(client::ClusterOptions options) : cluster(std::move(options)) {}
    /// Joins the embedded cluster of these programs, as a user's console would.
    explicit LiveConsole(const tests::Programs& programs) : LiveConsole(embedded_options(programs)) {}

    /// Opens a task file, waits until the task can run, and submits the task.
    bool submit(const QString& file) {
        if (!console.loads([&] { console.window->open_path(file); })) return false;
        if (!QTest::qWaitFor([&] { return console.action("run")->isEnabled(); }, 30'000)) return false;
        console.action("run")->trigger();
        return true;
    }
    /// Returns the task whose id sorts last; null if there is none.
    const control::TaskView* task() const {
        const auto& tasks = cluster.data().state.tasks;
        return tasks.empty() ? nullptr : &tasks.rbegin()->second;
    }
    /// Waits until the task has done a step.
    bool trains() {
        return QTest::qWaitFor([&] { return task() && task()->step > 0; }, 60'000);
    }
};

}  // namespace divisi::testing
