// SPDX-License-Identifier: Apache-2.0
// Compares our losses with PyTorch's, which tests/witness/make.py trained on the same model files and data.
#include <cmath>

#include "tests/support/test_program.h"

#include "tests/system/programs.h"

namespace witness_test {

using divisi::tests::Finished;
using divisi::tests::Programs;

namespace {

/// Relative tolerance. Once PyTorch's own float32 and float64 differ by more, the rest of a curve is not compared.
constexpr double tolerance = 1e-5;
constexpr int compared_steps = 10;

QString witness_folder() { return QString(DIVISI_SOURCE_DIR) + "/tests/witness/"; }

bool agree(double a, double b) { return std::abs(a - b) <= tolerance * std::abs(b); }

/// One series of PyTorch's losses in both precisions.
struct Series {
    QList<double> narrow, wide;

    /// Returns how many values, from the first, agree in PyTorch's two precisions.
    int trusted() const {
        int count = 0;
        while (count < narrow.size() && agree(narrow[count], wide[count])) ++count;
        return count;
    }
};

QList<double> numbers(const QJsonValue& values) {
    QList<double> list;
    for (const auto value : values.toArray()) list.append(value.toDouble());
    return list;
}

void compare(const char* what, const QList<double>& ours, const Series& theirs) {
    QCOMPARE(theirs.trusted(), compared_steps);
    QVERIFY2(ours.size() == compared_steps, qPrintable(QString("%1: %2 values").arg(what).arg(ours.size())));
    for (int i = 0; i < compared_steps; ++i)
        QVERIFY2(agree(ours[i], theirs.narrow[i]), qPrintable(QString("%1 of step %2: %3, PyTorch has %4 (off by %5)")
                                                                  .arg(what)
                                                                  .arg(i + 1)
                                                                  .arg(ours[i], 0, 'g', 9)
                                                                  .arg(theirs.narrow[i], 0, 'g', 9)
                                                                  .arg(std::abs(ours[i] / theirs.narrow[i] - 1))));
}

}  // namespace

class Witness : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void losses_equal_those_of_pytorch_data();
    void losses_equal_those_of_pytorch();
    void losses_of_a_split_run_equal_those_of_pytorch();

private:
    void compare_curve(const QString& name, const Finished& finished) const;

    QJsonObject cases_;
    Programs programs_;
};

void Witness::initTestCase() {
    QFile file(witness_folder() + "curves.json");
    QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(file.fileName()));
    cases_ = QJsonDocument::fromJson(file.readAll())["cases"].toObject();
    QVERIFY(cases_.size() >= 25);
}

void Witness::compare_curve(const QString& name, const Finished& finished) const {
    QVERIFY2(finished.status == 0, qPrintable(finished.errors));
    const QJsonObject narrow = cases_[name]["float32"].toObject(), wide = cases_[name]["float64"].toObject();
    QList<double> losses;
    QMap<QString, QList<double>> heads;
    for (const QJsonObject& step : finished.objects("step")) {
        losses.append(step["loss"].toDouble());
        const QJsonObject of_heads = step["heads"].toObject();
        for (auto head = of_heads.begin(); head != of_heads.end(); ++head) heads[head.key()].append(head->toDouble());
    }
    compare("loss", losses, {numbers(narrow["losses"]), numbers(wide["losses"])});
    QCOMPARE(heads.keys(), narrow["heads"].toObject().keys());
    for (auto head = heads.begin(); head != heads.end(); ++head)
        compare(qPrintable("loss of head " + head.key()), *head,
                {numbers(narrow["heads"][head.key()]), numbers(wide["heads"][head.key()])});
    const QList<QJsonObject> evaluations = finished.objects("evaluation");
    QCOMPARE(evaluations.size(), narrow["evaluations"].toObject().size());
    for (const QJsonObject& evaluation : evaluations) {
        const QJsonValue theirs = narrow["evaluations"][QString::number(evaluation["step"].toInt())];
        const double ours = evaluation["loss"].toDouble(), loss = theirs["loss"].toDouble();
        QVERIFY2(agree(ours, loss), qPrintable(QString("evaluation: %1, PyTorch has %2").arg(ours).arg(loss)));
        QVERIFY(std::abs(evaluation["accuracy"].toDouble() - theirs["accuracy"].toDouble()) < 1e-6);
    }
}

void Witness::losses_equal_those_of_pytorch_data() {
    QTest::addColumn<QString>("name");
    for (const QString& name : cases_.keys()) QTest::newRow(qPrintable(name)) << name;
}

void Witness::losses_equal_those_of_pytorch() {
    QFETCH(QString, name);
    compare_curve(name, programs_.run({"reference", witness_folder() + "tasks/" + name + ".toml", "--json"}));
}

void Witness::losses_of_a_split_run_equal_those_of_pytorch() {
    QVERIFY(programs_.cluster_up());
    for (const char* name : {"attention", "batch-norm", "heads"}) {
        compare_curve(name, programs_.run({"run", witness_folder() + "tasks/" + name + ".toml", "--set",
                                           "split.stages=2", "--json"}));
        if (QTest::currentTestFailed()) return;
    }
}

DIVISI_TEST(Witness)

}  // namespace witness_test

#include "witness_test.moc"
