// SPDX-License-Identifier: Apache-2.0
#include <QDirIterator>
#include <cmath>

#include "tests/support/task_file.h"
#include "tests/support/test_program.h"

#include "tests/system/programs.h"

namespace batch_test {

using divisi::testing::TaskFile;
using divisi::tests::Finished;
using divisi::tests::Programs;

/// Runs tasks of kind batch in real processes. Every sample appears once, the file is the same for any cut, and the
/// figures equal PyTorch's.
class Batch : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QVERIFY(programs_.cluster_up()); }
    void results_are_the_same_for_any_cut();
    void batch_losses_equal_those_of_pytorch_data();
    void batch_losses_equal_those_of_pytorch();
    void results_of_heads_in_different_stages_are_merged();
    void data_without_labels_are_predicted();
    void results_can_be_fetched_later();
    void batches_that_cannot_run_are_refused();
    void batches_of_one_model_reuse_loaded_processes();

private:
    /// Trains a task for a few steps. A batch can then name its model by the task alone.
    void train(const QString& name) {
        const Finished trained = programs_.run({"run", programs_.task_across_mics(name, 3)});
        QVERIFY2(trained.status == 0, qPrintable(trained.errors));
    }
    QString batch_of(const QString& name) const {
        const QString score = "score-" + name;
        return programs_.write(score + ".toml",
                               TaskFile(score.toStdString())
                                   .batch({"from", name})
                                   .set("data.samples", 21)
                                   .set("train.batch", 8)
                                   .section("batch", {{"output", "results.csv"}, {"values", "outputs"}})
                                   .set("split.stages", 1));
    }
    QByteArray results(const QString& name = "results") const {
        QFile file(programs_.folder() + "/" + name + ".csv");
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    /// Counts started processes: each has a log named after the first instance that it ran.
    int processes_begun_for(const QString& tasks) const {
        int count = 0;
        for (QDirIterator at(programs_.folder(), {tasks + "*.log"}, QDir::Files, QDirIterator::Subdirectories);
             at.hasNext(); at.next())
            ++count;
        return count;
    }
    Programs programs_;
};

void Batch::results_are_the_same_for_any_cut() {
    train("small");
    const QString task = batch_of("small");
    QByteArray first;
    QStringList losses;
    const QStringList across{"--set", "split.stages=2", "--set", R"(place.stages=["mic-1/node-1","mic-2/node-1"])"};
    for (const QStringList& settings :
         {QStringList(), across, QStringList{"--set", "split.stages=4", "--set", "place.data=mic-2/node-2"}}) {
        QFile::remove(programs_.folder() + "/results.csv");
        const Finished run = programs_.run(QStringList{"run", task, "--json"} + settings);
        QVERIFY2(run.status == 0, qPrintable(run.errors));
        QCOMPARE(run.losses().size(), 3);  // 8 + 8 + 5 samples
        QCOMPARE(run.objects("evaluation").size(), 1);
        if (first.isEmpty()) first = results(), losses = run.losses();
        QVERIFY(results() == first);
        QCOMPARE(run.losses(), losses);
    }
    const QList<QByteArray> lines = first.trimmed().split('\n');
    QCOMPARE(lines.size(), 22);
    QCOMPARE(lines.at(0).trimmed(), QByteArray("sample,prediction,target,loss,output"));
    for (int i = 1; i < lines.size(); ++i) QCOMPARE(lines.at(i).split(',').at(0), QByteArray::number(i - 1));
    // The unsplit program gives the same results from the exported file.
    const QString file = programs_.folder() + "/small.onnx";
    QCOMPARE(programs_.run({"model", "export", "small", file}).status, 0);
    const Finished unsplit = programs_.run({"reference", task, "--json", "--set", "model.onnx=" + file});
    QVERIFY2(unsplit.status == 0, qPrintable(unsplit.errors));
    QCOMPARE(unsplit.losses(), losses);
    QVERIFY(results() == first);
}

void Batch::batch_losses_equal_those_of_pytorch_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("samples");  // samples of the validation part
    QTest::addColumn<int>("counted");  // number of these samples in PyTorch's whole micro-batches
    QTest::newRow("images") << "batch-norm" << 8 << 8;
    QTest::newRow("table") << "batch-norm-table" << 9 << 8;
    QTest::newRow("text") << "attention" << 4 << 4;
}

/// Compares the results with PyTorch's validation figures after the same ten steps (tests/witness).
void Batch::batch_losses_equal_those_of_pytorch() {
    QFETCH(QString, name);
    QFETCH(int, samples);
    QFETCH(int, counted);
    const QString witness = QString(DIVISI_SOURCE_DIR) + "/tests/witness/";
    QFile curves(witness + "curves.json");
    QVERIFY(curves.open(QIODevice::ReadOnly));
    const QJsonObject wanted =
        QJsonDocument::fromJson(curves.readAll())["cases"][name]["float32"]["evaluations"]["10"].toObject();
    QVERIFY(wanted.contains("loss"));
    const QString training = witness + "tasks/" + name + ".toml";
    const Finished trained = programs_.run({"run", training});
    QVERIFY2(trained.status == 0, qPrintable(trained.errors));

    QFile text(training);
    QVERIFY(text.open(QIODevice::ReadOnly));
    const QString whole = text.readAll();
    QString data = whole.mid(whole.indexOf("[data]"), whole.indexOf("[train]") - whole.indexOf("[data]"));
    data.replace("../data/", witness + "data/");
    const TaskFile task = TaskFile("score")
                              .batch({"from", name})
                              .drop_section("data")
                              .set("train.batch", 2)
                              .set("batch.output", "results.csv")
                              .set("split.stages", 2)
                              .add(data.toStdString());
    const Finished run = programs_.run({"run", programs_.write("score.toml", task), "--json"});
    QVERIFY2(run.status == 0, qPrintable(run.errors));
    QCOMPARE(run.objects("evaluation").size(), 1);

    const QList<QByteArray> lines = results().trimmed().split('\n').mid(1);
    QCOMPARE(lines.size(), samples);
    double loss = 0;
    int right = 0, positions = 0;
    for (const QByteArray& line : lines.mid(0, counted)) {
        const QList<QByteArray> fields = line.trimmed().split(',');
        const QList<QByteArray> said = fields.at(1).split(' '), meant = fields.at(2).split(' ');
        for (int i = 0; i < said.size(); ++i, ++positions) right += said.at(i) == meant.at(i);
        loss += fields.at(3).toDouble() / counted;
    }
    const double theirs = wanted["loss"].toDouble();
    QVERIFY2(std::abs(loss - theirs) <= 1e-5 * theirs, qPrintable(QString("%1, PyTorch %2").arg(loss).arg(theirs)));
    QVERIFY(std::abs(static_cast<double>(right) / positions - wanted["accuracy"].toDouble()) < 1e-6);
}

void Batch::results_of_heads_in_different_stages_are_merged() {
    const auto with_heads = [](const char* name) {
        return TaskFile(name)
            .set("data.samples", 24)
            .drop("train.microbatches")
            .section("train.losses", {{"logits_0", "cross_entropy"}, {"logits_1", "cross_entropy"}})
            .set("split.strategy", "business");
    };
    const QString training =
        programs_.write("heads.toml", with_heads("heads").set("model.zoo", "multitask").set("place.threads", 1));
    const Finished trained = programs_.run({"run", training, "--set", "train.steps=2"});
    QVERIFY2(trained.status == 0, qPrintable(trained.errors));
    const QString task =
        programs_.write("score-heads.toml", with_heads("score-heads").batch({"from", "heads"}).set("train.batch", 8));
    QByteArray first;
    for (const QStringList& settings :
         {QStringList(), QStringList{"--set", "split.strategy=layer", "--set", "split.stages=1"}}) {
        const Finished run =
            programs_.run(QStringList{"run", task, "--json", "--set", "batch.output=results.csv"} + settings);
        QVERIFY2(run.status == 0, qPrintable(run.errors));
        QCOMPARE(run.objects("evaluation").value(0)["heads"].toObject().keys(), QStringList({"logits_0", "logits_1"}));
        if (first.isEmpty()) first = results();
        QVERIFY(results().startsWith("sample,logits_0.prediction,logits_0.target,logits_0.loss,logits_1.prediction"));
        QVERIFY(results() == first);
    }
}

void Batch::data_without_labels_are_predicted() {
    train("unlabelled");
    const QString task = batch_of("unlabelled");
    const Finished labelled = programs_.run({"run", task, "--json"});
    QVERIFY2(labelled.status == 0, qPrintable(labelled.errors));
    QList<QByteArray> predictions;
    for (const QByteArray& line : results().trimmed().split('\n')) predictions.append(line.split(',').at(1));
    const Finished run = programs_.run({"run", task, "--json", "--set", "batch.labels=false", "--set",
                                        "batch.values=prediction", "--set", "split.stages=2"});
    QVERIFY2(run.status == 0, qPrintable(run.errors));
    QVERIFY(!run.objects("step").value(0).contains("loss"));
    QCOMPARE(run.objects("evaluation").size(), 0);
    const QList<QByteArray> lines = results().trimmed().split('\n');
    QCOMPARE(lines.size(), predictions.size());
    for (int i = 0; i < lines.size(); ++i)
        QCOMPARE(lines.at(i).trimmed().split(',').at(1), predictions.at(i).trimmed());
}

void Batch::results_can_be_fetched_later() {
    train("later");
    const Finished run = programs_.run({"run", batch_of("later"), "--json"});
    QCOMPARE(run.objects("results").value(0)["file"].toString(), programs_.folder() + "/results.csv");
    const QByteArray first = results();
    const QString other = programs_.folder() + "/other.csv";
    const Finished fetched = programs_.run({"results", "score-later", other});
    QVERIFY2(fetched.status == 0, qPrintable(fetched.errors));
    QFile file(other);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(!first.isEmpty() && file.readAll() == first);
    const Finished none = programs_.run({"results", "later", other});
    QVERIFY(none.status != 0 && none.errors.contains("has no results"));
    const Finished weights = programs_.run({"model", "export", "score-later", programs_.folder() + "/x.onnx"});
    QVERIFY(weights.status != 0 && weights.errors.contains("does not have trained weights"));
}

void Batch::batches_that_cannot_run_are_refused() {
    const QString task = batch_of("nobody");
    const Finished unknown = programs_.run({"run", task});
    QVERIFY(unknown.status != 0);
    QVERIFY2(unknown.errors.contains("no such task"), qPrintable(unknown.errors));
    const Finished nowhere = programs_.run({"run", task, "--set", "batch.output=no/such/folder.csv"});
    QCOMPARE(nowhere.status, 2);
    QVERIFY2(nowhere.errors.contains("--set batch.output"), qPrintable(nowhere.errors));
    const Finished alone = programs_.run({"reference", task});
    QVERIFY2(alone.status != 0 && alone.errors.contains("model export nobody"), qPrintable(alone.errors));
}

/// Three batches wait for the same two nodes. Each of them alone would start two processes.
void Batch::batches_of_one_model_reuse_loaded_processes() {
    train("grouped");
    const QString task = batch_of("grouped");
    const QStringList samples{"21", "40", "13"};
    const auto arguments = [&](const QString& name, int number) {
        return QStringList{"run",   task,
                           "--set", "task.name=" + name,
                           "--set", "batch.output=" + name + ".csv",
                           "--set", "data.samples=" + samples[number],
                           "--set", "split.stages=2",
                           "--set", R"(place.stages=["mic-1/node-1","mic-2/node-1"])"};
    };
    for (int i = 0; i < 3; ++i) {
        const Finished run =
            programs_.run(arguments(QString("alone-%1").arg(i), i) + QStringList{"--set", "batch.group=false"});
        QVERIFY2(run.status == 0, qPrintable(run.errors));
    }
    QCOMPARE(processes_begun_for("alone-"), 6);

    const auto start = [&](QProcess& process, const QStringList& line) {
        process.setProcessEnvironment(programs_.environment());
        process.start(Programs::program("divisictl"), line);
    };
    QProcess holder;
    start(holder, {"run", programs_.task_across_mics("holder", 100'000'000), "--json"});
    QVERIFY(QTest::qWaitFor([&] { return holder.canReadLine() || holder.state() == QProcess::NotRunning; }, 30'000));
    QProcess runs[3];
    for (int i = 0; i < 3; ++i) start(runs[i], arguments(QString("together-%1").arg(i), i));
    const auto wait = [&] { return programs_.run({"queue", "--json"}).output.count("one group with together-") == 3; };
    QVERIFY2(QTest::qWaitFor(wait, 60'000), qPrintable(programs_.run({"queue"}).output));
    QCOMPARE(programs_.run({"tasks", "stop", "holder-1"}).status, 0);
    QVERIFY(holder.waitForFinished(60'000));
    for (QProcess& run : runs) {
        QVERIFY(run.state() == QProcess::NotRunning || run.waitForFinished(120'000));
        QVERIFY2(run.exitCode() == 0, run.readAllStandardError().constData());
    }
    for (int i = 0; i < 3; ++i) {
        const QByteArray alone = results(QString("alone-%1").arg(i));
        QCOMPARE(alone.trimmed().count('\n'), samples[i].toInt());
        QVERIFY(results(QString("together-%1").arg(i)) == alone);
    }
    QCOMPARE(processes_begun_for("together-"), 2);
    QCOMPARE(
        programs_.run({"logs", "--contains", "continues with the processes of together-"}).output.count("continues"),
        2);
}

DIVISI_TEST(Batch)

}  // namespace batch_test

#include "batch_test.moc"
