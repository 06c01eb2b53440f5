// SPDX-License-Identifier: Apache-2.0
// Reads the state that instances keep on their nodes with the sqlite3 shell, which shares no code with us.
#include <QDirIterator>

#include "tests/support/test_program.h"

#include "tests/system/programs.h"

namespace state_test {

using divisi::tests::Finished;
using divisi::tests::Programs;

namespace {

constexpr int steps = 40, batch = 8;

/// Returns the path of a SID's store on any node.
QString store_of(const Programs& programs, const QString& name) {
    QDirIterator files(programs.data(), {name + ".sqlite"}, QDir::Files, QDirIterator::Subdirectories);
    return files.hasNext() ? files.next() : QString();
}

QStringList ask(const QString& file, const QString& sql) {
    QProcess shell;
    shell.start("sqlite3", {"-readonly", file, sql});
    if (!shell.waitForFinished(20'000) || shell.exitCode() != 0) return {"sqlite3: " + shell.readAllStandardError()};
    return QString::fromUtf8(shell.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts);
}

}  // namespace

class StateOfInstances : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QVERIFY(programs_.cluster_up()); }
    void store_holds_every_table_after_a_run();
    void state_command_agrees_with_the_sqlite_shell();
    void orchestrator_lists_the_stores_of_nodes();
    void part_of_a_store_is_exported();
    void damaged_store_is_put_aside_and_the_task_continues_data();
    void damaged_store_is_put_aside_and_the_task_continues();
    void damaged_store_is_not_shown();
    void damaged_row_is_left_out_and_reported();
    void non_store_file_is_listed_as_damaged();

private:
    Programs programs_;
};

void StateOfInstances::store_holds_every_table_after_a_run() {
    const Finished run = programs_.run({"run", programs_.small_task("kept", steps), "--json"});
    QVERIFY2(run.status == 0, qPrintable(run.errors));
    const QString first = store_of(programs_, "kept-1.stage-0.0"), last = store_of(programs_, "kept-1.stage-1.0");
    QVERIFY(!first.isEmpty() && !last.isEmpty());
    for (const QString& file : {first, last}) {
        QCOMPARE(ask(file, "PRAGMA integrity_check"), QStringList("ok"));
        QCOMPARE(ask(file, "SELECT generation, step, samples FROM progress"),
                 QStringList(QString("1|%1|%2").arg(steps).arg(steps * batch)));
        QCOMPARE(ask(file, "SELECT count(*), min(step), max(step), min(incarnation) FROM step"),
                 QStringList(QString("%1|1|%1|1").arg(steps)));
        QCOMPARE(ask(file, "SELECT value FROM configuration WHERE name = 'task'"), QStringList("kept-1"));
        QVERIFY(ask(file, "SELECT name FROM hardware").contains("forward_ms"));
        QCOMPARE(ask(file, "SELECT action FROM audit ORDER BY id").mid(0, 3),
                 (QStringList{"deploy", "peers", "begin"}));
        QVERIFY(ask(file, "SELECT what FROM event").contains("prepared"));
        QVERIFY(ask(file, "SELECT what FROM event").contains("finished"));
    }
    QCOMPARE(ask(first, "SELECT instance FROM dependency"), QStringList("kept-1/stage-1/0#1"));
    QCOMPARE(ask(first, "SELECT count(loss) FROM step"), QStringList("0"));  // the first stage has no loss

    // The loss of each step equals the printed one.
    const QStringList kept = ask(last, "SELECT loss FROM step ORDER BY step");
    const QList<QJsonObject> told = run.objects("step");
    QCOMPARE(kept.size(), told.size());
    for (int i = 0; i < kept.size(); ++i)
        QCOMPARE(static_cast<float>(kept[i].toDouble()), static_cast<float>(told[i]["loss"].toDouble()));
}

void StateOfInstances::state_command_agrees_with_the_sqlite_shell() {
    const QString file = store_of(programs_, "kept-1.stage-1.0");
    const Finished shown = programs_.run({"state", file, "--rows", "5", "--json"});
    QVERIFY2(shown.status == 0, qPrintable(shown.errors));
    const QJsonObject state = shown.objects().value(0);
    QCOMPARE(state["sid"].toString(), QString("kept-1/stage-1/0"));
    QCOMPARE(state["progress"]["step"].toInt(), steps);
    QCOMPARE(state["steps"].toArray().size(), 5);
    QCOMPARE(state["steps"][4]["step"].toInt(), steps);
    QCOMPARE(QString::number(state["steps"][4]["loss"].toDouble(), 'g', 9),
             QString::number(ask(file, "SELECT loss FROM step WHERE step = 40").value(0).toDouble(), 'g', 9));
    const Finished text = programs_.run({"state", file});
    QVERIFY2(text.output.startsWith("kept-1/stage-1/0, incarnation 1 since "), qPrintable(text.output));
}

void StateOfInstances::orchestrator_lists_the_stores_of_nodes() {
    const Finished listed = programs_.run({"stores", "--json"});
    QVERIFY2(listed.status == 0, qPrintable(listed.errors));
    QMap<QString, QJsonObject> stores;
    for (const QJsonObject& store : listed.objects()) stores[store["sid"].toString()] = store;
    for (const char* sid : {"kept-1/stage-0/0", "kept-1/stage-1/0"}) {
        QVERIFY2(stores.contains(sid), qPrintable(listed.output));
        const QJsonObject store = stores[sid];
        QCOMPARE(store["state"].toString(), QString("whole"));
        QCOMPARE(store["step"].toInt(), steps);
        QCOMPARE(store["incarnation"].toInt(), 1);
        QVERIFY(store_of(programs_, QString(sid).replace('/', '.'))
                    .contains(store["node"].toString().replace('/', '-') + "/stores/"));
    }
    const QString file = store_of(programs_, "kept-1.stage-1.0");
    const Finished shown = programs_.run({"stores", "show", "kept-1/stage-1/0", "--last", "5", "--json"});
    QVERIFY2(shown.status == 0, qPrintable(shown.errors));
    const QList<QJsonObject> rows = shown.objects();
    QCOMPARE(rows.size(), 5);
    QCOMPARE(rows.first()["row"]["step"].toInt(), steps - 4);
    QCOMPARE(rows.last()["row"]["step"].toInt(), steps);
    QCOMPARE(QString::number(rows.last()["row"]["loss"].toDouble(), 'g', 9),
             QString::number(ask(file, "SELECT loss FROM step WHERE step = 40").value(0).toDouble(), 'g', 9));
    const Finished audit = programs_.run({"stores", "show", "kept-1/stage-0/0", "--table", "audit"});
    QVERIFY2(audit.status == 0 && audit.output.contains("deploy"), qPrintable(audit.output + audit.errors));
    const Finished table = programs_.run({"stores", "show", "kept-1/stage-0/0", "--table", "nothing"});
    QCOMPARE(table.status, 2);
    QVERIFY2(table.errors.contains("no table 'nothing'"), qPrintable(table.errors));
    const Finished none = programs_.run({"stores", "show", "nobody-1/stage-0/0"});
    QCOMPARE(none.status, 2);
    QVERIFY2(none.errors.contains("nobody-1/stage-0/0"), qPrintable(none.errors));
}

void StateOfInstances::part_of_a_store_is_exported() {
    const QString sid = "kept-1/stage-1/0", file = store_of(programs_, "kept-1.stage-1.0");
    const auto content = [](const QString& path) {
        QFile read(path);
        return read.open(QIODevice::ReadOnly) ? QString::fromUtf8(read.readAll()) : QString();
    };
    const QString csv = programs_.folder() + "/steps.csv", lines = programs_.folder() + "/state.jsonl";
    const Finished table = programs_.run({"stores", "export", sid, csv});
    QVERIFY2(table.status == 0, qPrintable(table.errors));
    const QStringList rows = content(csv).split("\r\n", Qt::SkipEmptyParts);
    QCOMPARE(rows.size(), steps + 1);
    const QStringList names = rows[0].split(',');
    QVERIFY2(names.contains("loss") && !names.contains("checksum"), qPrintable(rows[0]));
    const QStringList losses = ask(file, "SELECT printf('%!.17g', loss) FROM step ORDER BY generation, step");
    for (int i = 0; i < steps; ++i)
        QCOMPARE(rows[i + 1].split(',').value(names.indexOf("loss")).toDouble(), losses.value(i).toDouble());

    // An existing file is not overwritten.
    QFile::resize(csv, 3);
    const Finished again = programs_.run({"stores", "export", sid, csv});
    QVERIFY(again.status != 0);
    QVERIFY2(again.errors.contains("--force") && again.errors.contains("steps.csv"), qPrintable(again.errors));
    QCOMPARE(content(csv).size(), 3);
    QCOMPARE(programs_.run({"stores", "export", sid, csv, "--force"}).status, 0);
    QCOMPARE(content(csv).split("\r\n", Qt::SkipEmptyParts).size(), steps + 1);

    // Exports all tables, as the lines of 'stores show'.
    const Finished all = programs_.run({"stores", "export", sid, lines, "--json"});
    QVERIFY2(all.status == 0, qPrintable(all.errors));
    QMap<QString, int> count;
    for (const QString& line : content(lines).split('\n', Qt::SkipEmptyParts)) {
        const QJsonObject row = QJsonDocument::fromJson(line.toUtf8()).object();
        QCOMPARE(row["sid"].toString(), sid);
        ++count[row["table"].toString()];
        if (row["table"].toString() == "progress") QCOMPARE(row["row"]["step"].toInt(), steps);
    }
    QCOMPARE(count["step"], steps);
    for (const char* role : {"identity", "progress", "deployment", "audit"}) QVERIFY2(count[role] > 0, role);
    int sum = 0;
    for (const int one : count) sum += one;
    QCOMPARE(all.objects().value(0)["rows"].toInt(), sum);

    const QString none = programs_.folder() + "/none.csv";
    const Finished unknown = programs_.run({"stores", "export", "nobody-1/stage-0/0", none});
    QVERIFY(unknown.status != 0 && !QFile::exists(none));
    QVERIFY2(unknown.errors.contains("nobody-1/stage-0/0"), qPrintable(unknown.errors));
    const Finished other = programs_.run({"stores", "export", sid, none, "--table", "nothing"});
    QVERIFY(other.status != 0 && !QFile::exists(none));
}

void StateOfInstances::damaged_store_is_put_aside_and_the_task_continues_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<QString>("damage");
    QTest::newRow("no database") << "noise"
                                 << "noise";
    QTest::newRow("cut off") << "halved"
                             << "half";
    QTest::newRow("a changed row") << "flipped"
                                   << "UPDATE identity SET opened_ns = opened_ns + 1";
    QTest::newRow("of a newer program") << "newer"
                                        << "PRAGMA user_version = 99";
    QTest::newRow("of another instance") << "other"
                                         << "";
}

/// Before the task starts, a damaged or foreign file already has the name of its instance's store.
void StateOfInstances::damaged_store_is_put_aside_and_the_task_continues() {
    QFETCH(const QString, task);
    QFETCH(const QString, damage);
    const QString sound = store_of(programs_, "kept-1.stage-0.0");
    const QString file = QFileInfo(sound).path() + "/" + task + "-1.stage-0.0.sqlite";
    if (damage == "noise") {
        QFile made(file);
        QVERIFY(made.open(QIODevice::WriteOnly) && made.write(QByteArray(8192, 'x')) == 8192);
    } else if (damage == "half") {
        QVERIFY(QFile::copy(sound, file) && QFile::resize(file, QFileInfo(sound).size() / 2));
    } else {
        QVERIFY(QFile::copy(sound, file));
        QProcess shell;
        shell.start("sqlite3", {file, damage});
        QVERIFY(shell.waitForFinished(20'000) && shell.exitCode() == 0);
    }
    const Finished run = programs_.run({"run", programs_.small_task(task, steps), "--json"});
    QVERIFY2(run.status == 0, qPrintable(run.errors));
    QCOMPARE(run.losses().size(), steps);
    // A damaged file is renamed. A file that belongs to others stays as it is, and the log says what to do.
    const bool makes_room = damage == "noise" || damage == "half" || damage.startsWith("UPDATE");
    QCOMPARE(QFile::exists(file + ".damaged"), makes_room);
    if (makes_room) QCOMPARE(ask(file, "SELECT step FROM progress"), QStringList(QString::number(steps)));
    const Finished log = programs_.run({"logs", "--task", task + "-1"});
    QVERIFY2(log.output.contains(QFileInfo(file).fileName()), qPrintable(log.output));
}

void StateOfInstances::damaged_store_is_not_shown() {
    const QString file = store_of(programs_, "kept-1.stage-1.0");
    QProcess shell;
    shell.start("sqlite3", {file, "UPDATE step SET loss = loss / 2 WHERE step = 40"});
    QVERIFY(shell.waitForFinished(20'000) && shell.exitCode() == 0);
    const Finished shown = programs_.run({"state", file});
    QVERIFY(shown.status != 0 && shown.output.isEmpty());
    QVERIFY2(shown.errors.contains("table step") && shown.errors.contains(file), qPrintable(shown.errors));
    QVERIFY(programs_.run({"state", programs_.folder() + "/none.sqlite"}).status != 0);
}

/// The previous test has damaged a row. The orchestrator is asked for this row too, and serves only the others.
void StateOfInstances::damaged_row_is_left_out_and_reported() {
    const Finished shown = programs_.run({"stores", "show", "kept-1/stage-1/0", "--last", "5", "--json"});
    QVERIFY(shown.status != 0);
    QCOMPARE(shown.objects().size(), 4);
    for (const QJsonObject& row : shown.objects()) QVERIFY(row["row"]["step"].toInt() != steps);
    QVERIFY2(shown.errors.contains("1 row of table step"), qPrintable(shown.errors));
}

void StateOfInstances::non_store_file_is_listed_as_damaged() {
    QFile file(QFileInfo(store_of(programs_, "kept-1.stage-0.0")).path() + "/ruin-1.stage-0.0.sqlite");
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(QByteArray(8192, 'x')) == 8192);
    file.close();
    QList<QJsonObject> damaged;
    for (const QJsonObject& store : programs_.run({"stores", "--json"}).objects())
        if (store["file"].toString() == "ruin-1.stage-0.0.sqlite") damaged.append(store);
    QCOMPARE(damaged.size(), 1);
    QCOMPARE(damaged[0]["state"].toString(), QString("damaged"));
    QVERIFY(!damaged[0]["damage"].toString().isEmpty());
    const Finished shown = programs_.run({"stores", "show", "ruin-1/stage-0/0"});
    QVERIFY(shown.status != 0 && shown.output.isEmpty());
    QVERIFY2(shown.errors.contains("ruin-1.stage-0.0.sqlite"), qPrintable(shown.errors));
}

DIVISI_TEST(StateOfInstances)

}  // namespace state_test

#include "state_test.moc"
