// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "backend/graph/zoo.h"
#include "backend/plan/partition.h"
#include "backend/search/business_segmentation.h"
#include "tests/support/test_program.h"

namespace business_segmentation_test {

using namespace divisi;
using namespace divisi::plan;
using namespace divisi::price;
using namespace divisi::search;

/// Tests plans of a model with a backbone and heads. The backbone has four layers of Gemm and Relu. The heads consist
/// of Gemm, Relu and Gemm, as wide as the backbone.
class BusinessSegmentationTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { build(4); }
    void every_branch_gets_a_segment();
    void stages_are_balanced_data();
    void stages_are_balanced();
    void unequal_nodes_are_ordered();
    void stage_count_stays_in_the_requested_range();
    void shared_layers_limit_the_backbone();
    void losses_run_with_their_heads();
    void only_backbone_value_and_scalars_cross_segments();
    void refuses_too_many_stages();

private:
    void build(std::int64_t heads) {
        const auto zoo = graph::build_zoo("multitask", {{"layers", 4}, {"heads", heads}, {"width", 64}}, 8).value();
        TrainingOptions options;
        std::vector<std::string> names;
        for (std::int64_t i = 0; i < heads; ++i) {
            names.push_back("logits_" + std::to_string(i));
            options.heads.push_back({names.back(), i % 2 ? Loss::mse : Loss::cross_entropy, 1.0 + double(i)});
        }
        model_ = keep_heads(zoo, names).value();
        training_ = make_training_graph(model_.graph, options).value();
        cuts_ = graph::find_cuts(model_.graph);
    }
    Result<CutChoice> choose(std::int64_t stages, std::int64_t shared_layers = -1) const {
        SegmentationRequest request;
        request.strategy = "business";
        request.stages = stages;
        request.shared_layers = shared_layers;
        DIVISI_ASSIGN(const LayerPlan plan, ask(request));
        return plan.cuts;
    }
    Result<LayerPlan> ask(const SegmentationRequest& request, const NodePool& pool = default_pool()) const {
        return ask(model_, request, pool);
    }
    Result<LayerPlan> ask(const BranchedModel& model, const SegmentationRequest& request, const NodePool& pool) const {
        const graph::GraphCost cost(training_.graph);
        Pricing pricing(training_, cost);
        return plan_branches({model_.graph, cuts_, pricing, pool, {}, {}}, model, request);
    }
    QStringList names(const CutChoice& choice) const {
        QStringList names;
        for (const std::string& name : cut_names(model_.graph, cuts_, choice)) names << QString::fromStdString(name);
        return names;
    }
    /// Returns the seconds that each stage takes on its node.
    std::vector<double> work(const CutChoice& choice, const Placement& placement) const {
        std::vector<double> work;
        const graph::GraphCost cost(training_.graph);
        Pricing pricing(training_, cost);
        const auto segments = segments_from_cuts(model_.graph, cuts_, choice, training_).value();
        for (std::size_t i = 0; i < segments.size(); ++i)
            work.push_back(pricing.on(placement.stages[i].profile).value()->sum(segments[i].nodes).total());
        return work;
    }
    double slowest(const CutChoice& choice, const Placement& placement) const {
        const auto parts = work(choice, placement);
        return *std::max_element(parts.begin(), parts.end());
    }
    /// Returns all choices of `stages` stages that separate the backbone from the heads and do not cut into the heads.
    std::vector<CutChoice> all_choices(int stages) const {
        const auto every = *choose(0);
        std::vector<std::int32_t> allowed(every.begin() + 1, every.end());
        for (std::int32_t inside = 0; inside < every.front(); ++inside) allowed.push_back(inside);
        std::vector<CutChoice> choices;
        for (std::uint32_t set = 0; set < (1U << allowed.size()); ++set) {
            if (std::popcount(set) != stages - 2) continue;
            CutChoice other{every.front()};
            for (std::size_t i = 0; i < allowed.size(); ++i)
                if (set >> i & 1U) other.push_back(allowed[i]);
            std::sort(other.begin(), other.end());
            choices.push_back(std::move(other));
        }
        return choices;
    }
    /// Sets link costs to zero, so that only work decides.
    static NodePool free_links(NodePool pool) {
        pool.links.between_hosts = pool.links.within_host = {};
        return pool;
    }

    BranchedModel model_;
    TrainingGraph training_;
    graph::CutList cuts_;
};

void BusinessSegmentationTest::every_branch_gets_a_segment() {
    const auto choice = choose(0);
    QVERIFY2(choice.ok(), choice.ok() ? "" : choice.error().message().c_str());
    QCOMPARE(names(*choice),
             (QStringList{"/backbone/3/Relu", "/heads/0/Gemm_1", "/heads/1/Gemm_1", "/heads/2/Gemm_1"}));
    QVERIFY(choose(1)->empty());
}

void BusinessSegmentationTest::stages_are_balanced_data() {
    QTest::addColumn<int>("stages");
    for (int stages = 2; stages <= 12; ++stages) QTest::addRow("%d", stages) << stages;
}

/// Compares with all choices of cuts that separate the backbone from the heads and do not cut into the heads.
void BusinessSegmentationTest::stages_are_balanced() {
    QFETCH(int, stages);
    const NodePool pool = free_links(default_pool());
    SegmentationRequest request;
    request.strategy = "business";
    request.stages = stages;
    const auto plan = ask(request, pool);
    QVERIFY2(plan.ok(), plan.ok() ? "" : plan.error().message().c_str());
    QCOMPARE(plan->cuts.size(), static_cast<std::size_t>(stages) - 1);
    double least = 1e300;
    for (const CutChoice& other : all_choices(stages)) least = std::min(least, slowest(other, pool(stages)));
    QVERIFY(slowest(plan->cuts, pool(stages)) <= least * (1 + 1e-9));
    const std::int32_t behind_backbone = choose(0)->front();
    QVERIFY(std::find(plan->cuts.begin(), plan->cuts.end(), behind_backbone) != plan->cuts.end());
}

/// Compares with all orders of nodes; one node is three times as slow.
void BusinessSegmentationTest::unequal_nodes_are_ordered() {
    NodePool pool = free_links(default_pool());
    pool.nodes.resize(4);
    pool.ready = 4;
    auto slow = default_profile("cpu");
    for (double* rate : {&slow.rates.product_flops_per_s, &slow.rates.other_flops_per_s, &slow.rates.bytes_per_s})
        *rate /= 3;
    slow.rates.dispatch_s *= 3;
    pool.nodes[0].profile = std::make_shared<const DeviceProfile>(slow);
    SegmentationRequest request;
    request.strategy = "business";
    request.stages = 4;
    const auto plan = ask(request, pool);
    QVERIFY2(plan.ok(), plan.ok() ? "" : plan.error().message().c_str());
    QVERIFY(plan->nodes_matter && plan->all_orders);
    double least = 1e300, equal = 1e300;
    std::vector<std::int32_t> order{0, 1, 2, 3};
    do
        for (const CutChoice& other : all_choices(4)) least = std::min(least, slowest(other, pool.place(order)));
    while (std::next_permutation(order.begin(), order.end()));
    for (const CutChoice& other : all_choices(4)) equal = std::min(equal, slowest(other, pool(4)));
    QVERIFY(least < equal * 0.99);
    QVERIFY(slowest(plan->cuts, pool.place(plan->nodes)) <= least * (1 + 1e-9));
}

void BusinessSegmentationTest::stage_count_stays_in_the_requested_range() {
    SegmentationRequest request;
    request.strategy = "business";
    request.least_stages = 3;
    request.most_stages = 6;
    const NodePool pool = free_links(default_pool());
    const auto plan = ask(request, pool);
    QVERIFY2(plan.ok(), plan.ok() ? "" : plan.error().message().c_str());
    QCOMPARE(plan->counts.size(), std::size_t{4});
    QCOMPARE(plan->counts.front().stages, 3);
    QCOMPARE(plan->counts.back().stages, 6);
    const auto stages = static_cast<std::int32_t>(plan->cuts.size()) + 1;
    QVERIFY(stages >= 3 && stages <= 6);
    double fastest = 1e300;
    for (int count = 3; count <= 6; ++count)
        for (const CutChoice& other : all_choices(count)) fastest = std::min(fastest, slowest(other, pool(count)));
    QVERIFY(slowest(plan->cuts, pool(stages)) <= fastest * (1 + open_stages_slack + 1e-9));
    request.least_stages = 13;
    request.most_stages = 14;
    QVERIFY(ask(request).error().message().find("use 2 to 12 stages") != std::string::npos);
}

void BusinessSegmentationTest::shared_layers_limit_the_backbone() {
    const auto choice = choose(0, 2);  // a layer ends at every legal cut, here at each Gemm and each Relu
    QVERIFY(choice.ok());
    QCOMPARE(names(*choice).first(), QString("/backbone/0/Relu"));
    QCOMPARE(choice->size(), std::size_t{4});
    const auto none = choose(0, 0);
    QCOMPARE(names(*none).first(), QString("/heads/0/Gemm_1"));
}

void BusinessSegmentationTest::losses_run_with_their_heads() {
    const auto segments = segments_from_cuts(model_.graph, cuts_, *choose(0), training_).value();
    QCOMPARE(segments.size(), std::size_t{5});
    for (std::size_t head = 0; head < 4; ++head) {
        const auto& nodes = segments[head + 1].nodes;
        const graph::NodeIndex loss = training_.graph.values[training_.heads[head].loss].producer;
        QVERIFY(std::find(nodes.begin(), nodes.end(), loss) != nodes.end());
    }
    const graph::NodeIndex total = training_.graph.values[training_.loss].producer;
    const auto& last = segments.back().nodes;
    QVERIFY(std::find(last.begin(), last.end(), total) != last.end());
    const auto own =
        branch_nodes(model_.branches[2], training_);  // head 1 with mse: three operators, and three for the loss
    QCOMPARE(own.size(), std::size_t{6});
}

void BusinessSegmentationTest::only_backbone_value_and_scalars_cross_segments() {
    // Only the backbone's value, relayed from head to head, and each head's scalars cross between segments.
    const auto segments = segments_from_cuts(model_.graph, cuts_, *choose(0), training_).value();
    const Partition partition = make_partition(training_.graph, segments).value();
    for (const Edge& edge : partition.edges) {
        if (edge.from == data_unit) continue;
        const graph::Value& value = training_.graph.values[edge.value];
        if (value.shape->empty()) QCOMPARE(edge.to, 4);
        else QCOMPARE(value.name, std::string("/backbone/3/Relu_output_0"));
        if (!value.shape->empty()) QCOMPARE(edge.to, edge.from + 1);
    }
}

void BusinessSegmentationTest::refuses_too_many_stages() {
    QVERIFY(choose(13).error().message().find("use 2 to 12 stages") != std::string::npos);
    QVERIFY(choose(0, 9).error().message().find("has 8 layers") != std::string::npos);
    SegmentationRequest request;
    BranchedModel plain;
    plain.graph = model_.graph;
    const auto refused = ask(plain, request, default_pool());
    QVERIFY(!refused.ok());
    QVERIFY(refused.error().message().find("[train.losses]") != std::string::npos);
}

DIVISI_TEST(BusinessSegmentationTest)

}  // namespace business_segmentation_test

#include "business_segmentation_test.moc"
