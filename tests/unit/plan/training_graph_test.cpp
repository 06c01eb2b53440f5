// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "backend/graph/operators.h"
#include "backend/plan/partition.h"
#include "backend/plan/training_graph.h"
#include "tests/unit/plan/graphs.h"

using namespace divisi;
using namespace divisi::plan;
using divisi::plan::test::GraphBuilder;

namespace {

/// One MatMul whose output has the given sizes.
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
    void classification_reads_logits_and_labels();
    void sequences_are_flattened();
    void regression_squares_the_difference();
    void model_nodes_keep_their_positions();
    void refuses_what_no_loss_fits();
    void warns_of_weights_that_do_not_train();
};

void TrainingGraphTest::classification_reads_logits_and_labels() {
    const auto training = make_training_graph(model({4, 10}), {Loss::cross_entropy, "", 10});
    QVERIFY(training.ok());
    QCOMPARE(value(*training, training->target).name, std::string("target"));
    QCOMPARE(value(*training, training->target).dtype, graph::DType::int64);
    QVERIFY(value(*training, training->target).shape == GraphBuilder::shape({4}));
    QVERIFY(value(*training, training->loss).shape->empty());
    const auto& loss = training->graph.nodes[value(*training, training->loss).producer];
    QCOMPARE(loss.op_type, std::string("SoftmaxCrossEntropyLoss"));
    QVERIFY(loss.inputs == (std::vector<graph::ValueIndex>{training->output, training->target}));
    QCOMPARE(training->metrics.size(), std::size_t{1});
    QCOMPARE(training->metrics[0].name, std::string("accuracy"));
    QVERIFY(graph::check_operators(training->graph).ok());
    const auto gradients = values_with_gradient(training->graph);
    QVERIFY(gradients[training->loss] && !gradients[training->metrics[0].value]);
    QVERIFY(training->warnings.empty());
}

void TrainingGraphTest::sequences_are_flattened() {
    const auto training = make_training_graph(model({2, 5, 10}), {});
    QVERIFY(training.ok());
    QVERIFY(value(*training, training->target).shape == GraphBuilder::shape({2, 5}));
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
    QCOMPARE(value(*training, training->target).dtype, graph::DType::float32);
    QVERIFY(value(*training, training->target).shape == GraphBuilder::shape({4, 1}));
    QVERIFY(training->metrics.empty());
    QCOMPARE(training->graph.nodes.size(), std::size_t{4});
    QVERIFY(graph::check_operators(training->graph).ok());
}

void TrainingGraphTest::model_nodes_keep_their_positions() {
    GraphBuilder b;  // a branch that ends after the output that the loss reads
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

void TrainingGraphTest::refuses_what_no_loss_fits() {
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

void TrainingGraphTest::warns_of_weights_that_do_not_train() {
    GraphBuilder b;
    const auto x = b.input("x");
    const auto a = b.op("MatMul", "a", {x, b.weight("used")});
    const auto c = b.op("MatMul", "c", {x, b.weight("unused")});
    const auto training = make_training_graph(b.finish({a, c}), {});
    QVERIFY(training.ok());
    QCOMPARE(training->warnings.size(), std::size_t{1});
    QVERIFY(training->warnings[0].find("'unused'") != std::string::npos);
}

QTEST_GUILESS_MAIN(TrainingGraphTest)
#include "training_graph_test.moc"
