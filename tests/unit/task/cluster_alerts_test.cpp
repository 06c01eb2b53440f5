// SPDX-License-Identifier: Apache-2.0

#include "backend/task/cluster_file.h"

#include "tests/support/test_program.h"

namespace cluster_alerts_test {

using namespace divisi;
using namespace divisi::task;

namespace {

/// Returns a cluster file whose alerts begin at line 3.
std::string with(const std::string& alerts) {
    return "[cluster]\norchestrator = \"ipc:///run/divisi/o\"\n" + alerts +
           "[[mic]]\nname = \"m\"\n[[mic.node]]\nname = \"n\"\nendpoint = \"ipc:///run/divisi/n\"\n";
}

}  // namespace

/// Tests the [alerts] section of a cluster file.
class ClusterAlertsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void alert_rules_are_read_and_printed() {
        const auto spec =
            parse_cluster(with("[alerts]\nslow = 2.5\nslow_for = \"5 s\"\nsilent = \"500 ms\"\nqueue = 3\n"
                               "disk = \"20 GiB\"\nloss = false\n"),
                          "c.toml");
        QVERIFY2(spec.ok(), spec.ok() ? "" : spec.error().message().c_str());
        QVERIFY((spec->alerts == AlertRules{2.5, 5, 0.5, 3, Bytes{20} << 30, false}));
        const auto again = parse_cluster(print_cluster(*spec), "printed");
        QVERIFY2(again.ok(), again.ok() ? "" : again.error().message().c_str());
        QVERIFY(*again == *spec);
    }

    void omitted_rules_have_their_defaults() {
        for (const char* text : {"", "[alerts]\n", "[alerts]\nqueue = 20\n"}) {
            const auto spec = parse_cluster(with(text), "c.toml");
            QVERIFY2(spec.ok(), spec.ok() ? "" : spec.error().message().c_str());
            QVERIFY(spec->alerts == AlertRules());
            QVERIFY(print_cluster(*spec).find("alerts") == std::string::npos);
        }
    }

    void mistakes_are_named_data() {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("what");
        QTest::newRow("unknown key") << "speed = 3"
                                     << "speed";
        QTest::newRow("factor") << "slow = 0.5"
                                << "alerts.slow is not a valid factor";
        QTest::newRow("no unit") << "slow_for = \"30\""
                                 << "alerts.slow_for";
        QTest::newRow("negative") << "silent = \"-1 s\""
                                  << "out of range";
        QTest::newRow("queue") << "queue = -1"
                               << "alerts.queue is out of range";
        QTest::newRow("disk") << "disk = \"a lot\""
                              << "alerts.disk is not a valid size";
        QTest::newRow("type") << "loss = 1"
                              << "alerts.loss";
    }
    void mistakes_are_named() {
        QFETCH(QString, line);
        QFETCH(QString, what);
        const auto spec = parse_cluster(with("[alerts]\n" + line.toStdString() + "\n"), "c.toml");
        QVERIFY(!spec.ok());
        const QString message = QString::fromStdString(spec.error().message());
        QVERIFY2(message.contains(what), qPrintable(message));
        QVERIFY2(message.contains("c.toml:4"), qPrintable(message));
    }
};

DIVISI_TEST(ClusterAlertsTest)

}  // namespace cluster_alerts_test

#include "cluster_alerts_test.moc"
