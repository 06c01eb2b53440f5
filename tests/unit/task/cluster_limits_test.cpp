// SPDX-License-Identifier: Apache-2.0

#include "backend/task/cluster_file.h"

#include "tests/support/test_program.h"

namespace cluster_limits_test {

using namespace divisi;
using namespace divisi::task;

namespace {

/// Returns a mesh file with one gateway, whose limits begin at line 16.
std::string with(const std::string& limits) {
    return "[cluster]\ntransport = \"tcp\"\norchestrator = \"tcp://10.0.0.1:7600\"\nhost = \"a\"\n[[host]]\n"
           "name = \"a\"\naddress = \"10.0.0.1\"\n[[mic]]\nname = \"m\"\n[[mic.node]]\nname = \"n\"\nhost = \"a\"\n"
           "[mic.gateway]\nname = \"mg\"\nhost = \"a\"\n" +
           limits + "[[router]]\nname = \"sr\"\nhost = \"a\"\nport = 7630\nlinks = [\"mg\"]\n";
}

}  // namespace

/// Tests the [mic.gateway.limits] section of a cluster file.
class ClusterLimitsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void limits_are_read_and_printed();
    void unstated_limits_are_left_to_the_gateway();
    void mistakes_are_named_with_their_line_and_a_remedy_data();
    void mistakes_are_named_with_their_line_and_a_remedy();
};

void ClusterLimitsTest::limits_are_read_and_printed() {
    const auto spec = parse_cluster(
        with("[mic.gateway.limits]\ntask_rate = \"200 MB/s\"\nmic_rate = \"8 Gbit/s\"\ntask_set_ups = 0\n"
             "mic_set_ups = 2500\nretries = 0.5\nset_up_deadline = \"1500 ms\"\npolicy_validity = \"60 s\"\n"),
        "c.toml");
    QVERIFY2(spec.ok(), spec.ok() ? "" : spec.error().message().c_str());
    const ClusterLimits& limits = spec->mics[0].gateway->limits;
    QCOMPARE(*limits.task_bytes_per_s, 2e8);
    QCOMPARE(*limits.mic_bytes_per_s, 1e9);
    QCOMPARE(*limits.task_set_ups_per_s, 0.0);
    QCOMPARE(*limits.mic_set_ups_per_s, 2500.0);
    QCOMPARE(*limits.retries_per_s, 0.5);
    QCOMPARE(*limits.set_up_deadline_s, 1.5);
    QCOMPARE(*limits.policy_validity_s, 60.0);
    const auto again = parse_cluster(print_cluster(*spec), "printed");
    QVERIFY2(again.ok(), again.ok() ? "" : again.error().message().c_str());
    QVERIFY(*again == *spec);
}

void ClusterLimitsTest::unstated_limits_are_left_to_the_gateway() {
    for (const char* text : {"", "[mic.gateway.limits]\n"}) {
        const auto spec = parse_cluster(with(text), "c.toml");
        QVERIFY2(spec.ok(), spec.ok() ? "" : spec.error().message().c_str());
        QVERIFY(spec->mics[0].gateway->limits == ClusterLimits());
        QVERIFY(print_cluster(*spec).find("limits") == std::string::npos);
    }
}

void ClusterLimitsTest::mistakes_are_named_with_their_line_and_a_remedy_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("told");
    QTest::newRow("a rate without unit") << "task_rate = 200"
                                         << "write e.g. \"200 MB/s\"";
    QTest::newRow("a rate too small") << "mic_rate = \"1 kB/s\""
                                      << "1 MB/s or more";
    QTest::newRow("an impossible rate") << "mic_rate = \"nan B/s\""
                                        << "1 MB/s or more";
    QTest::newRow("a negative set-up time") << "task_set_ups = -1"
                                            << "from 0 (no limit) to 1000000";
    QTest::newRow("too many set-ups") << "mic_set_ups = 1e9"
                                      << "to 1000000, such as 2000";
    QTest::newRow("retries as text") << "retries = \"10\""
                                     << "such as 10";
    QTest::newRow("a deadline of zero") << "set_up_deadline = \"0 s\""
                                        << "from 0.1 s to 60 s";
    QTest::newRow("a deadline without unit") << "set_up_deadline = 2"
                                             << "write e.g. \"2 s\"";
    QTest::newRow("a policy for two days") << "policy_validity = \"172800 s\""
                                           << "from 1 s to 86400 s";
    QTest::newRow("unknown") << "policy_valid = \"1 s\""
                             << "did you mean 'policy_validity'?";
}

void ClusterLimitsTest::mistakes_are_named_with_their_line_and_a_remedy() {
    QFETCH(QString, line);
    QFETCH(QString, told);
    const auto spec = parse_cluster(with("[mic.gateway.limits]\n" + line.toStdString() + "\n"), "c.toml");
    QVERIFY(!spec.ok());
    QCOMPARE(QString::fromStdString(spec.error().where), QString("c.toml:17"));
    const QString message = QString::fromStdString(spec.error().message());
    QVERIFY2(message.contains(told), qPrintable(message));
}

DIVISI_TEST(ClusterLimitsTest)

}  // namespace cluster_limits_test

#include "cluster_limits_test.moc"
