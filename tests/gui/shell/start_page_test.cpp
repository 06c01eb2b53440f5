// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the page of an empty window, and the guide that it offers.
#include <QFile>
#include <QFileDialog>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>
#include <QToolBar>

#include "app/shell/presenting/guide_dock.h"
#include "app/shell/presenting/scenario.h"
#include "app/shell/window/new_windows.h"
#include "backend/control/protocol/connection_messages.h"
#include "backend/store/recording.h"
#include "tests/gui/console.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace start_page_test {

using namespace divisi;
using shell::GuideFacts;

class StartPageTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void start_page_offers_every_first_action() {
        testing::Console console;
        QSignalSpy cluster(console.window.get(), &shell::MainWindow::clusterRequested);
        auto* start = console.find<QPushButton>("startCluster");
        QVERIFY(start->isVisible());
        QVERIFY(console.find<QLabel>("startState")->text().contains(QStringLiteral("no cluster")));
        QVERIFY(console.find<QLabel>("startState")->text().contains(QStringLiteral("new window")));
        QTest::mouseClick(start, Qt::LeftButton);
        QCOMPARE(cluster.size(), 1);
        QTest::mouseClick(console.find<QPushButton>("startConnect"), Qt::LeftButton);
        auto* connect = console.find<QFileDialog>("connectDialog");
        QVERIFY(connect->isVisible());
        connect->reject();
        QTest::mouseClick(console.find<QPushButton>("startRecording"), Qt::LeftButton);
        auto* recording = console.find<QFileDialog>("recordingDialog");
        QVERIFY(recording->isVisible());
        recording->reject();
        console.shot("start-page");
    }

    void start_page_shows_the_state_of_the_cluster() {
        testing::ScriptedClient cluster;
        cluster.state.connection = client::Connection::waiting;
        cluster.state.problem = QStringLiteral("nobody listens there");
        testing::Console console(&cluster);
        auto* state = console.find<QLabel>("startState");
        QVERIFY(state->text().contains(QStringLiteral("nobody listens there")));
        cluster.connect_to(QStringLiteral("lab"));
        QVERIFY(state->text().contains(QStringLiteral("Connected to lab")));
        QVERIFY(!console.find<QPushButton>("startCluster")->isVisible());
    }

    void new_window_opens_the_same_model_and_workspace() {
        testing::Console console;
        const QStringList settings{QStringLiteral("--settings"), QStringLiteral("own.ini")};
        const QStringList workspace{QStringLiteral("--workspace"), QStringLiteral("split")};
        QList<QStringList> started;
        const auto start = [&](const QStringList& arguments) {
            started << arguments;
            return true;
        };
        shell::offer_new_windows(*console.window, settings, start);
        QTest::mouseClick(console.find<QPushButton>("startCluster"), Qt::LeftButton);
        QCOMPARE(started.size(), 1);
        QCOMPARE(started[0], workspace + settings);
        QVERIFY(console.find<QLabel>("hint")->text().contains(QStringLiteral("new window")));
        QVERIFY(console.loads([&] { console.window->open_model(console.window->context().draft.wanted_model()); }));
        const std::string zoo = console.document().model()->source.zoo;
        QVERIFY(!zoo.empty());
        console.action("start_cluster")->trigger();
        QCOMPARE(started.size(), 2);
        QCOMPARE(started[1], workspace + QStringList{QStringLiteral("zoo:") + QString::fromStdString(zoo)} + settings);
        testing::Console other;
        shell::offer_new_windows(*other.window, settings, start);
        const QString path = other.write("mine.toml", testing::TaskFile().drop("train.microbatches"));
        QVERIFY(other.loads([&] { other.window->open_path(path); }));
        QTRY_COMPARE(other.window->context().draft.path(), path);
        Q_EMIT other.window->connectRequested(QStringLiteral("lab.toml"));
        QCOMPARE(started.size(), 3);
        QCOMPARE(started[2], (QStringList{QStringLiteral("--connect"), QStringLiteral("lab.toml")}) + workspace +
                                 QStringList{path} + settings);
    }

    void shipped_recording_opens_in_its_own_window() {
        testing::Console console;
        QList<QStringList> started;
        const auto start = [&](const QStringList& arguments) {
            started << arguments;
            return false;
        };
        shell::offer_new_windows(*console.window, {}, start);
        auto* sample = console.find<QPushButton>("sample0");
        QVERIFY(sample->isVisible());
        QTest::mouseClick(sample, Qt::LeftButton);
        QCOMPARE(started.size(), 1);
        QCOMPARE(started[0].size(), 2);
        QCOMPARE(started[0][0], QStringLiteral("--replay"));
        QVERIFY2(QFile::exists(started[0][1]), qPrintable(started[0][1]));
        QVERIFY(console.find<QMenu>("recentMenu")->isEmpty());  // does not list the sample, which is on the page
        auto* text = console.find<QLabel>("messageText");
        QVERIFY(text->isVisible() && text->text().contains(QStringLiteral("second console could not be started")));
    }

    void recording_is_listed_among_the_recent_files() {
        testing::Console console;
        const QString file = console.folder.filePath(QStringLiteral("lab.divisirec"));
        store::RecordingHeader header;
        header.protocol = control::protocol_version;
        auto writer = store::RecordingWriter::create(file.toStdString(), header);
        QVERIFY(writer.ok() && writer->finish().ok());
        QSignalSpy wanted(console.window.get(), &shell::MainWindow::replayRequested);
        console.window->open_path(file);
        QCOMPARE(wanted.size(), 1);
        auto* menu = console.find<QMenu>("recentMenu");
        QCOMPARE(menu->actions().size(), 1);
        QVERIFY(menu->actions()[0]->text().endsWith(QStringLiteral("lab.divisirec")));
        QTest::mouseClick(console.find<QPushButton>("recent0"), Qt::LeftButton);
        QTRY_COMPARE(wanted.size(), 2);
    }

    void deleted_file_is_removed_from_the_recent_files() {
        testing::Console console;
        console.settings.setValue(QStringLiteral("recent"), QStringList{console.folder.filePath("gone.toml")});
        console.window.reset();
        console.open();
        auto* button = console.find<QPushButton>("recent0");
        QVERIFY(button->isVisible());
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY(console.find<QMenu>("recentMenu")->isEmpty());
        auto* text = console.find<QLabel>("messageText");
        QVERIFY(text->isVisible());
        QVERIFY2(text->text().contains(QStringLiteral("gone.toml no longer exists")), qPrintable(text->text()));
    }

    void scenarios_are_complete_in_both_languages() {
        for (const QString& name : shell::scenario_names()) {
            QFile file(QStringLiteral(":/scenarios/%1.txt").arg(name));
            QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(name));
            const QString text = QString::fromUtf8(file.readAll());
            const auto english = shell::parse_scenario(text, QStringLiteral("en_US"));
            const auto chinese = shell::parse_scenario(text, QStringLiteral("zh_CN"));
            QVERIFY2(english.ok(), english.ok() ? "" : english.error().message().c_str());
            QVERIFY(chinese.ok() && chinese->steps.size() == english->steps.size());
            QVERIFY(chinese->title != english->title);
            testing::Console console;
            for (std::size_t i = 0; i < english->steps.size(); ++i) {
                const shell::GuideStep &one = english->steps[i], &other = chinese->steps[i];
                QVERIFY2(!one.note.isEmpty() && one.note != other.note && one.title != other.title,
                         qPrintable(one.title));
                if (!one.action.isEmpty()) QVERIFY(console.window->context().actions.find(one.action.toStdString()));
            }
        }
    }

    void error_in_a_scenario_names_its_line() {
        const auto unknown = shell::parse_scenario(QStringLiteral("title = A\n[step]\ntitle = B\nnonsense = C\n"), {});
        QVERIFY(!unknown.ok() && unknown.error().where == "line 4");
        const auto until = shell::parse_scenario(QStringLiteral("title = A\n[step]\nuntil = doomsday\n"), {});
        QVERIFY(!until.ok() && until.error().where == "line 3");
        QVERIFY(!shell::parse_scenario({}, {}).ok());
    }

    void step_conditions_compare_the_state_before_and_now() {
        GuideFacts before, now;
        before.cuts = now.cuts = {4};
        before.step = now.step = 7;
        now.running = true;
        const auto met = [&](const char* until) { return shell::is_met(QString::fromLatin1(until), before, now); };
        for (const char* until : {"model", "cut_moved", "ten_steps", "ended", "recut", "link_cut", "connected"})
            QVERIFY2(!met(until), until);
        QVERIFY(met("cut") && met("running") && met("links_whole"));
        now.cuts = {5};
        now.step = 17;
        now.ended = now.recuts = now.links_cut = 1;
        now.model = now.connected = true;
        for (const char* until : {"model", "cut_moved", "ten_steps", "ended", "recut", "link_cut", "connected"})
            QVERIFY2(met(until), until);
        QVERIFY(!met("links_whole"));
        for (const QString& until : shell::guide_conditions())  // every condition is known
            QVERIFY2(shell::is_met(until, before, now) || until == QStringLiteral("links_whole"), qPrintable(until));
    }

    void guide_follows_the_user_and_acts_only_on_request() {
        testing::ScriptedClient cluster;
        cluster.connect_to(QStringLiteral("lab"));
        testing::Console console(&cluster);
        auto* guide = console.find<shell::GuideDock>("Guide");
        QVERIFY(!guide->isVisible());
        QTest::mouseClick(console.find<QPushButton>("guide-cut-and-train"), Qt::LeftButton);
        QVERIFY(guide->isVisible());
        QCOMPARE(guide->step(), 0);
        QVERIFY(!guide->done());
        QVERIFY(console.find<QToolBar>("toolbar")->widgetForAction(console.action("zoo"))->property("guided").toBool());
        console.shot("guide");
        console.document().set_model(testing::chain_model(20), {});
        QVERIFY(guide->done());
        QCOMPARE(guide->step(), 0);  // the guide waits for the reader
        auto* next = console.find<QPushButton>("guideNext");
        QTest::mouseClick(next, Qt::LeftButton);
        QCOMPARE(guide->step(), 1);
        QVERIFY(console.cuts().empty());
        console.find<QSpinBox>("stages")->setValue(3);
        QTest::mouseClick(console.find<QPushButton>("guideDo"), Qt::LeftButton);
        QVERIFY(!console.cuts().empty());
        QTRY_VERIFY(guide->done());
        QTest::mouseClick(next, Qt::LeftButton);
        QCOMPARE(guide->step(), 2);
        QVERIFY(!guide->done());
        console.document().set_cuts({7}, QStringLiteral("Move"));
        QTRY_VERIFY(guide->done());
        QTest::mouseClick(console.find<QPushButton>("guideBack"), Qt::LeftButton);
        QCOMPARE(guide->step(), 1);
        for (int i = 0; i < 5; ++i) QTest::mouseClick(next, Qt::LeftButton);
        QCOMPARE(guide->step(), -1);
        QVERIFY(!guide->isVisible());
        QVERIFY(!cluster.count<client::SubmitText>());  // no task was submitted
    }

    void guide_step_is_done_when_the_user_cuts_a_link() {
        testing::ScriptedClient cluster;
        cluster.connect_to(QStringLiteral("lab"));
        testing::Console console(&cluster);
        console.action("guide_link")->trigger();
        auto* guide = console.find<shell::GuideDock>("Guide");
        auto* next = console.find<QPushButton>("guideNext");
        cluster.play();
        QTRY_VERIFY(guide->done());  // a task is running
        QTest::mouseClick(next, Qt::LeftButton);
        QTest::mouseClick(next, Qt::LeftButton);
        QCOMPARE(guide->step(), 2);
        QVERIFY(!guide->done());
        control::MeshState mesh;
        mesh.faults = {{"mg-1", "sr-1", true, 0, 0}};
        cluster.answer(control::QueryMesh{}, mesh);
        QVERIFY(guide->done());
        QTRY_VERIFY(cluster.count<control::QueryMesh>() > 0);
    }

    void scenario_without_a_cluster_shows_what_it_needs() {
        for (const char* guide : {"guide_link", "guide_recut"}) {
            testing::Console console;
            console.action(guide)->trigger();
            auto* why = console.find<QLabel>("guideWhyNot");
            QVERIFY2(why->isVisible() && why->text().contains(QStringLiteral("no cluster")), qPrintable(why->text()));
            QVERIFY(!console.find<QPushButton>("guideDo")->isEnabled());
        }
        testing::Console console;
        console.window->present(QStringLiteral("cut-and-train"));
        auto* why = console.find<QLabel>("stripWhyNot");
        QVERIFY(!why->isVisible());  // this step only needs a model, which can be opened
        for (int i = 0; i < 3; ++i) QTest::mouseClick(console.find<QPushButton>("stripNext"), Qt::LeftButton);
        QVERIFY2(why->isVisible() && why->text().contains(QStringLiteral("no cluster")), qPrintable(why->text()));
    }

    void scenario_shows_what_blocks_its_step() {
        testing::ScriptedClient cluster;
        cluster.state.role = control::Role::viewer;
        testing::Console console(&cluster);
        console.action("guide_link")->trigger();
        cluster.connect_to(QStringLiteral("lab"));
        auto* why = console.find<QLabel>("guideWhyNot");
        QTRY_VERIFY2(why->text().contains(QStringLiteral("is read-only")), qPrintable(why->text()));
        cluster.state.role = control::Role::operate;
        Q_EMIT cluster.statusChanged();
        QTRY_VERIFY2(why->text().contains(QStringLiteral("odel")), qPrintable(why->text()));  // no model is open
        QVERIFY(why->isVisible());
        auto* next = console.find<QPushButton>("guideNext");
        for (int i = 0; i < 2; ++i) QTest::mouseClick(next, Qt::LeftButton);
        QVERIFY2(why->text().contains(QStringLiteral("does not allow injected faults")), qPrintable(why->text()));
        cluster.play();  // a task is running
        for (int i = 0; i < 2; ++i) QTest::mouseClick(console.find<QPushButton>("guideBack"), Qt::LeftButton);
        QTRY_VERIFY(console.find<shell::GuideDock>("Guide")->done());
        QVERIFY(!why->isVisible());
    }

    void guide_follows_the_language_of_the_window() {
        testing::Console console;
        console.action("guide_recut")->trigger();
        auto* title = console.find<QLabel>("guideStep");
        const QString english = title->text();
        console.action("chinese")->trigger();
        QTRY_VERIFY(title->text() != english);
        console.action("english")->trigger();
        QTRY_COMPARE(title->text(), english);
    }
};

DIVISI_WINDOW_TEST(StartPageTest)

}  // namespace start_page_test

#include "start_page_test.moc"
