// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/window/new_windows.h"

#include <QFileInfo>

#include "app/shell/docks/workbench.h"
#include "app/shell/replay/recordings.h"
#include "app/shell/window/main_window.h"

namespace divisi::shell {

namespace {

/// Returns the argument with which another console opens the same task file, zoo model or model file; empty if none.
QString open_file(MainWindow& window) {
    if (!window.context().draft.path().isEmpty()) return window.context().draft.path();
    const model::ModelPtr model = window.context().document.model();
    if (!model) return {};
    if (!model->source.zoo.empty()) return QStringLiteral("zoo:") + QString::fromStdString(model->source.zoo);
    return QString::fromStdString(model->source.onnx);
}

QString opens_text(MainWindow& window, const QString& what) {
    if (!window.context().draft.modified()) return what;
    return what + u' ' + MainWindow::tr("It does not include unsaved changes.");
}

}  // namespace

QStringList shown_in(MainWindow& window) {
    QStringList arguments{QStringLiteral("--workspace"), name(window.workbench().workspace())};
    if (const QString file = open_file(window); !file.isEmpty()) arguments << file;
    return arguments;
}

void offer_new_windows(MainWindow& window, const QStringList& settings, const StartConsole& start) {
    const auto open = [&window, settings, start](const QStringList& arguments, const QString& hint) {
        if (start(arguments + settings)) return window.context().hint(hint);
        window.recordings().tell(MainWindow::tr("A second console could not be started. Start divisi again."));
    };
    QObject::connect(&window, &MainWindow::connectRequested, &window, [&window, open](const QString& file) {
        const QString hint = MainWindow::tr("A new window opens on the cluster of %1.").arg(QFileInfo(file).fileName());
        open(QStringList{QStringLiteral("--connect"), file} + shown_in(window), opens_text(window, hint));
    });
    QObject::connect(&window, &MainWindow::replayRequested, &window, [open](const QString& file) {
        open({QStringLiteral("--replay"), file}, MainWindow::tr("A new window opens, on the recording."));
    });
    QObject::connect(&window, &MainWindow::clusterRequested, &window, [&window, open] {
        open(shown_in(window), opens_text(window, MainWindow::tr("A new window opens, with a cluster.")));
    });
}

}  // namespace divisi::shell
