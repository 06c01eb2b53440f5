// SPDX-License-Identifier: Apache-2.0

#include "backend/plan/gradient_order.h"
#include "tests/support/test_program.h"
#include "tests/unit/plan/graphs.h"

namespace gradient_order_test {

using namespace divisi;
using namespace divisi::plan;
using divisi::plan::test::GraphBuilder;

namespace {

/// Returns a value of "stem" with four uses, "use_0" to "use_3", in this canonical order, and an "end" that joins them.
TrainingGraph four_uses() {
    GraphBuilder b;
    const auto stem = b.op("MatMul", "stem", {b.input("x"), b.weight("w")});
    std::vector<graph::ValueIndex> uses;
    for (int i = 0; i < 4; ++i) uses.push_back(b.op("Relu", "use_" + std::to_string(i), {stem}));
    TrainingGraph training;
    training.graph = b.finish({b.op("Sum", "end", uses)});
    training.model_nodes = static_cast<graph::NodeIndex>(training.graph.nodes.size());
    return training;
}

std::vector<std::string> names(const graph::Graph& graph) {
    std::vector<std::string> result;
    for (const auto& node : graph.nodes) result.push_back(node.name);
    return result;
}

}  // namespace

class GradientOrderTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ascending_segments_need_no_change();
    void gradient_terms_are_sent_separately_if_segments_alternate();
    void node_that_uses_a_value_twice_sends_two_terms();
    void parallel_segments_do_not_wait_for_each_other();
    void values_without_gradient_are_unchanged();
};

void GradientOrderTest::ascending_segments_need_no_change() {
    TrainingGraph training = four_uses();
    std::vector<Segment> segments = {{{0, 1}}, {{2, 3}}, {{4, 5}}};
    const auto before = names(training.graph);
    QCOMPARE(keep_gradient_order(training, segments).value(), 0);
    QCOMPARE(names(training.graph), before);
}

void GradientOrderTest::gradient_terms_are_sent_separately_if_segments_alternate() {
    TrainingGraph training = four_uses();
    // use_0 and use_2 are in segment 2, use_1 and use_3 in segment 1. Only use_3 begins the sum.
    std::vector<Segment> segments = {{{0}}, {{2, 4}}, {{1, 3, 5}}};
    QCOMPARE(keep_gradient_order(training, segments).value(), 4);
    QCOMPARE(names(training.graph),
             (std::vector<std::string>{"stem", "/relay/stem_out/0", "use_0", "/relay/stem_out/1", "use_1",
                                       "/relay/stem_out/2", "use_2", "/relay/stem_out/3", "use_3", "end"}));
    QCOMPARE(training.model_nodes, 10);
    QCOMPARE(segments[0].nodes, (std::vector<graph::NodeIndex>{0, 1, 3, 5, 7}));
    const auto partition = make_partition(training.graph, segments);
    QVERIFY(partition.ok());
    for (const Edge& edge : partition->edges)  // nothing is relayed
        if (training.graph.values[edge.value].name.starts_with("/relay")) QCOMPARE(edge.from, 0);

    // The last two uses are in ascending segments, so they share a copy.
    training = four_uses();
    segments = {{{0}}, {{2, 3}}, {{1, 4, 5}}};
    QCOMPARE(keep_gradient_order(training, segments).value(), 2);
    QCOMPARE(training.graph.nodes[4].inputs, training.graph.nodes[5].inputs);
}

void GradientOrderTest::node_that_uses_a_value_twice_sends_two_terms() {
    GraphBuilder b;
    const auto stem = b.op("MatMul", "stem", {b.input("x"), b.weight("w")});
    const auto square = b.op("Mul", "square", {stem, stem});
    const auto other = b.op("Relu", "other", {stem});
    TrainingGraph training;
    training.graph = b.finish({b.op("Add", "end", {square, other})});
    training.model_nodes = 4;
    std::vector<Segment> segments = {{{0}}, {{2}}, {{1, 3}}};
    QCOMPARE(keep_gradient_order(training, segments).value(), 3);
    const graph::Node& node = training.graph.nodes[3];
    QCOMPARE(node.name, std::string("square"));
    QVERIFY(node.inputs[0] < node.inputs[1]);
}

void GradientOrderTest::parallel_segments_do_not_wait_for_each_other() {
    TrainingGraph training = four_uses();
    // the second and the third segment are parallel
    std::vector<Segment> segments = {{{0, 1}}, {{2}}, {{3}}, {{4, 5}}};
    QCOMPARE(depths(make_partition(training.graph, segments).value()), (std::vector<std::int32_t>{3, 2, 1, 0}));
    QCOMPARE(keep_gradient_order(training, segments, true).value(), 3);
    QCOMPARE(depths(make_partition(training.graph, segments).value()), (std::vector<std::int32_t>{2, 1, 1, 0}));
    training = four_uses();
    segments = {{{0, 1}}, {{2}}, {{3, 4, 5}}};  // the third segment depends on the second anyway
    QCOMPARE(keep_gradient_order(training, segments, true).value(), 0);
}

void GradientOrderTest::values_without_gradient_are_unchanged() {
    GraphBuilder b;
    const auto stem = b.op("Relu", "stem", {b.input("x")});
    std::vector<graph::ValueIndex> uses;
    for (int i = 0; i < 3; ++i) uses.push_back(b.op("Relu", "use_" + std::to_string(i), {stem}));
    TrainingGraph training;
    training.graph = b.finish({b.op("Sum", "end", uses)});
    training.model_nodes = 5;
    std::vector<Segment> segments = {{{0}}, {{2}}, {{1, 3, 4}}};
    QCOMPARE(keep_gradient_order(training, segments).value(), 0);
}

DIVISI_TEST(GradientOrderTest)

}  // namespace gradient_order_test

#include "gradient_order_test.moc"
