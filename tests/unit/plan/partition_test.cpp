// SPDX-License-Identifier: Apache-2.0

#include "backend/plan/partition.h"
#include "tests/support/test_program.h"
#include "tests/unit/plan/graphs.h"

namespace partition_test {

using namespace divisi;
using namespace divisi::plan;
using divisi::plan::test::GraphBuilder;

class PartitionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void relays_a_value_along_its_consumers();
    void graph_inputs_go_to_every_consumer_without_gradient();
    void gradient_needs_a_trainable_weight_and_floating_values();
    void refuses_to_end_a_segment_at_a_value_without_a_type();
    void finds_shared_weights();
    void refuses_missing_doubled_and_backward_operators();
};

void PartitionTest::relays_a_value_along_its_consumers() {
    GraphBuilder b;
    const auto x = b.input("x");
    const auto a = b.op("MatMul", "a", {x, b.weight("w")});
    const auto c = b.op("Relu", "c", {a});
    const auto d = b.op("Add", "d", {c, a});
    const auto e = b.op("Add", "e", {d, a});
    const auto graph = b.finish({e});
    const auto partition = make_partition(graph, {{{0}}, {{1}}, {{2}}, {{3}}});
    QVERIFY(partition.ok());
    const std::vector<Edge> expected = {{x, data_unit, 0, false}, {a, 0, 1, true}, {a, 1, 2, true},
                                        {a, 2, 3, true},          {c, 1, 2, true}, {d, 2, 3, true}};
    QCOMPARE(partition->edges.size(), expected.size());
    for (const Edge& edge : expected)
        QVERIFY(std::find(partition->edges.begin(), partition->edges.end(), edge) != partition->edges.end());
    QVERIFY(partition->shared_weights.empty());

    // A value with a single later consumer is sent there directly.
    const auto two = make_partition(graph, {{{0, 1, 2}}, {{3}}});
    QVERIFY(two.ok());
    QCOMPARE(two->edges.size(), std::size_t{3});
}

void PartitionTest::graph_inputs_go_to_every_consumer_without_gradient() {
    GraphBuilder b;
    const auto x = b.input("x");
    const auto a = b.op("MatMul", "a", {x, b.weight("w")});
    const auto graph = b.finish({b.op("Add", "c", {b.op("Add", "b", {a, x}), x})});
    const auto partition = make_partition(graph, {{{0}}, {{1}}, {{2}}});
    QVERIFY(partition.ok());
    for (std::int32_t stage = 0; stage < 3; ++stage) {
        const Edge expected{x, data_unit, stage, false};
        QCOMPARE(std::count(partition->edges.begin(), partition->edges.end(), expected), 1);
    }
}

void PartitionTest::gradient_needs_a_trainable_weight_and_floating_values() {
    GraphBuilder b;
    const auto x = b.input("x");
    const auto frozen = b.op("MatMul", "frozen", {x, b.weight("f", false)});
    const auto trained = b.op("MatMul", "trained", {frozen, b.weight("w")});
    const auto index = b.op("ArgMax", "index", {trained}, graph::DType::int64);
    const auto back = b.op("Cast", "back", {index});
    const auto end = b.op("Sum", "end", {frozen, trained, index, back});
    const auto graph = b.finish({end});
    const auto flags = values_with_gradient(graph);
    QVERIFY(!flags[x] && !flags[frozen] && !flags[index] && !flags[back]);
    QVERIFY(flags[trained] && flags[end]);
    const auto partition = make_partition(graph, {{{0, 1, 2, 3}}, {{4}}});
    QVERIFY(partition.ok());
    for (const Edge& edge : partition->edges) QCOMPARE(edge.gradient, edge.value == trained);
}

/// Whether a gradient returns over such a cut is unknown. An earlier version assumed that none returns, and the first
/// segment waited forever.
void PartitionTest::refuses_to_end_a_segment_at_a_value_without_a_type() {
    GraphBuilder b;
    const auto x = b.input("x");
    const auto a = b.op("MatMul", "a", {x, b.weight("w")}, graph::DType::undefined);
    const auto graph = b.finish({b.op("Relu", "c", {a})});
    const auto cut = make_partition(graph, {{{0}}, {{1}}});
    QVERIFY(!cut.ok() && cut.error().code == ErrorCode::unsupported);
    QVERIFY(cut.error().what.find("'a_out'") != std::string::npos);
    QVERIFY(make_partition(graph, {{{0, 1}}}).ok());
}

void PartitionTest::finds_shared_weights() {
    GraphBuilder b;
    const auto w = b.weight("tied");
    const auto constant = b.weight("constant", false);
    auto x = b.op("MatMul", "a", {b.input("x"), w});
    x = b.op("MatMul", "b", {x, constant});
    const auto graph = b.finish({b.op("MatMul", "d", {b.op("MatMul", "c", {x, constant}), w})});
    const auto partition = make_partition(graph, {{{0, 1}}, {{2}}, {{3}}});
    QVERIFY(partition.ok());
    QCOMPARE(partition->shared_weights.size(), std::size_t{1});
    QCOMPARE(partition->shared_weights[0].initializer, graph.values[w].initializer);
    QCOMPARE(partition->shared_weights[0].segments, (std::vector<std::int32_t>{0, 2}));
}

void PartitionTest::refuses_missing_doubled_and_backward_operators() {
    const auto graph = test::chain(2);
    const auto missing = make_partition(graph, {{{0, 1}}, {{2}}});
    QVERIFY(!missing.ok() && missing.error().message().find("relu_1") != std::string::npos);
    const auto doubled = make_partition(graph, {{{0, 1}}, {{1, 2, 3}}});
    QVERIFY(!doubled.ok() && doubled.error().message().find("relu_0") != std::string::npos);
    const auto backward = make_partition(graph, {{{0, 2}}, {{1, 3}}});
    QVERIFY(!backward.ok() && backward.error().message().find("relu_0") != std::string::npos);
    QVERIFY(!make_partition(graph, {{{0, 1, 2, 3}}, {}}).ok());
    QVERIFY(!make_partition(graph, {{{0, 1, 2, 3, 4}}}).ok());
}

DIVISI_TEST(PartitionTest)

}  // namespace partition_test

#include "partition_test.moc"
