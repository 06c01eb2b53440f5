// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "backend/graph/deploy.h"
#include "backend/graph/inference.h"
#include "backend/graph/shapes.h"
#include "backend/graph/zoo.h"
#include "tests/support/test_program.h"
#include "tests/unit/graph/builder.h"

namespace deploy_test {

using namespace divisi;
using namespace divisi::graph;
using divisi::graph::test::Builder;

namespace {

std::int64_t count(const Graph& graph, const std::string& type) {
    return std::count_if(graph.nodes.begin(), graph.nodes.end(),
                         [&](const Node& node) { return node.op_type == type; });
}

}  // namespace

class DeployTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void batch_normalization_uses_stored_statistics();
    void gelu_becomes_its_definition();
    void dropout_whose_mask_is_read_is_kept();
};

void DeployTest::batch_normalization_uses_stored_statistics() {
    const auto trained = build_zoo("resnet18", {}, 2);
    QVERIFY(trained.ok());
    Graph graph = deployable(*trained);
    QVERIFY(graph.canonicalize().ok());
    QVERIFY(infer_shapes(graph, {}).ok());
    QCOMPARE(count(graph, "BatchNormalization"), 20);
    for (const Node& node : graph.nodes) {
        if (node.op_type != "BatchNormalization") continue;
        QCOMPARE(node.outputs.size(), std::size_t{1});
        QVERIFY(!node.attributes.contains("training_mode"));
        QCOMPARE(node.inputs.size(), std::size_t{5});
    }
    QCOMPARE(graph.initializers.size(), trained->initializers.size());
}

void DeployTest::gelu_becomes_its_definition() {
    const auto trained = build_zoo("gpt", {{"layers", 2}}, 2);
    QVERIFY(trained.ok());
    Graph graph = deployable(*trained);
    graph.opset = 17;
    QVERIFY(graph.canonicalize().ok());
    QVERIFY(infer_shapes(graph, {}).ok());
    QCOMPARE(count(graph, "Gelu"), 0);
    QCOMPARE(count(graph, "Erf"), 2);
    QCOMPARE(graph.initializers.size(), trained->initializers.size());
    const Value& result = graph.values[graph.find_value("/layers/1/mlp/Gelu_output_0")];
    QCOMPARE(graph.nodes[result.producer].name, std::string("/layers/1/mlp/Gelu/Product"));
    QCOMPARE(to_string(*result.shape), std::string("[256, 768]"));

    Builder b;
    b.input("x", {3}).node("g", "Gelu", {"x"}, {"y"}, {{"approximate", std::string("tanh")}}).output("y");
    b.graph.opset = 20;
    QVERIFY(b.graph.canonicalize().ok() && infer_shapes(b.graph, {}).ok());
    QCOMPARE(count(deployable(b.graph), "Tanh"), 1);
}

void DeployTest::dropout_whose_mask_is_read_is_kept() {
    Builder b;
    b.input("x", {3}).constant("ratio", HostTensor::of<float>(DType::float32, {}, {0.5F}));
    b.constant("on", HostTensor::of<std::uint8_t>(DType::boolean, {}, {1}));
    b.node("quiet", "Dropout", {"x", "ratio", "on"}, {"a", "m"});
    b.node("read", "Dropout", {"a", "ratio", "on"}, {"y", "mask"}).output("y").output("mask");
    QVERIFY(b.graph.canonicalize().ok());
    const Graph graph = deployable(b.graph);
    QCOMPARE(graph.nodes[0].inputs.size(), std::size_t{1});
    QCOMPARE(graph.nodes[1].inputs.size(), std::size_t{3});
}

DIVISI_TEST(DeployTest)

}  // namespace deploy_test

#include "deploy_test.moc"
