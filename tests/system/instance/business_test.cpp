// SPDX-License-Identifier: Apache-2.0

#include "backend/graph/shapes.h"
#include "backend/onnx/export.h"
#include "tests/support/task_file.h"
#include "tests/support/test_program.h"
#include "tests/system/programs.h"
#include "tests/unit/graph/builder.h"

namespace business_test {

using namespace divisi;
using divisi::testing::TaskFile;
using divisi::tests::Finished;
using divisi::tests::Programs;

/// Trains several heads on real processes. Backbone and heads run separately, and the losses have the bits of the
/// unsplit reference.
class Business : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QVERIFY(programs_.cluster_up()); }
    void split_training_matches_reference_data();
    void split_training_matches_reference();
    void heads_can_be_dropped_and_weighted();
    void losses_of_heads_are_reported();
    void table_may_have_a_target_for_each_head();
    void imported_model_may_have_interleaved_heads();
    void errors_name_the_line();

private:
    Finished run(const char* command, const QString& task, const QStringList& settings);

    Programs programs_;
};

namespace {

TaskFile heads_task() {
    return TaskFile("heads")
        .section("model", {{"zoo", "multitask"}, {"inputs", 16}, {"width", 24}, {"layers", 3}, {"heads", 3}})
        .section("data", {{"samples", 256}, {"validation_share", 0.25}})
        .section("train", {{"steps", 6},
                           {"batch", 16},
                           {"microbatches", 4},
                           {"optimizer", "adamw"},
                           {"lr", 0.01},
                           {"clip", 1.0},
                           {"seed", 3},
                           {"eval_every", 3}})
        .section("train.losses", {{"logits_0", "cross_entropy"}, {"logits_1", "mse"}, {"logits_2", "cross_entropy"}})
        .set("train.weights.logits_1", 0.5)
        .set("split.strategy", "business");
}

/// Returns three heads whose operators are interleaved in the file. All heads read the stem's output; "buy" also reads
/// the output of "click".
graph::Graph interleaved() {
    const auto weight = [](std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
        std::vector<float> values(static_cast<std::size_t>(rows * columns));
        for (float& value : values) {
            seed = seed * 48271 % 2147483647;
            value = 0.3F * (static_cast<float>(seed) / 1073741823.5F - 1);
        }
        return graph::HostTensor::of(graph::DType::float32, {rows, columns}, values);
    };
    graph::test::Builder b;
    b.graph.opset = 13;
    b.symbolic_input("user", {{-1, "batch"}, {12, ""}});
    b.constant("stem.weight", weight(12, 16, 1));
    int seed = 2;
    for (const char* name : {"click", "buy", "stay"}) {
        b.constant(std::string(name) + ".0", weight(16, 16, seed++));
        b.constant(std::string(name) + ".1", weight(16, 3, seed++));
    }
    b.node("/stem/MatMul", "MatMul", {"user", "stem.weight"}, {"s"}).node("/stem/Relu", "Relu", {"s"}, {"h"});
    for (const char* name : {"stay", "click", "buy"})
        b.node(std::string("/") + name + "/0", "MatMul", {"h", std::string(name) + ".0"}, {std::string(name) + "_0"});
    for (const char* name : {"click", "stay", "buy"})
        b.node(std::string("/") + name + "/Tanh", "Tanh", {std::string(name) + "_0"}, {std::string(name) + "_t"});
    b.node("/stay/1", "MatMul", {"stay_t", "stay.1"}, {"stay"});
    b.node("/click/1", "MatMul", {"click_t", "click.1"}, {"click"});
    b.node("/buy/1", "MatMul", {"buy_t", "buy.1"}, {"offer"}).node("/buy/Add", "Add", {"offer", "click"}, {"buy"});
    b.output("buy").output("click").output("stay");
    return std::move(b.graph);
}

QStringList evaluations(const Finished& finished) {
    QStringList bits;
    for (const QJsonObject& evaluation : finished.objects("evaluation"))
        bits << evaluation["loss_bits"].toString() + QJsonDocument(evaluation["heads"].toObject()).toJson() +
                    QJsonDocument(evaluation["accuracies"].toObject()).toJson();
    return bits;
}

}  // namespace

Finished Business::run(const char* command, const QString& task, const QStringList& settings) {
    QStringList arguments{command, task};
    for (const QString& setting : settings) arguments << "--set" << setting;
    const Finished finished = programs_.run(arguments << "--json");
    if (finished.status != 0) qWarning("%s: %s", command, qPrintable(finished.errors));
    return finished;
}

void Business::split_training_matches_reference_data() {
    QTest::addColumn<QStringList>("settings");
    QTest::newRow("every part separately") << QStringList{};
    QTest::newRow("gpipe") << QStringList{"split.schedule=gpipe"};
    QTest::newRow("two stages") << QStringList{"split.stages=2"};
    QTest::newRow("backbone in several") << QStringList{"split.stages=6"};
    QTest::newRow("short backbone") << QStringList{"split.shared_layers=2"};
    QTest::newRow("recompute") << QStringList{"train.recompute=true"};
    QTest::newRow("by layers") << QStringList{"split.strategy=layer", "split.stages=3"};
}

void Business::split_training_matches_reference() {
    QFETCH(QStringList, settings);
    const QString task = programs_.write("heads.toml", heads_task());
    static const Finished reference = run("reference", task, {});
    QCOMPARE(reference.losses().size(), 6);
    QCOMPARE(evaluations(reference).size(), 2);
    const Finished split = run("run", task, settings);
    QCOMPARE(split.losses(), reference.losses());
    QCOMPARE(evaluations(split), evaluations(reference));
}

void Business::heads_can_be_dropped_and_weighted() {
    const QString task = programs_.write("heads.toml", heads_task());
    const Finished all = run("reference", task, {});
    const QStringList dropped{"train.losses.logits_0=none"}, weighted{"train.weights.logits_2=0.125"};
    const Finished two = run("reference", task, dropped), other = run("reference", task, weighted);
    QCOMPARE(run("run", task, dropped).losses(), two.losses());
    QCOMPARE(run("run", task, weighted).losses(), other.losses());
    QVERIFY(two.losses() != all.losses() && other.losses() != all.losses());
    const QJsonObject heads = two.objects("step").first()["heads"].toObject();
    QCOMPARE(heads.keys(), (QStringList{"logits_1", "logits_2"}));
    // Without the dropped head, the plan has three parts instead of four.
    const Finished plan = run("plan", task, dropped);
    QCOMPARE(plan.objects().first()["parts"].toArray().size(), 3);
    QCOMPARE(plan.objects().first()["stages"].toArray().size(), 3);
}

void Business::losses_of_heads_are_reported() {
    const QString task = programs_.write("heads.toml", heads_task());
    const Finished split = run("run", task, {});
    const auto reference = run("reference", task, {}).objects("step");
    const auto steps = split.objects("step");
    QCOMPARE(steps.size(), reference.size());
    for (int i = 0; i < steps.size(); ++i) {
        const QJsonObject heads = steps[i]["heads"].toObject();
        QCOMPARE(heads, reference[i]["heads"].toObject());
        const double sum =
            heads["logits_0"].toDouble() + 0.5 * heads["logits_1"].toDouble() + heads["logits_2"].toDouble();
        QVERIFY(std::abs(sum - steps[i]["loss"].toDouble()) < 1e-5 * sum);
    }
    const QJsonObject accuracies = split.objects("evaluation").last()["accuracies"].toObject();
    QCOMPARE(accuracies.keys(), (QStringList{"logits_0", "logits_2"}));
}

void Business::table_may_have_a_target_for_each_head() {
    QByteArray table = "a,b,kind,price,unused\n";
    for (int i = 0; i < 64; ++i)
        table += QByteArray::number(i) + "," + QByteArray::number(i * 7 % 13) + "," + (i % 3 ? "small" : "large") +
                 "," + QByteArray::number(i * 0.5) + ",text\n";
    programs_.write("t.csv", table);
    const QString task = programs_.write(
        "table.toml",
        TaskFile("table")
            .section("model", {{"zoo", "multitask"}, {"inputs", 2}, {"classes", 1}, {"heads", 2}})
            .set("model.targets.logits_0", "price")
            .replace("data", {{"kind", "csv"}, {"path", "t.csv"}, {"targets", {"kind", "price", "unused"}}})
            .set("train.steps", 4)
            .set("train.losses.logits_0", "mse")
            .section("split", {{"strategy", "layer"}, {"stages", 2}}));
    const Finished one = run("run", task, {});
    QCOMPARE(one.status, 0);
    QCOMPARE(one.losses(), run("reference", task, {}).losses());
    QCOMPARE(one.objects("step").first()["heads"].toObject().keys(), QStringList{"logits_0"});
}

void Business::imported_model_may_have_interleaved_heads() {
    graph::Graph model = interleaved();
    QVERIFY(graph::infer_shapes(model, {}).ok());
    const auto written = onnx::export_model(model, programs_.folder().toStdString() + "/shop.onnx");
    QVERIFY2(written.ok(), written.ok() ? "" : written.error().message().c_str());
    const QString task = programs_.write(
        "shop.toml",
        TaskFile("shop")
            .replace("model", {{"onnx", "shop.onnx"}})
            .section("train", {{"steps", 5}, {"microbatches", 4}, {"lr", 0.1}, {"momentum", 0.9}, {"seed", 2}})
            .section("train.losses", {{"click", "cross_entropy"}, {"buy", "mse"}, {"stay", "cross_entropy"}})
            .set("split.strategy", "business"));
    const QJsonObject plan = run("plan", task, {}).objects().value(0);
    QStringList parts;
    for (const QJsonValue part : plan["parts"].toArray()) parts << part["name"].toString();
    QCOMPARE(parts, (QStringList{"backbone", "head click", "head buy", "head stay"}));
    const QStringList reference = run("reference", task, {}).losses();
    QCOMPARE(reference.size(), 5);
    QVERIFY(reference.first() != reference.last());
    QCOMPARE(run("run", task, {}).losses(), reference);
    QCOMPARE(run("run", task, {"split.stages=3", "split.schedule=gpipe"}).losses(), reference);
    QCOMPARE(run("run", task, {"split.strategy=layer", "split.stages=4"}).losses(), reference);
}

void Business::errors_name_the_line() {
    const auto message = [&](QByteArray text, const char* find, const char* replace) {
        const QString task = programs_.write("bad.toml", text.replace(find, replace));
        const Finished finished = programs_.run({"plan", task});
        return finished.status > 0 ? finished.errors : QString("no error");
    };
    const QString weight = message(QByteArray::fromStdString(heads_task().text()), "logits_1 = 0.5", "logits_1 = -1");
    QVERIFY2(weight.contains("bad.toml:27"), qPrintable(weight));
    const QString unknown =
        message(QByteArray::fromStdString(heads_task().text()), "logits_2 = \"cross", "logits_9 = \"cross");
    QVERIFY2(unknown.contains("bad.toml:25") && unknown.contains("logits_9") && unknown.contains("'logits_2'"),
             qPrintable(unknown));
}

DIVISI_TEST(Business)

}  // namespace business_test

#include "business_test.moc"
