// SPDX-License-Identifier: GPL-3.0-or-later
// Tests outages of a running task's orchestrator while a console watches.
#include <signal.h>

#include <QAbstractButton>
#include <QElapsedTimer>
#include <QProcess>

#include "backend/control/protocol/task_messages.h"
#include "tests/gui/console.h"
#include "tests/gui/live_console.h"
#include "tests/support/test_program.h"

namespace outage_test {

using namespace divisi;
using divisi::tests::Programs;

namespace {

/// Time within which the console must show that its data is out of date.
constexpr int notice_ms = 2000;
const QRegularExpression countdown(QStringLiteral("Not connected, next attempt in \\d+ s"));
/// Length of the outage in milliseconds. It exceeds the silence after which a curve shows a gap.
constexpr int away_ms = 8000;

/// A fixture with divisid and two nodes without a supervisor that would restart them.
class Lab {
public:
    Lab() {
        qputenv("DIVISI_DATA", programs.data().toUtf8());
        qputenv("XDG_RUNTIME_DIR", programs.folder().toUtf8());
    }
    ~Lab() {
        for (QProcess* process : {&first_node_, &second_node_, &divisid_}) {
            process->terminate();
            if (!process->waitForFinished(15'000)) process->kill();
            process->waitForFinished();
        }
    }
    bool start() {
        launch_orchestrator();
        if (!QTest::qWaitFor([this] { return QFile::exists(connection()); }, 20'000)) return false;
        int number = 0;
        for (QProcess* node : {&first_node_, &second_node_}) {
            const QString name = QStringLiteral("m/node-%1").arg(++number);
            launch(*node, QStringLiteral("divisi-node"),
                   {QStringLiteral("--connect"), connection(), QStringLiteral("--name"), name, QStringLiteral("--data"),
                    programs.folder() + u'/' + name, QStringLiteral("--runtime"), programs.folder()});
        }
        return true;
    }
    void launch_orchestrator() {
        launch(divisid_, QStringLiteral("divisid"),
               {QStringLiteral("--data"), programs.data(), QStringLiteral("--listen"),
                QStringLiteral("ipc://%1/control.sock").arg(programs.folder())});
    }
    /// Pauses or resumes the orchestrator.
    void hold_orchestrator(bool hold) { ::kill(static_cast<pid_t>(divisid_.processId()), hold ? SIGSTOP : SIGCONT); }
    void kill_orchestrator() {
        divisid_.kill();
        divisid_.waitForFinished();
    }
    QString connection() const { return programs.data() + QStringLiteral("/connection.toml"); }

    Programs programs;

private:
    void launch(QProcess& process, const QString& name, const QStringList& arguments) const {
        process.setProcessEnvironment(programs.environment());
        process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        process.start(Programs::program(name), arguments);
    }

    QProcess divisid_, first_node_, second_node_;
};

client::ClusterOptions options_of(const Lab& lab) {
    client::ClusterOptions options = testing::embedded_options(lab.programs);
    options.connection = lab.connection().toStdString();
    options.start = {};
    return options;
}

}  // namespace

class OutageTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void orchestrator_outage_is_shown_and_leaves_a_gap();
    void hang_and_recovery_of_the_orchestrator_are_shown();
};

void OutageTest::hang_and_recovery_of_the_orchestrator_are_shown() {
    Lab lab;
    QVERIFY(lab.start());
    testing::LiveConsole live(options_of(lab));
    const auto* label = live.console.find<QAbstractButton>("connectionState");
    const auto connected = [&] { return label->text().contains(QStringLiteral("Connected to")); };
    QVERIFY(QTest::qWaitFor(connected, 30'000));
    QTest::qWait(700);  // waits for a heartbeat
    QElapsedTimer away;
    away.start();
    lab.hold_orchestrator(true);
    QVERIFY2(QTest::qWaitFor([&] { return countdown.match(label->text()).hasMatch(); }, notice_ms),
             qPrintable(label->text()));
    qInfo("told after %lld ms", static_cast<long long>(away.elapsed()));
    QVERIFY2(label->toolTip().contains(QStringLiteral("does not respond")), qPrintable(label->toolTip()));
    lab.hold_orchestrator(false);  // before the connection times out
    QVERIFY2(QTest::qWaitFor(connected, 3'000), qPrintable(label->text()));
    lab.hold_orchestrator(true);
    QTest::qWait(away_ms);
    QVERIFY2(!connected(), qPrintable(label->text()));
    lab.hold_orchestrator(false);
    QVERIFY2(QTest::qWaitFor(connected, 30'000), qPrintable(label->text()));
}

void OutageTest::orchestrator_outage_is_shown_and_leaves_a_gap() {
    Lab lab;
    QVERIFY(lab.start());
    testing::LiveConsole live(options_of(lab));
    const auto& state = live.cluster.data().state;
    const auto ready = [&] {
        return std::ranges::count_if(
                   state.nodes, [](const auto& node) { return node.second.state == control::NodeState::ready; }) == 2;
    };
    QVERIFY(QTest::qWaitFor(ready, 30'000));
    QVERIFY(live.submit(lab.programs.small_task("watched", 100'000'000)));
    QVERIFY(live.trains());
    live.console.show_dock("Telemetry");
    const charts::LineChart& busy = live.console.find<charts::TelemetryView>("telemetry")->grid().busy();
    QVERIFY(QTest::qWaitFor([&] { return busy.point_count() >= 12; }, 60'000));
    const int runs = busy.run_count();

    const auto* label = live.console.find<QAbstractButton>("connectionState");
    QVERIFY2(label->text().contains(QStringLiteral("Connected to")), qPrintable(label->text()));
    QElapsedTimer away;
    away.start();
    lab.kill_orchestrator();
    QVERIFY2(QTest::qWaitFor([&] { return countdown.match(label->text()).hasMatch(); },
                             notice_ms - static_cast<int>(away.elapsed())),
             qPrintable(label->text()));
    qInfo("told after %lld ms", static_cast<long long>(away.elapsed()));
    const std::int64_t step = live.task()->step;
    live.console.shot("outage");
    QTest::qWait(away_ms - static_cast<int>(away.elapsed()));
    QVERIFY2(!label->text().contains(QStringLiteral("Connected to")), qPrintable(label->text()));

    lab.launch_orchestrator();
    QVERIFY2(QTest::qWaitFor([&] { return label->text().contains(QStringLiteral("Connected to")); }, 30'000),
             qPrintable(label->text()));
    QVERIFY(QTest::qWaitFor([&] { return live.task() && live.task()->step > step; }, 60'000));
    QVERIFY(QTest::qWaitFor([&] { return busy.run_count() > runs; }, 30'000));
    live.console.shot("outage-gap");
    live.cluster.order(control::StopTask{live.task()->id, client::stop_reason});
    QVERIFY(QTest::qWaitFor([&] { return live.task()->over(); }, 60'000));
}

DIVISI_WINDOW_TEST(OutageTest)

}  // namespace outage_test

#include "outage_test.moc"
