// SPDX-License-Identifier: Apache-2.0
// Backs up a cluster that trains, and restores another cluster from the backup after the first is dead.
#include <signal.h>

#include "tests/support/task_file.h"
#include "tests/support/test_program.h"

#include "tests/system/disturbed_run.h"

namespace backup_test {

using divisi::testing::TaskFile;
using divisi::tests::DisturbedRun;
using divisi::tests::endless;
using divisi::tests::Finished;
using divisi::tests::Programs;

namespace {

/// Lists of ended tasks, exceptions and receipts, and the key of the receipts. A restore must lose none of them.
struct Listed {
    QList<QJsonObject> ended, exceptions, receipts;
    QString key;

    explicit Listed(const Programs& programs) {
        for (const QJsonObject& task : programs.run({"tasks", "--json"}).objects())
            if (task["phase"].toString() == "ended") ended.append(task);
        exceptions = programs.run({"exceptions", "--json"}).objects();
        receipts = programs.run({"receipts", "--json"}).objects();
        key = programs.run({"receipts", "key"}).output;
    }
};

/// Returns, as text, the objects of `before` that are not in `after`; empty if there are none.
QString missing(const QList<QJsonObject>& before, const QList<QJsonObject>& after) {
    QString text;
    for (const QJsonObject& one : before)
        if (!after.contains(one)) text += QJsonDocument(one).toJson(QJsonDocument::Compact) + '\n';
    return text;
}

/// Returns all processes of the cluster on this data folder, including the one that would restart the others.
QList<pid_t> processes_of(const Programs& programs) {
    QList<pid_t> found;
    for (const QString& pid : QDir("/proc").entryList(QDir::Dirs)) {
        QFile file("/proc/" + pid + "/environ");
        if (!file.open(QIODevice::ReadOnly)) continue;
        if (file.readAll().contains("DIVISI_DATA=" + programs.data().toUtf8())) found.append(pid.toInt());
    }
    return found;
}

bool kill_all(const Programs& programs) {
    return QTest::qWaitFor(
        [&] {
            const QList<pid_t> found = processes_of(programs);
            for (const pid_t pid : found) ::kill(pid, SIGKILL);
            return found.isEmpty();
        },
        20'000);
}

/// Returns a task that fails for good, because only an instance can find its fault.
QString bad_task(const Programs& programs) {
    QByteArray rows = "a,y\n";
    for (int i = 0; i < 63; ++i) rows += QByteArray::number(i % 7) + "," + QByteArray::number(i % 2) + "\n";
    programs.write("bad.csv", rows + "1e39,1\n");
    return programs.write("bad.toml", TaskFile("bad")
                                          .section("model", {{"inputs", 1}, {"classes", 2}})
                                          .replace("data", {{"kind", "csv"}, {"path", "bad.csv"}, {"targets", {"y"}}})
                                          .set("train.steps", 5)
                                          .set("split.stages", 2));
}

}  // namespace

class BackupSystem : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QVERIFY(first_.cluster_up()); }
    void training_continues_during_a_backup();
    void restored_cluster_has_the_state_of_the_backup();
    void restore_into_a_folder_in_use_is_refused();
    void backup_with_one_changed_byte_is_refused();

private:
    QString backup() const { return first_.folder() + "/backup"; }

    Programs first_, second_;
    std::optional<Listed> before_;
};

void BackupSystem::training_continues_during_a_backup() {
    QCOMPARE(first_.run({"run", first_.small_task("done", 5)}).status, 0);
    QCOMPARE(first_.run({"run", bad_task(first_)}).status, 1);
    DisturbedRun run(first_, first_.task_across_mics("trains", endless), {"checkpoint.every=5"});
    QVERIFY2(run.wait_for_checkpoint(), run.told());
    before_.emplace(first_);
    QCOMPARE(before_->ended.size(), 2);
    QCOMPARE(before_->exceptions.size(), 1);
    QVERIFY(!before_->receipts.isEmpty());

    const Finished made = first_.run({"backup", backup(), "--json"});
    QVERIFY2(made.status == 0, qPrintable(made.errors));
    QVERIFY(made.objects().value(0)["sequence"].toInt() > 0);
    QVERIFY2(run.wait_for_more_steps(), run.told());
    QVERIFY(run.all("recovery").isEmpty());
    run.stop();
    expect_reference_bits(run);

    const Finished verified = first_.run({"backup", "--verify", backup(), "--json"});
    QVERIFY2(verified.status == 0, qPrintable(verified.errors));
    QCOMPARE(verified.objects().value(0)["sequence"], made.objects().value(0)["sequence"]);
    QVERIFY(first_.run({"logs", "--contains", "backed up to " + backup()}).output.contains("log up to event"));
    const Finished again = first_.run({"backup", backup()});
    QVERIFY(again.status != 0);
    QVERIFY2(again.errors.contains("already exists"), qPrintable(again.errors));
}

void BackupSystem::restored_cluster_has_the_state_of_the_backup() {
    QVERIFY(before_.has_value());
    QVERIFY(kill_all(first_));
    const Finished up = second_.run({"cluster", "up", "--restore", backup()});
    QVERIFY2(up.status == 0, qPrintable(up.errors));
    QVERIFY(second_.cluster_up());  // the process ends with the test
    // Running trainings continue or end, which adds to the lists. No earlier entry is missing or differs.
    const Listed after(second_);
    QCOMPARE(missing(before_->ended, after.ended), QString());
    QCOMPARE(missing(before_->exceptions, after.exceptions), QString());
    QCOMPARE(missing(before_->receipts, after.receipts), QString());
    QCOMPARE(after.key, before_->key);
    const QString tasks = second_.run({"tasks", "--json"}).output;
    QVERIFY2(tasks.contains("\"trains-1\""), qPrintable(tasks));
    // Task numbers are not reused.
    const Finished run = second_.run({"run", second_.small_task("done", 5)});
    QVERIFY2(run.status == 0, qPrintable(run.errors));
    QVERIFY(second_.run({"tasks", "--json"}).output.contains("\"done-2\""));
}

void BackupSystem::restore_into_a_folder_in_use_is_refused() {
    const Finished refused = second_.run({"cluster", "up", "--restore", backup()});
    QVERIFY(refused.status != 0);
    QVERIFY2(refused.errors.contains("is not empty") && refused.errors.contains(second_.data()),
             qPrintable(refused.errors));
    QCOMPARE(second_.run({"cluster", "status"}).status, 0);
}

void BackupSystem::backup_with_one_changed_byte_is_refused() {
    const Programs third;
    const QString file = backup() + "/events.sqlite";
    QFile log(file);
    QVERIFY(log.open(QIODevice::ReadWrite));
    const qint64 middle = log.size() / 2;
    QVERIFY(log.seek(middle));
    const QByteArray byte = log.read(1);
    QVERIFY(log.seek(middle));
    QVERIFY(log.write(QByteArray(1, static_cast<char>(byte[0] ^ 1))) == 1);
    log.close();
    for (const QStringList& command :
         {QStringList{"backup", "--verify", backup()}, QStringList{"cluster", "up", "--restore", backup()}}) {
        const Finished refused = third.run(command);
        QVERIFY(refused.status != 0);
        QVERIFY2(refused.errors.contains(file) && refused.errors.contains("damaged"), qPrintable(refused.errors));
    }
    QVERIFY(!QDir(third.data()).exists());
    // divisid itself refuses the folder too.
    QProcess divisid;
    divisid.start(Programs::program("divisid"), {"--data", third.data(), "--listen",
                                                 "ipc://" + third.folder() + "/control.sock", "--restore", backup()});
    QVERIFY(divisid.waitForFinished(20'000));
    QVERIFY(divisid.exitCode() != 0);
    QVERIFY(divisid.readAllStandardError().contains("events.sqlite"));
}

DIVISI_TEST(BackupSystem)

}  // namespace backup_test

#include "backup_test.moc"
