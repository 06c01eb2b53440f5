// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "backend/graph/graph.h"
#include "backend/graph/operators.h"
#include "tests/support/test_program.h"
#include "tests/unit/graph/builder.h"

namespace graph_test {

using namespace divisi;
using namespace divisi::graph;
using divisi::graph::test::Builder;

namespace {

std::vector<std::string> names(const Graph& graph) {
    std::vector<std::string> result;
    for (const Node& node : graph.nodes) result.push_back(node.name);
    return result;
}

}  // namespace

class GraphTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sorted_file_keeps_its_order();
    void unsorted_file_is_sorted_and_ties_keep_the_file_order();
    void cycle_is_named_by_its_nodes();
    void value_with_two_producers_is_refused();
    void value_without_source_is_refused();
    void element_counts_do_not_overflow();
    void host_tensor_converts_between_types();
    void operator_table_is_sorted();
    void unknown_operator_is_named_with_its_node();
};

void GraphTest::sorted_file_keeps_its_order() {
    Builder b;
    b.input("x", {2}).node("c1", "Constant", {}, {"k"}).node("a", "Add", {"x"}, {"y"});
    b.node("c2", "Constant", {}, {"l"});
    b.node("b", "Add", {"y", "l"}, {"z"});
    QVERIFY(b.graph.canonicalize().ok());
    QCOMPARE(names(b.graph), (std::vector<std::string>{"c1", "a", "c2", "b"}));
}

void GraphTest::unsorted_file_is_sorted_and_ties_keep_the_file_order() {
    Builder b;
    b.input("x", {2})
        .node("last", "Add", {"p", "q"}, {"r"})
        .node("second", "Add", {"x"}, {"q"})
        .node("first", "Add", {"x"}, {"p"});
    QVERIFY(b.graph.canonicalize().ok());
    QCOMPARE(names(b.graph), (std::vector<std::string>{"second", "first", "last"}));
    const Graph& g = b.graph;
    QCOMPARE(g.values[g.find_value("q")].producer, 0);
    QCOMPARE(g.values[g.find_value("x")].consumers, (std::vector<NodeIndex>{0, 1}));
    QCOMPARE(g.values[g.find_value("p")].consumers, (std::vector<NodeIndex>{2}));
}

void GraphTest::cycle_is_named_by_its_nodes() {
    Builder b;
    b.input("x", {2})
        .node("pre", "Add", {"x"}, {"a"})
        .node("m", "Add", {"a", "d"}, {"b"})
        .node("n", "Add", {"b"}, {"c"});
    b.node("o", "Add", {"c"}, {"d"}).node("after", "Add", {"d"}, {"e"});
    const auto result = b.graph.canonicalize();
    QVERIFY(!result.ok());
    QCOMPARE(result.error().code, ErrorCode::invalid_input);
    QCOMPARE(result.error().what, std::string("the graph has a cycle: 'm' -> 'n' -> 'o' -> 'm'"));
}

void GraphTest::value_with_two_producers_is_refused() {
    Builder b;
    b.input("x", {2}).node("m", "Add", {"x"}, {"a"}).node("n", "Add", {"x"}, {"a"});
    const auto result = b.graph.canonicalize();
    QVERIFY(!result.ok());
    QVERIFY(result.error().message().find("'a'") != std::string::npos);
    QVERIFY(result.error().message().find("'m'") != std::string::npos);
    QVERIFY(result.error().message().find("'n'") != std::string::npos);
}

void GraphTest::value_without_source_is_refused() {
    Builder b;
    b.input("x", {2}).node("m", "Add", {"x", "ghost"}, {"a"});
    const auto result = b.graph.canonicalize();
    QVERIFY(!result.ok());
    QVERIFY(result.error().message().find("'ghost'") != std::string::npos);
}

void GraphTest::element_counts_do_not_overflow() {
    Value value;
    value.dtype = DType::float32;
    QVERIFY(!element_count(value));
    value.shape = Shape{};
    QCOMPARE(*size_bytes(value), 4);
    value.shape = Shape{Dim{3, ""}, Dim{-1, "batch"}};
    QVERIFY(!element_count(value));
    value.shape = Shape{Dim{std::int64_t{1} << 40, ""}, Dim{std::int64_t{1} << 40, ""}};
    QVERIFY(!element_count(value));
    value.shape = Shape{Dim{std::int64_t{1} << 61, ""}};
    QVERIFY(element_count(value) && !size_bytes(value));
}

void GraphTest::host_tensor_converts_between_types() {
    const HostTensor integers = HostTensor::of<std::int64_t>(DType::int64, {3}, {5, -7, 9});
    QCOMPARE(integers.integer_at(1), -7);
    QCOMPARE(integers.number_at(2), 9.0);
    const HostTensor halves = HostTensor::of<std::uint16_t>(DType::float16, {4}, {0x3c00, 0xc000, 0x0001, 0x7bff});
    QCOMPARE(halves.number_at(0), 1.0);
    QCOMPARE(halves.number_at(1), -2.0);
    QCOMPARE(halves.number_at(2), 5.9604644775390625e-08);
    QCOMPARE(halves.number_at(3), 65504.0);
    const HostTensor brain = HostTensor::of<std::uint16_t>(DType::bfloat16, {1}, {0x4049});
    QCOMPARE(brain.number_at(0), 3.140625);
}

void GraphTest::operator_table_is_sorted() {
    const auto all = supported_operators();
    QVERIFY(std::is_sorted(all.begin(), all.end()));
    QVERIFY(std::adjacent_find(all.begin(), all.end()) == all.end());
    QVERIFY(is_supported_operator("", "Conv") && is_supported_operator("ai.onnx", "Xor"));
    QVERIFY(!is_supported_operator("com.microsoft", "Conv"));
}

void GraphTest::unknown_operator_is_named_with_its_node() {
    Builder b;
    b.input("x", {2}).node("/a/Frob", "Frobnicate", {"x"}, {"y"});
    const auto result = check_operators(b.graph);
    QVERIFY(!result.ok());
    QCOMPARE(result.error().code, ErrorCode::unsupported);
    QVERIFY(result.error().message().find("/a/Frob") != std::string::npos);
    QVERIFY(result.error().message().find("Frobnicate") != std::string::npos);
}

DIVISI_TEST(GraphTest)

}  // namespace graph_test

#include "graph_test.moc"
