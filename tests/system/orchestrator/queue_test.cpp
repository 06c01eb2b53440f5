// SPDX-License-Identifier: Apache-2.0
// Tests the queue with real processes: pools, exclusive and shared nodes, shares between two users, reservations.
#include <memory>

#include "backend/link/security.h"
#include "tests/support/test_program.h"
#include "tests/system/programs.h"

namespace queue_test {

using divisi::tests::Finished;
using divisi::tests::Programs;

class Queue : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void shared_node_takes_two_tasks_and_an_exclusive_one_alone();
    void two_users_share_a_pool_by_weight();
    void reservation_excludes_other_users();
    void invalid_queue_settings_are_refused();

private:
    using Process = std::unique_ptr<QProcess>;

    Process launch(const QString& name, const QStringList& arguments) const {
        auto process = std::make_unique<QProcess>();
        process->setProcessEnvironment(programs_.environment());
        process->start(Programs::program(name), arguments);
        return process;
    }
    /// Starts a task of one stage that runs as soon as it is placed. alice and bob connect with their keys.
    Process run(const QString& name, int steps, const QStringList& settings, const QString& who = {}) const {
        QStringList arguments{"run", programs_.small_task(name, steps), "--json", "--set", "split.stages=1"};
        for (const QString& setting : settings) arguments << "--set" << setting;
        if (!who.isEmpty())
            arguments << "--connect" << programs_.data() + "/connection-tcp.toml"
                      << "--keys" << programs_.folder() + "/" + who + ".key";
        return launch("divisictl", arguments);
    }
    /// Steps take some 30 ms, because thousands of steps per second would slow down this machine for the test.
    Process run_endless(const QString& name, const QStringList& settings) const {
        return run(name, 100'000'000, QStringList{"train.batch=2048", "data.samples=2048"} + settings);
    }
    QJsonObject row(const QStringList& command, const QString& key, const QString& value) const {
        for (const QJsonObject& one : programs_.run(QStringList(command) << "--json").objects())
            if (one[key].toString() == value) return one;
        return {};
    }
    QString waits_for(const QString& task) const {
        const QJsonObject queue = programs_.run({"queue", "--json"}).objects().value(0);
        for (const auto& one : queue["waiting"].toArray())
            if (one.toObject()["task"].toString() == task) return one.toObject()["waits_for"].toString();
        return {};
    }
    bool comes_to_wait(const QString& task, const QString& reason) const {
        const bool waits =
            QTest::qWaitFor([&] { return !waits_for(task).isEmpty() && waits_for(task).contains(reason); }, 20'000);
        if (!waits) qWarning("%s", qPrintable(programs_.run({"tasks"}).output + programs_.run({"queue"}).output));
        return waits;
    }
    QString state_of(const QString& task) const { return row({"tasks"}, "task", task)["phase"].toString(); }
    bool runs(const QString& task) const {
        return QTest::qWaitFor(
            [&] { return state_of(task) == "data exchange" || state_of(task).contains("telemetry"); }, 20'000);
    }
    void stop(const QString& task) const {
        (void)programs_.run({"tasks", "stop", task});
        QVERIFY(QTest::qWaitFor([&] { return state_of(task) == "ended"; }, 20'000));
    }
    static bool ends(const Process& process) {
        return QTest::qWaitFor([&] { return process->state() == QProcess::NotRunning; }, 60'000);
    }
    void expect_error(const QStringList& arguments, const QString& text) const {
        const Finished finished = programs_.run(arguments);
        QVERIFY2(finished.status != 0, qPrintable(finished.output));
        QVERIFY2(finished.errors.contains(text), qPrintable(finished.errors));
    }

    Programs programs_;
    std::vector<Process> processes_;
};

namespace {

QByteArray cluster_text(const QString& folder) {
    const QByteArray at = folder.toUtf8();
    QByteArray text = "[cluster]\nname = \"lab\"\ntransport = \"ipc\"\norchestrator = \"ipc://" + at +
                      "/second.sock\"\n[[mic]]\nname = \"m\"\n";
    for (const QByteArray name : {"a", "b"})
        text += "[[mic.node]]\nname = \"" + name + "\"\nendpoint = \"ipc://" + at + "/" + name + "\"\ncores = 8\n";
    return text +
           "[[pool]]\nname = \"single\"\nnodes = [\"m/a\"]\n"
           "[[pool]]\nname = \"many\"\nnodes = [\"m/b\"]\nshared = true\ninstances = 2\n"
           "[queue]\ndiscipline = \"share\"\n[queue.weights]\nalice = 3\n";
}

}  // namespace

void Queue::initTestCase() {
    const QString file = programs_.write("cluster.toml", cluster_text(programs_.folder()));
    const QString connection = programs_.data() + "/connection.toml";
    processes_.push_back(launch("divisid", {"--data", programs_.data(), "--cluster", file, "--listen",
                                            "ipc://" + programs_.folder() + "/control.sock,tcp://127.0.0.1:0"}));
    QVERIFY(QTest::qWaitFor([&] { return QFile::exists(connection); }, 10'000));
    for (const QString name : {"a", "b"})
        processes_.push_back(launch("divisi-node", {"--connect", connection, "--name", "m/" + name, "--data",
                                                    programs_.folder() + "/node-" + name}));
    for (const QString who : {"alice", "bob"}) {
        const auto keys = divisi::link::load_or_make_keys((programs_.folder() + "/" + who + ".key").toStdString());
        QVERIFY(keys.ok());
        const QString key = QString::fromStdString(keys->public_key);
        QCOMPARE(programs_.run({"keys", "add", key, "--name", who, "--role", "operator"}).status, 0);
    }
    QVERIFY(QTest::qWaitFor(
        [&] {
            return programs_.run({"cluster", "status", "--json"}).output.count("\"state\":\"ready\"") == 2;
        },
        20'000));
}

void Queue::cleanupTestCase() {
    while (!processes_.empty()) {
        processes_.back()->terminate();
        if (!processes_.back()->waitForFinished(15'000)) processes_.back()->kill();
        processes_.pop_back();
    }
}

void Queue::shared_node_takes_two_tasks_and_an_exclusive_one_alone() {
    const auto one = run_endless("one", {"place.pool=many"}), two = run_endless("two", {"place.pool=many"});
    QVERIFY(runs("one-1"));
    QVERIFY(runs("two-1"));
    const QJsonObject node = row({"nodes"}, "node", "m/b");
    QCOMPARE(node["tasks"].toInt(), 2);
    QCOMPARE(node["pools"].toArray(), QJsonArray{"many"});
    QCOMPARE(row({"pools"}, "pool", "many")["instances"].toInt(), 2);
    QCOMPARE(row({"pools"}, "pool", "single")["free"].toInt(), 1);
    const auto three = run_endless("three", {"place.pool=many"});
    QVERIFY2(comes_to_wait("three-1", "as many instances"), three->readAllStandardError().constData());
    stop("three-1");
    stop("one-1");
    const auto alone = run_endless("alone", {"place.pool=many", "place.exclusive=true"});
    QVERIFY(comes_to_wait("alone-1", "needs the node exclusively"));
    stop("two-1");
    QVERIFY(runs("alone-1"));
    QVERIFY(row({"nodes"}, "node", "m/b")["exclusive"].toBool());
    stop("alone-1");
}

void Queue::two_users_share_a_pool_by_weight() {
    const auto before = run_endless("before", {"place.pool=single"});
    QVERIFY(runs("before-1"));
    std::vector<Process> people;
    for (int i = 0; i < 4; ++i)
        for (const QString who : {"bob", "alice"}) {
            people.push_back(run("of-" + who, 20, {"place.pool=single"}, who));
            const QString task = "of-" + who + "-" + QString::number(i + 1);
            QVERIFY(comes_to_wait(task, ""));
        }
    QCOMPARE(row({"tasks"}, "task", "of-bob-1")["submitted_by"].toString(),
             row({"tasks"}, "task", "of-alice-1")["submitted_by"].toString());  // both clients state the same submitter
    stop("before-1");
    QVERIFY(ends(before));
    for (const Process& one : people) {
        QVERIFY(ends(one));
        QVERIFY2(one->exitCode() == 0, one->readAllStandardError().constData());
    }
    // Alice has three times bob's share: all of her tasks have begun before his third task begins.
    QStringList begun;
    for (const QJsonObject& event : programs_.run({"logs", "--json", "--contains", "placed on"}).objects())
        if (event["task"].toString().startsWith("of-")) begun << event["task"].toString();
    QCOMPARE(begun.size(), 8);
    QVERIFY2(begun.indexOf("of-bob-3") > begun.indexOf("of-alice-4"), qPrintable(begun.join(" ")));
    QVERIFY2(begun.indexOf("of-bob-1") < begun.indexOf("of-alice-4"), qPrintable(begun.join(" ")));
    const QJsonObject queue = programs_.run({"queue", "--json"}).objects().value(0);
    QCOMPARE(queue["discipline"].toString(), QString("share"));
    QStringList names;
    for (const auto& one : queue["submitters"].toArray()) names << one.toObject()["submitter"].toString();
    QVERIFY2(names.contains("alice") && names.contains("bob"), qPrintable(names.join(" ")));
}

void Queue::reservation_excludes_other_users() {
    const Finished made =
        programs_.run({"reserve", "add", "--pool", "single", "--submitter", "alice", "--for", "1h", "--json"});
    QVERIFY2(made.status == 0, qPrintable(made.errors));
    const auto number = QString::number(made.objects().value(0)["reservation"].toInteger());
    QCOMPARE(row({"reserve"}, "submitter", "alice")["pool"].toString(), QString("single"));
    QCOMPARE(row({"nodes"}, "node", "m/a")["reservations"].toArray(), QJsonArray{number});
    const auto bobs = run("kept-off", 5, {"place.pool=single"}, "bob");
    QVERIFY(comes_to_wait("kept-off-1", "reservation " + number));
    const auto hers = run("hers", 5, {"place.pool=single"}, "alice");
    QVERIFY(ends(hers));
    QCOMPARE(hers->exitCode(), 0);
    QVERIFY(!waits_for("kept-off-1").isEmpty());
    QCOMPARE(programs_.run({"reserve", "cancel", number}).status, 0);
    QVERIFY(ends(bobs));
    QCOMPARE(bobs->exitCode(), 0);
    // A task that runs longer than it declared is ended.
    const auto late = run("late", 100'000'000, {"place.pool=single", "task.most_seconds=1"});
    QVERIFY(ends(late));
    QCOMPARE(late->exitCode(), 1);
    QVERIFY(!late->readAllStandardOutput().contains("\"event\":\"recovery\""));  // a task out of time does not recover
    QVERIFY(row({"tasks"}, "task", "late-1")["error"].toString().contains("it has used up its time limit of 1 s"));
}

void Queue::invalid_queue_settings_are_refused() {
    const QString task = programs_.small_task("bad", 1);
    const auto with = [&](const char* setting) { return QStringList{"run", task, "--set", setting}; };
    expect_error(with("place.pool=singel"), "did you mean 'single'?");
    expect_error(with("place.nodes=m/c"), "no node of the cluster is called 'm/c'");
    expect_error(with("place.nodes=c"), "which is not a node");
    expect_error(with("place.avoid=m/*"), "no node of the cluster satisfies");
    expect_error(with("task.most_seconds=-1"), "task.most_seconds");
    const QStringList reserve{"reserve", "add", "--submitter", "bob", "--for"};
    expect_error(QStringList(reserve) << "1h"
                                      << "--pool"
                                      << "none",
                 "no pool 'none'");
    expect_error(QStringList(reserve) << "1h"
                                      << "--nodes"
                                      << "m/a"
                                      << "--from"
                                      << "2020-01-01 10:00",
                 "in the past");
    expect_error(QStringList(reserve) << "soon"
                                      << "--nodes"
                                      << "m/a",
                 "write 90s");
    expect_error({"reserve", "cancel", "123456"}, "there is no such reservation");
}

DIVISI_TEST(Queue)

}  // namespace queue_test

#include "queue_test.moc"
