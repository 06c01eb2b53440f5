// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the console's model versions with a scripted client.
#include <QDockWidget>
#include <QFileDialog>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QTableWidget>
#include <QTimer>

#include "app/panels/tables/row_table.h"
#include "tests/gui/connected_console.h"
#include "tests/gui/console.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace versions_test {

using namespace divisi;
using panels::RowTable;
using testing::ScriptedClient;

namespace {

testing::TaskFile trained() { return testing::TaskFile("trained").set("train.steps", 77).drop("train.microbatches"); }

struct VersionsConsole : testing::ConnectedConsole {
    RowTable& table = *console.find<RowTable>("versionTable");
    QTableWidget& fields = *console.find<QTableWidget>("versionFields");
    QPushButton& start = *console.find<QPushButton>("startFromVersion");
    QPushButton& save = *console.find<QPushButton>("exportVersion");
    QPushButton& drop = *console.find<QPushButton>("dropVersion");
    QLabel& notice = *console.find<QLabel>("versionNotice");
    QLabel& empty = *console.find<QLabel>("versionEmpty");

    explicit VersionsConsole(control::Role role = control::Role::operate) : ConnectedConsole("Model versions", role) {}
    /// Sends a version of a succeeded task as the orchestrator would.
    void make(std::uint64_t number, std::uint64_t parent = 0) {
        const TaskId task("trained-" + std::to_string(number));
        cluster.tell(control::TaskSubmitted{task, "trained", trained().text(), "/work", "", {}, "operator", 0});
        cluster.tell(control::TaskEnded{task, control::Outcome::succeeded, {}});
        control::ModelVersion version;
        version.number = number;
        version.task = task;
        version.hash = "00112233445566" + std::to_string(10 + number);
        version.parent = parent;
        version.model = "zoo:mlp";
        version.step = 77;
        version.loss = 0.5F / static_cast<float>(number);
        version.time = TimePoint(std::chrono::seconds(100 + number));
        version.size = 2 << 20;
        cluster.tell(control::VersionMade{version});
        Q_EMIT cluster.dataChanged();
    }
    void choose(int row) {
        QCoreApplication::processEvents();  // lets the rows be laid out
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                          table.visualRect(table.model()->index(row, 2)).center());
        QCoreApplication::processEvents();
    }
    QString field(const char* name) const {
        const auto found = fields.findItems(QString::fromLatin1(name), Qt::MatchExactly);
        return found.isEmpty() ? QString() : fields.item(found.front()->row(), 1)->text();
    }
};

}  // namespace

class VersionsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void view_without_versions_disables_its_buttons() {
        VersionsConsole shown;
        QVERIFY2(shown.empty.text().contains(QStringLiteral("F5")), qPrintable(shown.empty.text()));
        for (QPushButton* button : {&shown.start, &shown.save, &shown.drop}) QVERIFY(!button->isEnabled());
    }

    void each_version_is_listed_under_its_parent() {
        VersionsConsole shown;
        shown.make(1);
        shown.make(2);
        shown.make(3, 1);
        shown.make(4, 3);
        shown.make(5, 1);
        QCOMPARE(shown.table.shown(), 5);
        QStringList tree;
        for (int row = 0; row < 5; ++row) tree << shown.table.text(row, 0);
        QCOMPARE(tree, (QStringList{QStringLiteral("1"), QStringLiteral("\u251c\u2500 3"),
                                    QStringLiteral("\u2502  \u2514\u2500 4"), QStringLiteral("\u2514\u2500 5"),
                                    QStringLiteral("2")}));
        QCOMPARE(shown.table.text(2, 1), QStringLiteral("00112233"));
        shown.choose(2);
        QCOMPARE(shown.field("Lineage"), QStringLiteral("1 \u2192 3 \u2192 4"));
        QCOMPARE(shown.field("Step"), QStringLiteral("77"));
        shown.console.shot("versions");
        // Sorts by loss, and then shows the tree again.
        shown.table.sortByColumn(5, Qt::AscendingOrder);
        QCOMPARE(shown.table.text(0, 2), QStringLiteral("trained-5"));
        QCOMPARE(shown.table.current(), QStringLiteral("4"));  // the selection stays
        shown.table.sortByColumn(0, Qt::AscendingOrder);
        QCOMPARE(shown.table.text(4, 0), QStringLiteral("2"));
        auto* filter = shown.console.find<QLineEdit>("versionFilter");
        filter->setText(QStringLiteral("trained-3"));
        QCOMPARE(shown.table.shown(), 1);
    }

    void task_is_started_from_a_version() {
        VersionsConsole shown;
        shown.make(1);
        shown.make(2, 1);
        shown.choose(1);
        QVERIFY(shown.start.isEnabled());
        QVERIFY(shown.console.loads([&] { QTest::mouseClick(&shown.start, Qt::LeftButton); }));
        QTRY_COMPARE(shown.console.window->context().draft.spec().model.from, std::string("2"));
        QCOMPARE(shown.console.window->context().draft.spec().train.steps, std::int64_t{77});
        QCOMPARE(shown.console.window->context().draft.folder(), QStringLiteral("/work"));
        QVERIFY(shown.console.find<QDockWidget>("New task")->isVisible());
        QTRY_VERIFY(shown.console.action("run")->isEnabled());
        shown.console.action("run")->trigger();
        QVERIFY2(shown.cluster.last<client::SubmitText>().text.contains(QStringLiteral("from = \"2\"")),
                 qPrintable(shown.cluster.last<client::SubmitText>().text));
    }

    void version_is_dropped_after_a_confirmation() {
        VersionsConsole shown;
        shown.make(1);
        shown.choose(0);
        const auto dialog = [&] {
            return shown.console.window->findChild<QMessageBox*>(QStringLiteral("dropVersionDialog"));
        };
        QTest::mouseClick(&shown.drop, Qt::LeftButton);
        QVERIFY(dialog());
        QTest::keyClick(dialog(), Qt::Key_Escape);
        QVERIFY(shown.cluster.all<control::DropVersion>().empty());
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QTest::mouseClick(&shown.drop, Qt::LeftButton);
        QVERIFY(dialog());
        QTest::mouseClick(dialog()->findChild<QPushButton*>(QStringLiteral("dropVersionNow")), Qt::LeftButton);
        QCOMPARE(shown.cluster.last<control::DropVersion>().number, std::uint64_t{1});
        QVERIFY(!shown.drop.isEnabled());  // until the request is answered
        Q_EMIT shown.cluster.refused(QStringLiteral("a task begins with it"));
        QVERIFY(shown.notice.text().contains(QStringLiteral("begins with it")));
        QVERIFY(shown.drop.isEnabled());
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QTest::mouseClick(&shown.drop, Qt::LeftButton);
        QTest::mouseClick(dialog()->findChild<QPushButton*>(QStringLiteral("dropVersionNow")), Qt::LeftButton);
        shown.cluster.tell(control::VersionDropped{1, TaskId("trained-1"), "me", "dropped"});
        Q_EMIT shown.cluster.dataChanged();
        QCOMPARE(shown.notice.text(), QStringLiteral("The weights of version 1 were deleted."));
        QCOMPARE(shown.table.shown(), 0);  // removed, since no version descends from it
    }

    void version_is_exported() {
        VersionsConsole shown;
        shown.make(1);
        shown.choose(0);
        QTest::mouseClick(&shown.save, Qt::LeftButton);
        auto* dialog = shown.console.window->findChild<QFileDialog*>(QStringLiteral("versionExportDialog"));
        QVERIFY(dialog);
        Q_EMIT dialog->fileSelected(QStringLiteral("/tmp/one.onnx"));
        dialog->close();
        QCOMPARE(shown.cluster.last<client::ExportVersion>().version, std::uint64_t{1});
        QCOMPARE(shown.cluster.last<client::ExportVersion>().file, QStringLiteral("/tmp/one.onnx"));
        QVERIFY(!shown.save.isEnabled());
        Q_EMIT shown.cluster.versionExported(1, QStringLiteral("/tmp/one.onnx"));
        QVERIFY(shown.notice.text().contains(QStringLiteral("/tmp/one.onnx")));
        QVERIFY(shown.save.isEnabled());
    }

    void checkpoint_is_kept_as_a_version() {
        VersionsConsole shown;
        auto* keep = shown.console.find<QPushButton>("keepCheckpoint");
        QVERIFY(!keep->isEnabled());
        QVERIFY2(keep->toolTip().contains(QStringLiteral("divisictl checkpoint")), qPrintable(keep->toolTip()));
        const TaskId task("gpt-text-1");
        control::Checkpoint made;
        made.step = 8;
        shown.cluster.tell(control::CheckpointCommitted{task, made});
        Q_EMIT shown.cluster.dataChanged();
        QVERIFY(keep->isEnabled());
        const auto choose = [&] {
            // The menu runs its own event loop until an entry is chosen.
            QTimer::singleShot(0, keep->menu(), [menu = keep->menu()] {
                QTest::keyClick(menu, Qt::Key_Down);
                QTest::keyClick(menu, Qt::Key_Return);
            });
            QTest::mouseClick(keep, Qt::LeftButton);
        };
        choose();
        QCOMPARE(shown.cluster.last<control::KeepCheckpoint>().task, task);
        QCOMPARE(shown.cluster.last<control::KeepCheckpoint>().step, std::int64_t{8});
        QVERIFY(!keep->isEnabled());  // until the request is answered
        Q_EMIT shown.cluster.refused(QStringLiteral("there is no such name"));
        QVERIFY(shown.notice.text().contains(QStringLiteral("no such name")));
        QVERIFY(keep->isEnabled());
        choose();
        control::ModelVersion version;
        version.number = 7;
        version.task = task;
        version.step = 8;
        version.checkpoint = true;
        shown.cluster.tell(control::VersionMade{version});
        Q_EMIT shown.cluster.dataChanged();
        QVERIFY2(shown.notice.text().contains(QStringLiteral("version 7")), qPrintable(shown.notice.text()));
        QVERIFY(!keep->isEnabled());  // the checkpoint is a version now
        QCOMPARE(shown.table.shown(), 1);
    }

    void dropped_version_is_shown_only_as_history() {
        VersionsConsole shown;
        shown.make(1);
        shown.make(2, 1);
        shown.cluster.tell(control::VersionDropped{1, TaskId("trained-1"), "me", "dropped"});
        Q_EMIT shown.cluster.dataChanged();
        QCOMPARE(shown.table.shown(), 2);
        QCOMPARE(shown.table.text(0, 8), QStringLiteral("deleted"));
        shown.choose(0);
        for (QPushButton* button : {&shown.start, &shown.save, &shown.drop}) {
            QVERIFY(!button->isEnabled());
            QVERIFY2(button->toolTip().contains(QStringLiteral("deleted")), qPrintable(button->toolTip()));
        }
    }

    void viewer_cannot_change_versions() {
        VersionsConsole shown(control::Role::viewer);
        shown.make(1);
        shown.choose(0);
        QCOMPARE(shown.field("Version"), QStringLiteral("1"));
        auto* keep = shown.console.find<QPushButton>("keepCheckpoint");
        for (QPushButton* button : {&shown.start, &shown.save, &shown.drop, keep}) {
            QVERIFY(!button->isEnabled());
            QVERIFY(button->toolTip().contains(QStringLiteral("is read-only")));
        }
    }
};

DIVISI_WINDOW_TEST(VersionsTest)

}  // namespace versions_test

#include "versions_test.moc"
