// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "backend/graph/scopes.h"
#include "backend/graph/zoo.h"
#include "tests/support/test_program.h"
#include "tests/unit/graph/builder.h"

namespace scopes_test {

using namespace divisi;
using namespace divisi::graph;
using divisi::graph::test::Builder;

namespace {

const Scope* find(const ScopeTree& tree, const std::string& path) {
    const auto found =
        std::find_if(tree.scopes.begin(), tree.scopes.end(), [&](const Scope& s) { return s.path == path; });
    return found == tree.scopes.end() ? nullptr : &*found;
}

std::vector<std::string> child_names(const ScopeTree& tree, const Scope& scope) {
    std::vector<std::string> names;
    for (const std::int32_t child : scope.children) names.push_back(tree.scopes[child].name);
    return names;
}

/// Checks the invariants of every tree, whatever the names.
void check_whole(const Graph& graph, const ScopeTree& tree) {
    QCOMPARE(tree.scopes[0].total, static_cast<std::int32_t>(graph.nodes.size()));
    QCOMPARE(tree.scope_of_node.size(), graph.nodes.size());
    for (std::size_t i = 0; i < tree.scopes.size(); ++i) {
        const Scope& scope = tree.scopes[i];
        auto total = static_cast<std::int32_t>(scope.nodes.size());
        for (const std::int32_t child : scope.children) {
            QCOMPARE(tree.scopes[child].parent, static_cast<std::int32_t>(i));
            total += tree.scopes[child].total;
        }
        QCOMPARE(scope.total, total);
        for (const NodeIndex node : scope.nodes) QCOMPARE(tree.scope_of_node[node], static_cast<std::int32_t>(i));
    }
}

Graph chain(int count) {
    Builder b;
    b.input("v0", {2});
    Graph& g = b.graph;
    ValueIndex last = 0;
    for (int i = 1; i <= count; ++i) {
        const ValueIndex next = g.add_value("v" + std::to_string(i));
        g.add_node(Node{"Relu_" + std::to_string(i), "Relu", "", {last}, {next}, {}});
        last = next;
    }
    if (!g.canonicalize().ok()) qFatal("the chain is not acyclic");
    return std::move(b.graph);
}

}  // namespace

class ScopesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void gpt_groups_by_layer();
    void single_children_are_merged();
    void nameless_graph_is_grouped_into_consecutive_nodes();
    void small_nameless_graph_stays_flat();
};

void ScopesTest::gpt_groups_by_layer() {
    const auto graph = build_zoo("gpt", {{"layers", 3}}, 1);
    QVERIFY(graph.ok());
    const ScopeTree tree = group_by_scope(*graph);
    check_whole(*graph, tree);
    QCOMPARE(child_names(tree, tree.scopes[0]), (std::vector<std::string>{"embed", "layers", "ln_f", "head"}));
    const Scope* layer = find(tree, "/layers/1");
    QVERIFY(layer != nullptr);
    QCOMPARE(child_names(tree, *layer), (std::vector<std::string>{"ln_1", "attn", "ln_2", "mlp"}));
    QCOMPARE(layer->nodes.size(), std::size_t{2});  // the two residual additions
    QCOMPARE(layer->last - layer->first + 1, layer->total);
}

void ScopesTest::single_children_are_merged() {
    Builder b;
    b.input("x", {2})
        .node("/model/encoder/0/Relu", "Relu", {"x"}, {"a"})
        .node("/model/encoder/1/Relu", "Relu", {"a"}, {"b"});
    QVERIFY(b.graph.canonicalize().ok());
    const ScopeTree tree = group_by_scope(b.graph);
    check_whole(b.graph, tree);
    QCOMPARE(child_names(tree, tree.scopes[0]), (std::vector<std::string>{"model/encoder"}));
    QCOMPARE(find(tree, "/model/encoder")->children.size(), std::size_t{2});
}

void ScopesTest::nameless_graph_is_grouped_into_consecutive_nodes() {
    const Graph graph = chain(10000);
    const ScopeTree tree = group_by_scope(graph);
    check_whole(graph, tree);
    for (const Scope& scope : tree.scopes) {
        QVERIFY2(scope.children.size() <= 40, scope.path.c_str());
        QVERIFY2(scope.nodes.size() <= 40, scope.path.c_str());
    }
}

void ScopesTest::small_nameless_graph_stays_flat() {
    const ScopeTree tree = group_by_scope(chain(7));
    QCOMPARE(tree.scopes.size(), std::size_t{1});
    QCOMPARE(tree.scopes[0].nodes.size(), std::size_t{7});
    QCOMPARE(group_by_scope(Graph{}).scopes.size(), std::size_t{1});
}

DIVISI_TEST(ScopesTest)

}  // namespace scopes_test

#include "scopes_test.moc"
