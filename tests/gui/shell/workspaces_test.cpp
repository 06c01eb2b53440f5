// SPDX-License-Identifier: GPL-3.0-or-later
// Tests workspaces: how they are switched, what each one shows, and that each keeps its layout.
#include <QDialog>
#include <QDockWidget>
#include <QHeaderView>
#include <QImage>
#include <QListWidget>
#include <QProcess>
#include <QTabBar>
#include <QTableWidget>
#include <QToolBar>
#include <QToolButton>
#include <optional>
#include <set>

#include "app/shell/basics/theme.h"
#include "app/shell/desktop/layout_keeper.h"
#include "app/shell/docks/workbench.h"
#include "tests/gui/console.h"
#include "tests/gui/longer_texts.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace workspaces_test {

using namespace divisi;
using shell::Workspace;
using testing::ScriptedClient;

namespace {

struct WorkspaceConsole : testing::Console {
    using testing::Console::Console;

    Workspace workspace() const { return window->workbench().workspace(); }
    void go(Workspace workspace) {
        window->activateWindow();  // a floating dock may have been active
        QVERIFY(QTest::qWaitForWindowActive(window.get()));
        const int key = Qt::Key_1 + static_cast<int>(workspace);
        QTest::keyClick(window.get(), static_cast<Qt::Key>(key), Qt::ControlModifier);
        QCoreApplication::processEvents();
    }
    QDockWidget& dock(const char* name) { return *find<QDockWidget>(name); }
    bool shows(const char* name) { return dock(name).isVisible(); }
    void restart() {
        QVERIFY(window->close());
        window.reset();
        open();
        QCoreApplication::processEvents();
    }
};

/// Returns whether a widget is completely inside `outer`, which contains the widget as a child at some depth.
bool is_within(const QWidget& widget, const QWidget& outer) {
    return outer.rect().contains(QRect(widget.mapTo(&outer, QPoint()), widget.size()));
}

/// Returns the lightness of an icon's strokes, from 0 to 255; -1 if nothing is drawn.
int lightness(const QIcon& icon) {
    const QImage image = icon.pixmap(16, 16).toImage();
    int sum = 0, drawn = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            if (const QColor colour = image.pixelColor(x, y); colour.alpha() > 100) {
                sum += colour.lightness();
                ++drawn;
            }
    return drawn > 0 ? sum / drawn : -1;
}

QString name_of(const QWidget& widget) {
    const QRect at(widget.mapTo(widget.window(), QPoint()), widget.size());
    return QStringLiteral("%1 at %2, %3 of %4 x %5")
        .arg(widget.objectName())
        .arg(at.x())
        .arg(at.y())
        .arg(at.width())
        .arg(at.height());
}

}  // namespace

class WorkspacesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void keys_switch_workspaces_and_tabs_follow() {
        WorkspaceConsole console;
        auto* tabs = console.find<QTabBar>("workspaces");
        QCOMPARE(tabs->count(), 5);
        QCOMPARE(console.workspace(), Workspace::split);
        for (const Workspace workspace :
             {Workspace::mesh, Workspace::models, Workspace::train, Workspace::faults, Workspace::split}) {
            console.go(workspace);
            QCOMPARE(console.workspace(), workspace);
            QCOMPARE(tabs->currentIndex(), static_cast<int>(workspace));
            for (const Workspace other : shell::all_workspaces)
                QCOMPARE(console.window->context().actions.get(shell::action_of(other))->isChecked(),
                         other == workspace);
            console.shot(qPrintable(QStringLiteral("workspace-") + shell::name(workspace)));
        }
        // Pressing the same key again changes nothing, including the check mark.
        console.go(Workspace::split);
        QVERIFY(console.action("workspace_split")->isChecked());
    }

    void workspace_tabs_react_to_mouse_and_arrow_keys() {
        WorkspaceConsole console;
        auto* tabs = console.find<QTabBar>("workspaces");
        QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(3).center());
        QCOMPARE(console.workspace(), Workspace::faults);
        QVERIFY(console.shows("Exceptions"));
        tabs->setFocus();
        QTest::keyClick(tabs, Qt::Key_Left);
        QTest::keyClick(tabs, Qt::Key_Left);  // the focus is still on the tabs
        QCOMPARE(console.workspace(), Workspace::train);
    }

    void palette_switches_workspaces_and_finds_views() {
        WorkspaceConsole console;
        const auto take = [&](const char* words) {
            console.action("palette")->trigger();
            auto* input = console.find<QDialog>("commandPalette")->findChild<QLineEdit*>();
            QTest::keyClicks(input, QString::fromLatin1(words));
            QTest::keyClick(input, Qt::Key_Return);
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        };
        take("mesh workspace");
        QTRY_COMPARE(console.workspace(), Workspace::mesh);
        take("telemetry");
        QTRY_COMPARE(console.workspace(), Workspace::train);
        QVERIFY(console.shows("Telemetry"));
    }

    void palette_focuses_a_view_and_triggers_its_buttons() {
        WorkspaceConsole console;
        const auto open = [&](const char* words) {
            console.action("palette")->trigger();
            auto* dialog = console.window->findChild<QDialog*>(QStringLiteral("commandPalette"));
            QTest::keyClicks(dialog->findChild<QLineEdit*>(), QString::fromLatin1(words));
            return dialog;
        };
        const auto take = [&](const char* words) {
            QTest::keyClick(open(words)->findChild<QLineEdit*>(), Qt::Key_Return);
        };
        take("logs");
        QTRY_COMPARE(console.workspace(), Workspace::faults);
        QTRY_VERIFY(console.dock("Logs").isAncestorOf(console.window->focusWidget()));
        auto* receipts = console.find<QToolButton>("showReceipts");
        QVERIFY(!receipts->isChecked());
        take("leases: receipts");
        QTRY_COMPARE(console.workspace(), Workspace::models);
        QTRY_VERIFY(receipts->isChecked());
        for (const char* words : {"leases: verify an export", "leases: export csv"}) {
            QDialog* dialog = open(words);
            QVERIFY2(dialog->findChild<QListWidget*>()->count() > 0, words);
            dialog->close();
        }
    }

    void each_workspace_shows_its_own_views() {
        WorkspaceConsole console;
        console.show_chain();
        QVERIFY(console.view().isVisible() && console.shows("New task") && console.shows("Split"));
        QVERIFY(!console.shows("Tasks") && !console.shows("Logs"));
        console.go(Workspace::train);
        QVERIFY(console.window->findChild<graphview::UnitView*>()->isVisible());
        QVERIFY(console.shows("Tasks") && console.shows("Telemetry") && !console.shows("New task"));
        console.go(Workspace::mesh);
        QVERIFY(console.find<QWidget>("topologyPage")->isVisible());
        QVERIFY(console.shows("Signaling") && !console.shows("Tasks"));
        console.go(Workspace::faults);
        QVERIFY(console.shows("Recoveries") && console.shows("Logs") && !console.window->workbench().centre());
        // In a workspace without a central widget, the docks use all the space.
        QVERIFY(!console.window->workbench().centralWidget()->isVisible());
        const int docks = console.dock("Recoveries").height() + console.dock("Exceptions").height();
        QVERIFY2(docks > console.window->workbench().height() * 3 / 4, qPrintable(QString::number(docks)));
        console.go(Workspace::split);
        QVERIFY(console.view().isVisible());
    }

    void every_view_can_be_opened_from_every_workspace() {
        WorkspaceConsole console;
        console.show_chain();
        shell::Workbench& bench = console.window->workbench();
        QVERIFY(shell::views().size() >= 18);
        for (const Workspace from : shell::all_workspaces)
            for (QAction* go : bench.view_actions()) {
                bench.set_workspace(from);
                go->trigger();
                QCoreApplication::processEvents();
                bool seen = false;
                for (const shell::ViewSpec& spec : shell::views())
                    if (shell::view_title(spec) == go->text()) {
                        const QDockWidget& dock = console.dock(spec.name);
                        seen = dock.isVisible() && !dock.visibleRegion().isEmpty();
                    }
                QVERIFY2(seen, qPrintable(go->text() + QStringLiteral(" from ") + shell::name(from)));
            }
        for (const char* id : {"model_graph", "task_graph", "topology"}) {
            bench.set_workspace(Workspace::models);
            console.action(id)->trigger();
            QVERIFY2(bench.centre() && bench.centre()->isVisible(), id);
            QVERIFY2(console.action(id)->isChecked(), id);
        }
    }

    /// Each view belongs to a workspace, and no two views claim the centre of the same workspace.
    void list_of_views_is_consistent() {
        std::set<Workspace> centres;
        QStringList names;
        for (const shell::ViewSpec& spec : shell::views()) {
            QVERIFY2(!spec.places.empty(), spec.name);
            QVERIFY2(!names.contains(QString::fromLatin1(spec.name)), spec.name);
            names << QString::fromLatin1(spec.name);
            for (const shell::Place& place : spec.places)
                if (place.area == shell::Area::centre) QVERIFY2(centres.insert(place.workspace).second, spec.name);
        }
    }

    /// Icons are shown in the tabs and in the palette, in the text colour of the theme.
    void each_view_has_its_own_icon() {
        std::set<std::string> icons;
        for (const shell::ViewSpec& spec : shell::views()) {
            QVERIFY2(icons.insert(spec.icon).second, spec.icon);
            QVERIFY2(!shell::themed_icon(QString::fromLatin1(spec.icon), QPalette()).isNull(), spec.icon);
        }
        WorkspaceConsole console;
        console.go(Workspace::faults);
        const auto tab_icon = [&](const char* title) {
            for (const auto* tabs : console.window->workbench().findChildren<QTabBar*>())
                for (int tab = 0; tab < tabs->count(); ++tab)
                    if (tabs->isVisible() && tabs->tabText(tab) == QString::fromLatin1(title))
                        return tabs->tabIcon(tab);
            return QIcon();
        };
        for (const char* title : {"Exceptions", "Alerts", "Logs", "State stores"}) {
            QTRY_VERIFY2(lightness(tab_icon(title)) > 160, title);  // the dark theme has light strokes
            console.action("dark")->trigger();
            QTRY_VERIFY2(lightness(tab_icon(title)) >= 0 && lightness(tab_icon(title)) < 96, title);
            console.action("dark")->trigger();
        }
        console.shot("view-icons");
        console.action("palette")->trigger();
        auto* palette = console.find<QDialog>("commandPalette");
        QTest::keyClicks(palette->findChild<QLineEdit*>(), QStringLiteral("timeline"));
        const QListWidgetItem* item = palette->findChild<QListWidget*>()->item(0);
        QVERIFY(item);
        QCOMPARE(item->text(), QStringLiteral("Timeline"));
        QVERIFY(lightness(item->icon()) > 160);
        palette->close();
    }

    void each_workspace_keeps_its_layout_after_a_restart() {
        WorkspaceConsole console;
        console.go(Workspace::faults);
        console.dock("Logs").toggleViewAction()->trigger();
        QVERIFY(!console.shows("Logs"));
        console.window->workbench().addDockWidget(Qt::RightDockWidgetArea, &console.dock("Exceptions"));
        console.go(Workspace::train);
        console.dock("Logs").toggleViewAction()->trigger();  // of another workspace, but requested here
        QVERIFY(console.shows("Logs"));
        console.go(Workspace::faults);
        QVERIFY(!console.shows("Logs"));
        console.go(Workspace::train);
        console.restart();
        QCOMPARE(console.workspace(), Workspace::train);
        QCOMPARE(console.find<QTabBar>("workspaces")->currentIndex(), 1);
        QVERIFY(console.shows("Logs"));
        console.go(Workspace::faults);
        QVERIFY(!console.shows("Logs"));
        QCOMPARE(console.window->workbench().dockWidgetArea(&console.dock("Exceptions")), Qt::RightDockWidgetArea);
        console.go(Workspace::split);
        QVERIFY(console.shows("New task") && !console.shows("Logs"));
    }

    /// This window has no edited task, and it is not closed properly.
    void layout_survives_a_killed_window() {
        WorkspaceConsole console;
        QTemporaryDir session;
        console.window->keep_session(session.path(), true);
        console.go(Workspace::faults);
        // waits until changes by the workspace itself are saved
        QTest::qWait(shell::LayoutKeeper::keep_after_ms + 500);
        const QString key = QStringLiteral("workspaces/faults");
        const QByteArray before = console.settings.value(key).toByteArray();
        console.window->workbench().addDockWidget(Qt::RightDockWidgetArea, &console.dock("Exceptions"));
        QTRY_VERIFY_WITH_TIMEOUT(console.settings.value(key).toByteArray() != before,
                                 3 * shell::LayoutKeeper::keep_after_ms);
        console.window.reset();  // as after kill -9, without a proper close
        console.open();
        console.go(Workspace::faults);
        QCOMPARE(console.window->workbench().dockWidgetArea(&console.dock("Exceptions")), Qt::RightDockWidgetArea);
    }

    void a_layout_is_reset() {
        WorkspaceConsole console;
        console.go(Workspace::train);
        console.dock("Tasks").toggleViewAction()->trigger();
        console.dock("Telemetry").setFloating(true);
        console.go(Workspace::faults);
        console.dock("Exceptions").toggleViewAction()->trigger();
        console.go(Workspace::train);
        QVERIFY(!console.shows("Tasks") && console.dock("Telemetry").isFloating());
        console.action("reset_layout")->trigger();
        QCoreApplication::processEvents();
        QVERIFY(console.shows("Tasks") && console.shows("Telemetry") && !console.dock("Telemetry").isFloating());
        QCOMPARE(console.window->workbench().dockWidgetArea(&console.dock("Tasks")), Qt::TopDockWidgetArea);
        QVERIFY(!console.shows("New task"));
        console.go(Workspace::faults);  // the other workspace is unchanged
        QVERIFY(!console.shows("Exceptions"));
    }

    void empty_views_are_hidden() {
        WorkspaceConsole console;
        QVERIFY(!console.shows("Split") && !console.shows("Inspector") && console.shows("New task"));
        const int alone = console.find<QWidget>("welcomePage")->width();
        console.show_chain();
        QVERIFY(console.shows("Split") && console.shows("Inspector"));
        QVERIFY(console.view().width() < alone);
        console.action("close")->trigger();
        QTRY_VERIFY(!console.document().model());
        QVERIFY(!console.shows("Split"));
        console.dock("Split").toggleViewAction()->trigger();  // a request shows the view even without a model
        QVERIFY(console.shows("Split"));
        // A view that was hidden for lack of a model appears with the next model, also after a restart.
        console.restart();
        QVERIFY(!console.shows("Inspector"));
        console.show_chain();
        QVERIFY(console.shows("Inspector"));
    }

    void starting_a_task_opens_the_train_workspace() {
        ScriptedClient cluster;
        WorkspaceConsole console(&cluster);
        cluster.connect_to(QStringLiteral("lab"));
        QVERIFY(console.loads([&] { console.window->open_model(console.window->context().draft.wanted_model()); }));
        const auto run = [&] {
            QTRY_VERIFY(console.action("run")->isEnabled());
            console.action("run")->trigger();
            Q_EMIT cluster.submitted(QStringLiteral("gpt-text-1"));
        };
        run();
        QCOMPARE(console.workspace(), Workspace::train);
        QVERIFY(console.shows("Telemetry"));
        // If the user starts the run from another workspace, or changes to one meanwhile, the workspace stays.
        console.go(Workspace::mesh);
        run();
        QCOMPARE(console.workspace(), Workspace::mesh);
        console.go(Workspace::split);
        console.action("run")->trigger();
        console.go(Workspace::faults);
        Q_EMIT cluster.submitted(QStringLiteral("gpt-text-1"));
        QCOMPARE(console.workspace(), Workspace::faults);
        // A task submitted by another client does not change the workspace, either.
        console.go(Workspace::split);
        Q_EMIT cluster.submitted(QStringLiteral("gpt-text-1"));
        QCOMPARE(console.workspace(), Workspace::split);
        console.action("go_to_train")->trigger();
        run();
        QCOMPARE(console.workspace(), Workspace::split);
        QVERIFY(!console.action("go_to_train")->isChecked());
    }

    void no_view_is_clipped_on_small_or_large_screens_data() {
        QTest::addColumn<QSize>("size");
        QTest::newRow("small") << QSize(1366, 768);
        QTest::newRow("large") << QSize(3840, 2160);
    }

    void no_view_is_clipped_on_small_or_large_screens() {
        QFETCH(const QSize, size);
        ScriptedClient cluster;
        WorkspaceConsole console(&cluster);
        cluster.connect_to(QStringLiteral("lab"));
        cluster.play();
        console.show_chain();
        for (const char* language : {"en", "zh_CN"}) {
            console.window->set_language(QString::fromLatin1(language));
            for (const Workspace workspace : shell::all_workspaces) {
                console.go(workspace);
                console.window->resize(size);
                QCoreApplication::processEvents();
                QCOMPARE(console.window->size(), size);
                QVERIFY(is_within(*console.find<QTabBar>("workspaces"), *console.window));
                for (const auto* dock : console.window->findChildren<QDockWidget*>()) {
                    if (!dock->isVisible() || dock->visibleRegion().isEmpty()) continue;
                    // Docks are laid out slightly later than the window is resized.
                    QTRY_VERIFY2(is_within(*dock, console.window->workbench()), qPrintable(name_of(*dock)));
                    const QWidget& view = *dock->widget();
                    QVERIFY2(is_within(view, *dock), qPrintable(name_of(view)));
                    QVERIFY2(view.height() >= view.minimumSizeHint().height(), qPrintable(name_of(view)));
                }
                console.shot(qPrintable(QStringLiteral("%1-%2-%3")
                                            .arg(QString::fromLatin1(QTest::currentDataTag()), shell::name(workspace),
                                                 QString::fromLatin1(language))));
            }
        }
        console.window->set_language(QStringLiteral("en"));
    }

    /// Texts that need 40 % more room do not widen the window.
    void longer_texts_do_not_widen_the_window() {
        ScriptedClient cluster;
        WorkspaceConsole console(&cluster);
        cluster.connect_to(QStringLiteral("lab"));
        cluster.play();
        console.show_chain();
        const QString usual = console.action("run")->text();
        testing::LongerTexts longer;
        QVERIFY(QCoreApplication::installTranslator(&longer));
        QTRY_VERIFY(console.action("run")->text().size() > usual.size());
        for (const Workspace workspace : shell::all_workspaces) {
            console.go(workspace);
            console.window->resize(1366, 768);
            QCoreApplication::processEvents();
            console.shot(qPrintable(QStringLiteral("longer-%1").arg(shell::name(workspace))));
            QCOMPARE(console.window->width(), 1366);
            for (const auto* dock : console.window->findChildren<QDockWidget*>()) {
                if (!dock->isVisible() || dock->visibleRegion().isEmpty()) continue;
                QTRY_VERIFY2(is_within(*dock, console.window->workbench()), qPrintable(name_of(*dock)));
            }
        }
        QCoreApplication::removeTranslator(&longer);
        QCoreApplication::processEvents();
    }

    /// The columns that identify a segment come first. The columns that do not fit can be reached by scrolling.
    void names_of_cuts_stay_readable_in_a_narrow_panel() {
        WorkspaceConsole console;
        console.show_chain();
        for (const char* language : {"en", "zh_CN"}) {
            console.window->set_language(QString::fromLatin1(language));
            console.window->resize(1366, 768);
            auto* table = console.find<QTableWidget>("segmentTable");
            const QHeaderView& header = *table->horizontalHeader();
            constexpr int cut_after = 6;
            QTRY_VERIFY(header.sectionSize(cut_after) >= 96);
            QTRY_VERIFY(header.sectionSize(cut_after) >= header.sectionSizeHint(cut_after));
            const int right = header.sectionViewportPosition(cut_after) + header.sectionSize(cut_after);
            QVERIFY2(right <= table->viewport()->width(), qPrintable(QString::number(right)));
            QTRY_VERIFY(header.length() >= table->viewport()->width());  // no empty space after the last column
        }
        console.window->set_language(QStringLiteral("en"));
        console.shot("split-narrow");
    }

    /// The graph gets its share of the height, and its units have one readable line.
    void the_task_graph_is_readable_on_a_low_screen() {
        WorkspaceConsole console;
        QVERIFY(console.loads([&] { console.window->open_model(console.window->context().draft.wanted_model()); }));
        console.window->resize(1366, 720);
        console.go(Workspace::train);
        const auto& units = console.window->context().units;
        QTRY_VERIFY_WITH_TIMEOUT(units.units().size() >= 6, 20'000);
        auto& view = *console.find<graphview::UnitView>("unitView");
        QTRY_VERIFY(view.is_low());
        const int share = 100 * view.height() / console.window->workbench().height();
        QVERIFY2(share >= 25, qPrintable(QString::number(share)));
        const double text_px = 13 * view.transform().m11();
        QVERIFY2(text_px >= 8, qPrintable(QString::number(text_px)));
        for (const model::UnitNode& unit : units.units()) {
            const QRect at = view.mapFromScene(view.place(unit)).boundingRect();
            QVERIFY2(view.viewport()->rect().contains(at), qPrintable(unit.sid));
        }
        console.shot("task-graph-low");
        console.window->resize(1366, 1300);
        QTRY_VERIFY(!view.is_low());
        console.shot("task-graph-high");
    }

    void toolbar_has_text_until_it_is_switched_off() {
        WorkspaceConsole console;
        auto* bar = console.find<QToolBar>("toolbar");
        const auto run_width = [&] { return bar->widgetForAction(console.action("run"))->sizeHint().width(); };
        QVERIFY(console.action("toolbar_text")->isChecked());
        QCOMPARE(bar->toolButtonStyle(), Qt::ToolButtonTextBesideIcon);
        const int with_text = run_width();
        console.window->resize(1366, 768);
        QCoreApplication::processEvents();
        for (const char* id : {"open", "save", "run", "stop", "new_task"})  // none is hidden beyond the toolbar's end
            QVERIFY2(bar->widgetForAction(console.action(id))->isVisible(), id);
        console.action("toolbar_text")->trigger();
        QVERIFY(run_width() < with_text);
        console.restart();
        QVERIFY(!console.action("toolbar_text")->isChecked());
        QCOMPARE(console.find<QToolBar>("toolbar")->toolButtonStyle(), Qt::ToolButtonIconOnly);
    }

    void each_dock_has_either_a_tab_or_a_title() {
        WorkspaceConsole console;
        console.go(Workspace::faults);
        QCoreApplication::processEvents();
        QVERIFY(console.dock("Recoveries").titleBarWidget()->height() > 0);  // the only dock in its row
        QCOMPARE(console.dock("Exceptions").titleBarWidget()->height(), 0);  // one of several tabs
        for (const char* other : {"Alerts", "Logs", "State stores"}) console.dock(other).toggleViewAction()->trigger();
        QTRY_VERIFY(console.dock("Exceptions").titleBarWidget()->height() > 0);
    }

    void command_line_opens_a_replay_in_a_chosen_language() {
        QTemporaryDir folder;
        const auto run = [&](const QStringList& words, QByteArray& said) {
            QProcess process;
            QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
            environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
            process.setProcessEnvironment(environment);
            process.start(
                QStringLiteral(DIVISI_BIN_DIR "/divisi"),
                QStringList{QStringLiteral("--settings"), folder.filePath(QStringLiteral("settings.ini"))} + words);
            if (!process.waitForFinished(60'000)) return -1;
            said = process.readAllStandardError();
            return process.exitCode();
        };
        QByteArray said;
        const QString picture = folder.filePath(QStringLiteral("replayed.png"));
        QCOMPARE(run({QStringLiteral("--replay"),
                      QStringLiteral(DIVISI_SOURCE_DIR "/resources/samples/faults-and-recut.divisirec"),
                      QStringLiteral("--lang"), QStringLiteral("zh_CN"), QStringLiteral("--after"),
                      QStringLiteral("600"), QStringLiteral("--screenshot"), picture},
                     said),
                 0);
        QVERIFY2(QImage(picture).width() > 400, said.constData());
        const QSettings kept(folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
        QCOMPARE(kept.value(QStringLiteral("language")).toString(), QStringLiteral("zh_CN"));
        QCOMPARE(run({QStringLiteral("--no-cluster"), QStringLiteral("--lang"), QStringLiteral("xx")}, said), 2);
        QVERIFY2(said.contains("'xx'") && said.contains("zh_CN"), said.constData());
    }

    void invalid_command_line_is_refused() {
        QTemporaryDir folder;
        const auto refused = [&](const QStringList& words) {
            QProcess process;
            QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
            environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
            process.setProcessEnvironment(environment);
            process.start(QStringLiteral(DIVISI_BIN_DIR "/divisi"),
                          QStringList{QStringLiteral("--no-cluster"), QStringLiteral("--settings"),
                                      folder.filePath(QStringLiteral("settings.ini"))} +
                              words);
            const bool ended = process.waitForFinished(60'000);
            return ended && process.exitCode() == 2 ? process.readAllStandardError() : QByteArray();
        };
        for (const char* wrong : {"abc", "0", "-2"}) {
            const QByteArray said = refused({QStringLiteral("--stages"), QString::fromLatin1(wrong)});
            QVERIFY2(said.contains("--stages") && said.contains(wrong), said.constData());
        }
        const QByteArray said = refused({QStringLiteral("zoo:mlp"), QStringLiteral("zoo:gpt")});
        QVERIFY2(said.contains("zoo:gpt") && said.contains("one file"), said.constData());
    }

    void command_line_chooses_the_workspace() {
        QCOMPARE(shell::parse_workspace(QStringLiteral("Mesh")), std::optional(Workspace::mesh));
        QCOMPARE(shell::parse_workspace(QStringLiteral("nowhere")), std::optional<Workspace>());
        QTemporaryDir folder;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(DIVISI_BIN_DIR "/divisi"),
                      {QStringLiteral("--no-cluster"), QStringLiteral("--settings"),
                       folder.filePath(QStringLiteral("settings.ini")), QStringLiteral("--workspace"),
                       QStringLiteral("nowhere")});
        QVERIFY(process.waitForFinished(60'000));
        QCOMPARE(process.exitCode(), 2);
        const QByteArray said = process.readAllStandardError();
        QVERIFY2(said.contains("'nowhere'") && said.contains("split, train, mesh, faults, models"), said.constData());
    }
};

DIVISI_WINDOW_TEST(WorkspacesTest)

}  // namespace workspaces_test

#include "workspaces_test.moc"
