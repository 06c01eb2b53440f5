// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the console's incidents, from events that the test sends.
#include <QCheckBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QSplitter>
#include <QStyleOptionButton>
#include <QTableView>
#include <QTableWidget>
#include <algorithm>
#include <cmath>

#include "tests/gui/connected_console.h"
#include "tests/gui/console.h"
#include "tests/gui/headers.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace recoveries_test {

using namespace divisi;
using testing::ScriptedClient;

namespace {

const TaskId task("gpt-text-1");
const InstanceId dead("gpt-text-1/stage-0/0"), next("gpt-text-1/stage-0/0#2");

TimePoint at(int seconds) { return TimePoint(std::chrono::seconds(seconds)); }

/// Returns the relative luminance according to WCAG 2.
double luminance(const QColor& colour) {
    const auto part = [](double value) {
        return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * part(colour.redF()) + 0.7152 * part(colour.greenF()) + 0.0722 * part(colour.blueF());
}

double contrast(double one, double other) { return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05); }

/// A fixture with a console that shows recoveries.
struct RecoveriesConsole : testing::ConnectedConsole {
    QTableView& rows = *console.find<QTableView>("incidentTable");
    QTableWidget& fields = *console.find<QTableWidget>("incidentFields");
    QLabel& empty = *console.find<QLabel>("incidentEmpty");

    RecoveriesConsole() : ConnectedConsole("Recoveries") {}
    void tell(int second, control::Event::Body body) {
        cluster.now = at(second);
        cluster.tell(std::move(body));
    }
    /// Kills the only instance after step 10. The task returns to step 8.
    void kill() {
        tell(100, control::InstanceChanged{dead, control::InstanceState::failed, "killed by signal 9"});
        tell(101, control::TaskRecovers{task, 2, 8, dead, "killed by signal 9"});
        tell(101, control::InstancePlaced{task, next, Sid("gpt-text-1/stage-0/0"), NodeId("mic-1/node-1"), 0, 2});
        Q_EMIT cluster.dataChanged();
    }
    void recover() {
        tell(103, control::InstanceLoaded{next});
        for (int step = 9; step <= 11; ++step) tell(95 + step, control::StepDone{task, {step, 3.0F, 100, 160, 2}});
        Q_EMIT cluster.dataChanged();
    }
    void other_task_fails() {
        const TaskId other("mlp-2");
        tell(200, control::TaskSubmitted{other, "mlp"});
        tell(200, control::InstancePlaced{other, InstanceId("mlp-2/stage-0/0#1"), Sid("mlp-2/stage-0/0"),
                                          NodeId("mic-2/node-1"), 0, 1});
        const Error error{ErrorCode::failed, "the loss is not finite", "mlp-2", "lower the learning rate"};
        tell(201, control::TaskEnding{other, control::Outcome::failed, error, "the loss is not finite"});
        Q_EMIT cluster.dataChanged();
    }
    QString text(int row, int column) const { return rows.model()->index(row, column).data().toString(); }
    QString field(const char* name) const {
        const auto found = fields.findItems(QString::fromLatin1(name), Qt::MatchExactly);
        return found.isEmpty() ? QString() : fields.item(found.front()->row(), 1)->text();
    }
};

}  // namespace

class RecoveriesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void view_without_faults_shows_a_notice() {
        RecoveriesConsole shown;
        QVERIFY(shown.empty.isVisible());
        QVERIFY2(shown.empty.text().contains(QStringLiteral("fault")), qPrintable(shown.empty.text()));
        QVERIFY(!shown.rows.isVisible());
    }

    void a_recovery_is_followed_phase_by_phase() {
        RecoveriesConsole shown;
        shown.kill();
        QVERIFY(!shown.empty.isVisible());
        QCOMPARE(shown.rows.model()->rowCount(), 1);
        QCOMPARE(shown.text(0, 1), QStringLiteral("gpt-text-1"));
        QCOMPARE(shown.text(0, 2), QStringLiteral("gpt-text-1/stage-0/0"));
        QCOMPARE(shown.text(0, 3), QStringLiteral("killed by signal 9"));
        QVERIFY(shown.text(0, 4).contains(QStringLiteral("recovers")));
        shown.console.shot("recoveries-open");
        shown.recover();
        QVERIFY(shown.text(0, 4).contains(QStringLiteral("recovered")));
        QCOMPARE(shown.text(0, 5), QStringLiteral("2"));
        for (const char* phase : {"deciding", "restoring", "starting", "repeating steps"})
            QVERIFY2(shown.text(0, 6).contains(QString::fromLatin1(phase)), qPrintable(shown.text(0, 6)));
        shown.console.shot("recoveries");
    }

    void the_keyboard_opens_and_closes_an_incident() {
        RecoveriesConsole shown;
        shown.kill();
        shown.recover();
        QVERIFY(!shown.fields.isVisible());
        shown.rows.setFocus();
        QTest::keyClick(&shown.rows, Qt::Key_Down);
        QVERIFY(shown.fields.isVisible());
        QVERIFY2(shown.field("Resumed").contains(QStringLiteral("after 4")), qPrintable(shown.field("Resumed")));
        QCOMPARE(shown.field("Outcome"), QStringLiteral("restart after step 8 as generation 2"));
        shown.console.shot("recoveries-fields");
        QTest::keyClick(&shown.rows, Qt::Key_Escape);
        QVERIFY(!shown.fields.isVisible());
    }

    void incidents_are_sorted_by_a_header_and_filtered_by_a_text() {
        RecoveriesConsole shown;
        shown.console.find<QCheckBox>("allIncidents")->setChecked(true);
        shown.kill();
        shown.other_task_fails();
        const QStringList newest{QStringLiteral("mlp-2"), QStringLiteral("gpt-text-1")};
        QCOMPARE(testing::shown_column(shown.rows, 1), newest);
        shown.rows.selectRow(0);
        testing::press_header(shown.rows, 0);  // oldest first
        QCOMPARE(testing::shown_column(shown.rows, 1), (QStringList{newest[1], newest[0]}));
        QCOMPARE(shown.field("Task"), newest[0]);
        QCOMPARE(shown.rows.currentIndex().row(), 1);
        Q_EMIT shown.cluster.dataChanged();
        QCOMPARE(shown.rows.currentIndex().row(), 1);
        shown.console.shot("recoveries-sorted");
        testing::write_filter(*shown.console.find<QLineEdit>("incidentFilter"), "NOT FINITE");
        QCOMPARE(testing::shown_column(shown.rows, 1), QStringList{newest[0]});
        QCOMPARE(shown.field("Task"), newest[0]);
        shown.console.find<QLineEdit>("incidentFilter")->clear();
        testing::press_header(shown.rows, 0);
        testing::press_header(shown.rows, 0);
        QCOMPARE(testing::shown_column(shown.rows, 1), newest);
        shown.rows.selectRow(0);
        testing::write_filter(*shown.console.find<QLineEdit>("incidentFilter"), "SIGNAL 9");
        QCOMPARE(testing::shown_column(shown.rows, 1), QStringList{newest[1]});
        // the hidden row's selection does not move to a neighbour
        QVERIFY(!shown.rows.currentIndex().isValid() && !shown.fields.isVisible());
    }

    void opened_incident_stays_open_when_another_is_added() {
        RecoveriesConsole shown;
        shown.console.find<QCheckBox>("allIncidents")->setChecked(true);
        shown.kill();
        shown.rows.selectRow(0);
        shown.other_task_fails();
        QCOMPARE(shown.rows.model()->rowCount(), 2);
        QCOMPARE(shown.rows.currentIndex().row(), 1);  // the newest row comes first
        QCOMPARE(shown.field("Task"), QStringLiteral("gpt-text-1"));
    }

    void list_shows_the_selected_task_or_all_tasks() {
        RecoveriesConsole shown;
        shown.kill();
        shown.other_task_fails();
        auto* view = shown.console.find<panels::RecoveriesView>("recoveries");
        view->show_task(TaskId("mlp-2"));
        QCOMPARE(shown.rows.model()->rowCount(), 1);
        QCOMPARE(shown.text(0, 1), QStringLiteral("mlp-2"));
        QVERIFY(shown.text(0, 4).contains(QStringLiteral("failed")));
        view->show_task(TaskId("nobody-3"));
        QVERIFY2(shown.empty.text().startsWith(QStringLiteral("nobody-3 has had no fault.")),
                 qPrintable(shown.empty.text()));
        auto* all = shown.console.find<QCheckBox>("allIncidents");
        all->setFocus();
        QTest::keyClick(all, Qt::Key_Space);
        QCOMPARE(shown.rows.model()->rowCount(), 2);
    }

    void narrow_dock_shows_the_phases_and_the_opened_incident() {
        RecoveriesConsole shown;
        shown.kill();
        shown.recover();
        QCOMPARE(shown.console.find<QLabel>("incidentCount")->text(), QStringLiteral("Incidents: 1"));
        auto* dock = shown.console.find<QDockWidget>("Recoveries");
        dock->setFloating(true);
        dock->resize(460, 320);
        QCoreApplication::processEvents();
        const QHeaderView& header = *shown.rows.horizontalHeader();
        QCOMPARE(header.visualIndex(6), 2);  // the bar is next to the task
        const int left = header.sectionViewportPosition(6);
        QVERIFY2(left + 80 < shown.rows.viewport()->width(), qPrintable(QString::number(left)));
        QVERIFY(header.sectionSize(6) >= 160);
        shown.rows.selectRow(0);
        QTRY_VERIFY(shown.fields.mapTo(dock, QPoint()).y() > shown.rows.mapTo(dock, QPoint()).y());
        shown.console.shot("recoveries-narrow", dock);
    }

    /// The frame of the check box has a contrast of 3 : 1 with its surroundings, as WCAG 2 requires for non-text
    /// elements.
    void check_box_has_contrast_in_both_themes() {
        RecoveriesConsole shown;
        auto* all = shown.console.find<QCheckBox>("allIncidents");
        for (const shell::Theme theme : {shell::Theme::dark, shell::Theme::light}) {
            shown.console.window->set_theme(theme);
            QCoreApplication::processEvents();
            QStyleOptionButton option;
            option.initFrom(all);
            const QRect box = all->style()->subElementRect(QStyle::SE_CheckBoxIndicator, &option, all);
            const QImage picture = all->grab().toImage();
            const double ground = luminance(all->palette().color(QPalette::Window));
            double most = 0;
            for (int x = box.left(); x <= box.right(); ++x)
                most = std::max(most, contrast(luminance(picture.pixelColor(x, box.center().y())), ground));
            QVERIFY2(most >= 3, qPrintable(QString::number(most)));
        }
    }

    void recoveries_view_is_translated_to_chinese() {
        RecoveriesConsole shown;
        shown.kill();
        shown.console.window->set_language(QStringLiteral("zh_CN"));
        QTRY_COMPARE(shown.console.find<QCheckBox>("allIncidents")->text(), QStringLiteral("所有任务"));
        QCOMPARE(shown.rows.model()->headerData(6, Qt::Horizontal).toString(), QStringLiteral("阶段"));
        shown.console.shot("recoveries-zh");
        shown.console.window->set_language(QStringLiteral("en"));
    }
};

DIVISI_WINDOW_TEST(RecoveriesTest)

}  // namespace recoveries_test

#include "recoveries_test.moc"
