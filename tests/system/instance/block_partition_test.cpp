// SPDX-License-Identifier: Apache-2.0

#include "backend/graph/shapes.h"
#include "backend/onnx/export.h"
#include "tests/support/task_file.h"
#include "tests/support/test_program.h"
#include "tests/system/programs.h"
#include "tests/unit/graph/builder.h"

namespace block_partition_test {

using namespace divisi;
using divisi::testing::TaskFile;
using divisi::tests::Finished;
using divisi::tests::Programs;

/// Tests that a training has the same bits in any acyclic partition as in the unsplit model. Covers parallel branches
/// in different segments and skip connections over several segments. Some segments have several predecessors and
/// successors, are not contiguous in canonical order and not listed topologically.
class BlockPartition : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void partition_gives_the_bits_of_the_unsplit_model_data();
    void partition_gives_the_bits_of_the_unsplit_model();
    void cycle_is_refused();

private:
    QStringList losses(const QString& command, const QString& task, const QStringList& settings = {});

    Programs programs_;
    QMap<QString, QStringList> references_;  ///< losses of each model unsplit
};

namespace {

/// The down-sampling paths are parallel to the main ones; one of them belongs to the preceding segment.
TaskFile resnet_in_segments() {
    return TaskFile("resnet")
        .replace("model", {{"zoo", "resnet18"}, {"width", 8}, {"classes", 10}})
        .section("train", {{"steps", 4}, {"microbatches", 4}, {"lr", 0.05}, {"momentum", 0.9}, {"seed", 5}})
        .set("split.strategy", "block")
        .append("split.segment", {{"nodes", {"/layer4/*", "/GlobalAveragePool", "/Flatten", "/fc/*"}}})
        .append("split.segment", {{"nodes", {"/layer2/0/downsample/*"}}, {"place", "mic-2/node-2"}})
        .append("split.segment", {{"nodes", {"/layer2/*", "/layer3/*", "/layer4/0/downsample/*"}}})
        .append("split.segment", {{"nodes", {"*", "/layer2/0/conv1/*"}}});
}

TaskFile inception_task() {
    return TaskFile("inception")
        .replace("model", {{"onnx", "inception.onnx"}})
        .set("data.classes", 5)
        .section("train", {{"steps", 5}, {"microbatches", 4}, {"optimizer", "adamw"}, {"lr", 0.01}})
        .section("train", {{"clip", 0.5}, {"seed", 11}})
        .set("split.strategy", "block");
}

/// The branches a, b, c and d alternate between two segments. All branches and the end read the stem's value.
TaskFile inception_by_turns() {
    return inception_task()
        .append("split.segment", {{"nodes", {"/a/*", "/c/*"}}})
        .append("split.segment", {{"nodes", {"/b/*", "/d/*"}}})
        .append("split.segment", {{"nodes", {"/stem/*"}}})
        .append("split.segment", {{"nodes", {"*"}}});
}

/// Every branch is a segment, and so is the join before the end; the skip connection crosses four segments.
TaskFile inception_apart() {
    return inception_task()
        .append("split.segment", {{"nodes", {"/d/*"}}})
        .append("split.segment", {{"nodes", {"/c/*"}}})
        .append("split.segment", {{"nodes", {"/b/*"}}})
        .append("split.segment", {{"nodes", {"/a/*", "/stem/*"}}})
        .append("split.segment", {{"nodes", {"/join/*"}}})
        .append("split.segment", {{"nodes", {"*"}}});
}

/// Divisi chooses the cuts around the pinned operators.
TaskFile inception_pinned() {
    return inception_task()
        .set("split.stages", 3)
        .section("place.pin", {{"/a/*", "mic-1/node-2"}, {"/c/*", "mic-2/node-1"}, {"/stem/*", "mic-1/node-1"}});
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

/// Returns an inception module: four branches and the end behind their join all read the stem's output.
graph::Graph inception() {
    const std::map<std::string, graph::Attribute> same = {{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}};
    const std::map<std::string, graph::Attribute> pooling = {{"pads", std::vector<std::int64_t>{1, 1, 1, 1}},
                                                             {"kernel_shape", std::vector<std::int64_t>{3, 3}}};
    graph::test::Builder builder;
    builder.graph.opset = 13;
    builder.symbolic_input("image", {{-1, "batch"}, {3, ""}, {8, ""}, {8, ""}})
        .constant("stem.weight", numbers({8, 3, 3, 3}, 0.4F, 1))
        .constant("a.weight", numbers({8, 8, 1, 1}, 0.4F, 2))
        .constant("b.weight", numbers({8, 8, 3, 3}, 0.4F, 3))
        .constant("c.weight", numbers({8, 8, 3, 3}, 0.4F, 4))
        .constant("head.weight", numbers({8, 5}, 0.4F, 5))
        .constant("head.bias", numbers({5}, 0.4F, 6))
        .node("/stem/Conv", "Conv", {"image", "stem.weight"}, {"s"}, same)
        .node("/stem/Relu", "Relu", {"s"}, {"h"})
        .node("/a/Conv", "Conv", {"h", "a.weight"}, {"a1"})
        .node("/b/Conv", "Conv", {"h", "b.weight"}, {"b1"}, same)
        .node("/c/Conv", "Conv", {"h", "c.weight"}, {"c1"}, same)
        .node("/d/Pool", "AveragePool", {"h"}, {"d1"}, pooling)
        .node("/a/Tanh", "Tanh", {"a1"}, {"a2"})
        .node("/b/Square", "Mul", {"b1", "b1"}, {"b2"})
        .node("/c/Softsign", "Softsign", {"h"}, {"c2"})
        .node("/c/Add", "Add", {"c1", "c2"}, {"c3"})
        .node("/d/Mul", "Mul", {"d1", "h"}, {"d2"})
        .node("/join/Sum", "Sum", {"a2", "b2", "c3", "d2"}, {"j"})
        .node("/end/Add", "Add", {"j", "h"}, {"e"})
        .node("/end/Pool", "GlobalAveragePool", {"e"}, {"p"})
        .node("/end/Flatten", "Flatten", {"p"}, {"f"})
        .node("/end/Gemm", "Gemm", {"f", "head.weight", "head.bias"}, {"logits"})
        .output("logits");
    return std::move(builder.graph);
}

}  // namespace

void BlockPartition::initTestCase() {
    graph::Graph model = inception();
    const auto inferred = graph::infer_shapes(model, {});
    QVERIFY2(inferred.ok(), inferred.ok() ? "" : inferred.error().message().c_str());
    const auto written = onnx::export_model(model, programs_.folder().toStdString() + "/inception.onnx");
    QVERIFY2(written.ok(), written.ok() ? "" : written.error().message().c_str());
    QVERIFY(programs_.cluster_up());
}

QStringList BlockPartition::losses(const QString& command, const QString& task, const QStringList& settings) {
    QStringList arguments{command, task};
    for (const QString& setting : settings) arguments << "--set" << setting;
    const Finished finished = programs_.run(arguments << "--json");
    if (finished.status != 0) qWarning("%s: %s", qPrintable(command), qPrintable(finished.errors));
    return finished.losses();
}

void BlockPartition::partition_gives_the_bits_of_the_unsplit_model_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QByteArray>("task");
    for (const char* schedule : {"gpipe", "1f1b"}) {
        const auto row = [&](const char* name, const char* model, TaskFile task) {
            QTest::addRow("%s %s", name, schedule)
                << model << QByteArray::fromStdString(task.set("split.schedule", schedule).text());
        };
        row("resnet18", "resnet18", resnet_in_segments());
        row("inception by turns", "inception", inception_by_turns());
        row("inception apart", "inception", inception_apart());
        row("inception pinned", "inception", inception_pinned());
    }
}

void BlockPartition::partition_gives_the_bits_of_the_unsplit_model() {
    QFETCH(QString, model);
    QFETCH(QByteArray, task);
    const QString file = programs_.write("task.toml", task);
    if (!references_.contains(model)) references_[model] = losses("reference", file);
    QVERIFY(references_[model].size() >= 4);
    QVERIFY2(references_[model].first() != references_[model].last(), "it does not train");
    QCOMPARE(losses("run", file), references_[model]);
}

void BlockPartition::cycle_is_refused() {
    const TaskFile cycle = inception_task()
                               .set("split.schedule", "gpipe")
                               .append("split.segment", {{"nodes", {"*"}}})
                               .append("split.segment", {{"nodes", {"/join/*"}}});
    const Finished finished = programs_.run({"run", programs_.write("task.toml", cycle), "--json"});
    QVERIFY(finished.status != 0);
    QVERIFY2(finished.errors.contains("segment 1 gives 'j' of operator '/join/Sum' to segment 0"),
             qPrintable(finished.errors));
}

DIVISI_TEST(BlockPartition)

}  // namespace block_partition_test

#include "block_partition_test.moc"
