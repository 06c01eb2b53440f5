// SPDX-License-Identifier: Apache-2.0

#include "backend/graph/cost.h"
#include "backend/graph/attention.h"
#include "backend/graph/shapes.h"
#include "backend/graph/zoo.h"
#include "tests/support/test_program.h"
#include "tests/unit/graph/builder.h"

namespace cost_test {

using namespace divisi;
using namespace divisi::graph;
using divisi::graph::test::Builder;

namespace {

Graph build(const std::string& name, const ZooSizes& sizes, std::int64_t batch) {
    auto graph = build_zoo(name, sizes, batch);
    if (!graph.ok()) qFatal("%s", graph.error().message().c_str());
    return std::move(graph).value();
}

double product_flops(const Graph& graph) {
    const GraphCost cost(graph);
    double total = 0;
    for (NodeIndex i = 0; i < static_cast<NodeIndex>(graph.nodes.size()); ++i) {
        const std::string& type = graph.nodes[i].op_type;
        if (type == "Conv" || type == "Gemm" || type == "MatMul" || is_attention(graph.nodes[i]))
            total += cost.node(i).forward_flops;
    }
    return total;
}

}  // namespace

class CostTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void gemm_cost_matches_hand_calculation();
    void first_layer_needs_no_input_gradient();
    void resnet18_has_its_published_multiply_adds();
    void gpt_flops_follow_the_published_formula();
    void recurrent_layer_counts_its_products_at_every_time_step();
    void cost_of_a_range_is_the_sum_of_its_nodes();
    void shared_weight_counts_once();
    void unknown_shapes_are_counted();
};

void CostTest::gemm_cost_matches_hand_calculation() {
    const Graph graph = build("mlp", {{"inputs", 4}, {"layers", 2}, {"width", 8}, {"classes", 3}}, 5);
    const GraphCost cost(graph);
    const NodeCost& second = cost.node(graph.find_node("/layers/1/Gemm"));
    QCOMPARE(second.forward_flops, 2.0 * 5 * 8 * 8 + 5 * 8);
    QCOMPARE(second.input_gradient_flops, 2.0 * 5 * 8 * 8);
    QCOMPARE(second.weight_gradient_flops, 2.0 * 5 * 8 * 8 + 8);
    QCOMPARE(second.parameter_bytes, 4.0 * (8 * 8 + 8));
    QCOMPARE(second.parameters, 72);
    QCOMPARE(second.activation_bytes, 4.0 * 5 * 8);
    QCOMPARE(second.forward_bytes, 4.0 * (5 * 8 + 8 * 8 + 8 + 5 * 8));
}

void CostTest::first_layer_needs_no_input_gradient() {
    const Graph graph = build("lenet", {}, 1);
    const GraphCost cost(graph);
    const NodeCost& conv = cost.node(graph.find_node("/conv1/Conv"));
    QCOMPARE(conv.forward_flops, 2.0 * 6 * 28 * 28 * 25 + 6 * 28 * 28);
    QCOMPARE(conv.input_gradient_flops, 0.0);
    QVERIFY(conv.weight_gradient_flops > 0);
}

void CostTest::resnet18_has_its_published_multiply_adds() {
    const Graph graph = build("resnet18", {{"image", 224}, {"classes", 1000}}, 1);
    // 1.814 GMAC for the convolutions and the last layer, whose 1,000 biases count one FLOP each.
    QCOMPARE(product_flops(graph), 2.0 * 1814073344 + 1000);
    const double gmacs = GraphCost(graph).total().forward_flops / 2e9;
    QVERIFY2(gmacs > 1.81 && gmacs < 1.84, qPrintable(QString::number(gmacs)));
}

void CostTest::gpt_flops_follow_the_published_formula() {
    // Per token and layer 24 d^2 + 4 T d, and 2 d V for the head (Kaplan et al. 2020, without the causal half).
    const double t = 128, d = 192, layers = 6, vocabulary = 256, batch = 2;
    const double formula = batch * t * (layers * (24 * d * d + 4 * t * d) + 2 * d * vocabulary);
    const double biases = batch * t * layers * (3 * d + d + 4 * d + d);
    const double softmax = 5 * batch * layers * 6 * t * t;  // softmax within attention
    QCOMPARE(product_flops(build("gpt", {}, 2)), formula + biases + softmax);
}

void CostTest::recurrent_layer_counts_its_products_at_every_time_step() {
    Builder b;
    b.input("x", {7, 2, 5}).weight("w", {1, 12, 5}).weight("r", {1, 12, 3});
    b.node("lstm", "LSTM", {"x", "w", "r"}, {"y"}, {{"hidden_size", std::int64_t{3}}});
    QVERIFY(infer_shapes(b.graph, {}).ok());
    QCOMPARE(GraphCost(b.graph).node(0).forward_flops, 2.0 * 7 * 2 * (12 * 5 + 12 * 3));
}

void CostTest::cost_of_a_range_is_the_sum_of_its_nodes() {
    const Graph graph = build("resnet18", {}, 2);
    const GraphCost cost(graph);
    const auto count = static_cast<NodeIndex>(graph.nodes.size());
    double flops = 0;
    for (NodeIndex i = 20; i < 40; ++i) flops += cost.node(i).forward_flops;
    QCOMPARE(cost.range(20, 40).forward_flops, flops);
    QCOMPARE(cost.range(0, 20).parameters + cost.range(20, count).parameters, cost.total().parameters);
    QCOMPARE(cost.range(7, 7).forward_bytes, 0.0);
}

void CostTest::shared_weight_counts_once() {
    const Graph tied = build("gpt", {{"tied", 1}}, 1);
    const GraphCost cost(tied);
    QCOMPARE(cost.node(tied.find_node("/head/Gemm")).parameters, 0);
    QCOMPARE(cost.node(tied.find_node("/embed/Gather")).parameters, 256 * 192);
}

void CostTest::unknown_shapes_are_counted() {
    Builder b;
    b.symbolic_input("x", {Dim{-1, "batch"}, Dim{8, ""}}).weight("w", {8, 4});
    b.node("m", "MatMul", {"x", "w"}, {"y"});
    QVERIFY(b.graph.canonicalize().ok() && infer_shapes(b.graph, {}).ok());
    QCOMPARE(GraphCost(b.graph).total().open_nodes, 1);
    QVERIFY(infer_shapes(b.graph, {{"batch", 3}}).ok());
    QCOMPARE(GraphCost(b.graph).total().open_nodes, 0);
    QCOMPARE(GraphCost(b.graph).total().forward_flops, 2.0 * 3 * 8 * 4);
}

DIVISI_TEST(CostTest)

}  // namespace cost_test

#include "cost_test.moc"
