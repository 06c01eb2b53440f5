// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the console's exception queue with a scripted client.
#include <QApplication>
#include <QDockWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QTableWidget>

#include "backend/control/change/exceptions.h"
#include "tests/gui/connected_console.h"
#include "tests/gui/console.h"
#include "tests/gui/headers.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace exceptions_test {

using namespace divisi;
using testing::ScriptedClient;

namespace {

testing::TaskFile broken_task() {
    return testing::TaskFile("broken").set("train.steps", 77).drop("train.microbatches");
}

/// Windows for which the console asked the system to draw attention, in order.
QList<const QWidget*> alerted;

/// A fixture with a console that shows the exception queue of a cluster. The user has all rights that the queue
/// requires.
struct ExceptionsConsole : testing::ConnectedConsole {
    QTableWidget& table = *console.find<QTableWidget>("exceptionTable");
    QTableWidget& fields = *console.find<QTableWidget>("exceptionFields");
    QTableWidget& log = *console.find<QTableWidget>("exceptionLog");
    QPushButton& retry = *console.find<QPushButton>("retryException");
    QPushButton& edit = *console.find<QPushButton>("editException");
    QPushButton& drop = *console.find<QPushButton>("dropException");
    QLabel& notice = *console.find<QLabel>("exceptionNotice");
    QLabel& empty = *console.find<QLabel>("exceptionEmpty");

    explicit ExceptionsConsole(control::Role role = control::Role::operate) : ConnectedConsole("Exceptions", role) {}
    /// Sends a failing task as the orchestrator would, and returns the number of its exception.
    std::uint64_t fail(const char* name) {
        const TaskId task(name);
        cluster.tell(control::TaskSubmitted{task, "broken", broken_task().text(), "/", "", {}, "operator", 0});
        const Error error{ErrorCode::failed, "killed by signal 9", std::string(name) + "/stage-1/0", "try it again"};
        cluster.tell(control::TaskEnded{task, control::Outcome::failed, error});
        control::ExceptionEntry entry;
        entry.number = cluster.cluster.state.sequence + 1;
        entry.task = task;
        entry.time = TimePoint(std::chrono::seconds(100));
        entry.error = error;
        entry.node = NodeId("mic-2/node-1");
        entry.operation = "forward 3 of step 12";
        entry.recovered = 1;
        entry.tried = {{2, 10, entry.time, InstanceId("broken-1/stage-1/0#1"), "nobody heard of it"}};
        cluster.tell(control::ExceptionRaised{entry});
        Q_EMIT cluster.dataChanged();
        return entry.number;
    }
    void close(std::uint64_t number) {
        cluster.tell(control::ExceptionClosed{number, TaskId("broken-1"), "me", "dropped"});
        Q_EMIT cluster.dataChanged();
    }
    /// Selects a row with the mouse.
    void choose(int row) {
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualItemRect(table.item(row, 1)).center());
        QCoreApplication::processEvents();
    }
    void press(QPushButton& button) {
        QTest::mouseClick(&button, Qt::LeftButton);
        QCoreApplication::processEvents();
    }
    /// Returns the value beside a name in the fields; empty if the name is not there.
    QString field(const char* name) const {
        const auto found = fields.findItems(QString::fromLatin1(name), Qt::MatchExactly);
        return found.isEmpty() ? QString() : fields.item(found.front()->row(), 1)->text();
    }
};

}  // namespace

}  // namespace exceptions_test

/// Replaces Qt's function for all tests of the window, and records its calls: without a window system, an alert has no
/// visible effect.
void QApplication::alert(QWidget* widget, int) { exceptions_test::alerted << widget; }

namespace exceptions_test {

class ExceptionsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void view_without_exceptions_disables_its_buttons() {
        ExceptionsConsole shown;
        QVERIFY2(shown.empty.text().contains(QStringLiteral("No exceptions")), qPrintable(shown.empty.text()));
        QVERIFY(!shown.table.isVisible());
        for (QPushButton* button : {&shown.retry, &shown.edit, &shown.drop}) QVERIFY(!button->isEnabled());
        shown.console.shot("exceptions-empty");
    }

    void exceptions_are_sorted_by_a_header_and_filtered_by_a_text() {
        ExceptionsConsole shown;
        for (const char* name : {"task-9", "task-10", "other-1"}) (void)shown.fail(name);
        const QStringList newest{QStringLiteral("other-1"), QStringLiteral("task-10"), QStringLiteral("task-9")};
        const auto shows = [&] { return testing::shown_column(shown.table, 1); };
        const auto chosen = [&] { return shown.table.item(shown.table.currentRow(), 1)->text(); };
        QCOMPARE(shows(), newest);
        shown.choose(1);
        QCOMPARE(chosen(), QStringLiteral("task-10"));
        testing::press_header(shown.table, 1);
        QCOMPARE(shows(), (QStringList{newest[0], newest[2], newest[1]}));  // 9 sorts before 10
        QCOMPARE(chosen(), QStringLiteral("task-10"));
        (void)shown.fail("task-1");  // a new row is sorted in, and the selection stays
        QCOMPARE(shows()[1], QStringLiteral("task-1"));
        QCOMPARE(chosen(), QStringLiteral("task-10"));
        testing::press_header(shown.table, 1);
        QCOMPARE(shows().front(), QStringLiteral("task-10"));
        shown.console.shot("exceptions-sorted");
        testing::press_header(shown.table, 1);
        QCOMPARE(shows(), QStringList{QStringLiteral("task-1")} + newest);
        testing::write_filter(*shown.console.find<QLineEdit>("exceptionFilter"), "OTHER");
        QCOMPARE(shows(), QStringList{newest[0]});
        Q_EMIT shown.cluster.dataChanged();
        QCOMPARE(shows(), QStringList{newest[0]});
        shown.console.find<QLineEdit>("exceptionFilter")->clear();
        QCOMPARE(shows().size(), 4);
    }

    void hidden_exception_is_not_dropped() {
        ExceptionsConsole shown;
        for (const char* name : {"task-9", "other-1"}) (void)shown.fail(name);
        shown.choose(1);
        QCOMPARE(shown.table.item(shown.table.currentRow(), 1)->text(), QStringLiteral("task-9"));
        QVERIFY(shown.drop.isEnabled());
        testing::write_filter(*shown.console.find<QLineEdit>("exceptionFilter"), "other");
        QCOMPARE(shown.table.currentRow(), -1);
        QVERIFY(!shown.drop.isEnabled() && !shown.fields.isVisible());
        Q_EMIT shown.cluster.dataChanged();
        QCOMPARE(shown.table.currentRow(), -1);
    }

    void exception_is_opened_with_its_log() {
        ExceptionsConsole shown;
        (void)shown.fail("broken-1");
        const std::uint64_t newest = shown.fail("broken-2");
        QCOMPARE(shown.table.rowCount(), 2);
        QCOMPARE(shown.table.item(0, 1)->text(), QStringLiteral("broken-2"));
        QVERIFY(!shown.fields.isVisible());
        shown.choose(0);
        QCOMPARE(shown.field("Error"), QStringLiteral("killed by signal 9"));
        QCOMPARE(shown.field("Node"), QStringLiteral("mic-2/node-1"));
        QCOMPARE(shown.field("Operation"), QStringLiteral("forward 3 of step 12"));
        QCOMPARE(shown.field("Recovered"), QStringLiteral("1"));
        QCOMPARE(shown.fields.findItems(QStringLiteral("nobody heard of it"), Qt::MatchContains).size(), 1);
        QTRY_VERIFY(!shown.cluster.all<control::QueryLog>().empty());
        const control::QueryLog question = shown.cluster.last<control::QueryLog>();
        QCOMPARE(question.task, std::string("broken-2"));
        QCOMPARE(question.before, newest + 1);
        control::LogPage page;
        page.events = {
            {newest - 2, TimePoint(), control::Noted{Severity::error, "node mic-2/node-1", "", "no memory"}}};
        control::QueryLog other = question;
        other.task = "broken-1";
        shown.cluster.answer(other, page);  // the answer for a previously selected exception
        QCOMPARE(shown.log.rowCount(), 0);
        shown.cluster.answer(question, page);
        QCOMPARE(shown.log.rowCount(), 1);
        QCOMPARE(shown.log.item(0, 1)->text(), QStringLiteral("node mic-2/node-1: no memory"));
        shown.console.shot("exceptions");
        // Another exception appears above the selected one, which stays open.
        (void)shown.fail("broken-3");
        QCOMPARE(shown.table.currentRow(), 1);
        QCOMPARE(shown.log.rowCount(), 1);
    }

    void exception_is_retried() {
        ExceptionsConsole shown;
        const std::uint64_t number = shown.fail("broken-1");
        shown.choose(0);
        shown.press(shown.retry);
        QCOMPARE(shown.cluster.last<control::RetryException>().number, number);
        QVERIFY(!shown.retry.isEnabled());  // until the request is answered
        Q_EMIT shown.cluster.refused(QStringLiteral("the node that has the task's files is lost"));
        QVERIFY(shown.notice.text().contains(QStringLiteral("files is lost")));
        QVERIFY(shown.retry.isEnabled());
        shown.press(shown.retry);
        shown.close(number);
        QCOMPARE(shown.table.rowCount(), 0);
        QCOMPARE(shown.notice.text(), QStringLiteral("Exception %1 is closed.").arg(number));
        QVERIFY(shown.empty.isVisible());
    }

    void exception_is_dropped() {
        ExceptionsConsole shown;
        const std::uint64_t first = shown.fail("broken-1"), second = shown.fail("broken-2");
        shown.choose(1);
        shown.press(shown.drop);
        QCOMPARE(shown.cluster.last<control::DropException>().number, first);
        shown.close(first);
        QCOMPARE(shown.table.rowCount(), 1);
        QCOMPARE(shown.table.item(0, 0)->text(), QString::number(second));
        QVERIFY(!shown.drop.isEnabled());  // the other exception is not selected
    }

    void delete_key_drops_the_selected_exception() {
        ExceptionsConsole shown;
        const std::uint64_t first = shown.fail("broken-1");
        (void)shown.fail("broken-2");
        shown.choose(1);
        QTest::keyClick(&shown.table, Qt::Key_Delete);
        QCOMPARE(shown.cluster.last<control::DropException>().number, first);
    }

    void exception_is_edited_and_submitted() {
        ExceptionsConsole shown;
        const std::uint64_t number = shown.fail("broken-1");
        shown.choose(0);
        QVERIFY(shown.console.loads([&] { shown.press(shown.edit); }));
        QTRY_COMPARE(shown.console.window->context().draft.spec().train.steps, std::int64_t{77});
        QCOMPARE(shown.console.window->context().draft.folder(), QStringLiteral("/"));
        QVERIFY(shown.console.window->context().draft.path().isEmpty());  // the text is not a file of this machine
        QVERIFY(shown.console.find<QDockWidget>("New task")->isVisible());
        QTRY_VERIFY(shown.console.action("run")->isEnabled());
        shown.console.action("run")->trigger();
        QCOMPARE(shown.cluster.last<client::SubmitText>().exception, number);
        QVERIFY(shown.cluster.last<client::SubmitText>().text.contains(QStringLiteral("steps = 77")));
        QCOMPARE(shown.cluster.count<client::SubmitText>(), std::size_t{1});
        // Once the exception is closed, the same form submits an ordinary task.
        shown.close(number);
        shown.console.action("run")->trigger();
        QCOMPARE(shown.cluster.last<client::SubmitText>().exception, std::uint64_t{0});
        QVERIFY(shown.cluster.last<client::SubmitText>().text.contains(QStringLiteral("steps = 77")));
    }

    void failed_task_shows_its_reason_and_offers_a_retry() {
        ExceptionsConsole shown;
        Q_EMIT shown.cluster.submitted(QStringLiteral("broken-1"));
        const auto* hint = shown.console.find<QLabel>("hint");
        QVERIFY(hint->text().contains(QStringLiteral("submitted")));
        const std::uint64_t number = shown.fail("broken-1");
        QVERIFY2(hint->text().contains(QStringLiteral("has failed")), qPrintable(hint->text()));
        const auto* text = shown.console.find<QLabel>("messageText");
        QVERIFY(text->isVisible());
        QVERIFY2(text->text().contains(QStringLiteral("killed by signal 9")), qPrintable(text->text()));
        shown.console.shot("task-failed");
        auto* offer = shown.console.find<QPushButton>("messageOffer");
        QVERIFY(offer->isVisible());
        QVERIFY(shown.console.loads([&] { shown.press(*offer); }));
        QTRY_COMPARE(shown.console.window->context().draft.spec().train.steps, std::int64_t{77});
        QCOMPARE(shown.console.window->context().draft.exception(), number);
        QVERIFY(!text->isVisible());
    }

    void viewer_is_offered_no_retry() {
        ExceptionsConsole shown(control::Role::viewer);
        Q_EMIT shown.cluster.submitted(QStringLiteral("broken-1"));
        (void)shown.fail("broken-1");
        QVERIFY(shown.console.find<QLabel>("messageText")->isVisible());
        QVERIFY(!shown.console.find<QPushButton>("messageOffer")->isVisible());
    }

    void success_is_announced_once() {
        ExceptionsConsole shown;
        Q_EMIT shown.cluster.submitted(QStringLiteral("gpt-text-1"));
        alerted.clear();
        shown.cluster.tell(control::TaskEnded{TaskId("gpt-text-1"), control::Outcome::succeeded, {}});
        Q_EMIT shown.cluster.dataChanged();
        QCOMPARE(alerted, QList<const QWidget*>{shown.console.window.get()});
        auto* hint = shown.console.find<QLabel>("hint");
        QVERIFY2(hint->text().contains(QStringLiteral("has succeeded")), qPrintable(hint->text()));
        QVERIFY(!shown.console.find<QLabel>("messageText")->isVisible());
        hint->clear();
        Q_EMIT shown.cluster.dataChanged();
        QVERIFY(hint->text().isEmpty());
        QCOMPARE(alerted.size(), 1);
    }

    void new_task_does_not_belong_to_the_edited_exception() {
        ExceptionsConsole shown;
        const std::uint64_t number = shown.fail("broken-1");
        shown.choose(0);
        QVERIFY(shown.console.loads([&] { shown.press(shown.edit); }));
        QTRY_COMPARE(shown.console.window->context().draft.exception(), number);
        shown.console.action("new_task")->trigger();
        QTRY_COMPARE(shown.console.window->context().draft.exception(), std::uint64_t{0});
    }

    void narrow_dock_places_the_list_above_the_details() {
        ExceptionsConsole shown;
        (void)shown.fail("broken-1");
        auto* dock = shown.console.find<QDockWidget>("Exceptions");
        dock->setFloating(true);
        dock->resize(420, 300);
        shown.choose(0);
        QTRY_VERIFY(shown.fields.mapTo(dock, QPoint()).y() > shown.table.mapTo(dock, QPoint()).y());
        QVERIFY2(shown.fields.width() >= 360, qPrintable(QString::number(shown.fields.width())));
        QVERIFY(shown.table.height() >= 50 && shown.fields.height() >= 50);
        shown.console.shot("exceptions-narrow", dock);
        // The log can be reached with the keyboard.
        QTabBar* tabs = shown.console.find<QTabWidget>("exceptionOpened")->tabBar();
        tabs->setFocus();
        QTest::keyClick(tabs, Qt::Key_Right);
        QVERIFY(shown.log.isVisible() && !shown.fields.isVisible());
    }

    void viewer_cannot_change_exceptions() {
        ExceptionsConsole shown(control::Role::viewer);
        (void)shown.fail("broken-1");
        shown.choose(0);
        for (QPushButton* button : {&shown.retry, &shown.edit, &shown.drop}) {
            QVERIFY(!button->isEnabled());
            QVERIFY(button->toolTip().contains(QStringLiteral("is read-only")));
        }
        QCOMPARE(shown.field("Error"), QStringLiteral("killed by signal 9"));
    }
};

DIVISI_WINDOW_TEST(ExceptionsTest)

}  // namespace exceptions_test

#include "exceptions_test.moc"
