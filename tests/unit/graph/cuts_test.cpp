// SPDX-License-Identifier: Apache-2.0

#include "backend/graph/cuts.h"
#include "backend/graph/roles.h"
#include "tests/support/test_program.h"
#include "tests/unit/graph/builder.h"

namespace cuts_test {

using namespace divisi;
using namespace divisi::graph;
using divisi::graph::test::Builder;

namespace {

void set_shape(Graph& graph, const std::string& name, const std::vector<std::int64_t>& dims,
               DType dtype = DType::float32) {
    Value& value = graph.values[graph.find_value(name)];
    value.shape = Builder::shape_of(dims);
    value.dtype = dtype;
}

/// Returns x -> flat(Reshape) -> a(MatMul) -> r(Relu) -> b(MatMul) -> add(r, b) -> out(Identity). A constant that only
/// `b` uses is listed first. Nodes are 0 k, 1 flat, 2 a, 3 r, 4 b, 5 add, 6 out.
Graph residual() {
    Builder b;
    b.input("x", {2, 4}).weight("w", {4, 8}).weight("v", {8, 8}).constant("target", {2, 4});
    b.node("k", "Transpose", {"v"}, {"vt"});
    b.node("flat", "Reshape", {"x", "target"}, {"xf"}).node("a", "MatMul", {"xf", "w"}, {"ya"});
    b.node("r", "Relu", {"ya"}, {"yr"}).node("b", "MatMul", {"yr", "vt"}, {"yb"});
    b.node("add", "Add", {"yr", "yb"}, {"s"}).node("out", "Identity", {"s"}, {"y"}).output("y");
    Graph graph = std::move(b.graph);
    set_shape(graph, "vt", {8, 8});
    set_shape(graph, "xf", {2, 4});
    for (const char* name : {"ya", "yr", "yb", "s", "y"}) set_shape(graph, name, {2, 8});
    if (!graph.canonicalize().ok()) qFatal("the test graph is not acyclic");
    return graph;
}

}  // namespace

class CutsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void node_roles_follow_from_the_inputs();
    void legal_positions_leave_work_on_both_sides();
    void bytes_count_every_crossing_value_once();
    void constant_is_in_the_segment_of_its_consumer();
    void cut_is_found_by_name_and_by_index();
    void impossible_cuts_name_the_nearest();
    void nearest_legal_cut_is_found();
};

void CutsTest::node_roles_follow_from_the_inputs() {
    Builder b;
    b.input("x", {2, 4}).constant("one", {1});
    b.node("s", "Shape", {"x"}, {"sx"}).node("g", "Gather", {"sx", "one"}, {"gx"});
    b.node("k", "Neg", {"one"}, {"n"}).node("t", "Transpose", {"x"}, {"tx"}).node("m", "Mul", {"tx", "gx"}, {"y"});
    QVERIFY(b.graph.canonicalize().ok());
    const std::vector<Role> wanted{Role::shape, Role::shape, Role::constant, Role::view, Role::compute};
    QCOMPARE(node_roles(b.graph), wanted);
}

void CutsTest::legal_positions_leave_work_on_both_sides() {
    const Graph graph = residual();
    // No cut is legal after k (constant), flat (nothing computed yet), add and out (nothing computed afterwards).
    QCOMPARE(find_cuts(graph).legal, (std::vector<NodeIndex>{2, 3, 4}));
}

void CutsTest::bytes_count_every_crossing_value_once() {
    const Graph graph = residual();
    const CutList cuts = find_cuts(graph);
    QCOMPARE(cuts.positions[2].forward_bytes, 2 * 8 * 4);
    QCOMPARE(cuts.positions[3].forward_bytes, 2 * 8 * 4);  // yr counts once, though two nodes read it
    QCOMPARE(cuts.positions[4].forward_bytes, 2 * 2 * 8 * 4);
    QCOMPARE(cuts.positions[4].backward_bytes, 2 * 2 * 8 * 4);
    QCOMPARE(cuts.positions[1].backward_bytes, 0);  // the reshaped input depends on no weight
    QCOMPARE(cuts.positions[4].values, 2);
    for (const CutPosition& position : cuts.positions) QVERIFY(position.exact);
}

void CutsTest::constant_is_in_the_segment_of_its_consumer() {
    const Graph graph = residual();
    const CutList cuts = find_cuts(graph);
    QCOMPARE(cuts.home[0], 4);
    const std::vector<std::int32_t> chosen{1};
    const auto segments = segment_nodes(graph, cuts, chosen);
    QVERIFY(segments.ok());
    QCOMPARE(segments->at(0), (std::vector<NodeIndex>{1, 2, 3}));
    QCOMPARE(segments->at(1), (std::vector<NodeIndex>{0, 4, 5, 6}));
    const std::vector<std::int32_t> backwards{1, 1};
    QVERIFY(!segment_nodes(graph, cuts, backwards).ok());
    const std::vector<std::int32_t> outside{3};
    QVERIFY(!segment_nodes(graph, cuts, outside).ok());
}

void CutsTest::cut_is_found_by_name_and_by_index() {
    const Graph graph = residual();
    const CutList cuts = find_cuts(graph);
    QCOMPARE(find_cut(graph, cuts, "r").value(), 1);
    QCOMPARE(find_cut(graph, cuts, "2").value(), 2);
}

void CutsTest::impossible_cuts_name_the_nearest() {
    const Graph graph = residual();
    const CutList cuts = find_cuts(graph);
    const auto has = [](const auto& result, const char* text) {
        return !result.ok() && result.error().message().find(text) != std::string::npos;
    };
    QVERIFY(has(find_cut(graph, cuts, "out"), "'b' (2)"));
    QVERIFY(has(find_cut(graph, cuts, "flat"), "'a' (0)"));
    QVERIFY(has(find_cut(graph, cuts, "rr"), "'r' (1)"));
    QVERIFY(has(find_cut(graph, cuts, "7"), "0 to 2"));
    QVERIFY(has(find_cut(graph, cuts, "-1"), "0 to 2"));
}

void CutsTest::nearest_legal_cut_is_found() {
    CutList cuts;
    QCOMPARE(cuts.nearest(3), -1);
    cuts.legal = {2, 6, 7};
    QCOMPARE(cuts.nearest(0), 0);
    QCOMPARE(cuts.nearest(4), 0);  // equally near to 2 and to 6
    QCOMPARE(cuts.nearest(5), 1);
    QCOMPARE(cuts.nearest(99), 2);
}

DIVISI_TEST(CutsTest)

}  // namespace cuts_test

#include "cuts_test.moc"
