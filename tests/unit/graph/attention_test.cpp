// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <limits>

#include "backend/graph/attention.h"
#include "backend/graph/cost.h"
#include "backend/graph/cuts.h"
#include "backend/graph/deploy.h"
#include "backend/graph/shapes.h"
#include "backend/graph/zoo.h"
#include "tests/support/test_program.h"
#include "tests/unit/graph/builder.h"

namespace attention_test {

using namespace divisi;
using namespace divisi::graph;
using divisi::graph::test::Builder;

namespace {

constexpr float unseen = -std::numeric_limits<float>::infinity();

HostTensor number(float value) { return HostTensor::of<float>(DType::float32, {}, {value}); }

HostTensor triangle(std::int64_t length, float above) {
    std::vector<float> mask;
    for (std::int64_t row = 0; row < length; ++row)
        for (std::int64_t column = 0; column < length; ++column) mask.push_back(column <= row ? 0.0F : above);
    return HostTensor::of(DType::float32, {length, length}, mask);
}

/// Adds query, keys and values, and a product of the first two. The test adds the nodes between "s" and "p".
Builder start() {
    Builder b;
    b.input("q", {2, 3, 4, 8}).input("k", {2, 3, 8, 4}).input("v", {2, 3, 4, 8});
    b.node("scores", "MatMul", {"q", "k"}, {"s"});
    return b;
}

/// Adds a softmax over `scores` and the last product, and returns the graph as an import would.
Graph finish(Builder& b, const std::string& scores) {
    b.node("softmax", "Softmax", {scores}, {"p"}, {{"axis", std::int64_t{-1}}});
    b.node("out", "MatMul", {"p", "v"}, {"y"}).output("y");
    if (!b.graph.canonicalize().ok() || !infer_shapes(b.graph, {}).ok()) qFatal("the test graph is invalid");
    return b.graph;
}

const Node* attention_of(const Graph& graph) {
    const auto found = std::find_if(graph.nodes.begin(), graph.nodes.end(), is_attention);
    return found == graph.nodes.end() ? nullptr : &*found;
}

float scale_of(const Node& node) { return std::get<float>(node.attributes.at("scale")); }
bool causal(const Node& node) { return std::get<std::int64_t>(node.attributes.at("causal")) != 0; }

}  // namespace

class AttentionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void product_softmax_product_becomes_one_node();
    void scales_are_recognized_anywhere();
    void constant_triangular_mask_is_recognized_as_causal();
    void mask_and_condition_become_inputs_of_the_fused_node();
    void nan_guard_of_exporters_is_fused_into_attention();
    void value_with_a_second_consumer_is_not_fused();
    void non_matching_pattern_is_not_fused();
    void zoo_models_have_one_attention_per_layer();
    void attention_is_expanded_for_deployment();
};

void AttentionTest::product_softmax_product_becomes_one_node() {
    Builder b = start();
    Graph graph = finish(b, "s");
    const double flops = GraphCost(graph).total().forward_flops;
    QCOMPARE(fuse_attention(graph), std::size_t{1});
    QCOMPARE(graph.nodes.size(), std::size_t{1});
    QCOMPARE(graph.nodes[0].name, std::string("out"));
    QCOMPARE(scale_of(graph.nodes[0]), 1.0F);
    QVERIFY(!causal(graph.nodes[0]));
    QCOMPARE(graph.values.size(), std::size_t{4});
    QCOMPARE(graph.values[graph.outputs[0]].name, std::string("y"));
    QCOMPARE(graph.values[graph.outputs[0]].producer, NodeIndex{0});
    QCOMPARE(GraphCost(graph).total().forward_flops, flops);
    QVERIFY(infer_shapes(graph, {}).ok());
    QCOMPARE(graph.values[graph.outputs[0]].shape->size(), std::size_t{4});
}

void AttentionTest::scales_are_recognized_anywhere() {
    Builder b;
    b.input("q", {2, 4, 8}).input("k", {2, 8, 4}).input("v", {2, 4, 8});
    b.constant("two", number(2.0F)).constant("four", number(4.0F)).constant("eight", number(8.0F));
    b.node("a", "Mul", {"q", "two"}, {"qs"}).node("b", "Div", {"k", "four"}, {"ks"});
    b.node("scores", "MatMul", {"qs", "ks"}, {"s"}).node("c", "Div", {"s", "eight"}, {"t"});
    Graph graph = finish(b, "t");
    QCOMPARE(fuse_attention(graph), std::size_t{1});
    QCOMPARE(graph.nodes.size(), std::size_t{1});
    QCOMPARE(scale_of(graph.nodes[0]), 2.0F / 4.0F / 8.0F);
    QCOMPARE(graph.initializers.size(), std::size_t{3});  // kept at their positions, though nobody reads them
}

void AttentionTest::constant_triangular_mask_is_recognized_as_causal() {
    for (const float above : {unseen, -3.4e38F, -1.0F}) {
        Builder b = start();
        b.constant("mask", triangle(4, above)).node("add", "Add", {"mask", "s"}, {"t"});
        Graph graph = finish(b, "t");
        QCOMPARE(fuse_attention(graph), std::size_t{1});
        QCOMPARE(causal(graph.nodes[0]), above < -1.0F);
        QCOMPARE(graph.nodes[0].inputs.size(), std::size_t{4});  // for executors without a causal operator
    }
}

void AttentionTest::mask_and_condition_become_inputs_of_the_fused_node() {
    Builder b = start();
    b.input("bias", {2, 1, 1, 4}).input("seen", {4, 4}, DType::boolean).constant("fill", number(-3.4e38F));
    b.node("where", "Where", {"seen", "s", "fill"}, {"t"}).node("add", "Add", {"t", "bias"}, {"u"});
    Graph graph = finish(b, "u");
    QCOMPARE(fuse_attention(graph), std::size_t{1});
    const Node& node = graph.nodes[0];
    QCOMPARE(node.inputs.size(), std::size_t{5});
    QCOMPARE(graph.values[node.inputs[3]].name, std::string("bias"));
    QCOMPARE(graph.values[node.inputs[4]].name, std::string("seen"));
    QCOMPARE(std::get<std::int64_t>(node.attributes.at("keep")), std::int64_t{1});
    QVERIFY(!causal(node));
}

void AttentionTest::nan_guard_of_exporters_is_fused_into_attention() {
    Builder b = start();
    b.input("bias", {4}).constant("zero", number(0.0F)).node("add", "Add", {"s", "bias"}, {"t"});
    b.node("softmax", "Softmax", {"t"}, {"p"}, {{"axis", std::int64_t{3}}});
    b.node("check", "IsNaN", {"p"}, {"n"}).node("guard", "Where", {"n", "zero", "p"}, {"g"});
    b.node("out", "MatMul", {"g", "v"}, {"y"}).output("y");
    QVERIFY(b.graph.canonicalize().ok() && infer_shapes(b.graph, {}).ok());
    QCOMPARE(fuse_attention(b.graph), std::size_t{1});
    QCOMPARE(b.graph.nodes.size(), std::size_t{1});
    QCOMPARE(std::get<std::int64_t>(b.graph.nodes[0].attributes.at("safe")), std::int64_t{1});
}

void AttentionTest::value_with_a_second_consumer_is_not_fused() {
    for (const char* read : {"s", "p"}) {
        Builder b = start();
        b.node("reader", "Relu", {read}, {"z"}).output("z");
        Graph graph = finish(b, "s");
        QCOMPARE(fuse_attention(graph), std::size_t{0});
        QCOMPARE(graph.nodes.size(), std::size_t{4});
    }
    Builder b = start();
    b.output("s");
    Graph graph = finish(b, "s");
    QCOMPARE(fuse_attention(graph), std::size_t{0});
}

void AttentionTest::non_matching_pattern_is_not_fused() {
    const auto fused = [](Builder b, const char* scores) {
        Graph graph = finish(b, scores);
        return fuse_attention(graph);
    };
    Builder trained = start();  // a trainable position bias
    trained.weight("bias", {3, 4, 4}).node("add", "Add", {"s", "bias"}, {"t"});
    QCOMPARE(fused(trained, "t"), std::size_t{0});
    Builder larger = start();  // a mask whose shape gives more scores than the product has
    larger.input("mask", {5, 1, 1, 1, 4}).node("add", "Add", {"s", "mask"}, {"t"});
    larger.graph.nodes.back().name = "add";
    QCOMPARE(fused(larger, "t"), std::size_t{0});
    Builder mild = start();  // the fill value is not low enough to hide the masked scores
    mild.input("seen", {4, 4}, DType::boolean).constant("fill", number(-10.0F));
    mild.node("where", "Where", {"seen", "s", "fill"}, {"t"});
    QCOMPARE(fused(mild, "t"), std::size_t{0});
    Builder dropped = start();
    dropped.node("between", "Relu", {"s"}, {"t"});
    QCOMPARE(fused(dropped, "t"), std::size_t{0});
    Builder flat;  // two dimensions
    flat.input("q", {4, 8}).input("k", {8, 4}).input("v", {4, 8}).node("scores", "MatMul", {"q", "k"}, {"s"});
    QCOMPARE(fused(flat, "s"), std::size_t{0});
}

void AttentionTest::zoo_models_have_one_attention_per_layer() {
    const auto gpt = build_zoo("gpt", {{"layers", 2}}, 2);
    QVERIFY(gpt.ok());
    QCOMPARE(std::count_if(gpt->nodes.begin(), gpt->nodes.end(), is_attention), 2);
    QVERIFY(causal(*attention_of(*gpt)));
    const auto vit = build_zoo("vit", {{"layers", 3}}, 2);
    QVERIFY(vit.ok());
    QCOMPARE(std::count_if(vit->nodes.begin(), vit->nodes.end(), is_attention), 3);
    // Every cut position is still between whole operators.
    const CutList cuts = find_cuts(*gpt);
    for (const NodeIndex after : cuts.legal) QVERIFY(gpt->nodes[after].op_type != "Softmax");
}

void AttentionTest::attention_is_expanded_for_deployment() {
    const auto gpt = build_zoo("gpt", {{"layers", 2}}, 2);
    QVERIFY(gpt.ok());
    Graph graph = deployable(*gpt);
    graph.opset = 17;
    QVERIFY(graph.canonicalize().ok());
    QVERIFY(infer_shapes(graph, {}).ok());
    QVERIFY(!attention_of(graph));
    QCOMPARE(graph.initializers.size(), gpt->initializers.size());
    const auto softmax = std::count_if(graph.nodes.begin(), graph.nodes.end(),
                                       [](const Node& node) { return node.op_type == "Softmax"; });
    QCOMPARE(softmax, 2);
    QCOMPARE(fuse_attention(graph), std::size_t{2});  // and fused again
    QVERIFY(causal(*attention_of(graph)));
}

DIVISI_TEST(AttentionTest)

}  // namespace attention_test

#include "attention_test.moc"
