// SPDX-License-Identifier: Apache-2.0

#include "backend/graph/dominance.h"
#include "tests/support/test_program.h"
#include "tests/unit/graph/builder.h"

namespace dominance_test {

using namespace divisi;
using namespace divisi::graph;

class DominanceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void post_dominators_are_found_for_joins_and_branches();
    void path_may_end_inside_the_graph();
};

namespace {

/// Returns x -> a, then b and c in parallel, joined by d; e and f read d; the output of g is never requested.
Graph diamond() {
    test::Builder b;
    b.input("x", {2});
    b.node("a", "Relu", {"x"}, {"va"}).node("b", "Relu", {"va"}, {"vb"}).node("c", "Relu", {"va"}, {"vc"});
    b.node("d", "Add", {"vb", "vc"}, {"vd"}).node("e", "Relu", {"vd"}, {"ve"}).node("f", "Relu", {"vd"}, {"vf"});
    b.node("g", "Relu", {"vd"}, {"vg"}).output("ve").output("vf").output("vg");
    if (!b.graph.canonicalize().ok()) qFatal("the test graph is not acyclic");
    return std::move(b.graph);
}

}  // namespace

void DominanceTest::post_dominators_are_found_for_joins_and_branches() {
    const Graph graph = diamond();
    const NodeIndex exit = 7;
    const auto both = post_dominators(graph, {graph.find_value("ve"), graph.find_value("vf")});
    QVERIFY(both == (std::vector<NodeIndex>{3, 3, 3, exit, exit, exit, no_node}));
    const auto one = post_dominators(graph, {graph.find_value("ve")});
    QVERIFY(one == (std::vector<NodeIndex>{3, 3, 3, 4, exit, no_node, no_node}));
}

void DominanceTest::path_may_end_inside_the_graph() {
    const Graph graph = diamond();
    // A path that ends at b does not pass d.
    const auto inner = post_dominators(graph, {graph.find_value("vb"), graph.find_value("ve")});
    QVERIFY(inner == (std::vector<NodeIndex>{7, 7, 3, 4, 7, no_node, no_node}));
}

DIVISI_TEST(DominanceTest)

}  // namespace dominance_test

#include "dominance_test.moc"
