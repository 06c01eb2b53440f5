// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/commands/stretch.h"

#include <cstring>
#include <memory>

#include "agents/instance/commands/trial.h"
#include "backend/graph/zoo.h"
#include "backend/plan/training_graph.h"
#include "tests/support/test_program.h"

namespace stretch_test {

using namespace divisi;
using namespace divisi::instance;

namespace {

MeasuredModel model_of(const std::string& zoo, const graph::ZooSizes& sizes) {
    const auto model = graph::build_zoo(zoo, sizes, 2);
    if (!model) qFatal("%s", model.error().message().c_str());
    auto training = plan::make_training_graph(*model, {});
    if (!training) qFatal("%s", training.error().message().c_str());
    return {std::move(training->graph), training->loss};
}

}  // namespace

/// Tests the division of a model into stretches that can be trained separately.
class StretchTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void every_operator_is_in_one_stretch();
    void every_stretch_trains_separately_data();
    void every_stretch_trains_separately();
    void random_indices_stay_within_the_indexed_range();
    void unknown_size_is_named();
};

void StretchTest::every_operator_is_in_one_stretch() {
    const MeasuredModel model = model_of("gpt", {{"layers", 2}, {"width", 32}, {"heads", 2}, {"context", 8}});
    std::vector<graph::NodeIndex> all;
    const auto parts = divide(model, 100e3);
    QVERIFY(parts.size() > 3);
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    QVERIFY(all == working_nodes(model));
    QCOMPARE(divide(model, 1e12).size(), std::size_t{1});
    QCOMPARE(divide(model, 1).size(), all.size());
    // Operators that only an evaluation computes are not measured.
    for (const graph::NodeIndex node : all)
        QVERIFY(!model.graph.nodes[static_cast<std::size_t>(node)].name.starts_with("/metrics"));
}

void StretchTest::every_stretch_trains_separately_data() {
    QTest::addColumn<QString>("zoo");
    QTest::addColumn<double>("bytes");
    for (const char* zoo : {"gpt", "resnet18", "vit", "lenet"})
        for (const double bytes : {1.0, 300e3, 1e12}) QTest::addRow("%s %g", zoo, bytes) << QString(zoo) << bytes;
}

void StretchTest::every_stretch_trains_separately() {
    QFETCH(QString, zoo);
    QFETCH(double, bytes);
    const std::map<std::string, graph::ZooSizes> sizes{
        {"gpt", {{"layers", 1}, {"width", 16}, {"heads", 2}, {"context", 8}}},
        {"resnet18", {{"width", 4}}},
        {"vit", {{"layers", 1}, {"width", 16}, {"heads", 2}}},
        {"lenet", {}}};
    const MeasuredModel model = model_of(zoo.toStdString(), sizes.at(zoo.toStdString()));
    for (const auto& part : divide(model, bytes)) {
        auto made = make_stretch(model, part);
        QVERIFY2(made.ok(), made ? "" : made.error().message().c_str());
        const auto stretch = std::make_shared<const Stretch>(std::move(*made));
        for (const bool frozen : {false, true}) {
            TrialOptions options;
            options.frozen = frozen;
            auto trial = Trial::make(stretch, options);
            QVERIFY2(trial.ok(), trial ? "" : trial.error().message().c_str());
            const auto ran = trial->run(true);
            QVERIFY2(ran.ok(), ran ? "" : ran.error().message().c_str());
            for (std::size_t node = 0; node < stretch->source.size(); ++node) {
                if (stretch->source[node] == graph::no_node) continue;
                const auto output = static_cast<std::size_t>(stretch->graph->nodes[node].outputs.front());
                QVERIFY(trial->forward(static_cast<graph::NodeIndex>(node)) > 0);
                QCOMPARE(trial->backward(static_cast<graph::NodeIndex>(node)) > 0, stretch->gradient[output]);
            }
        }
    }
}

void StretchTest::random_indices_stay_within_the_indexed_range() {
    const MeasuredModel model = model_of("gpt", {{"layers", 1}, {"width", 16}, {"heads", 2}, {"context", 8}});
    const auto stretch = make_stretch(model, working_nodes(model));
    QVERIFY(stretch.ok());
    bool tokens = false;
    for (const graph::HostTensor& input : stretch->inputs) {
        if (input.dtype != graph::DType::int64) continue;
        for (std::int64_t i = 0; i < input.element_count(); ++i) {
            QVERIFY(input.number_at(i) >= 0 && input.number_at(i) < 256);
            tokens |= input.number_at(i) > 1;
        }
    }
    QVERIFY(tokens);
}

void StretchTest::unknown_size_is_named() {
    MeasuredModel model = model_of("lenet", {});
    const graph::NodeIndex node = working_nodes(model).at(3);
    graph::Value& value =
        model.graph.values[static_cast<std::size_t>(model.graph.nodes[static_cast<std::size_t>(node)].outputs[0])];
    (*value.shape)[0] = {-1, "batch"};
    const auto stretch = make_stretch(model, working_nodes(model));
    QVERIFY(!stretch.ok());
    QVERIFY(stretch.error().what.find(value.name) != std::string::npos);
}

DIVISI_TEST(StretchTest)

}  // namespace stretch_test

#include "stretch_test.moc"
