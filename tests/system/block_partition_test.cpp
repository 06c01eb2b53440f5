// SPDX-License-Identifier: Apache-2.0

#include "backend/graph/shapes.h"
#include "backend/onnx/export.h"
#include "tests/support/test_program.h"
#include "tests/system/programs.h"
#include "tests/unit/graph/builder.h"

namespace block_partition_test {

using namespace divisi;
using divisi::tests::Finished;
using divisi::tests::Programs;

/// Any acyclic partition trains with the bits of the unsplit model. Covers parallel branches in different segments and
/// skip connections over several segments. Some segments have several predecessors and successors, are not contiguous
/// in canonical order and not listed topologically.
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
    QMap<QString, QStringList> references_;
};

namespace {

const char* resnet_task = R"(
[task]
name = "resnet"
[model]
zoo = "resnet18"
width = 8
classes = 10
[data]
kind = "synthetic"
samples = 64
[train]
steps = 4
batch = 8
microbatches = 4
lr = 0.05
momentum = 0.9
seed = 5
[split]
strategy = "block"
schedule = "%1"
)";

/// The down-sampling paths are parallel to the main ones; one of them belongs to the preceding segment.
const char* resnet_segments = R"(
[[split.segment]]
nodes = ["/layer4/*", "/GlobalAveragePool", "/Flatten", "/fc/*"]
[[split.segment]]
nodes = ["/layer2/0/downsample/*"]
place = "mic-2/node-2"
[[split.segment]]
nodes = ["/layer2/*", "/layer3/*", "/layer4/0/downsample/*"]
[[split.segment]]
nodes = ["*", "/layer2/0/conv1/*"]
)";

const char* inception_task = R"(
[task]
name = "inception"
[model]
onnx = "inception.onnx"
[data]
kind = "synthetic"
samples = 64
classes = 5
[train]
steps = 5
batch = 8
microbatches = 4
optimizer = "adamw"
lr = 0.01
clip = 0.5
seed = 11
[split]
strategy = "block"
schedule = "%1"
)";

/// The branches a, b, c and d alternate between two segments. They and the end read the stem's value in turn.
const char* inception_by_turns = R"(
[[split.segment]]
nodes = ["/a/*", "/c/*"]
[[split.segment]]
nodes = ["/b/*", "/d/*"]
[[split.segment]]
nodes = ["/stem/*"]
[[split.segment]]
nodes = ["*"]
)";

/// Every branch is a segment, and so is the join before the end; the skip connection crosses four segments.
const char* inception_apart = R"(
[[split.segment]]
nodes = ["/d/*"]
[[split.segment]]
nodes = ["/c/*"]
[[split.segment]]
nodes = ["/b/*"]
[[split.segment]]
nodes = ["/a/*", "/stem/*"]
[[split.segment]]
nodes = ["/join/*"]
[[split.segment]]
nodes = ["*"]
)";

/// Divisi chooses the cuts around the pinned operators.
const char* inception_pinned = R"(
stages = 3
[place.pin]
"/a/*" = "mic-1/node-2"
"/c/*" = "mic-2/node-1"
"/stem/*" = "mic-1/node-1"
)";

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
    QTest::addColumn<QString>("task");
    QTest::addColumn<QString>("segments");
    QTest::addColumn<QString>("schedule");
    for (const char* schedule : {"gpipe", "1f1b"}) {
        QTest::addRow("resnet18 %s", schedule) << resnet_task << resnet_segments << schedule;
        QTest::addRow("inception by turns %s", schedule) << inception_task << inception_by_turns << schedule;
        QTest::addRow("inception apart %s", schedule) << inception_task << inception_apart << schedule;
        QTest::addRow("inception pinned %s", schedule) << inception_task << inception_pinned << schedule;
    }
}

void BlockPartition::partition_gives_the_bits_of_the_unsplit_model() {
    QFETCH(QString, task);
    QFETCH(QString, segments);
    QFETCH(QString, schedule);
    const QString file = programs_.write("task.toml", (task.arg(schedule) + segments).toUtf8());
    if (!references_.contains(task)) references_[task] = losses("reference", file);
    QVERIFY(references_[task].size() >= 4);
    QVERIFY2(references_[task].first() != references_[task].last(), "it does not train");
    QCOMPARE(losses("run", file), references_[task]);
}

void BlockPartition::cycle_is_refused() {
    const QString segments = R"(
[[split.segment]]
nodes = ["*"]
[[split.segment]]
nodes = ["/join/*"]
)";
    const Finished finished = programs_.run(
        {"run", programs_.write("task.toml", (QString(inception_task).arg("gpipe") + segments).toUtf8()), "--json"});
    QVERIFY(finished.status != 0);
    QVERIFY2(finished.errors.contains("segment 1 gives 'j' of operator '/join/Sum' to segment 0"),
             qPrintable(finished.errors));
}

DIVISI_TEST(BlockPartition)

}  // namespace block_partition_test

#include "block_partition_test.moc"
