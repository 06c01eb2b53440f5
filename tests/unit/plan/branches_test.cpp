// SPDX-License-Identifier: Apache-2.0

#include "backend/plan/branches.h"
#include "backend/graph/zoo.h"
#include "tests/support/test_program.h"
#include "tests/unit/plan/graphs.h"

namespace branches_test {

using namespace divisi;
using namespace divisi::plan;
using divisi::plan::test::GraphBuilder;

class BranchesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void zoo_model_has_a_backbone_and_heads();
    void dropped_head_removes_its_operators();
    void trunk_is_shared_by_some_heads();
    void interleaved_heads_are_separated();
    void head_may_feed_another();
    void constants_join_their_first_reader();
    void refuses_unknown_outputs();
};

namespace {

BranchedModel branched(const graph::Graph& model, const std::vector<std::string>& heads) {
    auto result = keep_heads(model, heads);
    if (!result.ok()) qFatal("%s", result.error().message().c_str());
    return *std::move(result);
}

/// Returns a text like "name: node node; name: node".
QString text_of(const BranchedModel& model) {
    QStringList parts;
    for (const Branch& branch : model.branches) {
        QStringList nodes;
        for (graph::NodeIndex i = branch.first; i < branch.last; ++i)
            nodes << QString::fromStdString(model.graph.nodes[i].name);
        parts << QString::fromStdString(model.name(branch)) + ": " + nodes.join(' ');
    }
    return parts.join("; ");
}

}  // namespace

void BranchesTest::zoo_model_has_a_backbone_and_heads() {
    const auto model = graph::build_zoo("multitask", {{"layers", 2}, {"heads", 3}}, 4).value();
    const BranchedModel all = branched(model, {"logits_2", "logits_0", "logits_1"});
    QCOMPARE(all.branches.size(), std::size_t{4});
    QVERIFY(all.backbone() == &all.branches[0]);
    QCOMPARE(all.branches[0].last, 4);
    QCOMPARE(all.name(all.branches[3]), std::string("head logits_2"));
    QVERIFY(all.warnings.empty());
    // Nothing was dropped and the model is already ordered: nodes, values and weights are the same.
    QCOMPARE(all.graph.nodes.size(), model.nodes.size());
    for (std::size_t i = 0; i < model.nodes.size(); ++i) QCOMPARE(all.graph.nodes[i].name, model.nodes[i].name);
    QCOMPARE(all.graph.initializers.size(), model.initializers.size());
    for (std::size_t i = 0; i < model.initializers.size(); ++i)
        QCOMPARE(all.graph.values[all.graph.initializers[i].value].name,
                 model.values[model.initializers[i].value].name);
}

void BranchesTest::dropped_head_removes_its_operators() {
    const auto model = graph::build_zoo("multitask", {{"layers", 2}, {"heads", 3}}, 4).value();
    const BranchedModel two = branched(model, {"logits_0", "logits_2"});
    QCOMPARE(two.branches.size(), std::size_t{3});
    QCOMPARE(two.graph.outputs.size(), std::size_t{2});
    QCOMPARE(two.graph.nodes.size(), model.nodes.size() - 3);
    QCOMPARE(two.graph.find_value("heads.1.0.weight"), graph::no_value);
    QVERIFY(two.graph.find_value("heads.2.0.weight") != graph::no_value);
    QCOMPARE(two.warnings.size(), std::size_t{2});
    QVERIFY(two.warnings[0].find("'logits_1'") != std::string::npos);
    QVERIFY(two.warnings[1].starts_with("3 operators"));
    const BranchedModel one = branched(model, {"logits_1"});
    QCOMPARE(one.branches.size(), std::size_t{1});
    QVERIFY(one.backbone() == nullptr);
}

void BranchesTest::trunk_is_shared_by_some_heads() {
    GraphBuilder b;
    const auto base = b.op("MatMul", "base", {b.input("x"), b.weight("w")});
    const auto a = b.op("Relu", "a", {base});
    const auto trunk = b.op("MatMul", "trunk", {base, b.weight("v")});
    const auto c = b.op("Relu", "c", {trunk});
    const auto d = b.op("Tanh", "d", {trunk});
    const BranchedModel model = branched(b.finish({a, c, d}), {"a_out", "c_out", "d_out"});
    QCOMPARE(text_of(model), QString("backbone: base; trunk of c_out, d_out: trunk; head a_out: a; head c_out: c; "
                                     "head d_out: d"));
}

void BranchesTest::interleaved_heads_are_separated() {
    GraphBuilder b;
    const auto base = b.op("MatMul", "base", {b.input("x"), b.weight("w")});
    const auto a0 = b.op("MatMul", "a0", {base, b.weight("wa")});
    const auto c0 = b.op("MatMul", "c0", {base, b.weight("wc")});
    const auto a1 = b.op("Relu", "a1", {a0});
    const auto c1 = b.op("Relu", "c1", {c0});
    const graph::Graph model = b.finish({c1, a1});
    const QString apart = "backbone: base; head c1_out: c0 c1; head a1_out: a0 a1";
    QCOMPARE(text_of(branched(model, {"a1_out", "c1_out"})), apart);
    // the model's order of heads counts, not the task's
    QCOMPARE(text_of(branched(model, {"c1_out", "a1_out"})), apart);
}

void BranchesTest::head_may_feed_another() {
    GraphBuilder b;  // predicts clicks, then purchases after a click
    const auto base = b.op("MatMul", "base", {b.input("x"), b.weight("w")});
    const auto hidden = b.op("Relu", "hidden", {base});
    const auto click = b.op("Sigmoid", "click", {hidden});
    const auto buy = b.op("Mul", "buy", {click, b.op("Tanh", "rest", {base})});
    // Operators that lead only to `click` belong to that head, though `buy` needs its output too.
    QCOMPARE(text_of(branched(b.finish({buy, click}), {"buy_out", "click_out"})),
             QString("backbone: base; head click_out: hidden click; head buy_out: rest buy"));
}

void BranchesTest::constants_join_their_first_reader() {
    GraphBuilder b;
    const auto turned = b.op("Transpose", "turned", {b.weight("t", false)});
    const auto base = b.op("MatMul", "base", {b.input("x"), b.weight("w")});
    const auto a = b.op("Mul", "a", {base, turned});
    const auto c = b.op("Add", "c", {base, turned});
    QCOMPARE(text_of(branched(b.finish({a, c}), {"a_out", "c_out"})),
             QString("backbone: base; head a_out: turned a; head c_out: c"));
}

void BranchesTest::refuses_unknown_outputs() {
    GraphBuilder b;
    const auto x = b.input("x");
    const graph::Graph model = b.finish({b.op("Relu", "a", {x}), x});
    const auto unknown = keep_heads(model, {"b_out"});
    QVERIFY(!unknown.ok());
    QCOMPARE(unknown.error().code, ErrorCode::not_found);
    QVERIFY(unknown.error().message().find("'a_out'") != std::string::npos);
    QVERIFY(keep_heads(model, {"x"}).error().message().find("not computed") != std::string::npos);
}

DIVISI_TEST(BranchesTest)

}  // namespace branches_test

#include "branches_test.moc"
