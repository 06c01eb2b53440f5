// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <QRandomGenerator>

#include <algorithm>

#include "tests/support/test_program.h"

#include "tests/system/programs.h"

namespace blobs_test {

using divisi::tests::Finished;
using divisi::tests::Programs;

namespace {

double median(QList<double> values) {
    std::ranges::sort(values);
    return values.isEmpty() ? 0 : values[values.size() / 2];
}

/// A program that runs in the background of the test.
struct Running {
    QProcess process;
    Finished so_far;
    Running(const Programs& programs, const QStringList& arguments) {
        process.setProcessEnvironment(programs.environment());
        process.start(Programs::program("divisictl"), arguments);
    }
    ~Running() {
        if (process.state() == QProcess::NotRunning) return;
        process.kill();
        process.waitForFinished();
    }
    bool over() const { return process.state() == QProcess::NotRunning; }
    const Finished& read_output() {
        so_far.output += process.readAllStandardOutput();
        so_far.errors += process.readAllStandardError();
        if (over()) so_far.status = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
        return so_far;
    }
    bool wait(int limit_ms = 120'000) {
        const bool done = QTest::qWaitFor([&] { return over(); }, limit_ms);
        read_output();
        return done;
    }
    QList<double> step_ms() {
        QList<double> times;
        for (const QJsonObject& step : read_output().objects("step")) times.append(step["step_ms"].toDouble());
        return times;
    }
};

}  // namespace

/// Tests blobs that nodes of the embedded cluster send each other, with real processes.
class BlobsSystem : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void big_blob_yields_to_the_tensors_of_a_task_on_the_mesh();
    void blob_arrives_despite_a_killed_router_and_a_killed_gateway();
    void blob_within_a_mic_is_sent_directly();
    void blobs_that_cannot_be_sent_are_refused();

private:
    static bool start(Programs& programs) {
        return programs.cluster_up() && QTest::qWaitFor(
                                            [&] {
                                                const auto all = devices(programs);
                                                return std::ranges::count_if(all, [](const QJsonObject& one) {
                                                           return one["up"].toBool();
                                                       }) == 5;
                                            },
                                            15'000);
    }
    static QList<QJsonObject> devices(const Programs& programs) { return programs.run({"routes", "--json"}).objects(); }
    static double bytes(const Programs& programs, const QString& name) {
        for (const QJsonObject& one : devices(programs))
            if (one["device"].toString() == name) return one["bytes"].toDouble();
        return 0;
    }
    /// Returns the classes of the flows that pass a device now.
    static QStringList classes_at(const Programs& programs, const QString& name) {
        QStringList found;
        for (const QJsonObject& one : devices(programs)) {
            if (one["device"].toString() != name) continue;
            for (const auto flow : one["flows"].toArray()) {
                const QJsonObject row = flow.toObject();
                const bool blob = row["from"].toString().startsWith("blobs/");
                if (blob != (row["class"].toString() == "blob")) found.append("wrong");
                found.append(row["class"].toString());
            }
        }
        return found;
    }
    static QString blobs_of(const Programs& programs, const QString& node) {
        return programs.data() + "/nodes/" + node + "/blobs/";
    }
    /// Returns the BLAKE2b-256 hash from an implementation other than ours.
    static QString hash_of(const QString& file) {
        QProcess sum;
        sum.start("b2sum", {"-l", "256", file});
        if (!sum.waitForFinished(60'000) || sum.exitCode() != 0) return {};
        return QString(sum.readAllStandardOutput()).section(' ', 0, 0);
    }
    /// Puts a blob of random bytes into a node's store and returns its hash.
    static QString put_blob(const Programs& programs, const QString& node, int mib) {
        QByteArray bytes(mib << 20, Qt::Uninitialized);
        QRandomGenerator::global()->generate(reinterpret_cast<quint32*>(bytes.data()),
                                             reinterpret_cast<quint32*>(bytes.data() + bytes.size()));
        const QString file = programs.write("blob", bytes);
        const QString hash = hash_of(file);
        if (!QFile::rename(file, blobs_of(programs, node) + hash)) return {};
        return hash;
    }
    static QStringList bring(const QString& hash, const QString& from, const QString& to) {
        return {"blobs", "bring", hash, "--from", from, "--to", to, "--json"};
    }
};

/// The links of the path are slowed, so that tensors and the blob compete for them on any machine.
void BlobsSystem::big_blob_yields_to_the_tensors_of_a_task_on_the_mesh() {
    Programs programs;
    QVERIFY(start(programs));
    QCOMPARE(programs.run({"policies", "set", "adapt=off"}).status, 0);
    const QString hash = put_blob(programs, "mic-1-node-2", 128);
    QCOMPARE(hash.size(), 64);
    constexpr int steps = 60, before = 12;
    const QString file = programs.write("wide.toml", divisi::tests::wide_task(steps));
    const Finished reference = programs.run({"reference", file, "--json"}, 240'000);
    QVERIFY2(reference.status == 0, qPrintable(reference.errors));
    const Finished slowed = programs.run({"fault", "slow-link", "mg-1", "sr-1", "--rate", "40MB/s"});
    QVERIFY2(slowed.status == 0, qPrintable(slowed.errors));
    Running task(programs, {"run", file, "--json"});
    QVERIFY(QTest::qWaitFor([&] { return task.step_ms().size() >= before; }, 60'000));

    Running blob(programs, bring(hash, "mic-1/node-2", "mic-2/node-1"));
    const qsizetype first = task.step_ms().size();
    QVERIFY(QTest::qWaitFor(
        [&] {
            const QStringList classes = classes_at(programs, "sr-1");
            return classes.contains("blob") && classes.contains("tensor") && !classes.contains("wrong");
        },
        10'000));
    QVERIFY(programs.run({"routes"}).output.contains(" blob "));
    QVERIFY(blob.wait());
    const qsizetype last = task.step_ms().size();
    QVERIFY2(blob.read_output().status == 0, qPrintable(blob.read_output().errors));
    QVERIFY(blob.read_output().objects().at(0)["by_mesh"].toBool());
    QCOMPARE(hash_of(blobs_of(programs, "mic-2-node-1") + hash), hash);
    QVERIFY(task.wait());
    QVERIFY2(task.read_output().status == 0, qPrintable(task.read_output().errors));
    QCOMPARE(task.read_output().losses(), reference.losses());
    QCOMPARE(task.read_output().losses().size(), steps);

    const QList<double> times = task.step_ms();
    QVERIFY2(last - first >= 10, qPrintable(QString::number(last - first)));
    const double alone = median(times.mid(5, first - 5) + times.mid(last + 1));
    const double beside = median(times.mid(first + 1, last - first - 1));
    const double seconds = blob.read_output().objects().at(0)["seconds"].toDouble();
    qInfo(
        "a step takes %.0f ms alone, and %.0f ms beside a blob of 128 MiB: %.2f times as long; the blob %.1f s, "
        "%.0f MB/s of the link's 40",
        alone, beside, beside / alone, seconds, 134.2 / seconds);
    QVERIFY(beside <= 1.35 * alone);
}

/// A restarted device has links of full speed again, so the test slows these links before each kill.
void BlobsSystem::blob_arrives_despite_a_killed_router_and_a_killed_gateway() {
    Programs programs;
    QVERIFY(start(programs));
    const QString hash = put_blob(programs, "mic-1-node-1", 96);
    const auto slow = [&] {
        return std::ranges::all_of(QStringList{"sr-1", "sr-2"}, [&](const QString& router) {
            return programs.run({"fault", "slow-link", "mg-1", router, "--rate", "10MB/s"}).status == 0;
        });
    };
    QVERIFY(slow());
    Running blob(programs, bring(hash, "mic-1/node-1", "mic-2/node-2"));
    const auto carried = [&] { return bytes(programs, "sr-1") + bytes(programs, "sr-2"); };
    QVERIFY(QTest::qWaitFor([&] { return carried() > 5e6; }, 20'000));
    QCOMPARE(programs.run({"fault", "kill-router", "sr-1"}).status, 0);
    for (const char* gateway : {"mg-2", "mg-1"}) {
        QVERIFY(QTest::qWaitFor(slow, 20'000));
        QVERIFY(!blob.over());
        const double before = carried();
        QVERIFY(QTest::qWaitFor([&] { return carried() > before + 2e6; }, 40'000));
        const auto pids = programs.pids("divisi-gateway", gateway);
        QCOMPARE(pids.size(), 1);
        QCOMPARE(::kill(static_cast<pid_t>(pids.first()), SIGKILL), 0);
        QVERIFY(QTest::qWaitFor(
            [&] {
                const auto now = programs.pids("divisi-gateway", gateway);
                return now.size() == 1 && now != pids;
            },
            20'000));
    }
    QVERIFY(blob.wait());
    QVERIFY2(blob.read_output().status == 0, qPrintable(blob.read_output().errors));
    QCOMPARE(hash_of(blobs_of(programs, "mic-2-node-2") + hash), hash);
}

void BlobsSystem::blob_within_a_mic_is_sent_directly() {
    Programs programs;
    QVERIFY(start(programs));
    const QString hash = put_blob(programs, "mic-1-node-1", 8);
    const Finished brought = programs.run(bring(hash, "mic-1/node-1", "mic-1/node-2"));
    QVERIFY2(brought.status == 0, qPrintable(brought.errors));
    QVERIFY(!brought.objects().at(0)["by_mesh"].toBool());
    QCOMPARE(hash_of(blobs_of(programs, "mic-1-node-2") + hash), hash);
    // A blob that is already stored is not sent again.
    const Finished again = programs.run(bring(hash, "mic-1/node-1", "mic-1/node-2"));
    QCOMPARE(again.objects().at(0)["bytes"].toInt(), 8 << 20);
    for (const char* router : {"sr-1", "sr-2", "sr-3"}) QCOMPARE(bytes(programs, router), 0.0);
}

void BlobsSystem::blobs_that_cannot_be_sent_are_refused() {
    Programs programs;
    QVERIFY(start(programs));
    const QString nothing(64, '0');
    const auto why = [&](const QString& hash, const QString& from, const QString& to) {
        const Finished refused = programs.run(bring(hash, from, to));
        return refused.status == 0 ? QString("not refused") : refused.errors;
    };
    QVERIFY(why("abc", "mic-1/node-1", "mic-2/node-1").contains("not a blob's hash"));
    QVERIFY(why(nothing, "mic-1/node-1", "mic-9/node-1").contains("no such node"));
    for (const char* to : {"mic-1/node-2", "mic-2/node-1"})
        QVERIFY2(why(nothing, "mic-1/node-1", to).contains("no blob 000"), to);
    // A blob that does not match its hash does not arrive.
    const QString hash = put_blob(programs, "mic-1-node-1", 3);
    QFile file(blobs_of(programs, "mic-1-node-1") + hash);
    QVERIFY(file.open(QIODevice::ReadWrite) && file.seek(1'500'000) && file.write("x") == 1);
    file.close();
    const QString damaged = why(hash, "mic-1/node-1", "mic-2/node-1");
    QVERIFY2(!damaged.contains("not refused"), qPrintable(damaged));
    QVERIFY(!QFile::exists(blobs_of(programs, "mic-2-node-1") + hash));
}

DIVISI_TEST(BlobsSystem)

}  // namespace blobs_test

#include "blobs_test.moc"
