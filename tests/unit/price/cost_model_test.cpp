// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <limits>

#include "backend/graph/roles.h"
#include "backend/graph/zoo.h"
#include "backend/plan/training_graph.h"
#include "backend/price/cost_model.h"
#include "backend/price/predict.h"
#include "tests/support/test_program.h"
#include "tests/unit/plan/graphs.h"

namespace cost_model_test {

using namespace divisi;
using namespace divisi::plan;
using namespace divisi::price;

namespace {

std::string key(const graph::Graph& graph, const std::string& node) {
    return operator_key(graph, graph.find_node(node), graph::needs_gradient(graph));
}

/// Returns a profile with round numbers: a product's FLOP takes 1 ns, another FLOP 2 ns, a byte 0.5 ns, a call 1 us.
DeviceProfile simple_device() { return {"test", {1e9, 0.5e9, 2e9, 1e-6}, {}}; }

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

}  // namespace

class CostModelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void key_contains_what_determines_the_cost();
    void attributes_are_in_the_key();
    void rates_use_the_larger_of_flops_and_bytes();
    void profile_takes_precedence_over_rates();
    void extra_times_of_operators_on_a_crowded_host_are_summed();
    void price_of_a_range_is_the_sum_of_its_operators();
    void operators_that_training_skips_cost_nothing();
    void default_rates_have_the_right_magnitude();
    void optimizer_cost_includes_its_states();
    void impossible_profiles_are_refused_data();
    void impossible_profiles_are_refused();
    void impossible_links_are_refused();
    void links_are_found_by_host();
};

void CostModelTest::key_contains_what_determines_the_cost() {
    const auto graph = test::chain(3);
    QCOMPARE(key(graph, "matmul_0"), std::string("MatMul(float32[4,8],float32[8,8]w)->float32[4,8]"));
    QCOMPARE(key(graph, "matmul_1"), std::string("MatMul(float32[4,8]g,float32[8,8]w)->float32[4,8]"));
    QCOMPARE(key(graph, "matmul_1"), key(graph, "matmul_2"));  // both share one measurement
    QVERIFY(key(graph, "relu_1") != key(graph, "matmul_1"));
}

void CostModelTest::attributes_are_in_the_key() {
    auto graph = test::chain(3);
    const auto set = [&](const std::string& node, graph::Attribute value) {
        graph.nodes[graph.find_node(node)].attributes["a"] = std::move(value);
    };
    const std::vector<std::pair<graph::Attribute, std::string>> cases{
        {std::int64_t{3}, "a=3"},
        {0.1F, "a=0.100000001"},
        {std::string("same"), "a=\"same\""},
        {std::vector<std::int64_t>{1, 2}, "a=[1,2]"},
        {std::vector<float>{0.5F}, "a=[0.5]"},
        {graph::HostTensor::of<float>(graph::DType::float32, {2}, {1, 2}), "a=float32[2]"}};
    for (const auto& [value, text] : cases) {
        set("relu_1", value);
        QCOMPARE(key(graph, "relu_1"), "Relu(float32[4,8]g)->float32[4,8]{" + text + "}");
    }
    graph.nodes[graph.find_node("relu_1")].attributes["b"] = std::int64_t{1};
    QVERIFY(key(graph, "relu_1").ends_with(",b=1}"));
}

void CostModelTest::rates_use_the_larger_of_flops_and_bytes() {
    const auto graph = test::chain(2);
    const graph::GraphCost cost(graph);
    const PricedGraph priced(graph, cost, simple_device());
    const OperatorPrice& first = priced.node(graph.find_node("matmul_0"));
    QVERIFY(first.source == PriceSource::rates);
    QVERIFY(near(first.forward, 1e-6 + 2 * 4 * 8 * 8 * 1e-9));  // 512 product FLOPs dominate 512 bytes
    QCOMPARE(first.input_gradient, 0.0);                        // x is data and has no gradient
    QVERIFY(near(first.weight_gradient, 1e-6 + 512e-9));
    const OperatorPrice& second = priced.node(graph.find_node("matmul_1"));
    QVERIFY(near(second.input_gradient, 1e-6 + 512e-9));
    const OperatorPrice& relu = priced.node(graph.find_node("relu_1"));
    QVERIFY(near(relu.forward, 1e-6 + 2 * 4 * 8 * 4 * 0.5e-9));  // 256 bytes dominate 32 FLOPs
    QCOMPARE(relu.weight_gradient, 0.0);
}

void CostModelTest::profile_takes_precedence_over_rates() {
    const auto graph = test::chain(3);
    const graph::GraphCost cost(graph);
    DeviceProfile profile = simple_device();
    profile.operators[key(graph, "matmul_1")] = {{3e-3, 0}, {4e-3, 0}, {5e-3, 0}};
    const PricedGraph priced(graph, cost, profile);
    for (const char* name : {"matmul_1", "matmul_2"}) {
        const OperatorPrice& price = priced.node(graph.find_node(name));
        QVERIFY(price.source == PriceSource::profile);
        QCOMPARE(price.forward + price.input_gradient + price.weight_gradient, 12e-3);
    }
    QVERIFY(priced.node(graph.find_node("matmul_0")).source == PriceSource::rates);
    QVERIFY(near(priced.total().profiled, 24e-3));
    QVERIFY(near(priced.total().profiled_share(), 24e-3 / priced.total().total()));
    QVERIFY(near(priced.range(graph.find_node("matmul_2"), graph.find_node("matmul_2") + 1).profiled_share(), 1));
}

void CostModelTest::extra_times_of_operators_on_a_crowded_host_are_summed() {
    const auto graph = test::chain(3);
    const graph::GraphCost cost(graph);
    DeviceProfile profile = simple_device();
    // The weight's gradient was measured faster while other threads ran than alone. This is noise and adds nothing.
    profile.operators[key(graph, "matmul_1")] = {{3e-3, 0, 4e-3}, {4e-3, 0, 7e-3}, {5e-3, 0, 4e-3}};
    const PricedGraph priced(graph, cost, profile);
    QVERIFY(near(priced.total().crowded_forward, 2 * 1e-3));  // the extra time of matmul_1 and matmul_2
    QVERIFY(near(priced.total().crowded_backward, 2 * 3e-3));
    const graph::NodeIndex second = graph.find_node("matmul_2");
    QVERIFY(near(priced.range(second, second + 1).crowded_backward, 3e-3));
    QVERIFY(near(priced.sum({second}).crowded_forward, 1e-3));
    const StageSeconds stage = stage_seconds(priced.total(), profile.rates, 0, {});
    QVERIFY(near(stage.crowded_forward, 2e-3) && near(stage.crowded_backward, 6e-3));
}

void CostModelTest::price_of_a_range_is_the_sum_of_its_operators() {
    const auto graph = test::chain(5);
    const graph::GraphCost cost(graph);
    const PricedGraph priced(graph, cost, simple_device());
    const SegmentPrice range = priced.range(2, 6), sum = priced.sum({2, 3, 4, 5});
    QVERIFY(sum.total() > 0 && near(range.total(), sum.total()));
    QVERIFY(near(range.forward, sum.forward) && near(range.backward(), sum.backward()));
    QCOMPARE(priced.range(3, 3).total(), 0.0);
}

void CostModelTest::operators_that_training_skips_cost_nothing() {
    const auto model = graph::build_zoo("gpt", {{"layers", 1}}, 2);
    QVERIFY(model.ok());
    const auto training = make_training_graph(*model, {});
    QVERIFY(training.ok() && training->heads.front().accuracy != graph::no_value);
    const graph::GraphCost cost(training->graph);
    const PricedGraph priced(training->graph, cost, simple_device(), training->loss);
    const auto roles = graph::node_roles(training->graph);
    const auto accuracy = training->graph.values[training->heads.front().accuracy].producer;
    QVERIFY(priced.node(accuracy).source == PriceSource::nothing);
    QVERIFY(priced.node(training->graph.values[training->loss].producer).forward > 0);
    for (std::size_t i = 0; i < roles.size(); ++i)
        if (roles[i] == graph::Role::constant)
            QVERIFY(priced.node(static_cast<graph::NodeIndex>(i)).source == PriceSource::nothing);
    const PricedGraph all(training->graph, cost, simple_device());
    QVERIFY(all.node(accuracy).forward > 0);
}

void CostModelTest::default_rates_have_the_right_magnitude() {
    // 6 layers, width 192, context 128, 2 samples: one thread of a server processor takes 50 ms.
    const auto model = graph::build_zoo("gpt", {{"layers", 6}, {"width", 192}, {"heads", 6}, {"context", 128}}, 2);
    QVERIFY(model.ok());
    const auto training = make_training_graph(*model, {});
    QVERIFY(training.ok());
    const graph::GraphCost cost(training->graph);
    const double seconds = PricedGraph(training->graph, cost, default_profile("cpu"), training->loss).total().total();
    QVERIFY2(seconds > 0.025 && seconds < 0.1, std::to_string(seconds).c_str());
    QVERIFY(PricedGraph(training->graph, cost, default_profile("cpu", 4)).total().total() < 0.5 * seconds);
    QVERIFY(PricedGraph(training->graph, cost, default_profile("cuda:1")).total().total() < 0.5 * seconds);
    for (const char* device : {"cpu", "cuda", "cuda:3"}) QVERIFY(check_profile(default_profile(device)).ok());
}

void CostModelTest::optimizer_cost_includes_its_states() {
    const DeviceRates rates = simple_device().rates;
    QVERIFY(near(optimizer_seconds(rates, 1000, 0, 0), 1e-6 + 3 * 1000 * 0.5e-9));
    QVERIFY(near(optimizer_seconds(rates, 1000, 0, 2), 1e-6 + 7 * 1000 * 0.5e-9));
    DeviceRates called = rates;
    called.call_s = 1e-3;
    QVERIFY(near(optimizer_seconds(called, 0, 5, 2), 1e-6 + 5 * 9e-3));
}

void CostModelTest::impossible_profiles_are_refused_data() {
    QTest::addColumn<int>("field");
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("names");
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
    QTest::newRow("negative forward") << 0 << -1e-9 << "Relu(x)";
    QTest::newRow("infinite input gradient") << 1 << infinite << "input gradient";
    QTest::newRow("the weight gradient is not a number") << 2 << nan << "weight gradient";
    QTest::newRow("negative spread") << 3 << -1.0 << "the spread of forward";
    QTest::newRow("no product rate") << 4 << 0.0 << "products";
    QTest::newRow("negative bandwidth") << 5 << -1.0 << "bytes/s";
    QTest::newRow("the dispatch time is not a number") << 6 << nan << "dispatch";
    QTest::newRow("negative crowded") << 7 << -1e-3 << "crowded";
}

void CostModelTest::impossible_profiles_are_refused() {
    QFETCH(int, field);
    QFETCH(double, value);
    QFETCH(QString, names);
    DeviceProfile profile = simple_device();
    OperatorProfile& entry = profile.operators["Relu(x)"];
    QVERIFY(check_profile(profile).ok());
    double* const fields[] = {&entry.forward.seconds,
                              &entry.input_gradient.seconds,
                              &entry.weight_gradient.seconds,
                              &entry.forward.spread,
                              &profile.rates.product_flops_per_s,
                              &profile.rates.bytes_per_s,
                              &profile.rates.dispatch_s,
                              &entry.forward.crowded};
    *fields[field] = value;
    const auto checked = check_profile(profile);
    QVERIFY(!checked.ok());
    QVERIFY2(checked.error().message().find(names.toStdString()) != std::string::npos,
             checked.error().message().c_str());
    QVERIFY(checked.error().message().find("test") != std::string::npos);
}

void CostModelTest::impossible_links_are_refused() {
    const std::vector<HostModel> hosts{{"ada", 2}, {"bob", 2}};
    Links links = default_links();
    QVERIFY(check_links(links, hosts).ok());
    links.by_host[{0, 1}] = {-1e-3, 1e9, 0, 0};
    const auto checked = check_links(links, hosts);
    QVERIFY(!checked.ok());
    QVERIFY(checked.error().message().find("from ada to bob") != std::string::npos);
    QVERIFY(!check_links(default_links(), {{"ada", -1}}).ok());
}

void CostModelTest::links_are_found_by_host() {
    Links links{{1, 0, 0, 0}, {2, 0, 0, 0}, {{{0, 1}, {3, 0, 0, 0}}}};
    QCOMPARE(links.of(1, 1).latency_s, 1.0);
    QCOMPARE(links.of(1, 0).latency_s, 2.0);
    QCOMPARE(links.of(0, 1).latency_s, 3.0);
    const LinkModel link{0, 1e6, 1e-3, 1e-6};
    QVERIFY(near(link.occupancy(1000), 1e-3 + 1e-3 + 1e-3));
    QVERIFY(near(LinkModel{}.occupancy(1000), 0));
}

DIVISI_TEST(CostModelTest)

}  // namespace cost_model_test

#include "cost_model_test.moc"
