// SPDX-License-Identifier: Apache-2.0

#include "backend/search/layers.h"
#include "tests/support/test_program.h"
#include "tests/unit/plan/graphs.h"

namespace layers_test {

using namespace divisi;
using namespace divisi::plan;
using namespace divisi::search;

class LayersTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void equal_rules_balance_layers_parameters_or_flops();
    void layer_bounds_are_kept();
    void operators_kept_together_are_not_cut();
    void gain_of_each_additional_stage_is_listed();
    void open_stage_count_is_limited_by_the_devices();
    void memory_determines_the_stage_count();
};

namespace {

/// The input of segmentation for a chain whose layers have `widths[i] x widths[i + 1]` weights.
struct Model {
    explicit Model(const std::vector<std::int64_t>& widths)
        : graph(build(widths)), cuts(graph::find_cuts(graph)), cost(graph) {}
    graph::Graph graph;
    graph::CutList cuts;
    graph::GraphCost cost;

    static graph::Graph build(const std::vector<std::int64_t>& widths) {
        test::GraphBuilder b;
        auto x = b.input("x");
        b.graph.values[x].shape = test::GraphBuilder::shape({4, widths[0]});
        for (std::size_t i = 1; i < widths.size(); ++i) {
            const std::string n = "/block" + std::to_string((i - 1) / 2) + "/matmul" + std::to_string(i - 1);
            const auto w = b.weight(n + "_w");
            b.graph.values[w].shape = test::GraphBuilder::shape({widths[i - 1], widths[i]});
            x = b.op("MatMul", n, {x, w});
            b.graph.values[x].shape = test::GraphBuilder::shape({4, widths[i]});
        }
        return b.finish({x});
    }
    Result<LayerPlan> plan(const SegmentationRequest& request, const StageDevices& devices = {}) const {
        DIVISI_ASSIGN(const Chain chain, rule_chain(graph, cuts, cost, request));
        return plan_layers(chain, request, devices);
    }
};

SegmentationRequest ask(const std::string& method, std::int64_t stages) {
    SegmentationRequest request;
    request.method = method;
    request.stages = stages;
    return request;
}

}  // namespace

void LayersTest::equal_rules_balance_layers_parameters_or_flops() {
    // Five layers have 64 weights each; the other three have 512, 32,768 and 4,096.
    const Model model({8, 8, 8, 8, 8, 8, 64, 512, 8});
    QCOMPARE(model.cuts.legal.size(), std::size_t{7});
    QCOMPARE(model.plan(ask("equal-layers", 2))->cuts, CutChoice{3});
    QCOMPARE(model.plan(ask("equal-layers", 4))->cuts, (CutChoice{1, 3, 5}));
    QCOMPARE(model.plan(ask("equal-parameters", 2))->cuts, CutChoice{6});
    QCOMPARE(model.plan(ask("equal-parameters", 3))->cuts, (CutChoice{5, 6}));
    QCOMPARE(model.plan(ask("equal-flops", 2))->cuts, CutChoice{6});
    QVERIFY(!model.plan(ask("equal-layers", 9)).ok());
}

void LayersTest::layer_bounds_are_kept() {
    const Model model({8, 8, 8, 8, 8, 8, 64, 512, 8});
    SegmentationRequest request = ask("equal-flops", 2);
    request.least_layers = 3;
    QCOMPARE(model.plan(request)->cuts, CutChoice{4});
    request.least_layers = 0;
    request.most_layers = 4;
    QCOMPARE(model.plan(request)->cuts, CutChoice{3});
    request.most_layers = 3;
    const auto refused = model.plan(request);
    QVERIFY(!refused.ok());
    QVERIFY2(refused.error().what.find("3 layers") != std::string::npos, refused.error().message().c_str());
}

void LayersTest::operators_kept_together_are_not_cut() {
    const Model model({8, 8, 8, 8, 8, 8, 8, 8, 8});  // /block0 has the first two of eight layers, /block1 the next ...
    SegmentationRequest request = ask("equal-layers", 2);
    request.together = {"/block1/*", "/block2/*"};
    QCOMPARE(model.plan(request)->cuts, CutChoice{3});  // the cut between the two blocks
    request.together = {"/block1*", "/block2/matmul4", "/block*"};
    const auto refused = model.plan(request);  // the whole model is one block
    QVERIFY(!refused.ok());
    request.together = {"/blok/*"};
    const auto unknown = model.plan(request);
    QVERIFY(!unknown.ok());
    QCOMPARE(unknown.error().where, std::string("split.together"));
    QCOMPARE(*forbidden_cut(model.graph, model.cuts, {1, 2}, {"/block1/*"}), 2);
    QCOMPARE(*forbidden_cut(model.graph, model.cuts, {1, 3}, {"/block1/*"}), -1);
}

void LayersTest::gain_of_each_additional_stage_is_listed() {
    Chain chain;
    chain.devices.push_back({{0, 4, 5, 6, 7, 8}, 1e9});  // the first layer takes half of the time
    chain.crossing_ms.assign(1, std::vector<double>(6, 0));
    chain.crossing_bytes.assign(6, 1);
    SegmentationRequest request = ask("optimal", 0);
    const auto plan = plan_layers(chain, request, {});
    QVERIFY(plan.ok());
    QCOMPARE(plan->counts.size(), std::size_t{5});  // one count per layer
    QCOMPARE(plan->counts[0].slowest, 8.0);
    QCOMPARE(plan->counts[0].buys, 0.0);
    QCOMPARE(plan->counts[1].slowest, 4.0);
    QCOMPARE(plan->counts[1].buys, 0.5);
    QCOMPARE(plan->counts[4].buys, 0.0);
    QCOMPARE(plan->cuts, CutChoice{0});  // two stages: a third gains nothing
    request.least_stages = 3;
    request.most_stages = 4;
    const auto bounded = plan_layers(chain, request, {});
    QCOMPARE(bounded->counts.size(), std::size_t{2});
    QCOMPARE(bounded->cuts.size(), std::size_t{2});
    request.least_stages = 7;
    request.most_stages = 9;
    QVERIFY(!plan_layers(chain, request, {}).ok());
}

void LayersTest::open_stage_count_is_limited_by_the_devices() {
    Chain chain;
    chain.devices.push_back({{0, 1, 2, 3, 4}, 1e9});
    chain.devices.push_back({{0, 3, 6, 9, 12}, 1e9});  // three times as slow
    chain.crossing_ms.assign(4, std::vector<double>(5, 0));
    chain.crossing_bytes.assign(5, 1);
    StageDevices devices;
    devices.order = {1, 0};
    const auto given = plan_layers(chain, ask("optimal", 2), devices);
    QCOMPARE(given->cuts, CutChoice{0});
    QCOMPARE(given->devices, (std::vector<std::int32_t>{1, 0}));
    QVERIFY(!plan_layers(chain, ask("optimal", 3), devices).ok());
    QCOMPARE(plan_layers(chain, ask("optimal", 0), devices)->counts.size(), std::size_t{2});
    devices.any_order = true;
    QVERIFY(plan_layers(chain, ask("optimal", 2), devices)->all_orders);
}

void LayersTest::memory_determines_the_stage_count() {
    Chain chain;
    chain.devices.push_back({{0, 1, 2, 3, 4}, 250});
    chain.crossing_ms.assign(1, std::vector<double>(5, 10));  // links are slow, so one stage would be fastest
    chain.crossing_bytes.assign(5, 1);
    chain.held_bytes = {0, 100, 200, 300, 400};
    chain.flight_bytes.assign(5, 0);
    StageDevices devices;
    devices.in_flight = [](std::int32_t stages) { return std::vector<double>(static_cast<std::size_t>(stages), 1); };
    const auto plan = plan_layers(chain, ask("optimal", 0), devices);
    QVERIFY(plan.ok());
    QCOMPARE(plan->counts.front().stages, 2);
    QCOMPARE(plan->cuts, CutChoice{1});
    chain.devices[0].memory_bytes = 99;
    const auto refused = plan_layers(chain, ask("optimal", 0), devices);
    QVERIFY(!refused.ok());
    QVERIFY2(refused.error().next.find("100 B") != std::string::npos, refused.error().message().c_str());
}

DIVISI_TEST(LayersTest)

}  // namespace layers_test

#include "layers_test.moc"
