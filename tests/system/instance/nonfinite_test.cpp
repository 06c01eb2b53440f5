// SPDX-License-Identifier: Apache-2.0

#include "tests/system/programs.h"

#include "tests/support/test_program.h"

namespace nonfinite_test {

using divisi::tests::Finished;
using divisi::tests::Programs;

/// Tests trainings on the tables of tests/witness whose losses become NaN or infinite. They fail at that step, or
/// continue with the same bits in every plan.
class Nonfinite : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QVERIFY(programs_.cluster_up()); }
    void training_stops_at_a_non_finite_loss_data();
    void training_stops_at_a_non_finite_loss();
    void head_with_a_non_finite_loss_is_named();
    void weight_broken_by_the_last_step_is_named();
    void continued_training_has_the_same_bits_in_every_plan();
    void invalid_nonfinite_setting_is_refused();

private:
    Finished train(const QString& command, const QString& task, const QStringList& settings) const;
    Programs programs_;
};

namespace {

/// Returns whether every line is JSON.
bool is_json(const Finished& finished) {
    return finished.objects().size() == finished.output.split('\n', Qt::SkipEmptyParts).size();
}

}  // namespace

Finished Nonfinite::train(const QString& command, const QString& task, const QStringList& settings) const {
    QStringList arguments{command, QString(DIVISI_SOURCE_DIR) + "/tests/witness/tasks/" + task + ".toml", "--json"};
    for (const QString& setting : settings) arguments << "--set" << setting;
    return programs_.run(arguments);
}

void Nonfinite::training_stops_at_a_non_finite_loss_data() {
    QTest::addColumn<QString>("command");
    QTest::addColumn<QStringList>("settings");
    QTest::newRow("reference") << "reference" << QStringList{};
    QTest::newRow("run") << "run" << QStringList{"split.stages=2"};
}

void Nonfinite::training_stops_at_a_non_finite_loss() {
    QFETCH(QString, command);
    QFETCH(QStringList, settings);
    const Finished finished = train(command, "sgd", settings + QStringList{"train.lr=1e25"});
    QCOMPARE(finished.status, 1);
    QVERIFY2(is_json(finished), qPrintable(finished.output));
    const QList<QJsonObject> steps = finished.objects("step"), ends = finished.objects("end");
    QCOMPARE(steps.size(), 2);  // the first step still has a finite loss
    QVERIFY(steps[0]["loss"].isDouble());
    QCOMPARE(steps[1]["loss"].toString(), QString("Infinity"));
    QCOMPARE(steps[1]["loss_bits"].toString(), QString("7f800000"));
    QCOMPARE(ends.size(), 1);
    QCOMPARE(ends[0]["outcome"].toString(), QString("failed"));
    const QJsonObject error = ends[0]["error"].toObject();
    QVERIFY2(error["where"].toString().contains("step 2"), qPrintable(error["where"].toString()));
    QCOMPARE(error["what"].toString(), QString("the loss is inf"));
    for (const char* told : {"train.lr", "train.clip", "the data", "train.nonfinite"})
        QVERIFY2(error["next"].toString().contains(told), qPrintable(error["next"].toString()));
}

void Nonfinite::head_with_a_non_finite_loss_is_named() {
    const Finished finished = train("run", "heads", {"train.lr=1e25", "split.stages=2"});
    QCOMPARE(finished.status, 1);
    QVERIFY(is_json(finished));
    const QJsonObject error = finished.objects("end").constFirst()["error"].toObject();
    QVERIFY2(error["what"].toString().contains("head 'value' is "), qPrintable(error["what"].toString()));
    QVERIFY(!finished.objects("step").constLast()["heads"]["value"].isDouble());
}

void Nonfinite::weight_broken_by_the_last_step_is_named() {
    for (const char* command : {"reference", "run"}) {
        const Finished finished =
            train(command, "sgd", {"train.lr=1e38", "train.momentum=0.9", "train.steps=1", "train.weight_decay=1e10"});
        QCOMPARE(finished.status, 1);
        const QJsonObject end = finished.objects("end").constFirst();
        QCOMPARE(end["outcome"].toString(), QString("failed"));
        QVERIFY2(end["error"]["what"].toString().startsWith("weight '"), qPrintable(finished.output));
        QVERIFY(end["error"]["where"].toString().contains("after step 1"));
    }
}

void Nonfinite::continued_training_has_the_same_bits_in_every_plan() {
    for (const char* task : {"sgd", "heads", "clip-adamw", "batch-norm"}) {
        const QStringList settings{"train.lr=1e38", "train.nonfinite=continue"};
        const Finished reference = train("reference", task, settings);
        QCOMPARE(reference.status, 0);
        QVERIFY(is_json(reference));
        const QStringList bits = reference.losses();
        QCOMPARE(bits.size(), 10);
        QVERIFY2(reference.objects("step").constLast()["loss"].isString(), qPrintable(reference.output));
        QVERIFY2(reference.errors.contains("warning: step "), qPrintable(reference.errors));
        for (const char* stages : {"split.stages=2", "split.stages=3"}) {
            const Finished run = train("run", task, settings + QStringList{stages});
            QCOMPARE(run.status, 0);
            QVERIFY(is_json(run));
            QCOMPARE(run.losses(), bits);
            QVERIFY2(run.errors.contains("step ") && run.errors.contains("the loss is"), qPrintable(run.errors));
        }
    }
}

void Nonfinite::invalid_nonfinite_setting_is_refused() {
    const Finished finished = train("reference", "sgd", {"train.nonfinite=ignore"});
    QCOMPARE(finished.status, 2);
    QVERIFY2(finished.output.contains("train.nonfinite") || finished.errors.contains("train.nonfinite"),
             qPrintable(finished.errors));
}

DIVISI_TEST(Nonfinite)

}  // namespace nonfinite_test

#include "nonfinite_test.moc"
