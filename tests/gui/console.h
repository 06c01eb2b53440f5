// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFile>
#include <QLineEdit>
#include <QMenu>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QWindow>
#include <functional>

#include "app/charts/telemetry_view.h"
#include "app/graphview/task_graph/unit_view.h"
#include "app/panels/cutting/inspector.h"
#include "app/panels/cutting/plans_panel.h"
#include "app/panels/faults/exceptions_view.h"
#include "app/panels/faults/logs_panel.h"
#include "app/panels/faults/recoveries_view.h"
#include "app/panels/ledger/ledger_view.h"
#include "app/panels/policy/modules_view.h"
#include "app/panels/policy/policies_view.h"
#include "app/shell/docks/workbench.h"
#include "app/shell/window/main_window.h"
#include "app/topology/services_view.h"
#include "app/topology/signaling_view.h"
#include "app/topology/topology_page.h"
#include "app/topology/topology_view.h"
#include "tests/gui/window_parts.h"
#include "tests/support/task_file.h"
#include "tests/unit/app/sample_graphs.h"

namespace divisi::testing {

/// A fixture with the real window and fresh settings.
struct Console {
    QTemporaryDir folder;
    QSettings settings{folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat};
    client::Client* client;
    std::unique_ptr<shell::MainWindow> window;

    explicit Console(client::Client* cluster = nullptr) : client(cluster) {
        settings.setValue(QStringLiteral("language"), QStringLiteral("en"));
        settings.setValue(QStringLiteral("theme"), QStringLiteral("dark"));  // the default would be the system's theme
        settings.setValue(QStringLiteral("all_fields"), true);  // the default would show only the first few fields
        open();
    }
    void open() {
        window = std::make_unique<shell::MainWindow>(settings, client);
        window->resize(1440, 900);
        window->show();
        if (!QTest::qWaitForWindowExposed(window.get())) qFatal("no window");
    }

    graphview::GraphView& view() { return testing::WindowParts::graph_view(*window); }
    model::GraphDocument& document() { return window->context().document; }
    const model::Cuts& cuts() { return document().cuts(); }

    /// Shows a model of twenty operators, all unfolded, with one cut by default.
    void show_chain(model::Cuts cuts = {4}) {
        document().set_model(chain_model(20), std::move(cuts));
        view().scopes().open_all();
        view().camera().zoom_reset();
        view().setFocus();
        QCoreApplication::processEvents();
    }
    /// Waits until a worker thread has laid out a large graph.
    void wait_for_layout() {
        if (!QTest::qWaitFor([&] { return !view().scopes().layouts().service().busy(); }, 20'000)) qFatal("no layout");
    }
    /// Writes a file into the folder of this console's settings.
    QString write(const char* name, const char* text) {
        QFile file(folder.filePath(QString::fromLatin1(name)));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) < 0) qFatal("cannot write %s", name);
        return file.fileName();
    }
    QString write(const char* name, const TaskFile& task) { return write(name, task.text().c_str()); }
    /// Returns whether `open` loads a model within 20 s.
    bool loads(const std::function<void()>& open) {
        QSignalSpy loaded(&window->context().opener.loader(), &model::ModelLoader::loaded);
        open();
        return !loaded.isEmpty() || loaded.wait(20'000);
    }
    /// Drags a cut like a user: presses on it, moves in steps, and releases unless `release` is false.
    void drag(std::size_t which, std::int32_t legal, bool release = true) {
        QWidget* target = view().viewport();
        const QPoint from = view().cut_drag().handle(which), to = view().cut_drag().snap_point(legal);
        QTest::mousePress(target, Qt::LeftButton, {}, from);
        for (int i = 1; i <= 8; ++i) QTest::mouseMove(target, from + (to - from) * i / 8);
        if (release) QTest::mouseRelease(target, Qt::LeftButton, {}, to);
    }
    /// Presses the right button at a point of a widget, through the window, as a window system would.
    void press_right(QWidget* widget, QPoint at) {
        QCoreApplication::processEvents();  // lets the widget be laid out
        const QPoint there = widget->mapTo(window.get(), at);
        QTest::mousePress(window->windowHandle(), Qt::RightButton, {}, there);
        QCoreApplication::processEvents();
        QTest::mouseRelease(window->windowHandle(), Qt::RightButton, {}, there);
    }
    /// Moves down a menu by key to the entry with this text, and triggers the entry. Returns false if there is none.
    static bool take(QMenu* menu, const QString& text) {
        for (int tries = 0; tries < 2 * menu->actions().size(); ++tries) {
            QTest::keyClick(menu, Qt::Key_Down);
            if (!menu->activeAction() || menu->activeAction()->text() != text) continue;
            QTest::keyClick(menu, Qt::Key_Return);
            return true;
        }
        return false;
    }
    /// Brings a view to the front, in its workspace.
    void show_dock(const char* name) {
        window->workbench().show_view(*find<QDockWidget>(name)->widget());
        QCoreApplication::processEvents();
    }
    /// Saves a picture of the window or of a dialog for people to look at, if DIVISI_SCREENSHOTS names a folder.
    void shot(const char* name, QWidget* of = nullptr) {
        const QString into = qEnvironmentVariable("DIVISI_SCREENSHOTS");
        if (into.isEmpty()) return;
        QCoreApplication::processEvents();
        (of ? of : window.get())->grab().save(into + u'/' + QString::fromLatin1(name) + QStringLiteral(".png"));
    }
    QAction* action(const char* id) { return window->context().actions.get(id); }
    template <typename Widget>
    Widget* find(const char* name) {
        auto* widget = window->findChild<Widget*>(QString::fromLatin1(name));
        if (!widget) qFatal("no widget %s", name);
        return widget;
    }
};

}  // namespace divisi::testing
