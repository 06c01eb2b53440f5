// SPDX-License-Identifier: GPL-3.0-or-later
// Tests data that this console or its user cannot handle. The console explains the problem in place, and nothing is
// lost.
#include <QDockWidget>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QTabBar>
#include <QTableWidget>
#include <QToolButton>
#include <algorithm>

#include "app/client/recorder.h"
#include "app/client/replay_client.h"
#include "app/shell/docks/views.h"
#include "app/shell/docks/workbench.h"
#include "backend/control/protocol/connection_messages.h"
#include "tests/gui/connected_console.h"
#include "tests/gui/console.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace bad_input_test {

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

/// Returns the texts of all views, each brought to the front, and why the task graph has no units. Leaves out the form,
/// because it contains the words of task files.
QString texts_of(testing::Console& console) {
    QStringList texts;
    for (const shell::ViewSpec& spec : shell::views()) {
        const QString name = QString::fromLatin1(spec.name);
        if (name == QStringLiteral("New task")) continue;
        console.window->workbench().show_view(spec);
        QCoreApplication::processEvents();
        const auto* dock = console.window->findChild<QDockWidget*>(name);
        const QWidget* view = dock ? dock->widget() : console.window->workbench().centre();
        if (!view) continue;
        for (const QLabel* label : view->findChildren<QLabel*>())
            if (label->isVisible()) texts << name + QStringLiteral(": ") + label->text();
    }
    texts << QStringLiteral("Task graph: ") + console.window->context().units.why_none();
    return texts.join(u'\n');
}

}  // namespace

class BadInputTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void viewer_sees_why_nothing_can_be_run();
    void new_role_after_a_reconnect_allows_running_again();
    void cluster_of_another_version_is_reported_once_with_a_hint();
    void layout_saved_on_another_screen_opens_on_this_one();
    void unreadable_layout_falls_back_to_the_default();
    void recording_of_a_newer_version_is_refused_with_a_hint();
    void unknown_content_of_a_recording_is_reported_when_it_is_read();
    void empty_view_names_what_can_be_done_data();
    void empty_view_names_what_can_be_done();
    void task_graph_says_why_it_is_empty();
};

void BadInputTest::viewer_sees_why_nothing_can_be_run() {
    testing::ConnectedConsole shown(control::Role::viewer);
    shown.cluster.play();
    QVERIFY(shown.console.loads(
        [&] { shown.console.window->open_model(shown.console.window->context().draft.wanted_model()); }));
    auto* table = shown.console.find<QTableWidget>("taskTable");
    table->setCurrentCell(0, 0);
    for (const char* id : {"run", "stop"}) {
        QVERIFY2(!shown.console.action(id)->isEnabled(), id);
        QVERIFY2(shown.console.action(id)->toolTip().contains(QStringLiteral("is read-only")), id);
    }
    auto* stop = shown.console.find<QPushButton>("stopTask");
    QVERIFY(!stop->isEnabled());
    QVERIFY2(stop->toolTip().contains(QStringLiteral("is read-only")), qPrintable(stop->toolTip()));
    shown.cluster.tell(control::TaskSubmitted{TaskId("left-1"), "left", "", "", "", {}, "operator", 0});
    shown.cluster.tell(control::TaskHeld{TaskId("left-1"), true});
    Q_EMIT shown.cluster.dataChanged();
    shown.console.show_dock("Tasks");
    for (int row = 0; row < table->rowCount(); ++row)
        if (table->item(row, 0)->text() == QStringLiteral("left-1")) table->setCurrentCell(row, 0);
    auto* release = shown.console.find<QPushButton>("releaseTask");
    QVERIFY(release->isVisible() && !release->isEnabled());
    QVERIFY(release->toolTip().contains(QStringLiteral("is read-only")));
    shown.console.shot("viewer");
}

void BadInputTest::new_role_after_a_reconnect_allows_running_again() {
    testing::ConnectedConsole shown(control::Role::viewer);
    shown.cluster.play();
    shown.console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
    QVERIFY(!shown.console.action("stop")->isEnabled());
    shown.cluster.state.role = control::Role::operate;
    Q_EMIT shown.cluster.statusChanged();
    QVERIFY(shown.console.action("stop")->isEnabled());
    QVERIFY(!shown.console.action("stop")->toolTip().contains(QStringLiteral("is read-only")));
    QVERIFY(shown.console.find<QPushButton>("stopTask")->isEnabled());
    QVERIFY(shown.console.find<QPushButton>("stopTask")->toolTip().isEmpty());
}

void BadInputTest::cluster_of_another_version_is_reported_once_with_a_hint() {
    ScriptedClient cluster;
    testing::Console console(&cluster);
    console.show_chain();
    auto* text = console.find<QLabel>("messageText");
    cluster.state.connection = client::Connection::waiting;
    cluster.state.retry_at = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    cluster.state.problem =
        QStringLiteral("nobody listens; start the program that should listen there, or check the address");
    Q_EMIT cluster.statusChanged();
    QVERIFY(!text->isVisible());  // this problem needs no action, and the status bar counts down to the next attempt
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
    Q_EMIT cluster.statusChanged();  // the next attempt fails in the same way
    QVERIFY(!text->isVisible());
    QCOMPARE(console.cuts(), (model::Cuts{4}));
}

void BadInputTest::layout_saved_on_another_screen_opens_on_this_one() {
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

void BadInputTest::unreadable_layout_falls_back_to_the_default() {
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

void BadInputTest::recording_of_a_newer_version_is_refused_with_a_hint() {
    testing::Console console;
    console.show_chain();
    const QString file = console.folder.filePath(QStringLiteral("newer.divisirec"));
    {
        auto writer = store::RecordingWriter::create(file.toStdString(), {});
        QVERIFY(writer.ok() && writer->finish().ok());
    }
    QFile recording(file);
    QVERIFY(recording.open(QIODevice::ReadWrite) && recording.seek(8));  // just after the magic number
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

/// The unknown content is only detected after the first paint.
void BadInputTest::unknown_content_of_a_recording_is_reported_when_it_is_read() {
    const QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath(QStringLiteral("later.divisirec")).toStdString();
    store::RecordingHeader header;
    header.protocol = control::protocol_version;
    auto writer = store::RecordingWriter::create(file, header);
    const store::Record unknown{std::chrono::seconds(1), 77, 0, "of a later version"};
    QVERIFY(writer.ok() && writer->write(std::span(&unknown, 1)).ok() && writer->finish().ok());
    const auto replay = client::ReplayClient::open(file, client::RecordedCluster::Scan::later);
    QVERIFY(replay.ok());
    testing::Console console(replay->get());
    auto* text = console.find<QLabel>("messageText");
    QTRY_VERIFY2(text->isVisible() && text->text().contains(QStringLiteral("left out")), qPrintable(text->text()));
}

void BadInputTest::empty_view_names_what_can_be_done_data() {
    QTest::addColumn<QString>("who");
    QTest::addColumn<QString>("says");
    QTest::newRow("no cluster") << "nobody"
                                << "Start a cluster on this machine in the File menu";
    QTest::newRow("no connection") << "waiting"
                                   << "There is no connection to a cluster";
    QTest::newRow("viewer") << "viewer"
                            << "is read-only: the tasks of others appear here";
    QTest::newRow("recording") << "replay"
                               << "This is a recording of lab";
    QTest::newRow("operator") << "operator"
                              << "open a model and run a task (F5)";
}

/// A user is never told to run a task if that is impossible, and never told what to type in a terminal.
void BadInputTest::empty_view_names_what_can_be_done() {
    QFETCH(const QString, who);
    QFETCH(const QString, says);
    ScriptedClient cluster;
    if (who == QStringLiteral("viewer") || who == QStringLiteral("replay")) cluster.state.role = control::Role::viewer;
    cluster.state.replayed = who == QStringLiteral("replay");
    cluster.state.where = QStringLiteral("lab");
    cluster.state.connection =
        who == QStringLiteral("waiting") ? client::Connection::waiting : client::Connection::connected;
    testing::Console console(who == QStringLiteral("nobody") ? nullptr : &cluster);
    console.show_dock("Plans");
    console.find<QTabBar>("planPages")->setCurrentIndex(1);
    const QString texts = texts_of(console);
    for (const char* view : {"Tasks", "Telemetry", "Plans"}) {
        const auto of_view = texts.split(u'\n').filter(QString::fromLatin1(view) + QStringLiteral(": "));
        QVERIFY2(of_view.join(u'\n').contains(says), qPrintable(texts));
    }
    QVERIFY2(!texts.contains(QStringLiteral("--")), qPrintable(texts));
    QCOMPARE(texts.contains(QStringLiteral("run a task"), Qt::CaseInsensitive), who == QStringLiteral("operator"));
    const bool offered = who == QStringLiteral("nobody") || who == QStringLiteral("replay");
    QCOMPARE(console.action("start_cluster")->isVisible(), offered);
}

void BadInputTest::task_graph_says_why_it_is_empty() {
    testing::Console console;
    const model::UnitGraph& units = console.window->context().units;
    console.action("task_graph")->trigger();
    QTRY_VERIFY2(units.why_none().contains(QStringLiteral("Open a model")), qPrintable(units.why_none()));
    QVERIFY(console.loads([&] { console.window->open_model(console.window->context().draft.wanted_model()); }));
    console.action("task_graph")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!units.units().empty(), 20'000);
    task::TaskSpec spec = console.window->context().draft.spec();
    spec.place.stages = {"a", "b", "c", "d", "e", "f", "g"};
    console.window->context().draft.edit(spec, QStringLiteral("Nodes"));
    QTRY_VERIFY_WITH_TIMEOUT(units.units().empty(), 20'000);
    QVERIFY2(units.why_none().startsWith(QStringLiteral("The task has no plan: ")), qPrintable(units.why_none()));
}

DIVISI_WINDOW_TEST(BadInputTest)

}  // namespace bad_input_test

#include "bad_input_test.moc"
