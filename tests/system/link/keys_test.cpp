// SPDX-License-Identifier: Apache-2.0
#include <future>

#include "tests/support/task_file.h"
#include "tests/support/test_program.h"

#include "tests/system/tcp_cluster.h"

namespace keys_test {

using divisi::testing::TaskFile;
using divisi::tests::Finished;
using divisi::tests::TcpCluster;

/// Checks permissions on a cluster of several machines: tcp with CURVE, one key each.
class Keys : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        QVERIFY(cluster_.start());
        task_ = cluster_.programs.write("keys.toml", keys_task());
    }
    void operator_trains_over_tcp();
    void refused_client_is_told_what_to_do();
    void denials_are_logged();
    void key_may_begin_with_a_dash();

private:
    static TaskFile keys_task() { return TaskFile("keys").set("train.steps", 4).set("split.stages", 2); }
    TcpCluster cluster_;
    QString task_;
};

void Keys::operator_trains_over_tcp() {
    QVERIFY(cluster_.allow(cluster_.make_key("alice"), "alice", "operator"));
    const Finished run = cluster_.run_as("alice", {"run", task_, "--json"});
    QVERIFY2(run.status == 0, qPrintable(run.errors + run.output.right(600)));
    const Finished reference = cluster_.programs.run({"reference", task_, "--json"});
    QCOMPARE(run.losses().size(), 4);
    QCOMPARE(run.losses(), reference.losses());
    const Finished tasks = cluster_.run_as("alice", {"tasks", "--json"});  // operators may also watch
    QVERIFY2(tasks.status == 0, qPrintable(tasks.errors));
    QCOMPARE(tasks.objects().size(), 1);
}

void Keys::refused_client_is_told_what_to_do() {
    const QString mallory = cluster_.make_key("mallory"), bob = cluster_.make_key("bob");
    QVERIFY(cluster_.allow(cluster_.make_key("vera"), "vera", "viewer"));
    QVERIFY(cluster_.allow(bob, "bob", "operator"));
    QCOMPARE(cluster_.run_as("vera", {"tasks"}).status, 0);
    QCOMPARE(cluster_.run_as("bob", {"tasks"}).status, 0);
    QCOMPARE(cluster_.programs.run({"keys", "revoke", bob}).status, 0);

    // A refused client retries for some seconds, so all refused clients run at the same time.
    struct Refusal {
        QString key_file;
        QStringList arguments;
        QString told;
        std::future<Finished> finished = {};
    } refusals[] = {
        {"mallory", {"run", task_, "--json"}, "divisictl keys add '" + mallory + "'"},
        {"bob", {"tasks"}, "divisictl keys add '" + bob + "'"},
        {"vera", {"run", task_, "--json"}, "the role of the key is viewer"},
        {"vera", {"keys", "add", mallory, "--name", "mallory"}, "the role of the key is viewer"},
        {"mic-1-node-1.key", {"tasks"}, "the role of the key is agent"},
    };
    for (Refusal& one : refusals)
        one.finished = std::async(std::launch::async, [&] { return cluster_.run_as(one.key_file, one.arguments); });
    for (Refusal& one : refusals) {
        const Finished finished = one.finished.get();
        QVERIFY2(finished.status == 1, qPrintable(one.key_file + ": " + finished.output + finished.errors));
        QVERIFY2(finished.errors.contains(one.told), qPrintable(one.key_file + ": " + finished.errors));
        QVERIFY2(finished.output.isEmpty(), qPrintable(finished.output));
    }
}

void Keys::denials_are_logged() {
    const Finished logs = cluster_.programs.run({"logs", "--contains", "denied: vera"});
    QVERIFY2(logs.output.contains("asked for role operator"), qPrintable(logs.output + logs.errors));
}

void Keys::key_may_begin_with_a_dash() {
    const QString key = "-" + QString(39, '7');
    const Finished added = cluster_.programs.run({"keys", "add", key, "--name", "dash", "--role", "viewer"});
    QVERIFY2(added.status == 0, qPrintable(added.errors));
    QVERIFY(cluster_.programs.run({"keys", "--json"}).output.contains(key));
    const Finished revoked = cluster_.programs.run({"keys", "revoke", key});
    QVERIFY2(revoked.status == 0, qPrintable(revoked.errors));
}

DIVISI_TEST(Keys)

}  // namespace keys_test

#include "keys_test.moc"
