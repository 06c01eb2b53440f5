// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <QRegularExpression>
#include <QSet>

#include "tests/support/test_program.h"

#include "tests/system/programs.h"

namespace leases_test {

using divisi::tests::Finished;
using divisi::tests::Programs;

/// Tests leases and receipts of real processes, while any of the processes is killed.
class LeasesSystem : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QVERIFY(programs_.cluster_up()); }
    void run_leaves_receipts_that_openssl_verifies();
    void changed_export_is_refused_with_its_row();
    void killed_process_leaves_one_receipt_per_lease_data();
    void killed_process_leaves_one_receipt_per_lease();
    void recovery_leaves_a_receipt_of_each_incarnation();
    void killed_orchestrator_neither_loses_nor_doubles_receipts();
    void first_data_activate_leases_behind_a_gateway();
    void next_task_of_a_submitter_takes_over_the_leases();

private:
    QList<QJsonObject> leases() const { return programs_.run({"leases", "--json"}).objects(); }
    QList<QJsonObject> receipts() const { return programs_.run({"receipts", "--json"}).objects(); }
    QString path(const QString& name) const { return programs_.folder() + "/" + name; }
    QByteArray read(const QString& name) const {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    /// Writes the export and the key that signs it.
    bool write_export() {
        const Finished written = programs_.run({"receipts", "--csv", path("receipts.csv")});
        const Finished key = programs_.run({"receipts", "key"});
        programs_.write("key.pem", key.output.toUtf8());
        return written.status == 0 && key.status == 0;
    }
    Finished verify(const QString& file, const QStringList& more = {}) const {
        return programs_.run(QStringList{"receipts", "verify", path(file), "--key", path("key.pem")} + more);
    }
    /// Returns the output of a third-party program.
    static QByteArray output_of(const QString& program, const QStringList& arguments) {
        QProcess process;
        process.start(program, arguments);
        if (!process.waitForFinished()) qFatal("%s is not installed", qPrintable(program));
        return process.readAllStandardOutput();
    }
    /// Returns this cluster's processes of a program with a word in their command line.
    QList<pid_t> pids(const QString& program, const QString& word = {}) const {
        QList<pid_t> found;
        for (const QString& pid : QDir("/proc").entryList(QDir::Dirs)) {
            QFile file("/proc/" + pid + "/cmdline");
            if (!file.open(QIODevice::ReadOnly)) continue;
            const QString line = QString(file.readAll()).replace(QChar('\0'), ' ');
            if (line.contains("/" + program + " ") && line.contains(programs_.folder()) && line.contains(word))
                found.append(pid.toInt());
        }
        return found;
    }
    void start_run(QProcess& run, const QString& name, int steps, const QString& answer = "recover") {
        run.setProcessEnvironment(programs_.environment());
        run.start(Programs::program("divisictl"),
                  {"run", programs_.small_task(name, steps), "--json", "--set", "faults.answer=" + answer});
        QVERIFY(QTest::qWaitFor([&] { return run.canReadLine() || run.state() == QProcess::NotRunning; }, 30'000));
        QVERIFY2(run.readLine().contains("step"), run.readAllStandardError().constData());
    }
    /// Checks that every lease is reclaimed and has one receipt, and that receipts are numbered without gaps.
    void check_books() {
        const auto all_back = [&] {
            for (const QJsonObject& lease : leases())
                if (lease["state"].toString() != "reclaimed") return false;
            return true;
        };
        QVERIFY(QTest::qWaitFor(all_back, 30'000));
        const auto granted = leases();
        const auto written = receipts();
        QCOMPARE(written.size(), granted.size());
        QSet<int> reclaimed;
        for (int i = 0; i < written.size(); ++i) {
            QCOMPARE(written[i]["receipt"].toInt(), i + 1);
            reclaimed.insert(written[i]["lease"].toInt());
        }
        QCOMPARE(reclaimed.size(), written.size());
        QVERIFY(write_export());
        const Finished verified = verify("receipts.csv");
        QVERIFY2(verified.status == 0, qPrintable(verified.errors));
    }

    Programs programs_;
};

void LeasesSystem::run_leaves_receipts_that_openssl_verifies() {
    QVERIFY(programs_.run({"run", programs_.small_task("signed", 50)}).status == 0);
    check_books();
    const QList<QByteArray> lines = read("receipts.csv").split('\n');
    QCOMPARE(lines.size(), 4);  // a header, two stages, and an empty text after the last line break
    QByteArray hash;
    for (int i = 1; i <= 2; ++i) {
        const QByteArray line = lines[i].chopped(1);
        const auto end = line.lastIndexOf(',');
        programs_.write("row", line);
        programs_.write("signed", line.first(end));
        programs_.write("signature", QByteArray::fromHex(line.mid(end + 1)));
        QCOMPARE(output_of("openssl", {"pkeyutl", "-verify", "-pubin", "-inkey", path("key.pem"), "-rawin", "-in",
                                       path("signed"), "-sigfile", path("signature")}),
                 QByteArray("Signature Verified Successfully\n"));
        QCOMPARE(line.first(end).split(',').last(), hash);
        hash = output_of("b2sum", {"-l", "256", path("row")}).split(' ').first();
    }
    for (const QJsonObject& one : receipts()) {
        QCOMPARE(one["reason"].toString(), QString("all steps done"));
        QVERIFY(!one["presumed"].toBool());
        // Loading LibTorch alone takes some hundred milliseconds.
        QVERIFY(one["cpu_ms"].toInt() > 50 && one["cpu_ms"].toInt() < 60'000);
        QVERIFY(one["peak_memory"].toDouble() > 50e6);
        QVERIFY(one["bytes_sent"].toDouble() > 0 && one["bytes_received"].toDouble() > 0);
        QVERIFY(one["gpu_ms"].isNull());  // no device reports it
        QCOMPARE(one["energy_mj"].isNull(), !QFile("/sys/class/powercap/intel-rapl:0/energy_uj").open(QFile::ReadOnly));
    }
    // Each instance receives what the other sends.
    QCOMPARE(receipts()[0]["bytes_sent"], receipts()[1]["bytes_received"]);
}

void LeasesSystem::changed_export_is_refused_with_its_row() {
    QVERIFY(write_export());
    const QByteArray csv = read("receipts.csv");
    const auto refused = [&](const QByteArray& text, const QString& why) {
        programs_.write("changed.csv", text);
        const Finished verified = verify("changed.csv");
        const bool right = verified.status == 2 && verified.errors.contains(why);
        if (!right) qWarning("%s", qPrintable(verified.errors));
        return right;
    };
    const QList<QByteArray> lines = csv.split('\n');
    QByteArray cheaper = lines[2];
    cheaper.replace("all steps done,", "all steps done,1");
    QVERIFY(refused(lines[0] + '\n' + lines[1] + '\n' + cheaper + '\n', "row 3: the signature of receipt 2 is wrong"));
    QVERIFY(refused(lines[0] + '\n' + lines[2] + '\n', "row 2: receipt 1 is missing before receipt 2"));
    QVERIFY(refused("hello\n", "not an export of receipts"));
    programs_.write("part.csv", lines[0] + '\n' + lines[2] + '\n');
    QCOMPARE(verify("part.csv", {"--part"}).status, 0);
    programs_.write("receipts.json", programs_.run({"receipts", "--json"}).output.toUtf8());
    QCOMPARE(verify("receipts.json").status, 0);
    programs_.write("none.json", programs_.run({"receipts", "--task", "no-such-task", "--json"}).output.toUtf8());
    QCOMPARE(read("none.json"), QByteArray());
    QCOMPARE(verify("none.json").status, 0);
    const Finished other = programs_.run({"receipts", "verify", path("receipts.csv"), "--key", QString(64, '5')});
    QCOMPARE(other.status, 2);
}

void LeasesSystem::killed_process_leaves_one_receipt_per_lease_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("word");
    QTest::addColumn<QString>("reason");
    QTest::newRow("instance") << "divisi-instance"
                              << "stage-1"
                              << "killed by signal 9";
    // The cluster starts another agent. The end of the old agent and the start of the new one may be noticed in either
    // order.
    QTest::newRow("node agent") << "divisi-node"
                                << "mic-1/node-2"
                                << "lost|while its node was away";
}

void LeasesSystem::killed_process_leaves_one_receipt_per_lease() {
    QFETCH(QString, program);
    QFETCH(QString, word);
    QFETCH(QString, reason);
    const auto before = receipts().size();
    QProcess run;
    start_run(run, "killed", 1'000'000, "fail");
    QTest::qWait(1500);  // the node has reported the resources of its processes
    const QList<pid_t> found = pids(program, word);
    QCOMPARE(found.size(), 1);
    ::kill(found[0], SIGKILL);
    QVERIFY(run.waitForFinished(60'000));
    QCOMPARE(run.exitCode(), 1);
    check_books();
    const auto written = receipts();
    QCOMPARE(written.size(), before + 2);
    for (auto i = before; i < written.size(); ++i) {
        const bool its = written[i]["instance"].toString().contains("stage-1");
        const QRegularExpression expected(its ? reason : QString("another instance failed"));
        QVERIFY2(written[i]["reason"].toString().contains(expected), qPrintable(written[i]["reason"].toString()));
        QVERIFY(written[i]["cpu_ms"].toInt() > 0);
    }
    const auto ready = [&] {
        return programs_.run({"cluster", "status", "--json"}).output.count("\"state\":\"ready\"") == 4;
    };
    QVERIFY(QTest::qWaitFor(ready, 20'000));
}

void LeasesSystem::recovery_leaves_a_receipt_of_each_incarnation() {
    const auto before = receipts().size();
    QProcess run;
    start_run(run, "recovers", 5'000);
    const QList<pid_t> found = pids("divisi-instance", "recovers-1/stage-1");
    QCOMPARE(found.size(), 1);
    ::kill(found[0], SIGKILL);
    QVERIFY(run.waitForFinished(120'000));
    QVERIFY2(run.exitCode() == 0, run.readAllStandardError().constData());
    check_books();
    const auto written = receipts();
    QCOMPARE(written.size(), before + 4);
    QStringList reasons;
    for (auto i = before; i < written.size(); ++i) reasons += written[i]["reason"].toString();
    QVERIFY2(reasons.filter("signal 9").size() >= 1, qPrintable(reasons.join("; ")));
    QCOMPARE(reasons.filter("all steps done").size(), 2);
}

void LeasesSystem::killed_orchestrator_neither_loses_nor_doubles_receipts() {
    const auto before = receipts().size();
    QProcess run;
    start_run(run, "outlives", 8'000);
    const QList<pid_t> found = pids("divisid");
    QCOMPARE(found.size(), 1);
    ::kill(found[0], SIGKILL);
    QVERIFY(run.waitForFinished(120'000));
    QVERIFY2(run.exitCode() == 0, run.readAllStandardError().constData());
    check_books();
    const auto written = receipts();
    QCOMPARE(written.size(), before + 2);
    QCOMPARE(written.last()["reason"].toString(), QString("all steps done"));
    ::kill(pids("divisid").value(0), SIGKILL);  // the receipts are the same after another restart
    QVERIFY(QTest::qWaitFor([&] { return receipts().size() == before + 2; }, 30'000));
    check_books();
}

void LeasesSystem::first_data_activate_leases_behind_a_gateway() {
    const Finished run = programs_.run({"run", programs_.task_across_mics("across", 5)});
    QVERIFY2(run.status == 0, qPrintable(run.errors));
    QMap<QString, QString> by;
    for (const QJsonObject& lease : leases())
        if (lease["task"].toString().startsWith("across-"))
            by[lease["node"].toString()] = lease["activated_by"].toString();
    QCOMPARE(by.size(), 2);
    QCOMPARE(by["mic-1/node-1"], QString("orchestrator"));  // the first stage reads the data, so it waits for no sender
    QCOMPARE(by["mic-2/node-1"], QString("mg-1"));          // activated by the gateway next to the sender
    const Finished log = programs_.run({"logs", "--task", "across-1"});
    QVERIFY2(log.output.contains("activated by its first data, through mg-1"), qPrintable(log.output + log.errors));
}

void LeasesSystem::next_task_of_a_submitter_takes_over_the_leases() {
    const QString nodes = R"(place.stages=["mic-1/node-1","mic-1/node-2"])";
    const auto begin = [&](QProcess& run, const QString& name, int steps) {
        run.setProcessEnvironment(programs_.environment());
        run.start(Programs::program("divisictl"), {"run", programs_.small_task(name, steps), "--json", "--set", nodes});
    };
    const int before = int(receipts().size());
    QProcess one, other;
    begin(one, "before", 3000);
    QVERIFY(QTest::qWaitFor([&] { return one.canReadLine(); }, 30'000));
    begin(other, "after", 20);
    const auto waits = [&] { return programs_.run({"queue"}).output.contains("after-1"); };
    QVERIFY(QTest::qWaitFor(waits, 30'000));
    QVERIFY2(programs_.run({"tasks", "stop", "before-1"}).status == 0, "the first task cannot be stopped");
    QVERIFY(one.waitForFinished(60'000) && other.waitForFinished(120'000));
    QVERIFY2(other.exitCode() == 0, other.readAllStandardError().constData());
    const auto all_back = [&] {
        for (const QJsonObject& lease : leases())
            if (lease["state"].toString() != "reclaimed") return false;
        return true;
    };
    QVERIFY(QTest::qWaitFor(all_back, 30'000));
    const auto written = receipts().mid(before);
    QCOMPARE(written.size(), 4);
    QSet<int> numbers;
    for (int i = 0; i < 4; ++i) {
        QCOMPARE(written[i]["receipt"].toInt(), before + i + 1);
        QCOMPARE(written[i]["task"].toString(), QString(i < 2 ? "before-1" : "after-1"));
        QCOMPARE(written[i]["reason"].toString().startsWith("taken over by after-1/stage-"), i < 2);
        QVERIFY(written[i]["cpu_ms"].toInt() > 50);
        numbers.insert(written[i]["lease"].toInt());
    }
    QCOMPARE(numbers.size(), 2);
    for (const QJsonObject& lease : leases())
        if (numbers.contains(lease["lease"].toInt())) QCOMPARE(lease["share"].toInt(), 2);
    QVERIFY(write_export());
    const Finished verified = verify("receipts.csv");
    QVERIFY2(verified.status == 0, qPrintable(verified.errors));
}

DIVISI_TEST(LeasesSystem)

}  // namespace leases_test

#include "leases_test.moc"
