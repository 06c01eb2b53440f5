// SPDX-License-Identifier: GPL-3.0-or-later
// Tests a recording that is made in one window and replayed in another without a cluster.
#include <sys/resource.h>
#include <QDialog>

#include <QChart>
#include <QChartView>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QMimeData>
#include <QTableWidget>
#include <QToolBar>
#include <QToolButton>
#include <QXYSeries>
#include <csignal>

#include "app/client/replay_client.h"
#include "app/shell/replay/recordings.h"
#include "app/shell/replay/transport_track.h"
#include "backend/control/protocol/task_messages.h"
#include "tests/gui/console.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace replay_test {

using namespace divisi;
using namespace std::chrono_literals;
using client::RecordingMark;
using client::ReplayClient;

namespace {

const TaskId the_task("gpt-text-1");

/// Returns all points of the loss chart, as they are drawn.
QList<QPointF> loss_points(testing::Console& console) {
    QList<QPointF> points;
    const charts::LineChart& loss = console.find<charts::TelemetryView>("telemetry")->grid().loss();
    for (const QAbstractSeries* series : loss.findChild<QChartView*>()->chart()->series())
        if (const auto* line = qobject_cast<const QXYSeries*>(series)) points << line->points();
    return points;
}

/// Starts a recording with the action and its dialog.
bool begin_recording(testing::Console& console, const QString& file) {
    console.action("record")->trigger();
    auto* dialog = console.find<QFileDialog>("recordDialog");
    dialog->selectFile(file);
    static_cast<QDialog*>(dialog)->accept();
    return QTest::qWaitFor([&] { return console.action("record")->isChecked(); }, 5000);
}

/// A recording of ten steps and, after a while, two more. Recording starts before the first step.
struct Recorded {
    QTemporaryDir folder;
    QString file = folder.filePath(QStringLiteral("lab.divisirec"));
    QStringList tasks;
    QList<QPointF> loss;

    Recorded() {
        testing::ScriptedClient cluster;
        cluster.connect_to(QStringLiteral("lab"));
        testing::Console console(&cluster);
        console.show_dock("Telemetry");
        if (!begin_recording(console, file)) qFatal("no recording");
        QTest::qWait(120);
        cluster.play();
        Q_EMIT cluster.submitted(QStringLiteral("gpt-text-1"));
        for (int step = 11; step <= 12; ++step) {
            QTest::qWait(120);
            cluster.tell(control::StepDone{the_task, {step, 3.0F - 0.1F * static_cast<float>(step), 100, 160, 1}});
        }
        Q_EMIT cluster.dataChanged();
        QCoreApplication::processEvents();
        tasks = names(console);
        loss = loss_points(console);
        console.action("record")->trigger();
    }
    static QStringList names(testing::Console& console) {
        QStringList names;
        const auto* table = console.find<QTableWidget>("taskTable");
        for (int row = 0; row < table->rowCount(); ++row) names << table->item(row, 0)->text();
        return names;
    }
};

/// Returns the times of the last steps, which are marked one by one. The first ten steps arrive together.
std::vector<Duration> step_marks(const ReplayClient& client) {
    std::vector<Duration> steps;
    for (const RecordingMark& mark : client.marks())
        if (mark.kind == RecordingMark::Kind::step) steps.push_back(mark.at);
    return steps;
}

std::int64_t step_of(const client::Client& client) {
    const auto& tasks = client.data().state.tasks;
    return tasks.contains(the_task) ? tasks.at(the_task).step : -1;
}

}  // namespace

class ReplayGuiTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void replay_shows_the_recorded_events() {
        const Recorded recorded;
        QCOMPARE(recorded.tasks.size(), 1);
        QVERIFY(recorded.loss.size() >= 12);
        auto replay = ReplayClient::open(recorded.file.toStdString());
        QVERIFY2(replay.ok(), replay.ok() ? "" : replay.error().message().c_str());
        QVERIFY((*replay)->note().isEmpty());
        testing::Console console(replay->get());
        console.show_dock("Telemetry");
        QVERIFY(console.find<QToolBar>("transportBar")->isVisible());
        QTest::mouseClick(console.find<QToolButton>("replayEnd"), Qt::LeftButton);
        QTRY_COMPARE(step_of(**replay), 12);
        QTRY_COMPARE(Recorded::names(console), recorded.tasks);
        QTRY_COMPARE(loss_points(console), recorded.loss);
        console.shot("replay");
    }

    /// Shows everything that takes height: the bar of the replay, a plan, a run and the score.
    void every_workspace_fits_a_small_screen() {
        auto replay = ReplayClient::open(DIVISI_SOURCE_DIR "/resources/samples/faults-and-recut.divisirec");
        QVERIFY2(replay.ok(), replay.ok() ? "" : replay.error().message().c_str());
        testing::Console console(replay->get());
        const QSize laptop(1366, 768);
        console.window->resize(laptop);
        const QString file = QStringLiteral(DIVISI_SOURCE_DIR "/resources/tasks/gpt-text.toml");
        QVERIFY(console.loads([&] { console.window->open_path(file); }));
        QTest::mouseClick(console.find<QToolButton>("replayEnd"), Qt::LeftButton);
        QTRY_COMPARE(step_of(**replay), 160);
        for (const QString& language : shell::Language::known()) {
            console.window->set_language(language);
            for (const char* action : {"workspace_train", "workspace_mesh", "workspace_faults", "workspace_models",
                                       "workspace_split", "score", "score"}) {
                console.action(action)->trigger();
                QTest::qWait(50);
                QVERIFY2(console.window->size() == laptop, qPrintable(QStringLiteral("%1 in %2: %3 x %4")
                                                                          .arg(QLatin1String(action), language)
                                                                          .arg(console.window->width())
                                                                          .arg(console.window->height())));
            }
        }
    }

    void slider_moves_the_replay_in_both_directions() {
        const Recorded recorded;
        auto replay = ReplayClient::open(recorded.file.toStdString()).value();
        testing::Console console(replay.get());
        const std::vector<Duration> steps = step_marks(*replay);
        QCOMPARE(steps.size(), std::size_t{12});
        auto* track = console.find<shell::TransportTrack>("replayTrack");
        const auto ms = [](Duration at) {
            return static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(at).count());
        };
        const std::pair<int, std::int64_t> places[] = {
            {track->maximum(), 12}, {ms(steps[10]) + 1, 11}, {0, -1}, {ms(steps[9]) + 1, 10}, {ms(steps[10]) + 1, 11}};
        for (const auto& [place, wanted] : places) {
            track->setValue(place);
            QTRY_COMPARE(step_of(*replay), wanted);
            QCOMPARE(track->value(), place);
        }
    }

    void replay_plays_pauses_and_stops_at_the_end() {
        const Recorded recorded;
        auto replay = ReplayClient::open(recorded.file.toStdString()).value();
        testing::Console console(replay.get());
        auto* speed = console.find<QComboBox>("replaySpeed");
        speed->setCurrentIndex(speed->findData(4.0));
        auto* play = console.find<QToolButton>("replayPlay");
        model::ReplayPlayer& player = *console.window->recordings().player();
        QTest::mouseClick(play, Qt::LeftButton);
        QVERIFY(player.playing());
        QTRY_COMPARE_WITH_TIMEOUT(step_of(*replay), 12, 10'000);
        QTRY_VERIFY(!player.playing());
        console.action("play_recording")->trigger();  // starts from the beginning
        QVERIFY(player.playing());
        console.action("play_recording")->trigger();
        QVERIFY(!player.playing());
    }

    void messages_about_later_events_vanish_after_going_back() {
        const Recorded recorded;
        auto replay = ReplayClient::open(recorded.file.toStdString()).value();
        testing::Console console(replay.get());
        QTest::mouseClick(console.find<QToolButton>("replayEnd"), Qt::LeftButton);
        QTRY_COMPARE(step_of(*replay), 12);
        auto* hint = console.find<QLabel>("hint");
        hint->setText(QStringLiteral("Task gpt-text-1 succeeded"));
        console.window->context().cursor.set(replay->begin());
        QTRY_VERIFY(hint->text().isEmpty());
    }

    void actions_that_need_a_cluster_are_disabled_with_the_reason() {
        const Recorded recorded;
        auto replay = ReplayClient::open(recorded.file.toStdString()).value();
        testing::Console console(replay.get());
        QTest::mouseClick(console.find<QToolButton>("replayEnd"), Qt::LeftButton);
        QTRY_COMPARE(step_of(*replay), 12);
        for (const char* id : {"run", "stop", "record"}) {
            QVERIFY2(!console.action(id)->isEnabled(), id);
            QVERIFY2(console.action(id)->toolTip().contains(QStringLiteral("This is a recording of lab")),
                     qPrintable(console.action(id)->toolTip()));
        }
        QVERIFY(!console.action("cut_link")->isVisible());
        replay->order(
            control::StopTask{the_task, client::stop_reason});  // called directly, as if a view had not checked
        QVERIFY(console.find<QLabel>("messageText")->text().contains(QStringLiteral("recording of lab")));
        QVERIFY(console.find<QToolButton>("connectionState")->text().contains(QStringLiteral("Recording of lab")));
    }

    void red_sign_is_shown_while_recording() {
        testing::ScriptedClient cluster;
        cluster.connect_to(QStringLiteral("lab"));
        testing::Console console(&cluster);
        auto* sign = console.find<QToolButton>("recordingSign");
        QVERIFY(!sign->isVisible());
        const QString file = console.folder.filePath(QStringLiteral("mine.divisirec"));
        QVERIFY(begin_recording(console, file));
        QVERIFY(sign->isVisible());
        QVERIFY(sign->toolTip().contains(file));
        QVERIFY(cluster.count<control::QueryMesh>() > 0);  // the mesh is requested for the recording
        console.shot("recording");
        QTest::mouseClick(sign, Qt::LeftButton);
        QTRY_VERIFY(!sign->isVisible());
        QVERIFY(!console.action("record")->isChecked());
        QTRY_VERIFY(ReplayClient::open(file.toStdString()).value()->note().isEmpty());  // a slow disk needs time
    }

    void cancelled_record_dialog_starts_no_recording() {
        testing::ScriptedClient cluster;
        cluster.connect_to(QStringLiteral("lab"));
        testing::Console console(&cluster);
        console.action("record")->trigger();
        static_cast<QDialog*>(console.find<QFileDialog>("recordDialog"))->reject();
        QTRY_VERIFY(!console.action("record")->isChecked());
        QVERIFY(console.action("record")->isEnabled());
    }

    void full_disk_is_reported_and_the_stored_part_can_be_replayed() {
        testing::ScriptedClient cluster;
        cluster.connect_to(QStringLiteral("lab"));
        testing::Console console(&cluster);
        const QString file = console.folder.filePath(QStringLiteral("full.divisirec"));
        QVERIFY(begin_recording(console, file));
        cluster.play();
        std::signal(SIGXFSZ, SIG_IGN);
        rlimit old{};
        ::getrlimit(RLIMIT_FSIZE, &old);
        const rlimit small{64 << 10, old.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &small);
        auto* text = console.find<QLabel>("messageText");
        const bool told = QTest::qWaitFor(
            [&] {
                for (int i = 0; i < 50; ++i)
                    cluster.tell(control::Noted{Severity::info, "test", "", std::string(1000, 'x')});
                return text->isVisible();
            },
            10'000);
        ::setrlimit(RLIMIT_FSIZE, &old);
        QVERIFY(told);
        QVERIFY2(text->text().contains(QStringLiteral("Recording has ended")), qPrintable(text->text()));
        QVERIFY(!console.action("record")->isChecked());
        const auto replay = ReplayClient::open(file.toStdString());
        QVERIFY(replay.ok());
        (*replay)->show((*replay)->end());
        QCOMPARE(step_of(**replay), 10);
    }

    void dropped_file_opens_a_replay_window_or_shows_why_it_cannot() {
        const Recorded recorded;
        testing::Console console;
        QSignalSpy wanted(console.window.get(), &shell::MainWindow::replayRequested);
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(recorded.file)});
        QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(console.window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(console.window.get(), &drop);
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted[0][0].toString(), recorded.file);
        const QString broken = console.write("broken.divisirec", "this is no recording");
        console.window->open_path(broken);
        QCOMPARE(wanted.size(), 1);
        auto* text = console.find<QLabel>("messageText");
        QVERIFY(text->isVisible());
        QVERIFY2(text->text().contains(QStringLiteral("is not a Divisi recording")), qPrintable(text->text()));
    }

    void truncated_recording_is_replayed_with_a_notice() {
        const Recorded recorded;
        QFile file(recorded.file);
        QVERIFY(file.resize(file.size() - 30));
        auto replay = ReplayClient::open(recorded.file.toStdString());
        QVERIFY(replay.ok());
        testing::Console console(replay->get());
        QVERIFY(console.find<QLabel>("messageText")->text().contains(QStringLiteral("not closed")));
        QTest::mouseClick(console.find<QToolButton>("replayEnd"), Qt::LeftButton);
        QTRY_VERIFY(step_of(**replay) >= 10);
    }
};

DIVISI_WINDOW_TEST(ReplayGuiTest)

}  // namespace replay_test

#include "replay_test.moc"
