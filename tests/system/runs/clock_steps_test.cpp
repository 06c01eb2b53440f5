// SPDX-License-Identifier: Apache-2.0
#include <QDateTime>

#include "tests/support/test_program.h"

#include "tests/system/disturbed_run.h"

namespace clock_steps_test {

using divisi::tests::DisturbedRun;
using divisi::tests::endless;
using divisi::tests::expect_reference_bits;
using divisi::tests::Programs;

/// Sets the wall clock back or ahead during a training. Running processes continue by the steady clock. Processes that
/// start later have a different wall-clock time. The training recovers with the losses that it would have had.
class ClockSteps : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void clock_step_does_not_change_losses_data();
    void clock_step_does_not_change_losses();

private:
    static void set_clock(const Programs& programs, int seconds_off) {
        programs.write("clock", QByteArray::number(seconds_off));
    }
    /// Kills a process; the host of the cluster restarts it.
    static void kill_one(const Programs& programs, const QByteArray& program, const QByteArray& argument = {}) {
        const auto before = programs.pids(program, argument);
        QCOMPARE(before.size(), 1);
        ::kill(static_cast<pid_t>(before.first()), SIGKILL);
        const auto is_back = [&] {
            const auto now = programs.pids(program, argument);
            return now.size() == 1 && now != before;
        };
        QVERIFY(QTest::qWaitFor(is_back, 30'000));
    }
    /// Returns the offset of the orchestrator's clock from this process's clock, taken from the orchestrator's
    /// newest start. The log is ordered by times, which the test shifts, so the highest event number decides.
    static qint64 orchestrator_off(const Programs& programs) {
        QString time;
        int last = 0;
        for (const QJsonObject& line : programs.run({"logs", "--events", "--json", "--limit", "100000"}).objects()) {
            if (line["kind"].toString() != "cluster_started" || line["sequence"].toInt() < last) continue;
            last = line["sequence"].toInt();
            time = line["time"].toString();
        }
        QDateTime then = QDateTime::fromString(time, "yyyy-MM-dd HH:mm:ss");
        then.setTimeSpec(Qt::UTC);
        return QDateTime::currentDateTimeUtc().secsTo(then);
    }
};

void ClockSteps::clock_step_does_not_change_losses_data() {
    QTest::addColumn<int>("seconds");
    QTest::newRow("an hour back") << -3'600;
    QTest::newRow("a day ahead") << 86'400;
}

void ClockSteps::clock_step_does_not_change_losses() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QSKIP("a sanitizer's runtime must be loaded before all others");
#endif
    QFETCH(const int, seconds);
    Programs programs;
    set_clock(programs, 0);
    programs.set_variable("TZ", "UTC");
    programs.set_variable("LD_PRELOAD", DIVISI_STEPPED_CLOCK_LIBRARY);
    programs.set_variable("DIVISI_STEPPED_CLOCK", programs.folder() + "/clock");
    QVERIFY(programs.cluster_up());
    DisturbedRun run(programs, programs.task_across_mics("timed", endless), {"checkpoint.every=5"});
    QVERIFY2(run.wait_for_checkpoint(), run.told());

    set_clock(programs, seconds);
    kill_one(programs, "divisid");
    QVERIFY2(run.wait_for_more_steps(), run.told());
    constexpr int slack_s = 600;  // tolerance for a busy machine
    QVERIFY(std::abs(orchestrator_off(programs) - seconds) < slack_s);
    QCOMPARE(divisi::tests::signal_role(programs, "timed-1/stage-0", SIGKILL).size(), 1);
    QVERIFY2(run.wait_for_recoveries(1), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    kill_one(programs, "divisi-node", "mic-2/node-1");
    QVERIFY2(run.wait_for_recoveries(2), run.told());
    QVERIFY2(run.wait_for_checkpoint(run.last("recovery")["step"].toInt()), run.told());

    set_clock(programs, 0);
    kill_one(programs, "divisid");
    QVERIFY2(run.wait_for_more_steps(), run.told());
    QVERIFY(std::abs(orchestrator_off(programs)) < slack_s);
    run.stop();
    expect_reference_bits(run);
    QCOMPARE(run.all("recovery").size(), 2);
}

DIVISI_TEST(ClockSteps)

}  // namespace clock_steps_test

#include "clock_steps_test.moc"
