// SPDX-License-Identifier: Apache-2.0

#include <set>

#include "backend/graph/cuts.h"
#include "backend/graph/deploy.h"
#include "backend/graph/inference.h"
#include "backend/graph/operators.h"
#include "backend/graph/shapes.h"
#include "backend/graph/zoo.h"
#include "tests/support/test_program.h"

namespace zoo_test {

using namespace divisi;
using namespace divisi::graph;

namespace {

Graph build(const std::string& name, const ZooSizes& sizes = {}, std::int64_t batch = 2) {
    auto graph = build_zoo(name, sizes, batch);
    if (!graph.ok()) qFatal("%s", graph.error().message().c_str());
    return std::move(graph).value();
}

std::int64_t parameters(const Graph& graph) {
    std::int64_t total = 0;
    for (const Initializer& initializer : graph.initializers)
        if (initializer.trainable) total += *element_count(graph.values[initializer.value]);
    return total;
}

std::string shape_of_value(const Graph& graph, const std::string& name) {
    const ValueIndex index = graph.find_value(name);
    return index == no_value || !graph.values[index].shape ? "none" : to_string(*graph.values[index].shape);
}

std::string failure(const std::string& name, const ZooSizes& sizes, std::int64_t batch = 1) {
    const auto graph = build_zoo(name, sizes, batch);
    return graph.ok() ? "built" : graph.error().message();
}

}  // namespace

class ZooTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void every_model_is_valid_data();
    void every_model_is_valid();
    void parameter_counts_match_published_ones();
    void outputs_have_their_shapes();
    void batch_can_be_bound_again();
    void tied_embedding_is_one_weight();
    void batch_norm_updates_its_statistics();
    void heads_share_a_backbone();
    void gpt_is_cut_at_residual_adds();
    void wrong_sizes_are_errors();
};

void ZooTest::every_model_is_valid_data() {
    QTest::addColumn<QString>("name");
    for (const ZooModel& model : zoo_models()) QTest::newRow(model.name.c_str()) << QString::fromStdString(model.name);
}

void ZooTest::every_model_is_valid() {
    QFETCH(const QString, name);
    const Graph graph = build("zoo:" + name.toStdString());
    QVERIFY(check_operators(deployable(graph)).ok());  // no file contains a fused attention
    QVERIFY(open_dimensions(graph).empty());
    std::set<std::string> names;
    for (const Node& node : graph.nodes) {
        QVERIFY2(names.insert(node.name).second, node.name.c_str());
        QCOMPARE(node.name.front(), '/');
    }
    names.clear();
    for (const Value& value : graph.values) {
        QVERIFY2(names.insert(value.name).second, value.name.c_str());
        QVERIFY2(size_bytes(value).has_value(), value.name.c_str());
    }
    for (const Initializer& initializer : graph.initializers) QVERIFY(initializer.data || initializer.random);
    QVERIFY(!find_cuts(graph).legal.empty());
}

void ZooTest::parameter_counts_match_published_ones() {
    QCOMPARE(parameters(build("resnet18", {{"image", 224}, {"classes", 1000}})), 11689512);
    QCOMPARE(
        parameters(build(
            "vit", {{"image", 224}, {"patch", 16}, {"layers", 12}, {"width", 768}, {"heads", 12}, {"classes", 1000}})),
        86567656);
    QCOMPARE(
        parameters(build(
            "gpt",
            {{"layers", 12}, {"width", 768}, {"heads", 12}, {"context", 1024}, {"vocabulary", 50257}, {"tied", 1}})),
        124439808);
    QCOMPARE(parameters(build("lenet")), 61706);
    QCOMPARE(parameters(build("mlp", {{"inputs", 4}, {"layers", 1}, {"width", 8}, {"classes", 3}})),
             4 * 8 + 8 + 8 * 3 + 3);
}

void ZooTest::outputs_have_their_shapes() {
    QCOMPARE(shape_of_value(build("gpt", {}, 3), "logits"), std::string("[3, 128, 256]"));
    QCOMPARE(shape_of_value(build("gpt", {}, 3), "tokens"), std::string("[3, 128]"));
    QCOMPARE(shape_of_value(build("resnet18", {}, 4), "logits"), std::string("[4, 10]"));
    QCOMPARE(shape_of_value(build("vit", {}, 4), "logits"), std::string("[4, 10]"));
    QCOMPARE(shape_of_value(build("lenet", {{"image", 32}, {"channels", 3}}), "input"), std::string("[2, 3, 32, 32]"));
    QCOMPARE(shape_of_value(build("resnet18", {{"image", 224}}, 1), "/layer4/1/conv2/Conv_output_0"),
             std::string("[1, 512, 7, 7]"));
}

void ZooTest::batch_can_be_bound_again() {
    Graph graph = build("vit", {}, 4);
    QVERIFY(infer_shapes(graph, {{"batch", 7}}).ok());
    QCOMPARE(shape_of_value(graph, "logits"), std::string("[7, 10]"));
    QCOMPARE(shape_of_value(graph, "/layers/0/attn/MatMul_1_output_0"), std::string("[7, 4, 17, 32]"));
}

void ZooTest::tied_embedding_is_one_weight() {
    const Graph tied = build("gpt", {{"tied", 1}});
    const Graph loose = build("gpt", {{"tied", 0}});
    QCOMPARE(parameters(loose) - parameters(tied), 256 * 192);
    const Value& embedding = tied.values[tied.find_value("wte.weight")];
    QCOMPARE(embedding.consumers.size(), std::size_t{2});
    QCOMPARE(tied.nodes[embedding.consumers[1]].name, std::string("/head/Gemm"));
}

void ZooTest::batch_norm_updates_its_statistics() {
    const Graph graph = build("resnet18");
    const Node& node = graph.nodes[graph.find_node("/layer2/0/downsample/1/BatchNormalization")];
    QCOMPARE(node.outputs.size(), std::size_t{3});
    for (const int slot : {1, 2}) {
        const Value& old = graph.values[node.inputs[slot + 2]];
        QCOMPARE(*old.shape, *graph.values[node.outputs[slot]].shape);
        QVERIFY(!graph.initializers[old.initializer].trainable);
    }
    QCOMPARE(std::get<std::int64_t>(node.attributes.at("training_mode")), 1);
}

void ZooTest::heads_share_a_backbone() {
    const Graph graph = build("multitask", {{"heads", 3}});
    QCOMPARE(graph.outputs.size(), std::size_t{3});
    QCOMPARE(graph.values[graph.outputs[2]].name, std::string("logits_2"));
    const Value& shared = graph.values[graph.find_value("/backbone/2/Relu_output_0")];
    QCOMPARE(shared.consumers.size(), std::size_t{3});
}

void ZooTest::gpt_is_cut_at_residual_adds() {
    const Graph graph = build("gpt");
    const CutList cuts = find_cuts(graph);
    const auto cut = find_cut(graph, cuts, "/layers/2/Add_1");
    QVERIFY(cut.ok());
    const CutPosition& position = cuts.positions[cuts.legal[*cut]];
    QCOMPARE(position.forward_bytes, 2 * 128 * 192 * 4);
    QCOMPARE(position.backward_bytes, position.forward_bytes);
    QCOMPARE(position.values, 1);
}

void ZooTest::wrong_sizes_are_errors() {
    const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    QVERIFY(has(failure("gtp", {}), "mlp, lenet, resnet18, gpt, vit, multitask"));
    QVERIFY(has(failure("gpt", {{"depth", 3}}), "layers (6), width (192)"));
    QVERIFY(has(failure("gpt", {{"layers", 0}}), "from 1 to 1000"));
    QVERIFY(has(failure("gpt", {{"width", 100}, {"heads", 6}}), "multiple of heads"));
    QVERIFY(has(failure("vit", {{"image", 30}}), "multiple of patch"));
    QVERIFY(has(failure("mlp", {}, 0), "at least one row"));
}

DIVISI_TEST(ZooTest)

}  // namespace zoo_test

#include "zoo_test.moc"
