// SPDX-License-Identifier: Apache-2.0

#include "backend/plan/training_graph.h"
#include "backend/graph/operators.h"
#include "backend/plan/partition.h"
#include "tests/support/test_program.h"
#include "tests/unit/plan/graphs.h"

namespace training_graph_test {

using namespace divisi;
using namespace divisi::plan;
using divisi::plan::test::GraphBuilder;

namespace {

/// Returns one MatMul whose output has the given sizes.
graph::Graph model(const std::vector<std::int64_t>& sizes, graph::DType dtype = graph::DType::float32) {
    GraphBuilder b;
    const auto logits = b.op("MatMul", "head", {b.input("x"), b.weight("w")}, dtype);
    b.graph.values[logits].shape = GraphBuilder::shape(sizes);
    return b.finish({logits});
}

const graph::Value& value(const TrainingGraph& training, graph::ValueIndex index) {
    return training.graph.values[index];
}

}  // namespace

class TrainingGraphTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void classification_uses_logits_and_labels();
    void sequences_are_flattened();
    void regression_squares_the_difference();
    void model_nodes_keep_their_positions();
    void losses_of_several_heads_are_added();
    void refuses_outputs_without_a_fitting_loss();
    void warns_of_untrained_weights();
};

void TrainingGraphTest::classification_uses_logits_and_labels() {
    const auto training = make_training_graph(model({4, 10}), {Loss::cross_entropy, "", 10});
    QVERIFY(training.ok());
    QCOMPARE(value(*training, training->heads[0].target).name, std::string("target"));
    QCOMPARE(value(*training, training->heads[0].target).dtype, graph::DType::int64);
    QVERIFY(value(*training, training->heads[0].target).shape == GraphBuilder::shape({4}));
    QVERIFY(value(*training, training->loss).shape->empty());
    const auto& loss = training->graph.nodes[value(*training, training->loss).producer];
    QCOMPARE(loss.op_type, std::string("SoftmaxCrossEntropyLoss"));
    QVERIFY(loss.inputs == (std::vector<graph::ValueIndex>{training->heads[0].output, training->heads[0].target}));
    QCOMPARE(training->heads.size(), std::size_t{1});
    QVERIFY(graph::check_operators(training->graph).ok());
    const auto gradients = values_with_gradient(training->graph);
    QVERIFY(gradients[training->loss] && !gradients[training->heads[0].accuracy]);
    QVERIFY(training->warnings.empty());
}

void TrainingGraphTest::sequences_are_flattened() {
    const auto training = make_training_graph(model({2, 5, 10}), {});
    QVERIFY(training.ok());
    QVERIFY(value(*training, training->heads[0].target).shape == GraphBuilder::shape({2, 5}));
    const auto& loss = training->graph.nodes[value(*training, training->loss).producer];
    QVERIFY(value(*training, loss.inputs[0]).shape == GraphBuilder::shape({10, 10}));
    QVERIFY(value(*training, loss.inputs[1]).shape == GraphBuilder::shape({10}));
    const auto& reshape = training->graph.nodes[value(*training, loss.inputs[0]).producer];
    const auto& sizes = training->graph.initializers[value(*training, reshape.inputs[1]).initializer];
    QCOMPARE(sizes.data->integer_at(0), std::int64_t{-1});
    QCOMPARE(sizes.data->integer_at(1), std::int64_t{10});
    QVERIFY(!sizes.trainable);
}

void TrainingGraphTest::regression_squares_the_difference() {
    const auto training = make_training_graph(model({4, 1}), {Loss::mse, "head_out", 0});
    QVERIFY(training.ok());
    QCOMPARE(value(*training, training->heads[0].target).dtype, graph::DType::float32);
    QVERIFY(value(*training, training->heads[0].target).shape == GraphBuilder::shape({4, 1}));
    QCOMPARE(training->heads[0].accuracy, graph::no_value);
    QCOMPARE(training->graph.nodes.size(), std::size_t{4});
    QVERIFY(graph::check_operators(training->graph).ok());
}

void TrainingGraphTest::model_nodes_keep_their_positions() {
    GraphBuilder b;  // a branch that ends after the output read by the loss
    const auto x = b.input("x");
    const auto a = b.op("MatMul", "a", {x, b.weight("w")});
    const auto c = b.op("Relu", "c", {a});
    const auto model = b.finish({a, c});
    const auto training = make_training_graph(model, {Loss::mse, "a_out", 0});
    QVERIFY(training.ok());
    QCOMPARE(training->model_nodes, 2);
    for (std::size_t i = 0; i < model.nodes.size(); ++i) QCOMPARE(training->graph.nodes[i].name, model.nodes[i].name);
    for (std::size_t i = model.nodes.size(); i < training->graph.nodes.size(); ++i)
        QVERIFY(training->graph.nodes[i].name.starts_with("/loss/"));
}

void TrainingGraphTest::losses_of_several_heads_are_added() {
    GraphBuilder b;
    const auto x = b.input("x");
    const auto a = b.op("MatMul", "a", {x, b.weight("w")});
    const auto c = b.op("MatMul", "c", {x, b.weight("v")});
    const auto both = b.finish({c, a});
    TrainingOptions options;
    options.heads = {{"a_out", Loss::mse, 0.5}, {"c_out", Loss::cross_entropy, 2.0}};
    const auto training = make_training_graph(both, options);
    QVERIFY2(training.ok(), training.ok() ? "" : training.error().message().c_str());
    QVERIFY(training->multi_task);
    QCOMPARE(training->heads[0].name, std::string("c_out"));  // in the model's order
    QCOMPARE(value(*training, training->heads[0].target).name, std::string("target/c_out"));
    QVERIFY(training->is_target(training->heads[1].target) && !training->is_target(x));
    // The loss is total = 2 c + 0.5 a: a sum of two products.
    const auto& total = training->graph.nodes[value(*training, training->loss).producer];
    QCOMPARE(total.op_type, std::string("Add"));
    for (std::size_t i = 0; i < 2; ++i) {
        const auto& product = training->graph.nodes[value(*training, total.inputs[i]).producer];
        QCOMPARE(product.op_type, std::string("Mul"));
        QCOMPARE(product.inputs[0], training->heads[i].loss);
        const auto& weight = training->graph.initializers[value(*training, product.inputs[1]).initializer];
        QCOMPARE(weight.data->number_at(0), training->heads[i].weight);
        QVERIFY(!weight.trainable);
    }
    QVERIFY(training->heads[0].accuracy != graph::no_value && training->heads[1].accuracy == graph::no_value);
    QVERIFY(graph::check_operators(training->graph).ok());
    // A head's loss is anchored at its output; the sum and the reported values come last.
    QCOMPARE(training->anchors.size(), training->graph.nodes.size() - 2);
    for (std::size_t i = 0; i < training->anchors.size(); ++i) {
        const std::string& name = training->graph.nodes[i + 2].name;
        const bool last = name.starts_with("/loss/total/") || name.ends_with("/Identity");
        const auto own = name.find("c_out") != std::string::npos ? 1 : 0;
        QCOMPARE(training->anchors[i], last ? graph::no_node : own);
    }
    options.heads.push_back({"nothing"});
    QVERIFY(make_training_graph(both, options).error().message().find("'nothing'") != std::string::npos);
}

void TrainingGraphTest::refuses_outputs_without_a_fitting_loss() {
    const auto message = [](const Result<TrainingGraph>& result) {
        return result.ok() ? std::string() : result.error().message();
    };
    QVERIFY(message(make_training_graph(model({4}), {})).find("mse") != std::string::npos);
    QVERIFY(message(make_training_graph(model({4, 1}), {})).find("only one class") != std::string::npos);
    QVERIFY(message(make_training_graph(model({4, 10}), {Loss::cross_entropy, "", 11})).find("11") !=
            std::string::npos);
    QVERIFY(message(make_training_graph(model({4, -1}), {})).find("model.symbols") != std::string::npos);
    QVERIFY(message(make_training_graph(model({4, 10}, graph::DType::int64), {})).find("int64") != std::string::npos);
    QVERIFY(message(make_training_graph(model({4, 10}), {Loss::mse, "nowhere", 0})).find("'head_out'") !=
            std::string::npos);
    GraphBuilder b;
    const auto clash = b.finish({b.op("MatMul", "head", {b.input("target"), b.weight("w")})});
    QVERIFY(message(make_training_graph(clash, {})).find("target") != std::string::npos);
}

void TrainingGraphTest::warns_of_untrained_weights() {
    GraphBuilder b;
    const auto x = b.input("x");
    const auto a = b.op("MatMul", "a", {x, b.weight("used")});
    const auto c = b.op("MatMul", "c", {x, b.weight("unused")});
    const auto training = make_training_graph(b.finish({a, c}), {});
    QVERIFY(training.ok());
    QCOMPARE(training->warnings.size(), std::size_t{1});
    QVERIFY(training->warnings[0].find("'unused'") != std::string::npos);
}

DIVISI_TEST(TrainingGraphTest)

}  // namespace training_graph_test

#include "training_graph_test.moc"
