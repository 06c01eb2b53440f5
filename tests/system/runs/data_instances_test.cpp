// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <QJsonArray>
#include <algorithm>
#include <functional>

#include "tests/support/task_file.h"
#include "tests/support/test_program.h"

#include "tests/system/endless_run.h"

namespace data_instances_test {

using divisi::testing::TaskFile;
using divisi::tests::Finished;
using divisi::tests::Programs;

namespace {

TaskFile dealt_task(int instances, int steps) {
    return TaskFile("dealt")
        .gpt(2, 64, 2, 32)
        .replace("data", {{"kind", "text"},
                          {"path", DIVISI_SOURCE_DIR "/resources/samples/text/divisi.txt"},
                          {"validation_share", 0.05},
                          {"instances", instances}})
        .section(
            "train",
            {{"steps", steps}, {"microbatches", 4}, {"optimizer", "adamw"}, {"eval_every", 20}, {"eval_batches", 2}})
        .section("split", {{"stages", 2}, {"schedule", "1f1b"}})
        .set("place.stages", {"mic-1/node-1", "mic-2/node-1"});
}

}  // namespace

/// Tests data instances, among which gateways distribute the requests for data. The instances join, leave and die while
/// a task trains. The losses must equal those of the reference.
class DataInstances : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QVERIFY(programs_.cluster_up()); }
    void any_number_of_instances_gives_the_reference_bits_data();
    void any_number_of_instances_gives_the_reference_bits();
    void killed_instance_neither_repeats_a_step_nor_changes_losses();
    void instances_join_and_leave_while_the_task_trains();
    void killed_only_instance_is_replaced();
    void instances_leave_a_drained_node_data();
    void instances_leave_a_drained_node();
    void instance_that_keeps_dying_fails_the_task();
    void invalid_scaling_is_refused();
    void policy_selects_the_dealing_rule();
    void plan_prices_data_instances();

private:
    QString task(int instances, int steps) const { return programs_.write("dealt.toml", dealt_task(instances, steps)); }
    QStringList reference(int steps) {
        if (!references_.contains(steps))
            references_[steps] = programs_.run({"reference", task(0, steps), "--json"}).losses();
        return references_[steps];
    }
    /// Returns the rows of `services` for the task's running data instances.
    QList<QJsonObject> present() const {
        QList<QJsonObject> found;
        for (const QJsonObject& row : programs_.run({"services", "dealt", "--json"}).objects())
            if (row["kind"].toString() == "data" && row["instance_state"].toString() == "running") found.append(row);
        return found;
    }
    /// Returns the SIDs of the instances that `services` shows for a name.
    QStringList answering(const QString& name) const {
        QStringList sids;
        for (const QJsonObject& row : programs_.run({"services", name, "--json"}).objects()) {
            const QString sid = row["instance"].toString();
            if (!sids.contains(sid)) sids.append(sid);
        }
        sids.sort();
        return sids;
    }
    QJsonObject dealt(const QString& gateway) const {
        for (const QJsonObject& device : programs_.run({"routes", "--json"}).objects())
            if (device["device"].toString() == gateway) return device["dealt"].toObject();
        return {};
    }
    /// Runs the task, and calls `meanwhile` once gateways assign micro-batches to all its data instances. Checks that
    /// the losses until then are the reference's.
    void run_with(int instances, const std::function<void(const QString& task)>& meanwhile,
                  const QStringList& settings = {}) {
        constexpr int endless = 100'000;
        QProcess run;
        run.setProcessEnvironment(programs_.environment());
        run.start(Programs::program("divisictl"), QStringList{"run", task(instances, endless), "--json"} + settings);
        const auto serve = [](const QJsonObject& row) { return row["served_microbatches"].toInt() > 0; };
        const auto all_serve = [&] {
            const auto rows = present();
            return rows.size() == instances && std::ranges::all_of(rows, serve);
        };
        QVERIFY(QTest::qWaitFor(all_serve, 30'000));
        meanwhile(present().front()["task"].toString());
        divisi::tests::stop_and_compare(programs_, run, task(0, endless));
    }
    void kill(const QJsonObject& row) const {
        const QString instance = row["instance"].toString() + "#" + QString::number(row["incarnation"].toInt());
        const auto found = programs_.pids("divisi-instance", instance.toUtf8());
        QCOMPARE(found.size(), 1);
        ::kill(static_cast<pid_t>(found.front()), SIGKILL);
    }

    /// Returns whether the next process of the same SID has served micro-batches.
    bool comes_back(const QJsonObject& dead) const {
        const auto is_next = [&](const QJsonObject& row) {
            return row["instance"] == dead["instance"] && row["served_microbatches"].toInt() > 0 &&
                   row["incarnation"].toInt() == dead["incarnation"].toInt() + 1;
        };
        const auto any = [&] {
            const auto rows = present();
            return std::ranges::any_of(rows, is_next);
        };
        return QTest::qWaitFor(any, 30'000);
    }

    Programs programs_;
    QMap<int, QStringList> references_;
};

void DataInstances::any_number_of_instances_gives_the_reference_bits_data() {
    QTest::addColumn<int>("instances");
    for (const int instances : {0, 1, 3}) QTest::addRow("%d", instances) << instances;
}
void DataInstances::any_number_of_instances_gives_the_reference_bits() {
    QFETCH(int, instances);
    const QStringList expected = reference(40);
    QCOMPARE(expected.size(), 40);
    const Finished run = programs_.run({"run", task(instances, 40), "--json"});
    QVERIFY2(run.status == 0, qPrintable(run.errors));
    QCOMPARE(run.losses(), expected);
    QCOMPARE(run.objects("evaluation").size(), 2);
}

void DataInstances::killed_instance_neither_repeats_a_step_nor_changes_losses() {
    run_with(3, [&](const QString& task) {
        const QJsonObject dead = present().at(1);
        const int served = present().front()["served_microbatches"].toInt();
        kill(dead);
        QVERIFY(QTest::qWaitFor([&] { return present().front()["served_microbatches"].toInt() > served; }, 10'000));
        QVERIFY(comes_back(dead));
        QCOMPARE(present().size(), 3);
        const auto log = programs_.run({"logs", "--task", task}).output;
        QVERIFY(log.contains("the task continues with 2 other data instances"));
        QVERIFY(log.contains("in place of " + dead["instance"].toString() + "#1: "));
        const Finished incidents = programs_.run({"incidents", task, "--json"});
        QCOMPARE(incidents.objects().size(), 1);
        const QJsonObject incident = incidents.objects().front();
        QCOMPARE(incident["instance"].toString(), dead["instance"].toString() + "#1");
        QCOMPARE(incident["answer"].toString(), "replaced");
        QCOMPARE(incident["replayed"].toInt(-1), 0);
        QVERIFY(!incident["open"].toBool(true));
        QVERIFY(incident["resumed_after_s"].toDouble() >= incident["restored_after_s"].toDouble());
        QVERIFY(programs_.run({"incidents", "other-1"}).output.contains("no incidents of other-1"));
    });
}

void DataInstances::killed_only_instance_is_replaced() {
    run_with(1, [&](const QString& task) {
        const QJsonObject dead = present().front();
        kill(dead);
        QVERIFY(comes_back(dead));
        QVERIFY(programs_.run({"logs", "--task", task}).output.contains("the task waits for a data instance"));
    });
}

void DataInstances::instances_leave_a_drained_node_data() {
    QTest::addColumn<int>("instances");
    for (const int instances : {1, 2}) QTest::addRow("%d", instances) << instances;
}
/// The node has no stage, so no step is repeated. The drain applies although the task file names this node.
void DataInstances::instances_leave_a_drained_node() {
    QFETCH(const int, instances);
    const QString node = "mic-1/node-2";
    run_with(instances,
             [&](const QString& task) {
                 const auto before = present();
                 const Finished drained = programs_.run({"drain", node, "--wait", "--json"});
                 QVERIFY2(drained.status == 0, qPrintable(drained.errors));
                 QCOMPARE(drained.objects().first()["drain"].toString(), QString("draining"));
                 QCOMPARE(drained.objects().last()["drain"].toString(), QString("drained"));
                 for (const QJsonObject& one : before) QVERIFY(comes_back(one));
                 QCOMPARE(present().size(), instances);
                 QVERIFY(programs_.run({"logs", "--task", task}).output.contains("for the drain of " + node));
                 QCOMPARE(programs_.run({"drain", node, "--undo"}).status, 0);
             },
             {"--set", "place.data=" + node});
}

void DataInstances::instances_join_and_leave_while_the_task_trains() {
    run_with(1, [&](const QString& task) {
        const Finished more = programs_.run({"scale", task, "data=3"});
        QVERIFY2(more.status == 0, qPrintable(more.errors));
        const auto serve = [](const QJsonObject& row) { return row["served_microbatches"].toInt() > 0; };
        QVERIFY(QTest::qWaitFor(
            [&] {
                const auto rows = present();
                return rows.size() == 3 && std::ranges::all_of(rows, serve);
            },
            20'000));
        QVERIFY(dealt("mg-1").size() == 3 && dealt("mg-2").size() == 3);
        // If a name is not a SID, `services` shows the instances of its longest prefix that has some. Here it shows
        // the instances of one replica, or of all three replicas.
        const QString data = task + "/data";
        QCOMPARE(answering(data + "/1/part"), QStringList{data + "/1"});
        QCOMPARE(answering(data + "/77"), (QStringList{data + "/0", data + "/1", data + "/2"}));
        QVERIFY(programs_.run({"services", data + "/77"}).output.startsWith(data + " answers for "));
        QVERIFY(answering("other-1/data/77").isEmpty());
        QCOMPARE(programs_.run({"scale", task, "data=1"}).status, 0);
        QVERIFY(QTest::qWaitFor([&] { return present().size() == 1; }, 10'000));
        // After the data instance was removed, the next process of its SID takes its place.
        QCOMPARE(programs_.run({"scale", task, "data=2"}).status, 0);
        QVERIFY(QTest::qWaitFor([&] { return present().size() == 2; }, 20'000));
        QVERIFY(present().at(1)["incarnation"].toInt() > 1);
    });
}

void DataInstances::instance_that_keeps_dying_fails_the_task() {
    QProcess run;
    run.setProcessEnvironment(programs_.environment());
    run.start(Programs::program("divisictl"), {"run", task(1, 100'000), "--json"});
    QVERIFY(QTest::qWaitFor([&] { return present().size() == 1; }, 30'000));
    for (int restarts = 0; restarts < 3; ++restarts) {
        const QJsonObject dead = present().front();
        kill(dead);
        QVERIFY(comes_back(dead));
        QCOMPARE(run.state(), QProcess::Running);
    }
    kill(present().front());
    QVERIFY(run.waitForFinished(30'000));
    QCOMPARE(run.exitCode(), 1);
}

void DataInstances::invalid_scaling_is_refused() {
    for (const auto& [what, why] : QList<std::pair<QString, QString>>{{"data", "does not state the number"},
                                                                      {"data=x", "does not state the number"},
                                                                      {"stages=3", "does not state the number"},
                                                                      {"data=2", "no such task"}}) {
        const Finished refused = programs_.run({"scale", "nobody", what});
        QVERIFY(refused.status != 0);
        QVERIFY2(refused.errors.contains(why), qPrintable(refused.errors));
    }
    run_with(1, [&](const QString& task) {
        for (const char* number : {"data=0", "data=65", "data=-1"}) {
            const Finished refused = programs_.run({"scale", task, number});
            QVERIFY(refused.status != 0 && refused.errors.contains("from 1 to 64"));
        }
    });
    const Finished many = programs_.run({"plan", task(65, 10)});
    QVERIFY(many.status != 0);
    QVERIFY2(many.errors.contains("data.instances"), qPrintable(many.errors));
}

void DataInstances::policy_selects_the_dealing_rule() {
    for (const char* rule : {"least-outstanding", "weighted", "two-choices", "round-robin"}) {
        const Finished set = programs_.run({"policies", "set", QString("balancing=") + rule});
        QVERIFY2(set.status == 0, qPrintable(set.errors));
        const Finished run = programs_.run({"run", task(2, 40), "--json"});
        QVERIFY2(run.status == 0, qPrintable(run.errors));
        QCOMPARE(run.losses(), reference(40));
    }
    QVERIFY(programs_.run({"policies"}).output.contains("balancing=round-robin"));
    const Finished wrong = programs_.run({"policies", "set", "balancing=fair"});
    QVERIFY(wrong.status != 0 && wrong.errors.contains("two-choices"));
    QCOMPARE(programs_.run({"policies", "set", "balancing=default"}).status, 0);
}

void DataInstances::plan_prices_data_instances() {
    const auto planned = [&](int instances) {
        const QList<QJsonObject> lines = programs_.run({"plan", task(instances, 10), "--json"}).objects();
        return lines.isEmpty() ? QJsonObject() : lines.last();
    };
    QVERIFY(planned(0)["predicted_step_ms"].toDouble() > 0 && !planned(0).contains("data"));
    const QJsonObject data = planned(3)["data"].toObject();
    QCOMPARE(data["devices"].toArray().size(), 3);
    QVERIFY(data["busy_ms"].toDouble() > 0 && data["microbatch_ms"].toDouble() > 0);
    // Expects int64 tokens and targets for 8 samples of 32 tokens each.
    QCOMPARE(data["sent_bytes"].toInt(), 2 * 8 * 8 * 32);
    const QString shown = programs_.run({"plan", task(3, 10)}).output;
    QVERIFY(shown.contains("3 instances") && shown.contains("data instances are never measured"));
}

DIVISI_TEST(DataInstances)

}  // namespace data_instances_test

#include "data_instances_test.moc"
