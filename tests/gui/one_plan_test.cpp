// SPDX-License-Identifier: GPL-3.0-or-later
// Tests that "Optimize" and divisictl plan find the same cuts at the same price.
#include <QPushButton>

#include "tests/gui/console.h"
#include "tests/gui/onnx_files.h"
#include "tests/support/test_program.h"
#include "tests/system/programs.h"

namespace one_plan_test {

using namespace divisi;
using divisi::tests::Finished;
using divisi::tests::Programs;

namespace {

constexpr const char* rest_of_task = R"(
[data]
kind = "synthetic"
samples = 64
[train]
batch = 8
microbatches = 4
[split]
stages = 1
tabu_iterations = 40
)";

}  // namespace

class OnePlanTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        qputenv("DIVISI_DATA", programs_.data().toUtf8());
        testing::write_lenet(programs_.folder() + QStringLiteral("/lenet.onnx"));
    }
    void optimize_matches_divisictl_plan_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("stages");
        const QString gpt = QStringLiteral("zoo = \"gpt\"\nlayers = 2\nwidth = 64\nheads = 2\ncontext = 32");
        QTest::newRow("gpt in two") << gpt << 2;
        QTest::newRow("gpt in four") << gpt << 4;
        QTest::newRow("resnet18 in three") << QStringLiteral("zoo = \"resnet18\"") << 3;
        QTest::newRow("imported in three") << QStringLiteral("onnx = \"lenet.onnx\"") << 3;
    }
    void optimize_matches_divisictl_plan();
    void task_opens_with_the_cuts_of_a_search();

private:
    QString task(const QString& model, const QString& set = {}) const {
        const QString text = QStringLiteral("[task]\nname = \"one\"\n[model]\n") + model + QLatin1String(rest_of_task);
        return programs_.write(QStringLiteral("one.toml"), (text + set).toUtf8());
    }
    /// Returns the last line of divisictl plan with these settings.
    QJsonObject plan(const QString& file, const QStringList& settings) const {
        QStringList arguments{QStringLiteral("plan"), file, QStringLiteral("--json")};
        for (const QString& setting : settings) arguments << QStringLiteral("--set") << setting;
        const Finished finished = programs_.run(arguments);
        if (finished.status != 0) qFatal("%s", qPrintable(finished.errors));
        return finished.objects().last();
    }
    /// Returns the last operator of each stage except the last stage.
    static QStringList ends(const QJsonObject& plan) {
        QStringList names;
        for (const QJsonValue stage : plan[QStringLiteral("stages")].toArray())
            names << stage.toArray().last().toString();
        names.removeLast();
        return names;
    }
    static QStringList ends(const testing::Console& console) {
        QStringList names;
        for (const std::string& name : console.window->context().document.cut_names())
            names << QString::fromStdString(name);
        return names;
    }
    static bool priced(testing::Console& console) {
        return QTest::qWaitFor(
            [&] {
                const model::PriceBoard& board = console.window->context().prices;
                return !console.window->context().pool.busy() && !board.busy() && board.prices() &&
                       board.prices()->ok() && board.prices()->cuts == console.cuts();
            },
            20'000);
    }

    Programs programs_;
};

void OnePlanTest::optimize_matches_divisictl_plan() {
    QFETCH(const QString, model);
    QFETCH(const int, stages);
    const QString file = task(model);
    testing::Console console;
    QSignalSpy loaded(&console.window->context().opener.loader(), &model::ModelLoader::loaded);
    console.window->open_path(file);
    QVERIFY(loaded.wait(20'000));
    console.find<QSpinBox>("stages")->setValue(stages);
    QTest::mouseClick(console.find<QPushButton>("optimize"), Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return console.document().undo_stack().count() == 1; }, 60'000));
    QVERIFY(priced(console));

    const QJsonObject line =
        plan(file, {QStringLiteral("split.method=tabu"), QStringLiteral("split.stages=%1").arg(stages)});
    QCOMPARE(ends(console), ends(line));
    QCOMPARE(console.window->context().prices.prices()->prediction.step_ms,
             line[QStringLiteral("predicted_step_ms")].toDouble());
    QCOMPARE(console.window->context().prices.fastest()->step_ms, line[QStringLiteral("predicted_step_ms")].toDouble());
}

void OnePlanTest::task_opens_with_the_cuts_of_a_search() {
    const QString model = QStringLiteral("zoo = \"gpt\"\nlayers = 2\nwidth = 64\nheads = 2\ncontext = 32");
    for (const char* method : {"optimal", "tabu"}) {
        QString text = task(model);
        QFile file(text);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray open =
            file.readAll().replace("stages = 1", QByteArray("stages = 3\nmethod = \"") + method + '"');
        const QString path = programs_.write(QStringLiteral("open.toml"), open);
        testing::Console console;
        console.window->open_path(path);
        QVERIFY(QTest::qWaitFor([&] { return console.cuts().size() == 2; }, 60'000));
        QVERIFY(priced(console));
        const QJsonObject line = plan(path, {});
        QCOMPARE(ends(console), ends(line));
        QCOMPARE(console.window->context().prices.prices()->prediction.step_ms,
                 line[QStringLiteral("predicted_step_ms")].toDouble());
    }
}

DIVISI_WINDOW_TEST(OnePlanTest)

}  // namespace one_plan_test

#include "one_plan_test.moc"
