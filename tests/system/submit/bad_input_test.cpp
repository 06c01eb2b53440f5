// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include "backend/onnx/export.h"
#include "tests/support/task_file.h"
#include "tests/support/test_program.h"
#include "tests/system/programs.h"
#include "tests/unit/graph/builder.h"

namespace bad_input_test {

using namespace divisi;
using divisi::testing::TaskFile;
using divisi::tests::Finished;
using divisi::tests::Programs;

/// Tests that `divisictl run` refuses bad files. It names the file, the mistake and the remedy, and starts nothing. The
/// parsers' own tests (unit/task, unit/onnx, fuzz) cover the many other cases.
class BadInput : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void bad_task_files_are_refused_data();
    void bad_task_files_are_refused();
    void bad_models_are_refused_data();
    void bad_models_are_refused();
    void bad_tables_are_refused_data();
    void bad_tables_are_refused();
    void plan_that_would_hang_is_refused();
    void good_model_is_accepted();

private:
    void expect_refusal(const QString& task, const QStringList& told);
    Programs programs_;
    Programs cluster_;  ///< for faults that only an instance finds
};

namespace {

/// Each row with a bad task file changes one part of this text.
const QString good_text = R"([task]
name = "bad"
[model]
zoo = "mlp"
[data]
kind = "synthetic"
samples = 64
[train]
steps = 2
batch = 8
microbatches = 2
[split]
stages = 2
)";

TaskFile good_task() { return TaskFile("bad").set("train.steps", 2).set("split.stages", 2); }

TaskFile model_task() { return good_task().replace("model", {{"onnx", "model.onnx"}}); }

graph::test::Builder classifier() {
    graph::test::Builder builder;
    builder.symbolic_input("x", {{-1, "batch"}, {4, ""}})
        .constant("w", graph::HostTensor::of(graph::DType::float32, {4, 3}, std::vector<float>(12, 0.5F)))
        .node("/fc/MatMul", "MatMul", {"x", "w"}, {"h"})
        .node("/fc/Relu", "Relu", {"h"}, {"y"})
        .output("y");
    return builder;
}

/// Returns the bytes of the exported graph. If `apart`, its weights are in model.onnx.data.
QByteArray exported(const Programs& programs, const graph::Graph& graph, bool apart = false) {
    const QString path = programs.folder() + "/model.onnx";
    onnx::ExportOptions options;
    if (apart) options.inline_limit = 0;
    const auto written = onnx::export_model(graph, path.toStdString(), options);
    if (!written) qFatal("%s", written.error().message().c_str());
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) qFatal("cannot read %s", qPrintable(path));
    return file.readAll();
}

/// Replaces the first `from` by `to`, to create files that no exporter writes. Both have the same length, so that the
/// lengths around them stay valid.
QByteArray patched(QByteArray bytes, const QByteArray& from, const QByteArray& to) {
    const auto at = bytes.indexOf(from);
    if (at < 0 || from.size() != to.size()) qFatal("nothing to patch: %s", from.constData());
    return bytes.replace(at, from.size(), to);
}

}  // namespace

void BadInput::expect_refusal(const QString& task, const QStringList& told) {
    const Finished run = programs_.run({"run", task, "--json"});
    QVERIFY2(run.status == 2, qPrintable(QString::number(run.status) + ": " + run.output + run.errors));
    for (const QString& part : told) QVERIFY2(run.errors.contains(part), qPrintable(run.errors + " lacks: " + part));
    QVERIFY(programs_.left_behind().isEmpty());
    QVERIFY(!QFile::exists(programs_.data() + "/connection.toml"));
}

void BadInput::bad_task_files_are_refused_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QStringList>("told");
    const auto row = [](const char* name, const char* from, const char* to, const QStringList& told) {
        QTest::newRow(name) << QString(from) << QString(to) << told;
    };
    row("wrong type", "steps = 2", "steps = \"two\"", {"bad.toml:9", "an integer"});
    row("unknown key", "steps = 2", "stepz = 2", {"bad.toml:9", "did you mean 'steps'"});
    row("unknown section", "[split]", "[splitt]", {"bad.toml:12", "did you mean 'split'"});
    row("no TOML", "[task]", "[[task", {"bad.toml:1"});
    row("micro-batches that do not divide", "microbatches = 2", "microbatches = 3", {"bad.toml:11", "divisor"});
    row("a cut at an unknown operator", "stages = 2", "cuts = [\"/nowhere\"]", {"'/nowhere'"});
    row("a cut beyond the last", "stages = 2", "cuts = [9999]", {"legal cuts"});
    row("a cut twice", "stages = 2", "cuts = [0, 0]", {"twice"});
    row("too many stages", "stages = 2", "stages = 200", {"use 1 to"});
    row("a missing file", "kind = \"synthetic\"\nsamples = 64", "kind = \"text\"\npath = \"absent.txt\"",
        {"absent.txt"});
}

void BadInput::bad_task_files_are_refused() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QStringList, told);
    QVERIFY(good_text.contains(from));
    expect_refusal(programs_.write("bad.toml", QString(good_text).replace(from, to).toUtf8()), told);
}

void BadInput::bad_models_are_refused_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QStringList>("told");
    const QByteArray good = exported(programs_, classifier().graph);
    const QByteArray apart = exported(programs_, classifier().graph, true);
    const QByteArray cyclic = patched(good, "\x0a\x01x", "\x0a\x01y");  // the first node's input
    const QByteArray unknown = patched(good, "\x22\x04Relu", "\x22\x04Nope");
    const QByteArray outside = patched(apart, "model.onnx.data", "../../elsewhere");
    QTest::newRow("empty") << QByteArray() << QStringList{"model.onnx", "empty"};
    QTest::newRow("truncated") << good.left(good.size() / 2) << QStringList{"model.onnx"};
    QTest::newRow("a length of 4 GiB") << QByteArray("\x3a\xff\xff\xff\xff\x0f", 6)
                                       << QStringList{"model.onnx", "4294967295 bytes"};
    QTest::newRow("cyclic") << cyclic << QStringList{"model.onnx", "cycle", "/fc/Relu"};
    QTest::newRow("unknown operator") << unknown << QStringList{"model.onnx", "/fc/Relu", "Nope"};
    QTest::newRow("data outside its folder")
        << outside << QStringList{"model.onnx", "'w'", "inside the model's folder"};
}

void BadInput::bad_models_are_refused() {
    QFETCH(QByteArray, bytes);
    QFETCH(QStringList, told);
    programs_.write("model.onnx", bytes);
    expect_refusal(programs_.write("bad.toml", model_task()), told);
}

void BadInput::bad_tables_are_refused_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QStringList>("told");
    QVERIFY(cluster_.cluster_up());
    QTest::newRow("a pipe") << QByteArray() << QStringList{"t.csv", "is a pipe", "name a regular file"};
    QTest::newRow("UTF-16") << QByteArray(
                                   "\xff\xfe"
                                   "a\0,\0y\0\n\0",
                                   10)
                            << QStringList{"t.csv", "UTF-16", "iconv"};
    QTest::newRow("Latin-1") << QByteArray("\xe9t\xe9\n1\n") << QStringList{"t.csv:1", "'y'", "\\xe9t\\xe9"};
    QTest::newRow("beyond float32") << QByteArray("a,y\n1,0\n1e39,1\n")
                                    << QStringList{"t.csv:3", "'a' (field 1)", "'1e39'", "float32"};
    QTest::newRow("half a label") << QByteArray("a,y\n1,0\n2,1\n3,0.5\n")
                                  << QStringList{"t.csv:4", "'0.5'", "'y' (field 2)", "not a class number"};
}

/// Only the instance that opens a bad table finds its fault. The whole message reaches the client, as valid JSON.
void BadInput::bad_tables_are_refused() {
    QFETCH(QByteArray, bytes);
    QFETCH(QStringList, told);
    const QString file = cluster_.folder() + "/t.csv";
    QFile::remove(file);
    if (bytes.isEmpty()) QCOMPARE(::mkfifo(file.toUtf8().constData(), 0600), 0);
    else cluster_.write("t.csv", bytes);
    const TaskFile task = good_task()
                              .section("model", {{"inputs", 1}, {"classes", 2}})
                              .replace("data", {{"kind", "csv"}, {"path", "t.csv"}, {"targets", {"y"}}});
    const Finished run = cluster_.run({"run", cluster_.write("bad.toml", task), "--json"}, 20'000);
    QVERIFY2(run.status == 1, qPrintable(QString::number(run.status) + ": " + run.output + run.errors));
    QCOMPARE(run.objects().size(), run.output.split('\n', Qt::SkipEmptyParts).size());
    QCOMPARE(run.objects("end").size(), 1);
    const QJsonObject error = run.objects("end").first()["error"].toObject();
    QString said;
    for (const char* part : {"where", "what", "next"}) said += error[part].toString() + "; ";
    for (const QString& part : told) QVERIFY2(said.contains(part), qPrintable(said + " lacks: " + part));
}

void BadInput::plan_that_would_hang_is_refused() {
    TaskFile task = good_task()
                        .section("model", {{"zoo", "multitask"}, {"heads", 4}})
                        .set("train.microbatches", 4)
                        .section("split", {{"strategy", "business"}, {"stages", 5}, {"slots", 1}});
    for (int head = 0; head < 4; ++head) task.set("train.losses.logits_" + std::to_string(head), "mse");
    expect_refusal(programs_.write("hangs.toml", task),
                   {"deadlocks", "waits for a tensor slot", "which stage", "split.slots"});
}

void BadInput::good_model_is_accepted() {
    // The unmodified model and task are valid.
    exported(programs_, classifier().graph);
    const Finished plan = programs_.run({"plan", programs_.write("good.toml", model_task()), "--json"});
    QVERIFY2(plan.status == 0, qPrintable(plan.errors));
    const Finished zoo = programs_.run({"plan", programs_.write("zoo.toml", good_text.toUtf8()), "--json"});
    QVERIFY2(zoo.status == 0, qPrintable(zoo.errors));
}

DIVISI_TEST(BadInput)

}  // namespace bad_input_test

#include "bad_input_test.moc"
