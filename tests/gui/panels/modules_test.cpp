// SPDX-License-Identifier: GPL-3.0-or-later
// Tests how the console shows, starts, stops, exchanges and switches functional modules. Most tests use a scripted
// client, and the last one uses a real cluster.
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QTableWidget>
#include <QToolButton>

#include "tests/gui/connected_console.h"
#include "tests/gui/console.h"
#include "tests/gui/headers.h"
#include "tests/gui/live_console.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"
#include "tests/system/programs.h"

namespace modules_test {

using namespace divisi;
using control::AdviceKind, control::AdviceOutcome, control::ModuleInput, control::ModuleState;
using testing::ScriptedClient;

namespace {

const TimePoint noon(std::chrono::seconds(43'200));
TimePoint before(int seconds) { return noon - std::chrono::seconds(seconds); }
TimePoint after(int seconds) { return noon + std::chrono::seconds(seconds); }

control::ModuleView link_trend() {
    control::ModuleView view;
    view.info = {
        "link-trend", "2-damped", {ModuleInput::routes, ModuleInput::quality}, {AdviceKind::path_priority}, false,
        1000,         4711};
    view.state = ModuleState::advises;
    view.heard = before(1);
    view.given = 41;
    view.taken = 38;
    view.refused = 3;
    view.expired = 2;
    view.answer_ms = 0.42;
    const control::Advice shifted{
        AdviceKind::path_priority,
        "mg-1",
        "mg-2",
        40,
        0.93,
        10'000,
        "the path by mg-1, sr-1, mg-2 carried 20.1 MB/s, now carries 14 MB/s, and will carry 11.8 MB/s"};
    const std::string too_unsure =
        "the confidence of the advice is too low (advise only with a confidence of 0.5 or more)";
    control::Advice unsure = shifted;
    unsure.value = 65;
    unsure.confidence = 0.41;
    view.newest = {
        {{41,
          shifted,
          AdviceOutcome::held,
          "",
          "policy 4: share:mg-1:mg-2=40 (was 100)",
          {{TaskId("gpt-text-1"), 412, 231}}},
         before(3),
         after(7),
         12},
        {{28, unsure, AdviceOutcome::refused, too_unsure, "", {}}, before(40), {}, 2},
    };
    view.refusals = {{too_unsure, 3}};
    return view;
}

control::ModuleView standby() {
    control::ModuleView view;
    view.info = link_trend().info;
    view.info.version = "1-holt";
    view.info.pid = 4712;
    view.state = ModuleState::stands_by;
    view.heard = before(2);
    return view;
}

control::ModuleView compute_routing() {
    control::ModuleView view;
    view.info = {"compute-routing",
                 "1",
                 {ModuleInput::routes, ModuleInput::quality, ModuleInput::load},
                 {AdviceKind::path_priority, AdviceKind::node_avoidance},
                 true,
                 1000,
                 4700};
    view.state = ModuleState::advises;
    view.heard = noon;
    view.given = view.taken = 6;
    view.expired = 1;
    view.missed = 1;
    view.answer_ms = 1.3;
    view.without = {"gpt-text-1"};
    const control::Advice avoid{
        AdviceKind::node_avoidance, "mic-2/node-1", "", 0, 0.7, 8'000, "others use 70 % of the processors of laptop"};
    view.newest = {
        {{6, avoid, AdviceOutcome::taken, "", "placement avoids mic-2/node-1", {}}, before(1), after(7), 4},
        {{1, avoid, AdviceOutcome::expired, "it is not valid any longer", "placement avoids mic-2/node-1", {}},
         before(90),
         before(82),
         0}};
    return view;
}

control::ModulesState three_processes() { return {{compute_routing(), standby(), link_trend()}, noon}; }

struct ModulesConsole : testing::ConnectedConsole {
    QTableWidget& modules = *console.find<QTableWidget>("moduleTable");
    QTableWidget& advice = *console.find<QTableWidget>("adviceTable");
    QTableWidget& switches = *console.find<QTableWidget>("moduleSwitches");
    QTableWidget& fields = *console.find<QTableWidget>("moduleFields");
    QPushButton& start = *console.find<QPushButton>("startModule");
    QPushButton& stop = *console.find<QPushButton>("stopModule");
    QPushButton& use = *console.find<QPushButton>("useModule");
    QPushButton& turn = *console.find<QPushButton>("switchModule");
    QLabel& notice = *console.find<QLabel>("moduleNotice");
    QLabel& empty = *console.find<QLabel>("moduleEmpty");

    explicit ModulesConsole(control::Role role = control::Role::operate, bool embedded = true)
        : ConnectedConsole(role) {
        cluster.state.embedded = embedded;
        Q_EMIT cluster.statusChanged();
        cluster.play();
        console.show_dock("Modules");
        for (const char* side : {"New task", "Split", "Inspector"}) console.find<QDockWidget>(side)->hide();
    }
    void tell(const control::ModulesState& state = three_processes()) {
        cluster.answer(control::QueryModules{}, state);
    }
    void press(const char* button) {
        QTest::mouseClick(console.find<QAbstractButton>(button), Qt::LeftButton);
        QCoreApplication::processEvents();
    }
    void choose(QTableWidget& table, int row) {
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualItemRect(table.item(row, 0)).center());
    }
    QString field(const char* name) {
        for (int row = 0; row < fields.rowCount(); ++row)
            if (fields.item(row, 0)->text() == QString::fromLatin1(name)) return fields.item(row, 1)->text();
        return {};
    }
};

}  // namespace

class ModulesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void filter_text_applies_to_modules_and_advice() {
        ModulesConsole shown;
        shown.tell();
        auto& filter = *shown.console.find<QLineEdit>("moduleFilter");
        testing::write_filter(filter, "ROUTING");
        QCOMPARE(testing::shown_column(shown.modules, 0), QStringList{QStringLiteral("compute-routing")});
        shown.tell();
        QCOMPARE(testing::shown_column(shown.modules, 0), QStringList{QStringLiteral("compute-routing")});
        shown.press("showAdvice");
        QCOMPARE(testing::shown_column(shown.advice, 0),
                 (QStringList{QStringLiteral("compute-routing"), QStringLiteral("compute-routing")}));
        shown.console.shot("modules-filtered");
        filter.clear();
        QCOMPARE(testing::shown_column(shown.advice, 0).size(), 4);
    }

    void modules_are_sorted_by_a_header_and_the_selection_stays() {
        ModulesConsole shown;
        shown.tell();
        shown.choose(shown.modules, 2);
        QCOMPARE(shown.field("Version"), QStringLiteral("2-damped"));
        const auto versions = [&] { return testing::shown_column(shown.modules, 1); };
        testing::press_header(shown.modules, 7);  // sorts by the time of the last message, oldest first
        const QStringList by_heard{QStringLiteral("1-holt"), QStringLiteral("2-damped"), QStringLiteral("1")};
        QCOMPARE(versions(), by_heard);
        QCOMPARE(shown.modules.currentRow(), 1);
        QCOMPARE(shown.field("Version"), QStringLiteral("2-damped"));
        shown.tell();
        QCOMPARE(versions(), by_heard);
        QCOMPARE(shown.modules.currentRow(), 1);
        shown.console.shot("modules-sorted");
        shown.press("stopModule");
        // the request stops the selected version, not the version that was in this row before
        QVERIFY(shown.cluster.last<control::ChangeModule>().stop);
        QCOMPARE(shown.cluster.last<control::ChangeModule>().version, std::string("2-damped"));
        testing::press_header(shown.modules, 7);
        QCOMPARE(versions().front(), QStringLiteral("1"));
        testing::press_header(shown.modules, 7);
        QCOMPARE(versions().back(), QStringLiteral("2-damped"));  // in the order of arrival
    }

    /// The menu also has the actions for the selected module.
    void module_menu_copies_rows() {
        ModulesConsole shown;
        shown.tell();
        const auto open = [&](int row) {
            const QPoint at = shown.modules.visualItemRect(shown.modules.item(row, 0)).center();
            shown.console.press_right(shown.modules.viewport(), at);
            return shown.console.find<QMenu>("moduleMenu");
        };
        const auto copied = [] { return QApplication::clipboard()->text().split(u'\n', Qt::SkipEmptyParts); };
        QMenu* menu = open(2);
        QVERIFY(menu->isVisible() && menu->actions().front()->text() == shown.turn.text());
        shown.console.shot("modules-menu", menu);
        QVERIFY(testing::Console::take(menu, QStringLiteral("&Copy rows")));
        QCOMPARE(copied().size(), 2);
        QVERIFY2(copied()[0].startsWith(QStringLiteral("Module\tVersion\t")), qPrintable(copied()[0]));
        QVERIFY2(copied()[1].startsWith(QStringLiteral("link-trend\t2-damped\t")), qPrintable(copied()[1]));
        QTRY_VERIFY(!shown.console.window->findChild<QMenu*>(QStringLiteral("moduleMenu")));
        QVERIFY(testing::Console::take(open(0), QStringLiteral("Copy &all rows")));
        QCOMPARE(copied().size(), 4);
        QVERIFY(shown.cluster.all<control::ChangeModule>().empty() &&
                shown.cluster.all<control::SetPolicies>().empty());
        QTRY_VERIFY(!shown.console.window->findChild<QMenu*>(QStringLiteral("moduleMenu")));
        QTest::keyClick(&shown.modules, Qt::Key_F10, Qt::ShiftModifier);
        menu = shown.console.window->findChild<QMenu*>(QStringLiteral("moduleMenu"));
        QVERIFY(menu && menu->findChild<QMenu*>(QStringLiteral("sortMenu")));
        menu->close();
    }

    void advice_and_tasks_are_sorted_by_a_header() {
        ModulesConsole shown;
        shown.cluster.tell(control::TaskSubmitted{TaskId("small-9"), "task", "", "", "", {}, "operator", 0});
        shown.tell();
        shown.press("showAdvice");
        shown.choose(shown.advice, 1);
        QVERIFY(shown.field("Confidence").startsWith(QStringLiteral("93.0")));
        testing::press_header(shown.advice, 8);  // sorts by confidence
        QCOMPARE(shown.advice.currentRow(), 3);
        QVERIFY(shown.advice.item(0, 8)->text().startsWith(QStringLiteral("41.0")));
        QVERIFY(shown.field("Confidence").startsWith(QStringLiteral("93.0")));
        shown.press("showModuleTasks");
        const auto tasks = [&] { return testing::shown_column(shown.switches, 0); };
        const QStringList by_name{QStringLiteral("Every task"), QStringLiteral("gpt-text-1"),
                                  QStringLiteral("small-9")};
        QCOMPARE(tasks(), by_name);
        shown.switches.setCurrentCell(2, 1);
        testing::press_header(shown.switches, 1);  // the tasks that compute-routing advises on come first
        QCOMPARE(tasks(), (QStringList{by_name[0], by_name[2], by_name[1]}));
        QCOMPARE(shown.switches.currentRow(), 1);
        shown.switches.setFocus();
        QTest::keyClick(&shown.switches, Qt::Key_Space);
        QCOMPARE(shown.cluster.last<control::SetPolicies>().settings,
                 (std::vector<std::string>{"module:compute-routing:small-9=off"}));
    }

    void view_without_modules_says_how_to_start_one() {
        ModulesConsole shown;
        QTRY_VERIFY(shown.cluster.count<control::QueryModules>() > 0);
        QVERIFY2(shown.empty.text().contains(QStringLiteral("Asking")), qPrintable(shown.empty.text()));
        shown.tell({{}, noon});
        QVERIFY2(shown.empty.text().contains(QStringLiteral("Start one above")), qPrintable(shown.empty.text()));
        QVERIFY(shown.start.isEnabled() && !shown.stop.isEnabled());
        shown.console.shot("modules-empty");
        ModulesConsole elsewhere(control::Role::operate, false);
        elsewhere.tell({{}, noon});
        QVERIFY(elsewhere.empty.text().contains(QStringLiteral("[[module]]")));
        QVERIFY(!elsewhere.start.isEnabled() && elsewhere.start.toolTip().contains(QStringLiteral("[[module]]")));
    }

    void module_shows_its_description_and_state() {
        ModulesConsole shown;
        shown.tell();
        QCOMPARE(shown.modules.rowCount(), 3);
        QCOMPARE(shown.modules.item(2, 2)->text(), QStringLiteral("\u25b6 advises"));
        QCOMPARE(shown.modules.item(1, 2)->text(), QStringLiteral("\u25cb stands by"));
        QCOMPARE(shown.modules.item(2, 3)->text(), QStringLiteral("38"));
        QCOMPARE(shown.modules.item(2, 4)->text(), QStringLiteral("3"));
        QVERIFY2(shown.modules.item(2, 7)->text().contains(QStringLiteral(" s ago")),
                 qPrintable(shown.modules.item(2, 7)->text()));
        QVERIFY(!shown.fields.isVisible());
        shown.console.shot("modules");
        shown.choose(shown.modules, 0);
        QVERIFY(shown.field("Asked").endsWith(QStringLiteral("(synchronous)")));
        QCOMPARE(shown.field("Switched off for"), QStringLiteral("gpt-text-1"));
        shown.choose(shown.modules, 2);
        QVERIFY(shown.field("Asked").contains(QStringLiteral("asynchronous")));
        QCOMPARE(shown.field("Observes"), QStringLiteral("paths, quality of links and flows"));
        QCOMPARE(shown.field("Refused"),
                 QStringLiteral("3 \u00d7 the confidence of the advice is too low (advise only with a confidence of 0.5"
                                " or more)"));
        QVERIFY(shown.field("Newest").contains(QStringLiteral("mg-1 \u2192 mg-2 40 %")));
        shown.console.shot("modules-chosen");
        // The selection stays when another row is inserted before it.
        shown.tell({{link_trend()}, noon});
        QCOMPARE(shown.modules.currentRow(), 0);
        QVERIFY(shown.field("Version") == QStringLiteral("2-damped"));
        QTest::keyClick(&shown.modules, Qt::Key_Escape);
        QVERIFY(!shown.fields.isVisible());
    }

    void advice_shows_its_outcome() {
        ModulesConsole shown;
        shown.tell({{standby()}, noon});
        shown.press("showAdvice");
        QVERIFY(shown.empty.text().contains(QStringLiteral("No advice yet")));
        shown.tell();
        QCOMPARE(shown.advice.rowCount(), 4);  // the newest advice comes first
        QCOMPARE(shown.advice.item(0, 2)->text(), QStringLiteral("mic-2/node-1"));
        QCOMPARE(shown.advice.item(1, 3)->text(), QStringLiteral("40 %"));
        QCOMPARE(shown.advice.item(1, 4)->text(), QStringLiteral("\u2713 in force, measured"));
        static const QRegularExpression left(QStringLiteral("^for [3-6] s more$"));
        QVERIFY2(left.match(shown.advice.item(1, 5)->text()).hasMatch(), qPrintable(shown.advice.item(1, 5)->text()));
        QVERIFY2(shown.advice.item(1, 6)->text().contains(QStringLiteral("(-44 %)")),
                 qPrintable(shown.advice.item(1, 6)->text()));
        QVERIFY(shown.advice.item(2, 6)->text().contains(QStringLiteral("confidence of the advice is too low")));
        QCOMPARE(shown.advice.item(3, 4)->text(), QStringLiteral("\u25a0 over"));
        shown.console.shot("modules-advice");
        shown.choose(shown.advice, 1);
        QVERIFY(shown.field("Confidence").startsWith(QStringLiteral("93.0")));
        QVERIFY(shown.field("Because").contains(QStringLiteral("will carry 11.8 MB/s")));
        QVERIFY(shown.field("Given").contains(QStringLiteral("13 times")));
        shown.console.shot("modules-advice-chosen");
    }

    void module_is_started_stopped_and_replaced() {
        ModulesConsole shown;
        shown.tell();
        QVERIFY(!shown.stop.isEnabled() && !shown.use.isEnabled() && !shown.turn.isEnabled());
        QVERIFY(shown.stop.toolTip().contains(QStringLiteral("Choose a module")));
        auto* menu = shown.console.find<QMenu>("startModuleMenu");
        menu->popup(shown.start.mapToGlobal(QPoint()));
        QVERIFY(testing::Console::take(menu, QStringLiteral("link-trend")));
        QCOMPARE(shown.cluster.last<client::StartModule>().name, std::string("link-trend"));
        QVERIFY(shown.cluster.last<client::StartModule>().program.empty());
        QVERIFY(!shown.start.isEnabled());  // until the first request is answered
        QVERIFY(shown.notice.text().startsWith(QStringLiteral("Starting link-trend")));
        Q_EMIT shown.cluster.moduleChanged();
        QCOMPARE(shown.notice.text(), QStringLiteral("link-trend was started."));
        shown.choose(shown.modules, 2);
        QVERIFY(!shown.use.isEnabled() && shown.use.toolTip().contains(QStringLiteral("standby")));
        shown.press("stopModule");  // stops only this version: another one stands by
        QVERIFY(shown.cluster.last<control::ChangeModule>().stop);
        QCOMPARE(shown.cluster.last<control::ChangeModule>().version, std::string("2-damped"));
        Q_EMIT shown.cluster.refused(QStringLiteral("the cluster has no such version of the module"));
        QCOMPARE(shown.notice.text(), QStringLiteral("the cluster has no such version of the module"));
        shown.choose(shown.modules, 1);
        shown.press("useModule");
        QVERIFY(!shown.cluster.last<control::ChangeModule>().stop);
        QCOMPARE(shown.cluster.last<control::ChangeModule>().version, std::string("1-holt"));
        Q_EMIT shown.cluster.moduleChanged();
        QCOMPARE(shown.notice.text(), QStringLiteral("link-trend 1-holt advises now."));
        shown.choose(shown.modules, 0);
        shown.press("stopModule");
        QVERIFY(shown.cluster.last<control::ChangeModule>().stop);
        QCOMPARE(shown.cluster.last<control::ChangeModule>().version,
                 std::string());  // stops all versions, even hanging ones
    }

    void module_is_switched_for_all_tasks_and_for_one() {
        ModulesConsole shown;
        shown.tell();
        shown.choose(shown.modules, 2);
        shown.press("switchModule");
        QCOMPARE(shown.cluster.last<control::SetPolicies>().settings,
                 (std::vector<std::string>{"module:link-trend=off"}));
        shown.cluster.answer(control::SetPolicies{}, {5});
        QCOMPARE(shown.notice.text(), QStringLiteral("link-trend is off for every task."));
        shown.press("showModuleTasks");
        QCOMPARE(shown.switches.rowCount(), 2);
        QCOMPARE(shown.switches.item(1, 0)->text(), QStringLiteral("gpt-text-1"));
        QCOMPARE(shown.switches.item(1, 1)->checkState(), Qt::Unchecked);  // compute-routing
        QCOMPARE(shown.switches.item(1, 2)->checkState(), Qt::Checked);    // link-trend
        shown.console.shot("modules-tasks");
        shown.switches.setFocus();
        shown.switches.setCurrentCell(1, 1);
        QTest::keyClick(&shown.switches, Qt::Key_Space);
        QCOMPARE(shown.cluster.last<control::SetPolicies>().settings,
                 (std::vector<std::string>{"module:compute-routing:gpt-text-1=default"}));
        shown.cluster.answer(control::SetPolicies{}, {6});
        shown.switches.setCurrentCell(1, 2);
        QTest::keyClick(&shown.switches, Qt::Key_Space);
        QCOMPARE(shown.cluster.last<control::SetPolicies>().settings,
                 (std::vector<std::string>{"module:link-trend:gpt-text-1=off"}));
        shown.cluster.answer(control::SetPolicies{}, {7});
        // A module that is off is off for every task.
        control::ModuleView off = link_trend();
        off.state = ModuleState::off;
        shown.tell({{off}, noon});
        QCOMPARE(shown.switches.item(1, 1)->text(), QStringLiteral("off for every task"));
        QVERIFY(!(shown.switches.item(1, 1)->flags() & Qt::ItemIsUserCheckable));
    }

    void viewer_cannot_change_modules() {
        ModulesConsole shown(control::Role::viewer);
        shown.tell();
        shown.choose(shown.modules, 2);
        QVERIFY(shown.fields.isVisible());
        for (QPushButton* button : {&shown.start, &shown.stop, &shown.use, &shown.turn}) {
            QVERIFY(!button->isEnabled());
            QVERIFY(button->toolTip().contains(QStringLiteral("Operators")));
        }
        shown.press("showModuleTasks");
        shown.switches.setFocus();
        shown.switches.setCurrentCell(1, 2);
        QTest::keyClick(&shown.switches, Qt::Key_Space);
        QVERIFY(shown.cluster.all<control::SetPolicies>().empty());
    }

    void modules_view_has_two_languages_and_themes() {
        ModulesConsole shown;
        shown.tell();
        shown.choose(shown.modules, 2);
        shown.console.action("dark")->trigger();
        shown.console.shot("modules-light");
        shown.press("showAdvice");
        shown.console.shot("modules-advice-light");
        shown.press("showModules");
        shown.console.action("chinese")->trigger();
        QCoreApplication::processEvents();
        QCOMPARE(shown.stop.text(), QStringLiteral("\u505c\u6b62"));
        QVERIFY(shown.modules.item(2, 2)->text() != QStringLiteral("\u25b6 advises"));
        shown.console.shot("modules-chinese");
        shown.press("showAdvice");
        shown.console.shot("modules-advice-chinese");
        shown.press("showModuleTasks");
        shown.console.shot("modules-tasks-chinese");
    }

    void real_module_is_started_switched_and_stopped();
};

/// Uses the embedded cluster of a data folder, as a user's console would.
void ModulesTest::real_module_is_started_switched_and_stopped() {
    const testing::EmbeddedCluster programs;
    testing::LiveConsole live(programs);
    live.console.show_dock("Modules");
    auto& modules = *live.console.find<QTableWidget>("moduleTable");
    auto& start = *live.console.find<QPushButton>("startModule");
    auto& notice = *live.console.find<QLabel>("moduleNotice");
    QTRY_VERIFY_WITH_TIMEOUT(start.isEnabled(), 20'000);
    auto* menu = live.console.find<QMenu>("startModuleMenu");
    menu->popup(start.mapToGlobal(QPoint()));
    // the programs of modules are not in the folder of the tests
    QVERIFY(testing::Console::take(menu, QStringLiteral("Another program\u2026")));
    auto* dialog = live.console.find<QFileDialog>("moduleProgram");
    dialog->selectFile(tests::Programs::program("divisi-module-link-trend"));
    QMetaObject::invokeMethod(dialog, "accept");
    QTRY_COMPARE_WITH_TIMEOUT(notice.text(), QStringLiteral("link-trend was started."), 15'000);
    QTRY_COMPARE_WITH_TIMEOUT(modules.rowCount(), 1, 5'000);
    QCOMPARE(modules.item(0, 2)->text(), QStringLiteral("\u25b6 advises"));
    QTRY_VERIFY_WITH_TIMEOUT(modules.item(0, 6)->text().contains(QStringLiteral("s")), 10'000);  // the module answers
    QVERIFY(programs.run({"modules"}).output.contains("link-trend"));
    QTest::mouseClick(modules.viewport(), Qt::LeftButton, {}, modules.visualItemRect(modules.item(0, 0)).center());
    QTest::mouseClick(live.console.find<QPushButton>("switchModule"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(modules.item(0, 2)->text(), QStringLiteral("\u25a0 off"), 10'000);
    QTest::mouseClick(live.console.find<QPushButton>("stopModule"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(modules.item(0, 2)->text(), QStringLiteral("\u2715 gone"), 10'000);
    QTRY_VERIFY_WITH_TIMEOUT(programs.pids("divisi-module-link-trend").isEmpty(), 10'000);
    QTest::qWait(1500);  // its host checks every second, and does not restart the module
    QVERIFY(programs.pids("divisi-module-link-trend").isEmpty());
}

DIVISI_WINDOW_TEST(ModulesTest)

}  // namespace modules_test

#include "modules_test.moc"
