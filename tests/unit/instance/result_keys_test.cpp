// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/result_keys.h"

#include <functional>

#include "tests/support/test_program.h"

namespace result_keys_test {

using namespace divisi;
using namespace divisi::instance;
using graph::DType, graph::HostTensor;

namespace {

/// A segment with one weight and no other function: computing result keys needs nothing else.
class OneWeight final : public segment::Executor {
public:
    explicit OneWeight(float value) : value_(value) {}

    Result<std::vector<HostTensor>> forward(std::int64_t, std::int64_t, const std::vector<HostTensor>&) override {
        return none();
    }
    Result<std::vector<HostTensor>> backward(std::int64_t, std::int64_t, const std::vector<HostTensor>&) override {
        return none();
    }
    Result<std::vector<HostTensor>> evaluate(const std::vector<HostTensor>&) override { return none(); }
    float step_loss() const override { return 0; }
    std::vector<float> step_means() const override { return {}; }
    Result<std::vector<segment::UseGradient>> use_gradients(const std::vector<std::int32_t>&) override {
        return none();
    }
    Result<std::vector<segment::NormShare>> finish_gradients(const std::vector<segment::UseGradient>&) override {
        return none();
    }
    Result<void> optimizer_step(std::int64_t, double, std::optional<double>) override { return none(); }
    Result<std::vector<segment::StateTensor>> state() const override { return none(); }
    Result<void> restore(const std::vector<segment::StateTensor>&) override { return none(); }
    Result<HostTensor> read(std::int32_t) const override {
        return HostTensor::of<float>(DType::float32, {1}, {value_});
    }
    std::optional<std::int32_t> nonfinite_weight() const override { return std::nullopt; }
    std::vector<std::int32_t> initializers() const override { return {0}; }
    Memory memory() const override { return {}; }

private:
    static Error none() { return {ErrorCode::unsupported, "not in this test", "", ""}; }
    float value_;
};

/// The graph y = Scale(x, weight) with an attribute, then z = Relu(y).
struct Stage {
    Stage() {
        const auto x = graph.add_value("x", DType::float32), y = graph.add_value("y", DType::float32),
                   z = graph.add_value("z", DType::float32);
        graph::Initializer weight;
        weight.trainable = true;
        const auto w = graph.add_initializer("w", weight, DType::float32, {});
        graph::Initializer two;
        two.data = HostTensor::of<float>(DType::float32, {1}, {2});
        const auto constant = graph.add_initializer("two", two, DType::float32, {});
        graph.add_node({"scale", "Scale", "", {x, w, constant}, {y}, {{"axis", std::int64_t{1}}}});
        graph.add_node({"relu", "Relu", "", {y}, {z}, {}});
        config.nodes = {0, 1};
        config.inputs = {x};
        config.outputs = {y, z};
    }
    std::vector<frame::ContentKey> keys(const std::vector<HostTensor>& inputs) {
        config.graph = std::make_shared<graph::Graph>(graph);
        const auto made = ResultKeys::of(config, OneWeight(weight), fingerprint);
        return made && *made ? (*made)->keys(inputs) : std::vector<frame::ContentKey>();
    }

    graph::Graph graph;
    segment::SegmentConfig config;
    float weight = 1;
    std::string fingerprint = "processor";
};

HostTensor input(std::vector<float> values, std::vector<std::int64_t> dims = {2, 2}) {
    return HostTensor::of<float>(DType::float32, std::move(dims), values);
}

}  // namespace

/// Tests that keys are equal only if everything that results depend on is equal.
class ResultKeysTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void equal_stage_and_inputs_have_equal_keys();
    void each_output_has_its_own_key();
    void any_difference_changes_all_keys_data();
    void any_difference_changes_all_keys();
    void inputs_differ_by_bytes_shape_and_strides();
    void stage_with_a_subgraph_has_no_keys();
};

void ResultKeysTest::equal_stage_and_inputs_have_equal_keys() {
    Stage one, other;
    other.graph.name = "another file";
    QCOMPARE(one.keys({input({1, 2, 3, 4})}).size(), 2U);
    QVERIFY(one.keys({input({1, 2, 3, 4})}) == other.keys({input({1, 2, 3, 4})}));
}

void ResultKeysTest::each_output_has_its_own_key() {
    const auto keys = Stage().keys({input({1, 2, 3, 4})});
    QVERIFY(keys.at(0) != keys.at(1));
}

void ResultKeysTest::any_difference_changes_all_keys_data() {
    QTest::addColumn<std::function<void(Stage&)>>("change");
    const auto row = [](const char* name, std::function<void(Stage&)> change) { QTest::newRow(name) << change; };
    row("weight", [](Stage& s) { s.weight = 1.0000001F; });
    row("fingerprint", [](Stage& s) { s.fingerprint = "another processor"; });
    row("constant", [](Stage& s) { s.graph.initializers[1].data = HostTensor::of<float>(DType::float32, {1}, {3}); });
    row("operator", [](Stage& s) { s.graph.nodes[1].op_type = "Tanh"; });
    row("node's name", [](Stage& s) { s.graph.nodes[1].name = "relu_1"; });
    row("attribute", [](Stage& s) { s.graph.nodes[0].attributes["axis"] = std::int64_t{0}; });
    row("attribute's type", [](Stage& s) { s.graph.nodes[0].attributes["axis"] = 1.0F; });
    row("attribute's name", [](Stage& s) { s.graph.nodes[0].attributes = {{"axes", std::int64_t{1}}}; });
    row("edge", [](Stage& s) { std::swap(s.graph.nodes[0].inputs[1], s.graph.nodes[0].inputs[2]); });
    row("opset", [](Stage& s) { s.graph.opset = 13; });
    row("outputs", [](Stage& s) { std::swap(s.config.outputs[0], s.config.outputs[1]); });
    row("operators", [](Stage& s) { s.config.nodes = {0}; });
    row("seed", [](Stage& s) { s.config.seed = 7; });
    row("threads", [](Stage& s) { s.config.threads = 2; });
    row("device", [](Stage& s) { s.config.device = "cuda"; });
}
void ResultKeysTest::any_difference_changes_all_keys() {
    QFETCH(std::function<void(Stage&)>, change);
    Stage before, after;
    change(after);
    const auto x = input({1, 2, 3, 4});
    const auto one = before.keys({x}), other = after.keys({x});
    QCOMPARE(other.size(), 2U);
    QVERIFY(one.at(0) != other.at(0) && one.at(1) != other.at(1));
}

void ResultKeysTest::inputs_differ_by_bytes_shape_and_strides() {
    Stage stage;
    const HostTensor x = input({1, 2, 3, 4});
    HostTensor transposed = x, whole = x;
    transposed.strides = {1, 2};
    whole.dims = {4};
    const auto keys = stage.keys({x});
    QVERIFY(keys != stage.keys({input({1, 2, 3, 5})}));
    QVERIFY(keys != stage.keys({transposed}));
    QVERIFY(keys != stage.keys({whole}));
    QVERIFY(keys != stage.keys({x, x}));
    QVERIFY(stage.keys({input({1, 2}, {2}), input({3}, {1})}) != stage.keys({input({1}, {1}), input({2, 3}, {2})}));
}

void ResultKeysTest::stage_with_a_subgraph_has_no_keys() {
    Stage stage;
    stage.graph.nodes[0].attributes["body"] = std::make_shared<const graph::Graph>();
    QVERIFY(stage.keys({input({1, 2, 3, 4})}).empty());
}

DIVISI_TEST(ResultKeysTest)

}  // namespace result_keys_test

#include "result_keys_test.moc"
