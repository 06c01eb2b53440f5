// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSettings>
#include <QTemporaryDir>
#include <memory>

#include "app/charts/telemetry_view.h"
#include "app/shell/docks/workbench.h"
#include "app/shell/window/main_window.h"
#include "tests/bench/console/measures.h"

namespace divisi::bench {

/// Holds the real window on a fresh configuration, as large as a desktop screen.
struct BenchWindow {
    QTemporaryDir folder;
    QSettings settings{folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat};
    std::unique_ptr<shell::MainWindow> window;

    explicit BenchWindow(client::Client* client) {
        settings.setValue(QStringLiteral("language"), QStringLiteral("en"));
        window = std::make_unique<shell::MainWindow>(settings, client);
        window->resize(1920, 1080);
        window->show();
        let_pass(200);
    }
    charts::TelemetryView& telemetry() { return window->workbench().view<charts::TelemetryView>(); }
    /// Opens the Train workspace with the telemetry of this task in front.
    void watch(const TaskId& task) {
        window->set_workspace(shell::Workspace::train);
        window->context().follow(task);
        window->workbench().show_view(telemetry());
        let_pass(200);
    }
};

}  // namespace divisi::bench
