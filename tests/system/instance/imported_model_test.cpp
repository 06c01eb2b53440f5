// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backend/graph/shapes.h"
#include "backend/onnx/export.h"
#include "backend/onnx/import.h"
#include "tests/support/task_file.h"
#include "tests/support/test_program.h"
#include "tests/system/programs.h"
#include "tests/unit/graph/builder.h"

namespace imported_model_test {

using namespace divisi;
using divisi::testing::TaskFile;
using divisi::tests::Finished;
using divisi::tests::Programs;

/// Tests an imported model in which one value has three consumers. The cuts put the consumers into one segment, two or
/// three. The losses always have the bits of the unsplit model. Summing the value's gradients in another order would
/// change them.
class ImportedModel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void fixture_model_has_three_consumers_of_one_value();
    void cuts_between_three_consumers_do_not_change_losses_data();
    void cuts_between_three_consumers_do_not_change_losses();
    void weights_of_the_file_are_used();

private:
    QStringList losses(const QString& command, const QStringList& settings);

    Programs programs_;
    QString task_;
    QStringList reference_;
};

namespace {

constexpr const char* model_file = "branches.onnx";
constexpr const char* spread = "/stem/Relu";  ///< its value has the three consumers

TaskFile branches_task() {
    return TaskFile("branches")
        .replace("model", {{"onnx", "branches.onnx"}})
        .set("data.classes", 5)
        .section("train", {{"steps", 5}, {"microbatches", 4}, {"lr", 0.05}, {"momentum", 0.9}, {"seed", 11}})
        .set("split.stages", 2);
}

/// Returns numbers in [-scale, scale] from a multiplicative generator (Park and Miller, "minimal standard").
graph::HostTensor numbers(const std::vector<std::int64_t>& dims, float scale, std::uint64_t seed) {
    std::int64_t count = 1;
    for (const std::int64_t dim : dims) count *= dim;
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) {
        seed = seed * 48271 % 2147483647;
        value = scale * (static_cast<float>(seed) / 1073741823.5F - 1);
    }
    return graph::HostTensor::of(graph::DType::float32, dims, values);
}

/// Returns a model in which a convolution and two joins read the stem's output. They are far enough apart to be cut
/// from each other.
graph::Graph branches(float scale) {
    const std::map<std::string, graph::Attribute> same = {{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}};
    graph::test::Builder builder;
    builder.graph.opset = 13;
    builder.symbolic_input("image", {{-1, "batch"}, {3, ""}, {8, ""}, {8, ""}})
        .constant("stem.weight", numbers({8, 3, 3, 3}, scale, 1))
        .constant("left.weight", numbers({8, 8, 3, 3}, scale, 2))
        .constant("right.weight", numbers({8, 8, 3, 3}, scale, 3))
        .constant("head.weight", numbers({8, 5}, scale, 4))
        .constant("head.bias", numbers({5}, scale, 5))
        .node("/stem/Conv", "Conv", {"image", "stem.weight"}, {"s"}, same)
        .node(spread, "Relu", {"s"}, {"h"})
        .node("/left/Conv", "Conv", {"h", "left.weight"}, {"l"}, same)
        .node("/left/Tanh", "Tanh", {"l"}, {"t"})
        .node("/join/Add", "Add", {"t", "h"}, {"j"})
        .node("/right/Conv", "Conv", {"j", "right.weight"}, {"r"}, same)
        .node("/gate/Mul", "Mul", {"r", "h"}, {"g"})
        .node("/pool", "GlobalAveragePool", {"g"}, {"p"})
        .node("/flat", "Flatten", {"p"}, {"f"})
        .node("/head/Gemm", "Gemm", {"f", "head.weight", "head.bias"}, {"logits"})
        .output("logits");
    return std::move(builder.graph);
}

void write_model(const Programs& programs, float scale) {
    graph::Graph model = branches(scale);
    const auto inferred = graph::infer_shapes(model, {});
    if (!inferred) qFatal("%s", inferred.error().message().c_str());
    const auto written = onnx::export_model(model, programs.folder().toStdString() + "/" + model_file);
    if (!written) qFatal("%s", written.error().message().c_str());
}

}  // namespace

void ImportedModel::initTestCase() {
    write_model(programs_, 0.4F);
    task_ = programs_.write("branches.toml", branches_task());
    QVERIFY(programs_.cluster_up());
    reference_ = losses("reference", {});
    QCOMPARE(reference_.size(), 5);
    QVERIFY2(reference_.first() != reference_.last(), "it does not train");
}

QStringList ImportedModel::losses(const QString& command, const QStringList& settings) {
    QStringList arguments{command, task_};
    for (const QString& setting : settings) arguments << "--set" << setting;
    const Finished finished = programs_.run(arguments << "--json");
    if (finished.status != 0) qWarning("%s: %s", qPrintable(command), qPrintable(finished.errors));
    return finished.losses();
}

void ImportedModel::fixture_model_has_three_consumers_of_one_value() {
    const auto model = onnx::import_model(programs_.folder().toStdString() + "/" + model_file);
    QVERIFY2(model.ok(), model.ok() ? "" : model.error().message().c_str());
    const auto node = std::ranges::find(model->nodes, spread, &graph::Node::name);
    QVERIFY(node != model->nodes.end());
    const auto& consumers = model->values[static_cast<std::size_t>(node->outputs[0])].consumers;
    QCOMPARE(consumers.size(), std::size_t{3});
    QVERIFY(std::ranges::all_of(model->initializers, [](const auto& weight) { return weight.trainable; }));
}

void ImportedModel::cuts_between_three_consumers_do_not_change_losses_data() {
    QTest::addColumn<QString>("cuts");
    QTest::addColumn<QString>("schedule");
    const std::pair<const char*, const char*> places[] = {
        {"all in the second of two", R"(["/stem/Relu"])"},
        {"one and two", R"(["/left/Conv"])"},
        {"two and one", R"(["/right/Conv"])"},
        {"none, two, one", R"(["/stem/Relu", "/join/Add"])"},
        {"none, one, two", R"(["/stem/Relu", "/left/Tanh"])"},
        {"one in each of three", R"(["/left/Tanh", "/join/Add"])"},
    };
    for (const auto& [name, cuts] : places)
        for (const char* schedule : {"gpipe", "1f1b"})
            QTest::addRow("%s, %s", name, schedule) << QString(cuts) << QString(schedule);
}

void ImportedModel::cuts_between_three_consumers_do_not_change_losses() {
    QFETCH(QString, cuts);
    QFETCH(QString, schedule);
    QCOMPARE(losses("run", {"split.cuts=" + cuts, "split.schedule=" + schedule}), reference_);
}

void ImportedModel::weights_of_the_file_are_used() {
    // Other weights in the file give other losses. Otherwise the comparisons above would pass even if the weights were
    // drawn from the seed.
    write_model(programs_, 0.3F);
    const QStringList others = losses("run", {R"(split.cuts=["/left/Conv"])"});
    QCOMPARE(others.size(), 5);
    QVERIFY(others != reference_);
    QCOMPARE(losses("reference", {}), others);
}

DIVISI_TEST(ImportedModel)

}  // namespace imported_model_test

#include "imported_model_test.moc"
