// SPDX-License-Identifier: Apache-2.0
// Tests an admin's send rules in the policy, on the embedded cluster.

#include "tests/system/programs.h"

#include "tests/support/test_program.h"

namespace send_orders_test {

using divisi::tests::Finished;
using divisi::tests::Programs;

class SendOrders : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void denied_flow_waits_with_the_reason_until_it_is_allowed();
    void invalid_send_rules_are_refused_data();
    void invalid_send_rules_are_refused();
};

void SendOrders::denied_flow_waits_with_the_reason_until_it_is_allowed() {
    Programs programs;
    QVERIFY(programs.cluster_up());
    constexpr int steps = 150;
    const QString file = programs.write("wide.toml", divisi::tests::wide_task(steps));
    QProcess run;
    run.setProcessEnvironment(programs.environment());
    run.start(Programs::program("divisictl"), {"run", file, "--json"});
    QString printed;
    const auto step_done = [&](int least) {
        printed += run.readAllStandardOutput();
        return printed.count("\"event\":\"step\"") >= least;
    };
    QVERIFY(QTest::qWaitFor([&] { return step_done(3); }, 60'000));

    const Finished denied = programs.run({"policies", "set", "send:mic-1/*:wide-1/stage-1=deny"});
    QVERIFY2(denied.status == 0, qPrintable(denied.errors));
    const QString reason = "policy 'send:mic-1/*:wide-1/stage-1=deny' denies it";
    const auto refused = [&] {
        const Finished requests = programs.run({"requests", "--denied"});
        return requests.output.contains(reason);
    };
    QVERIFY(QTest::qWaitFor(refused, 10'000));
    QVERIFY(programs.run({"logs", "--contains", "denies it"}).output.contains(reason));
    QVERIFY(programs.run({"policies"}).output.contains("in force: send:mic-1/*:wide-1/stage-1=deny"));
    QTest::qWait(500);
    (void)step_done(0);
    const auto stood = printed.count("\"event\":\"step\"");
    QTest::qWait(2'000);
    (void)step_done(0);
    QVERIFY2(printed.count("\"event\":\"step\"") <= stood + 1, "it trains although it may not send");

    // The more specific rule takes precedence: this node may send.
    const Finished allowed = programs.run({"policies", "set", "send:mic-1/node-1:wide-1/stage-1=allow"});
    QVERIFY2(allowed.status == 0, qPrintable(allowed.errors));
    QVERIFY(run.waitForFinished(120'000));
    printed += run.readAllStandardOutput();
    Finished finished{run.exitCode(), printed, run.readAllStandardError()};
    QVERIFY2(finished.status == 0, qPrintable(finished.errors));
    QCOMPARE(finished.losses().size(), steps);
    QCOMPARE(finished.losses(), programs.run({"reference", file, "--json"}).losses());
}

void SendOrders::invalid_send_rules_are_refused_data() {
    QTest::addColumn<QString>("setting");
    QTest::addColumn<QString>("told");
    QTest::newRow("no such node") << "send:mic-9/node-1:wide-1=deny"
                                  << "no node is called 'mic-9/node-1'";
    QTest::newRow("no sender") << "send:mic-1:wide-1=deny"
                               << "WHO is anyone, MIC/NODE, MIC/*, key@NAME or role@ROLE";
    QTest::newRow("a key for a sender on ipc") << "send:key@mic-1/node-1:wide-1=deny"
                                               << "a sender on ipc has no key";
    QTest::newRow("a key without a name") << "send:key@:wide-1=deny"
                                          << "'key@' must be followed by the name of a key";
    QTest::newRow("no role") << "send:role@boss:wide-1=deny"
                             << "'boss' is not a role of a key";
    QTest::newRow("no prefix") << "send:anyone=deny"
                               << "WHO is anyone, MIC/NODE, MIC/*, key@NAME or role@ROLE";
    QTest::newRow("neither allowed nor denied") << "send:anyone:wide-1=perhaps"
                                                << "either allow or deny";
}

void SendOrders::invalid_send_rules_are_refused() {
    QFETCH(QString, setting);
    QFETCH(QString, told);
    static Programs programs;
    static const bool up = programs.cluster_up();
    QVERIFY(up);
    const Finished set = programs.run({"policies", "set", setting});
    QVERIFY(set.status != 0);
    QVERIFY2(set.errors.contains(told), qPrintable(set.errors));
}

DIVISI_TEST(SendOrders)

}  // namespace send_orders_test

#include "send_orders_test.moc"
