// SPDX-License-Identifier: GPL-3.0-or-later
// Tests how the console shows, tries, sets and rolls back policies, with a scripted client.
#include <QDockWidget>
#include <QTableWidget>
#include <QToolButton>

#include "tests/gui/connected_console.h"
#include "tests/gui/console.h"
#include "tests/gui/headers.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace policies_test {

using namespace divisi;
using testing::ScriptedClient;

namespace {

control::PoliciesState two_versions() {
    const control::PolicyEntry share{control::PolicyKey::share, "mg-1", "mg-2", 40};
    const control::PolicyEntry window{control::PolicyKey::window, "", "", 16 << 20};
    const TimePoint then(std::chrono::seconds(100));
    control::PoliciesState state;
    state.current = 2;
    state.versions = {{1, then, "alice", "share:mg-1:mg-2=40 (was 100)", "", {share}},
                      {2,
                       then + std::chrono::seconds(60),
                       "smo",
                       "window=16MiB (was default)",
                       "the first path (sr-1) carries 4 MB/s of its 20 MB/s",
                       {share, window}}};
    state.devices = {{"mg-1", true, 2, 0, ""},
                     {"mg-2", true, 2, 0, ""},
                     {"sr-1", false, 1, 0, ""},
                     {"sr-2", true, 1, 2, "a window of 16 MiB is more than a quarter of its buffer of 32 MiB"}};
    state.paths = {{"mg-1", "mg-2", 40, 18e6, 4e6, "first path"}};
    return state;
}

/// A fixture with a console that shows the policies of a cluster where its user has the rights to change them.
struct PoliciesConsole : testing::ConnectedConsole {
    QTableWidget& versions = *console.find<QTableWidget>("policyVersions");
    QTableWidget& devices = *console.find<QTableWidget>("policyDevices");
    QTableWidget& trial = *console.find<QTableWidget>("policyTrial");
    QLineEdit& settings = *console.find<QLineEdit>("policySettings");
    QPushButton& try_it = *console.find<QPushButton>("tryPolicies");
    QPushButton& set = *console.find<QPushButton>("setPolicies");
    QPushButton& roll_back = *console.find<QPushButton>("rollBackPolicies");
    QLabel& notice = *console.find<QLabel>("policyNotice");
    QLabel& empty = *console.find<QLabel>("policyEmpty");

    explicit PoliciesConsole(control::Role role = control::Role::operate) : ConnectedConsole("Policies", role) {}
    void tell(const control::PoliciesState& state = two_versions()) { cluster.answer(control::QueryPolicies{}, state); }
    void press(const char* button) {
        QTest::mouseClick(console.find<QAbstractButton>(button), Qt::LeftButton);
        QCoreApplication::processEvents();
    }
    void type(const char* text) {
        QTest::mouseClick(&settings, Qt::LeftButton);
        QTest::keyClicks(&settings, QString::fromLatin1(text));
    }
};

}  // namespace

class PoliciesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void view_without_policies_shows_a_notice() {
        PoliciesConsole shown;
        QTRY_VERIFY(shown.cluster.count<control::QueryPolicies>() > 0);
        QVERIFY2(shown.empty.text().contains(QStringLiteral("Asking")), qPrintable(shown.empty.text()));
        shown.tell({});
        QVERIFY2(shown.empty.text().contains(QStringLiteral("No policy is set")), qPrintable(shown.empty.text()));
        shown.console.shot("policies-empty");
        shown.press("showDevices");
        QVERIFY2(shown.empty.text().contains(QStringLiteral("no gateways")), qPrintable(shown.empty.text()));
    }

    void filter_text_applies_to_every_page() {
        PoliciesConsole shown;
        shown.tell();
        auto& filter = *shown.console.find<QLineEdit>("policyFilter");
        testing::write_filter(filter, "ALICE");
        QCOMPARE(testing::shown_column(shown.versions, 2), QStringList{QStringLiteral("alice")});
        shown.tell();
        QCOMPARE(testing::shown_column(shown.versions, 2), QStringList{QStringLiteral("alice")});
        shown.press("showDevices");
        testing::write_filter(filter, "mg-");
        QCOMPARE(testing::shown_column(shown.devices, 0),
                 (QStringList{QStringLiteral("mg-1"), QStringLiteral("mg-2")}));
        shown.console.shot("policies-filtered");
        filter.clear();
        QCOMPARE(testing::shown_column(shown.devices, 0).size(), 4);
    }

    void versions_are_sorted_by_a_header_and_the_selection_stays() {
        PoliciesConsole shown;
        control::PoliciesState state = two_versions();
        state.versions[0].version = 9;
        state.versions[1].version = state.current = 10;
        shown.tell(state);
        const auto shows = [&] { return testing::shown_column(shown.versions, 0); };
        const QString old = QStringLiteral("9"), now = QStringLiteral("10 in force");
        QCOMPARE(shows(), (QStringList{now, old}));
        QTest::mouseClick(shown.versions.viewport(), Qt::LeftButton, {},
                          shown.versions.visualItemRect(shown.versions.item(1, 1)).center());
        QCOMPARE(shown.roll_back.text(), QStringLiteral("Roll back to 9"));
        testing::press_header(shown.versions, 0);
        QCOMPARE(shows(), (QStringList{old, now}));  // 9 sorts before 10
        QCOMPARE(shown.versions.currentRow(), 0);
        QCOMPARE(shown.roll_back.text(), QStringLiteral("Roll back to 9"));
        QVERIFY(shown.versions.item(1, 0)->font().bold() && !shown.versions.item(0, 0)->font().bold());
        shown.console.shot("policies-sorted");
        // An older version is inserted before the selected one, which stays selected.
        control::PolicyVersion older = state.versions[0];
        older.version = 8;
        state.versions.insert(state.versions.begin(), older);
        shown.tell(state);
        QCOMPARE(shows(), (QStringList{QStringLiteral("8"), old, now}));
        QCOMPARE(shown.roll_back.text(), QStringLiteral("Roll back to 9"));
        testing::press_header(shown.versions, 0);
        QCOMPARE(shows(), (QStringList{now, old, QStringLiteral("8")}));
        testing::write_filter(*shown.console.find<QLineEdit>("policyFilter"), "force");
        QCOMPARE(shows(), QStringList{now});
        shown.console.find<QLineEdit>("policyFilter")->clear();
        state.versions.erase(state.versions.begin() + 1);
        shown.tell(state);  // the selected version is gone, and no other is selected
        QCOMPARE(shown.roll_back.text(), QStringLiteral("Roll back"));
    }

    void devices_and_paths_are_sorted_by_value_not_by_text() {
        PoliciesConsole shown;
        control::PoliciesState state = two_versions();
        state.paths = {{"mg-1", "mg-2", 40, 18e6, 4e6, "first path"},
                       {"mg-2", "mg-1", 100, 0, 0, "first path"},
                       {"mg-3", "mg-1", 100, 900e3, 0, "first path"}};
        shown.tell(state);
        shown.press("showDevices");
        testing::press_header(shown.devices, 2);  // sorts by the version that each device uses
        QCOMPARE(testing::shown_column(shown.devices, 0),
                 (QStringList{QStringLiteral("sr-1"), QStringLiteral("sr-2"), QStringLiteral("mg-1"),
                              QStringLiteral("mg-2")}));
        shown.press("showPaths");
        auto& paths = *shown.console.find<QTableWidget>("policyPaths");
        testing::press_header(paths, 4);  // sorts by the first path's rate: kB before MB, then unknown ones
        QCOMPARE(testing::shown_column(paths, 0),
                 (QStringList{QStringLiteral("mg-3"), QStringLiteral("mg-1"), QStringLiteral("mg-2")}));
    }

    void roll_back_ignores_a_hidden_version() {
        PoliciesConsole shown;
        shown.tell();
        shown.versions.selectRow(1);
        QVERIFY2(shown.roll_back.text() != QStringLiteral("Roll back"), qPrintable(shown.roll_back.text()));
        // only the version in force matches
        testing::write_filter(*shown.console.find<QLineEdit>("policyFilter"), "force");
        QCOMPARE(shown.versions.currentRow(), -1);
        QCOMPARE(shown.roll_back.text(), QStringLiteral("Roll back"));
    }

    void versions_show_their_author_and_devices_show_their_version() {
        PoliciesConsole shown;
        shown.tell();
        QCOMPARE(shown.versions.rowCount(), 2);
        QCOMPARE(shown.versions.item(0, 0)->text(), QStringLiteral("2 in force"));
        QCOMPARE(shown.versions.item(0, 2)->text(), QStringLiteral("smo"));
        QCOMPARE(shown.versions.item(0, 5)->text(), QStringLiteral("share:mg-1:mg-2=40 window=16MiB"));
        shown.console.shot("policies");
        QVERIFY(shown.console.find<QToolButton>("showDevices")->text().contains(u'\u26a0'));
        shown.press("showDevices");
        QCOMPARE(shown.devices.rowCount(), 4);
        QVERIFY(shown.devices.item(3, 3)->text().contains(QStringLiteral("a quarter of its buffer")));
        QCOMPARE(shown.devices.item(2, 2)->text(), QStringLiteral("version 1"));
        shown.console.shot("policies-devices");
        shown.press("showPaths");
        auto& paths = *shown.console.find<QTableWidget>("policyPaths");
        QCOMPARE(paths.item(0, 2)->text(), QStringLiteral("40 %"));
        QCOMPARE(paths.item(0, 3)->text(), QStringLiteral("version 1, alice"));  // version 2 did not change this share
        shown.console.shot("policies-paths");
    }

    void a_change_is_tried_and_then_set() {
        PoliciesConsole shown;
        shown.tell();
        QVERIFY(!shown.try_it.isEnabled() && !shown.set.isEnabled());
        shown.type("share:mg-1:mg-2=0  adapt=off");
        shown.press("tryPolicies");
        QCOMPARE(shown.cluster.last<control::TryPolicies>().settings,
                 (std::vector<std::string>{"share:mg-1:mg-2=0", "adapt=off"}));
        QVERIFY(!shown.set.isEnabled());  // until the trial is answered
        QVERIFY(shown.cluster.all<control::SetPolicies>().empty());
        const Error gone{ErrorCode::failed, "its model did not come with it", "vit-2", "submit the task again"};
        shown.cluster.answer(
            control::TryPolicies{},
            {"share:mg-1:mg-2=0 (was 40), adapt=off (was on)",
             {{TaskId("gpt-text-1"), 41, 40, 22, "mg-1 > sr-1 > mg-2", "mg-1 > sr-2 > sr-3 > mg-2", {}},
              {TaskId("mlp-3"), 3.2, 3, 3, "", "", {}},
              {TaskId("vit-2"), 0, 0, 0, "", "", gone}},
             {"adapt: later changes by the orchestrator are not simulated"}});
        QCoreApplication::processEvents();
        QVERIFY(shown.trial.isVisible());
        QCOMPARE(shown.trial.item(0, 4)->text(), QStringLiteral("-45.0 %"));
        QVERIFY(shown.trial.item(0, 5)->text().contains(QStringLiteral("(was mg-1 > sr-1 > mg-2)")));
        QCOMPARE(shown.trial.item(1, 5)->text(), QStringLiteral("within one MIC"));
        QVERIFY(shown.trial.item(2, 5)->text().contains(QStringLiteral("did not come")));
        QVERIFY(shown.notice.text().startsWith(QStringLiteral("Tried, not applied")));
        shown.console.shot("policies-trial");
        shown.press("setPolicies");
        QCOMPARE(shown.cluster.last<control::SetPolicies>().settings,
                 shown.cluster.last<control::TryPolicies>().settings);
        shown.cluster.answer(control::SetPolicies{}, {3});
        QVERIFY(shown.settings.text().isEmpty());
        QCOMPARE(shown.notice.text(), QStringLiteral("Policy version 3 is in force."));
    }

    void refused_change_shows_the_reason_and_can_be_corrected() {
        PoliciesConsole shown;
        shown.tell();
        shown.type("color=red");
        shown.press("setPolicies");
        Q_EMIT shown.cluster.refused(QStringLiteral("there is no policy 'color'"));
        QCOMPARE(shown.notice.text(), QStringLiteral("there is no policy 'color'"));
        QCOMPARE(shown.settings.text(), QStringLiteral("color=red"));
        QVERIFY(shown.set.isEnabled());
    }

    void roll_back_restores_the_selected_version() {
        PoliciesConsole shown;
        shown.tell();
        QCOMPARE(shown.roll_back.text(), QStringLiteral("Roll back"));
        shown.press("rollBackPolicies");
        QCOMPARE(shown.cluster.all(&control::RollBackPolicies::version), std::vector<std::uint64_t>{0});
        shown.cluster.answer(control::SetPolicies{}, {3});
        QTest::mouseClick(shown.versions.viewport(), Qt::LeftButton, {},
                          shown.versions.visualItemRect(shown.versions.item(1, 1)).center());
        QCOMPARE(shown.roll_back.text(), QStringLiteral("Roll back to 1"));
        shown.press("rollBackPolicies");
        QCOMPARE(shown.cluster.last<control::RollBackPolicies>().version, std::uint64_t{1});
    }

    void viewer_cannot_change_policies() {
        PoliciesConsole shown(control::Role::viewer);
        shown.tell();
        QCOMPARE(shown.versions.rowCount(), 2);
        QVERIFY(!shown.settings.isEnabled() && !shown.try_it.isEnabled() && !shown.set.isEnabled() &&
                !shown.roll_back.isEnabled());
        QVERIFY(shown.set.toolTip().contains(QStringLiteral("Operators")));
    }

    void policies_view_has_two_languages_and_themes() {
        PoliciesConsole shown;
        shown.tell();
        shown.console.action("dark")->trigger();
        shown.console.shot("policies-light");
        shown.console.action("chinese")->trigger();
        QCoreApplication::processEvents();
        QCOMPARE(shown.set.text(), QStringLiteral("\u8bbe\u7f6e"));
        QVERIFY(shown.versions.item(0, 0)->text() != QStringLiteral("2 in force"));
        shown.console.shot("policies-chinese");
    }
};

DIVISI_WINDOW_TEST(PoliciesTest)

}  // namespace policies_test

#include "policies_test.moc"
