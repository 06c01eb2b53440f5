// SPDX-License-Identifier: GPL-3.0-or-later
// What does not fit this console, or this person: a sentence in place, and nothing is lost.
#include <QDockWidget>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QTableWidget>
#include <QToolButton>
#include <algorithm>

#include "app/client/recorder.h"
#include "tests/gui/console.h"
#include "tests/gui/scripted_client.h"

using namespace divisi;
using testing::ScriptedClient;

namespace {

bool on_screen(const shell::MainWindow& window) {
    const QRect room = window.screen()->availableGeometry();
    const QSize most = room.size().expandedTo(window.minimumSizeHint());
    return room.intersects(window.geometry()) && room.contains(window.geometry().topLeft()) &&
           window.width() <= most.width() && window.height() <= most.height();
}

int shown_docks(const shell::MainWindow& window) {
    const auto docks = window.findChildren<QDockWidget*>();
    return static_cast<int>(std::ranges::count_if(docks, [](const QDockWidget* dock) { return dock->isVisible(); }));
}

}  // namespace

class BadInputTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void who_may_only_watch_sees_why_nothing_can_be_run();
    void another_role_after_a_new_connection_allows_it_again();
    void a_cluster_of_another_version_is_told_once_with_what_to_do();
    void a_layout_of_another_screen_opens_on_this_one();
    void a_layout_that_cannot_be_read_is_the_usual_one();
    void a_recording_of_a_newer_version_is_refused_with_what_to_do();
};

void BadInputTest::who_may_only_watch_sees_why_nothing_can_be_run() {
    ScriptedClient cluster;
    cluster.state.role = control::Role::viewer;
    testing::Console console(&cluster);
    cluster.connect_to(QStringLiteral("lab"));
    cluster.play();
    QVERIFY(console.loads([&] { console.window->open_model(console.window->draft().wanted_model()); }));
    auto* table = console.find<QTableWidget>("taskTable");
    table->setCurrentCell(0, 0);
    for (const char* id : {"run", "stop"}) {
        QVERIFY2(!console.action(id)->isEnabled(), id);
        QVERIFY2(console.action(id)->toolTip().contains(QStringLiteral("may only watch")), id);
    }
    auto* stop = console.find<QPushButton>("stopTask");
    QVERIFY(!stop->isEnabled());
    QVERIFY2(stop->toolTip().contains(QStringLiteral("may only watch")), qPrintable(stop->toolTip()));
    cluster.tell(control::TaskSubmitted{TaskId("left-1"), "left", "", "", "", {}, "operator", 0});
    cluster.tell(control::TaskHeld{TaskId("left-1"), true});
    Q_EMIT cluster.dataChanged();
    console.show_dock("Tasks");
    for (int row = 0; row < table->rowCount(); ++row)
        if (table->item(row, 0)->text() == QStringLiteral("left-1")) table->setCurrentCell(row, 0);
    auto* release = console.find<QPushButton>("releaseTask");
    QVERIFY(release->isVisible() && !release->isEnabled());
    QVERIFY(release->toolTip().contains(QStringLiteral("may only watch")));
    console.shot("viewer");
}

void BadInputTest::another_role_after_a_new_connection_allows_it_again() {
    ScriptedClient cluster;
    cluster.state.role = control::Role::viewer;
    testing::Console console(&cluster);
    cluster.connect_to(QStringLiteral("lab"));
    cluster.play();
    console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
    QVERIFY(!console.action("stop")->isEnabled());
    cluster.state.role = control::Role::operate;
    Q_EMIT cluster.statusChanged();
    QVERIFY(console.action("stop")->isEnabled());
    QVERIFY(!console.action("stop")->toolTip().contains(QStringLiteral("may only watch")));
    QVERIFY(console.find<QPushButton>("stopTask")->isEnabled());
    QVERIFY(console.find<QPushButton>("stopTask")->toolTip().isEmpty());
}

void BadInputTest::a_cluster_of_another_version_is_told_once_with_what_to_do() {
    ScriptedClient cluster;
    testing::Console console(&cluster);
    console.show_chain();
    auto* text = console.find<QLabel>("messageText");
    cluster.state.connection = client::Connection::waiting;
    cluster.state.retry_at = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    cluster.state.problem = QStringLiteral("nobody listens; start it, or check the address");
    Q_EMIT cluster.statusChanged();
    QVERIFY(!text->isVisible());  // that mends by itself, and the status bar counts down
    const auto refused = control::check_protocol(control::protocol_version + 1, "9.9.9", "ipc:///lab");
    QVERIFY(!refused.ok());
    cluster.state.problem = QString::fromStdString(refused.error().message());
    cluster.state.lasting = true;
    Q_EMIT cluster.statusChanged();
    QVERIFY(text->isVisible());
    QVERIFY2(text->text().contains(QStringLiteral("run the same Divisi version on all machines")),
             qPrintable(text->text()));
    console.shot("another-version");
    QTest::mouseClick(console.find<QFrame>("messageBar")->findChild<QToolButton*>(), Qt::LeftButton);
    QVERIFY(!text->isVisible());
    Q_EMIT cluster.statusChanged();  // the next attempt ends the same way
    QVERIFY(!text->isVisible());
    QCOMPARE(console.cuts(), (model::Cuts{4}));
}

void BadInputTest::a_layout_of_another_screen_opens_on_this_one() {
    const QTemporaryDir folder;
    QSettings settings(folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
    {
        shell::MainWindow window(settings, nullptr);
        window.show();
        window.setGeometry(6000, 4000, 3800, 2100);
        settings.setValue(QStringLiteral("geometry"), window.saveGeometry());
    }
    shell::MainWindow window(settings, nullptr);
    const QRect at = window.geometry();
    QVERIFY2(on_screen(window),
             qPrintable(QStringLiteral("%1, %2, %3 x %4").arg(at.x()).arg(at.y()).arg(at.width()).arg(at.height())));
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
}

void BadInputTest::a_layout_that_cannot_be_read_is_the_usual_one() {
    testing::Console console;
    const int usual = shown_docks(*console.window);
    QVERIFY(usual > 0);
    console.window->close();
    console.window.reset();
    const QStringList keys = console.settings.allKeys();
    QVERIFY(keys.contains(QStringLiteral("workspaces/split")));
    for (const QString& key : keys)
        if (key == QStringLiteral("geometry") || key.startsWith(QStringLiteral("workspaces/")))
            console.settings.setValue(key, QByteArray("this is no layout"));
    console.open();
    QCOMPARE(shown_docks(*console.window), usual);
}

void BadInputTest::a_recording_of_a_newer_version_is_refused_with_what_to_do() {
    testing::Console console;
    console.show_chain();
    const QString file = console.folder.filePath(QStringLiteral("newer.divisirec"));
    {
        auto writer = store::RecordingWriter::create(file.toStdString(), {});
        QVERIFY(writer.ok() && writer->finish().ok());
    }
    QFile recording(file);
    QVERIFY(recording.open(QIODevice::ReadWrite) && recording.seek(8));  // behind the magic
    QVERIFY(recording.putChar(static_cast<char>(store::recording_format + 1)));
    recording.close();
    QSignalSpy wanted(console.window.get(), &shell::MainWindow::replayRequested);
    console.window->open_path(file);
    QCOMPARE(wanted.size(), 0);
    auto* text = console.find<QLabel>("messageText");
    QVERIFY(text->isVisible());
    QVERIFY2(text->text().contains(QStringLiteral("version of Divisi that wrote it")), qPrintable(text->text()));
    QCOMPARE(console.cuts(), (model::Cuts{4}));
}

QTEST_MAIN(BadInputTest)
#include "bad_input_test.moc"
