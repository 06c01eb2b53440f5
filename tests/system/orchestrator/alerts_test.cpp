// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include "tests/support/test_program.h"

#include "tests/system/programs.h"

namespace alerts_test {

using divisi::tests::Finished;
using divisi::tests::Programs;

/// Tests the alerts of a cluster of real processes, with the default rules.
class AlertsSystem : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QVERIFY(programs_.cluster_up()); }
    void nan_loss_alert_lasts_as_long_as_its_exception();
    void stopped_node_raises_alert_until_it_returns();

private:
    QList<QJsonObject> alerts(const QString& rule, const QString& subject) const {
        QList<QJsonObject> found;
        for (const QJsonObject& one : programs_.run({"alerts", "--json"}).objects())
            if (one["rule"].toString() == rule && one["subject"].toString() == subject) found.append(one);
        return found;
    }
    bool becomes(const QString& rule, const QString& subject, const QString& state) const {
        return QTest::qWaitFor(
            [&] {
                const auto found = alerts(rule, subject);
                return found.size() == 1 && found[0]["state"].toString() == state;
            },
            90'000);
    }
    pid_t node_agent(const QString& name) const {
        for (const QString& pid : QDir("/proc").entryList(QDir::Dirs)) {
            QFile file("/proc/" + pid + "/cmdline");
            if (!file.open(QIODevice::ReadOnly)) continue;
            const QString line = QString(file.readAll()).replace(QChar('\0'), ' ');
            if (line.contains("/divisi-node ") && line.contains(programs_.folder()) && line.contains(name))
                return pid.toInt();
        }
        return 0;
    }

    Programs programs_;
};

void AlertsSystem::nan_loss_alert_lasts_as_long_as_its_exception() {
    const Finished run = programs_.run({"run", programs_.small_task("diverges", 1000), "--json", "--set",
                                        "train.lr=1e30", "--set", "train.optimizer=sgd"});
    QVERIFY2(run.status == 1, qPrintable(run.errors));
    const auto raised = alerts("loss not finite", "diverges-1");
    QCOMPARE(raised.size(), 1);
    QCOMPARE(raised[0]["state"].toString(), QString("raised"));
    QVERIFY(raised[0]["what"].toString().contains("loss is"));
    QVERIFY(raised[0]["next"].toString().contains("train.lr"));
    // The task cannot recover by itself and is in the exception queue.
    const QString exception = QString::number(raised[0]["exception"].toInt());
    const Finished shown = programs_.run({"exceptions", "show", exception});
    QVERIFY2(shown.status == 0 && shown.output.contains("loss not finite"), qPrintable(shown.output));
    QVERIFY(programs_.run({"alerts", "--standing"}).output.contains("exceptions show " + exception));
    QCOMPARE(programs_.run({"exceptions", "drop", exception}).status, 0);
    QVERIFY(becomes("loss not finite", "diverges-1", "cleared"));
    QVERIFY(!programs_.run({"alerts", "--standing", "--json"}).output.contains("diverges-1"));
}

void AlertsSystem::stopped_node_raises_alert_until_it_returns() {
    const auto nodes = programs_.run({"nodes", "--json"}).objects();
    QVERIFY(!nodes.isEmpty());
    const QString name = nodes.last()["node"].toString();
    const pid_t agent = node_agent(name);
    QVERIFY(agent > 0);
    ::kill(agent, SIGSTOP);
    const bool raised = becomes("node silent", name, "raised");
    ::kill(agent, SIGCONT);
    QVERIFY(raised);
    QVERIFY(becomes("node silent", name, "cleared"));
    QVERIFY(programs_.run({"logs", "--contains", "alert"}).output.contains("node silent: node " + name));
}

DIVISI_TEST(AlertsSystem)

}  // namespace alerts_test

#include "alerts_test.moc"
