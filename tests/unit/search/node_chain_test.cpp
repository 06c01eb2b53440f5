// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "backend/price/landscape.h"
#include "backend/search/layer_methods.h"
#include "backend/search/simulated_nodes.h"
#include "tests/support/test_program.h"
#include "tests/unit/plan/graphs.h"
#include "tests/unit/plan/random_graphs.h"

namespace node_chain_test {

using namespace divisi;
using namespace divisi::plan;
using namespace divisi::price;
using namespace divisi::search;

/// Compares layer plans on unequal nodes with all cuts on all orders of all nodes.
class NodeChainTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void plans_equal_brute_force();
    void given_cuts_are_placed_on_the_best_nodes();
    void equal_nodes_keep_their_order();
    void nodes_of_the_task_keep_their_order();
    void pinned_node_may_be_used_twice();
    void error_names_both_contradictory_rules();
    void landscape_marks_positions_that_the_planner_refuses();
    void simulation_decides_where_the_chain_model_is_inexact_data();
    void simulation_decides_where_the_chain_model_is_inexact();
    void tabu_search_prices_data_instances();
    void cuts_get_the_nodes_of_the_fastest_step_data();
    void cuts_get_the_nodes_of_the_fastest_step();
    void stages_avoid_the_host_of_data_instances();
    void rules_hold_when_simulated_steps_decide();
    void exchanging_nodes_finds_a_faster_arrangement();
};

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct Sample {
    explicit Sample(int layers)
        : model(test::chain(layers)),
          training(make_training_graph(model, {.loss = Loss::mse}).value()),
          cost(training.graph),
          cuts(graph::find_cuts(model)),
          pricing(training, cost) {}

    LayerTask task(const NodePool& pool, const CutConstraints& constraints = {}) {
        return {model, cuts, pricing, pool, constraints, setup};
    }
    Result<LayerPlan> plan(const NodePool& pool, const CutConstraints& constraints, std::int64_t stages) {
        SegmentationRequest request;
        request.method = "optimal";
        request.stages = stages;
        return optimal_layers(task(pool, constraints), request);
    }
    /// Returns the slowest stage of these cuts on these nodes, computed from the operators; infinite if rules forbid
    /// them.
    double slowest(const NodePool& pool, const CutConstraints& constraints, const CutChoice& choice,
                   const std::vector<std::int32_t>& nodes) {
        const auto stages = static_cast<std::int32_t>(nodes.size());
        const PassOrder order = make_pass_order(setup.schedule, stages, setup.microbatches).value();
        double slowest = 0;
        for (std::int32_t stage = 0; stage < stages; ++stage) {
            const PlannedDevice& device = pool.nodes[nodes[stage]];
            const PricedGraph& priced = *pricing.on(device.profile).value();
            double ms = 0, bytes = 0;
            for (graph::NodeIndex node = 0; node < static_cast<graph::NodeIndex>(training.graph.nodes.size()); ++node) {
                const bool of_model = node < static_cast<graph::NodeIndex>(model.nodes.size());
                std::int32_t at = of_model ? 0 : stages - 1;  // the loss runs in the last stage
                if (of_model)
                    for (const std::int32_t cut : choice) at += cuts.home[node] > cuts.legal[cut];
                if (at != stage) continue;
                const OperatorPrice& price = priced.node(node);
                ms += 1000 * (price.forward + price.input_gradient + price.weight_gradient);
                bytes +=
                    held_bytes(training.graph, cost.node(node), training.graph.nodes[node], setup.optimizer_states) +
                    cost.node(node).activation_bytes * most_in_flight(order[stage]);
                for (const CutConstraints::Pin& pin : constraints.pins)
                    if (pin.node == node && pin.place != device.node) return infinite;
                const auto& sensitive = constraints.sensitive;
                if (std::find(sensitive.begin(), sensitive.end(), node) != sensitive.end() &&
                    !constraints.is_secure(device.node))
                    return infinite;
            }
            if (device.memory && bytes > static_cast<double>(*device.memory)) return infinite;
            slowest = std::max(slowest, ms);
            if (stage + 1 == stages) continue;
            const LinkModel& link = pool.links.of(device.host, pool.nodes[nodes[stage + 1]].host);
            const graph::CutPosition& cut = cuts.positions[cuts.legal[choice[stage]]];
            slowest = std::max(slowest, 1000 * (link.message_s * std::max(0, cut.values - 1) +
                                                link.occupancy(std::max(cut.forward_bytes, cut.backward_bytes))));
        }
        return slowest;
    }
    /// Returns the optimum over all arrangements of the nodes and all choices of cuts; if `only` is given, only for
    /// that choice.
    double brute_force(const NodePool& pool, const CutConstraints& constraints, std::size_t stages,
                       const CutChoice* only = nullptr) {
        std::vector<CutChoice> choices;
        if (only) choices.push_back(*only);
        for (std::uint32_t set = 0; !only && set < (1U << cuts.legal.size()); ++set) {
            CutChoice choice;
            for (std::size_t i = 0; i < cuts.legal.size(); ++i)
                if (set >> i & 1U) choice.push_back(static_cast<std::int32_t>(i));
            if (choice.size() + 1 == stages) choices.push_back(std::move(choice));
        }
        std::vector<std::int32_t> order(pool.nodes.size());
        std::iota(order.begin(), order.end(), 0);
        double least = infinite;
        do {
            const std::vector<std::int32_t> nodes(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(stages));
            if (!std::is_sorted(order.begin() + static_cast<std::ptrdiff_t>(stages), order.end())) continue;
            for (const CutChoice& choice : choices) least = std::min(least, slowest(pool, constraints, choice, nodes));
        } while (std::next_permutation(order.begin(), order.end()));
        return least;
    }

    graph::Graph model;
    TrainingGraph training;
    graph::GraphCost cost;
    graph::CutList cuts;
    Pricing pricing;
    TrainingSetup setup{"1f1b", 4, 2, false, false};
};

std::shared_ptr<const DeviceProfile> profile(double rate) {
    return std::make_shared<const DeviceProfile>(DeviceProfile{"", {rate, rate, 10 * rate, 1e-6}, {}});
}

/// Returns four nodes of up to three speeds, with or without enough memory, some of them secure, on individual links.
NodePool draw_pool(test::Draw& draw) {
    const std::shared_ptr<const DeviceProfile> profiles[] = {profile(1e8), profile(3e8), profile(1e9)};
    NodePool pool;
    for (std::int32_t i = 0; i < 4; ++i) {
        PlannedDevice device;
        device.node = device.name = std::string(1, static_cast<char>('a' + i));
        device.profile = profiles[draw.below(3)];
        device.host = i;
        if (draw.chance(50)) device.memory = 2000 + draw.below(6000);
        device.secure = draw.chance(50);
        pool.nodes.push_back(std::move(device));
        pool.hosts.push_back({std::to_string(i), 0});
    }
    pool.ready = 4;
    pool.complete = true;
    pool.links.between_hosts = {1e-5, 1e8, 1e-6, 0};
    for (std::int32_t i = 0; i < 4; ++i)
        if (draw.chance(30)) pool.links.by_host[{i, (i + 1) % 4}] = {1e-5, 3e6, 1e-6, 0};
    return pool;
}

CutConstraints draw_constraints(test::Draw& draw, const Sample& sample, const NodePool& pool) {
    CutConstraints constraints;
    const auto nodes = static_cast<int>(sample.model.nodes.size());
    if (draw.chance(40)) constraints.pins.push_back({draw.below(nodes / 2), pool.nodes[draw.below(4)].node});
    if (draw.chance(30))
        constraints.pins.push_back({nodes / 2 + draw.below(nodes / 2), pool.nodes[draw.below(4)].node});
    if (draw.chance(40)) constraints.sensitive = {draw.below(nodes)};
    constraints.secure = pool.secure_nodes();
    return constraints;
}

}  // namespace

void NodeChainTest::plans_equal_brute_force() {
    int planned = 0, refused = 0, reordered = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        test::Draw draw(seed);
        Sample sample(4);
        const NodePool pool = draw_pool(draw);
        const CutConstraints constraints = draw_constraints(draw, sample, pool);
        const std::int64_t stages = 1 + draw.below(3);
        const auto plan = sample.plan(pool, constraints, stages);
        const double least = sample.brute_force(pool, constraints, static_cast<std::size_t>(stages));
        if (!plan.ok()) {
            QVERIFY2(!std::isfinite(least), plan.error().message().c_str());
            ++refused;
            continue;
        }
        // If pins allow no plan that uses each node once, a node may be used twice.
        std::vector<std::int32_t> used = plan->nodes;
        std::sort(used.begin(), used.end());
        const bool again = std::adjacent_find(used.begin(), used.end()) != used.end();
        QCOMPARE(again, !std::isfinite(least));
        if (again) continue;
        ++planned;
        QVERIFY(plan->all_orders);
        QVERIFY(std::abs(plan->slowest - least) <= 1e-9 * least);
        const double found = sample.slowest(pool, constraints, plan->cuts, plan->nodes);
        QVERIFY(std::abs(found - least) <= 1e-9 * least);
        reordered += plan->nodes != pool.order(static_cast<std::int32_t>(stages), {});
    }
    QVERIFY2(planned > 60 && refused > 20 && reordered > 30,
             qPrintable(QString("%1 %2 %3").arg(planned).arg(refused).arg(reordered)));
}

void NodeChainTest::given_cuts_are_placed_on_the_best_nodes() {
    int placed = 0;
    for (std::uint64_t seed = 1000; seed < 1100; ++seed) {
        test::Draw draw(seed);
        Sample sample(4);
        const NodePool pool = draw_pool(draw);
        const CutConstraints constraints = draw_constraints(draw, sample, pool);
        const CutChoice choice{static_cast<std::int32_t>(draw.below(3)), static_cast<std::int32_t>(3 + draw.below(3))};
        const double least = sample.brute_force(pool, constraints, 3, &choice);
        const auto plan = place_cuts(sample.task(pool, constraints), choice);
        if (!std::isfinite(least) || !plan.ok()) {
            QVERIFY(!std::isfinite(least));
            continue;
        }
        ++placed;
        QCOMPARE(plan->cuts, choice);
        QVERIFY(std::abs(sample.slowest(pool, constraints, choice, plan->nodes) - least) <= 1e-9 * least);
    }
    QVERIFY(placed > 20);
}

void NodeChainTest::equal_nodes_keep_their_order() {
    Sample sample(4);
    const auto plan = sample.plan(default_pool(), {}, 3);
    QVERIFY(plan.ok() && !plan->nodes_matter);
    QCOMPARE(plan->nodes, (std::vector<std::int32_t>{0, 1, 2}));
    // The planner leaves out a slow node if others are available.
    NodePool pool = default_pool();
    pool.nodes[1].profile = profile(1e6);
    const auto around = sample.plan(pool, {}, 3);
    QVERIFY(around.ok() && around->nodes_matter);
    QVERIFY(std::find(around->nodes.begin(), around->nodes.end(), 1) == around->nodes.end());
}

void NodeChainTest::nodes_of_the_task_keep_their_order() {
    Sample sample(4);
    test::Draw draw(3);
    NodePool pool = draw_pool(draw);
    for (PlannedDevice& device : pool.nodes) device.memory.reset();
    pool.nodes[3].profile = profile(1e7);
    CutConstraints constraints;
    constraints.stages = {"d", "a"};
    const auto plan = sample.plan(pool, constraints, 2);
    QVERIFY2(plan.ok(), plan.ok() ? "" : plan.error().message().c_str());
    QCOMPARE(plan->nodes, (std::vector<std::int32_t>{3, 0}));
    QCOMPARE(plan->cuts, CutChoice{0});  // little work for the slow node
    constraints.pins = {{0, "b"}};
    const auto refused = sample.plan(pool, constraints, 2);
    QVERIFY(refused.error().message().find("pinned to b, but place.stages puts no stage there") != std::string::npos);
}

void NodeChainTest::pinned_node_may_be_used_twice() {
    Sample sample(4);
    const NodePool pool = [] {
        NodePool named = default_pool();
        named.assign_names({"hospital", "cloud"});
        return named;
    }();
    const auto last = static_cast<graph::NodeIndex>(sample.model.nodes.size()) - 1;
    CutConstraints constraints;
    constraints.pins = {{0, "hospital"}, {last / 2, "cloud"}, {last, "hospital"}};
    const auto plan = sample.plan(pool, constraints, 3);
    QVERIFY2(plan.ok(), plan.ok() ? "" : plan.error().message().c_str());
    QCOMPARE(plan->nodes, (std::vector<std::int32_t>{0, 1, 0}));
    const auto refused = sample.plan(pool, constraints, 2);
    QVERIFY(refused.error().message().find("at least 3 stages") != std::string::npos);
    QVERIFY(refused.error().message().find("on hospital, then") != std::string::npos);
}

void NodeChainTest::error_names_both_contradictory_rules() {
    Sample sample(4);
    test::Draw draw(4);
    NodePool pool = draw_pool(draw);
    for (PlannedDevice& device : pool.nodes) device.secure = device.node == "b";
    const auto refused = [&](CutConstraints constraints) {
        constraints.secure = pool.secure_nodes();
        const auto plan = sample.plan(pool, constraints, 2);
        return plan.ok() ? std::string() : plan.error().message();
    };
    CutConstraints constraints;
    constraints.pins = {{2, "a"}};
    constraints.sensitive = {2};
    QVERIFY(refused(constraints).find("sensitive but pinned to a, which is not secure") != std::string::npos);
    constraints.pins = {{2, "elsewhere"}};
    QVERIFY(refused(constraints).find("nodes: a, b, c, d") != std::string::npos);
    constraints.pins.clear();
    pool.nodes[1].secure = false;
    QVERIFY(refused(constraints).find("no node of the cluster is secure") != std::string::npos);
    constraints.sensitive.clear();
    sample.cuts.legal.erase(sample.cuts.legal.begin() + 1);
    constraints.pins = {{1, "a"}, {2, "b"}};
    const std::string text = refused(constraints);
    QVERIFY2(
        text.find("pinned to a and") != std::string::npos && text.find("to b, but no legal cut") != std::string::npos,
        text.c_str());
}

/// A position without an obstacle can be placed on some nodes. A position with an obstacle of pins or privacy can be
/// placed on none.
void NodeChainTest::landscape_marks_positions_that_the_planner_refuses() {
    int marked = 0, free = 0;
    for (std::uint64_t seed = 2000; seed < 2100; ++seed) {
        test::Draw draw(seed);
        Sample sample(5);
        NodePool pool = draw_pool(draw);
        for (PlannedDevice& device : pool.nodes) device.memory.reset();
        CutConstraints constraints = draw_constraints(draw, sample, pool);
        if (draw.chance(50)) constraints.stages = {"a", "b", "c"};
        const CutChoice choice{static_cast<std::int32_t>(draw.below(2)), static_cast<std::int32_t>(3 + draw.below(3))};
        const auto landscape =
            make_landscape(sample.pricing, {sample.cuts, choice, 1}, pool(3), sample.setup, constraints);
        QVERIFY(landscape.ok());
        for (std::size_t i = 0; i < landscape->positions.size(); ++i) {
            const LandscapePosition& position = landscape->positions[i];
            if (position.obstacle == Obstacle::order) continue;
            // The planner uses each node once. Here a node may run several stages, so that only the stages decide.
            const CutChoice moved{choice[0], static_cast<std::int32_t>(i)};
            double least = infinite;
            for (std::int32_t nodes = 0; nodes < 4 * 4 * 4; ++nodes) {
                const std::vector<std::int32_t> on{nodes % 4, nodes / 4 % 4, nodes / 16};
                const std::vector<std::int32_t> given = pool.order(3, constraints.stages);
                if (constraints.stages.empty() || on == given)
                    least = std::min(least, sample.slowest(pool, constraints, moved, on));
            }
            QCOMPARE(position.obstacle == Obstacle::none, std::isfinite(least));
            ++(std::isfinite(least) ? free : marked);
            QCOMPARE(explain(*landscape, static_cast<std::int32_t>(i), sample.model, pool(3), constraints).empty(),
                     std::isfinite(least));
        }
    }
    QVERIFY2(marked > 50 && free > 50, qPrintable(QString("%1 %2").arg(marked).arg(free)));
}

namespace {

/// Returns two MICs of two nodes each. Their gateways run on the nodes of the first MIC and take long for each byte.
NodePool behind_gateways(test::Draw& draw, double relay_s_per_byte) {
    NodePool pool = draw_pool(draw);
    for (std::size_t i = 0; i < pool.nodes.size(); ++i) {
        pool.nodes[i].memory.reset();
        pool.nodes[i].mic = static_cast<std::int32_t>(i / 2);
        pool.hosts[i].cores = 1;
    }
    MeshPaths paths;
    for (const auto& [from, to] : {std::pair{0, 1}, {1, 0}})
        paths[{from, to}] = {{2e-5, 1e8, 1e-6, 0},
                             {"mg-1", "mg-2"},
                             "mg-1, mg-2",
                             {{"0", 1e-6, relay_s_per_byte}, {"1", 1e-6, relay_s_per_byte}}};
    pool.links.paths = std::make_shared<const MeshPaths>(std::move(paths));
    return pool;
}

/// Returns the step of these cuts on these nodes, with data instances where the orchestrator would place them.
double simulated(Sample& sample, const NodePool& pool, const CutChoice& choice, const std::vector<std::int32_t>& nodes,
                 std::int32_t data_instances) {
    const auto segments = segments_from_cuts(sample.model, sample.cuts, choice, sample.training);
    const auto partition = make_partition(sample.training.graph, *segments);
    Placement placement = pool.place(nodes);
    placement.dealt = pool.place_data(nodes, data_instances);
    return predict(sample.pricing, *partition, placement, sample.setup)->step_ms;
}

/// Returns the shortest step of all cuts into `stages` stages on all arrangements of the nodes.
double least_simulated(Sample& sample, const NodePool& pool, std::size_t stages, std::int32_t data_instances) {
    double least = infinite;
    for (std::uint32_t set = 0; set < (1U << sample.cuts.legal.size()); ++set) {
        CutChoice choice;
        for (std::size_t i = 0; i < sample.cuts.legal.size(); ++i)
            if (set >> i & 1U) choice.push_back(static_cast<std::int32_t>(i));
        if (choice.size() + 1 != stages) continue;
        std::vector<std::int32_t> order(pool.nodes.size());
        std::iota(order.begin(), order.end(), 0);
        do {
            const std::vector<std::int32_t> nodes(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(stages));
            if (!std::is_sorted(order.begin() + static_cast<std::ptrdiff_t>(stages), order.end())) continue;
            least = std::min(least, simulated(sample, pool, choice, nodes, data_instances));
        } while (std::next_permutation(order.begin(), order.end()));
    }
    return least;
}

}  // namespace

void NodeChainTest::simulation_decides_where_the_chain_model_is_inexact_data() {
    QTest::addColumn<double>("relay_s_per_byte");
    QTest::addColumn<int>("data_instances");
    QTest::addColumn<bool>("slow_data");
    QTest::addColumn<bool>("open");
    QTest::addColumn<bool>("gains");
    QTest::newRow("neither") << 0.0 << 0 << false << false << false;
    QTest::newRow("slow relays") << 1e-6 << 0 << false << false << true;
    // All stages wait for slow data instances, wherever these run.
    QTest::newRow("slow data instances") << 0.0 << 1 << true << false << false;
    QTest::newRow("slow data instances, any number of stages") << 0.0 << 2 << true << true << true;
    QTest::newRow("both") << 1e-6 << 2 << true << true << true;
}

/// No plan is slower than the one from the chain alone, and at least as many plans are within 5 % of the optimum.
void NodeChainTest::simulation_decides_where_the_chain_model_is_inexact() {
    QFETCH(double, relay_s_per_byte);
    QFETCH(int, data_instances);
    QFETCH(bool, slow_data);
    QFETCH(bool, open);
    QFETCH(bool, gains);
    int faster = 0, best = 0, best_before = 0;
    double worst = 1, worst_before = 1;
    constexpr int rounds = 40;
    for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
        test::Draw draw(seed);
        Sample sample(3);
        NodePool pool = relay_s_per_byte > 0 ? behind_gateways(draw, relay_s_per_byte) : draw_pool(draw);
        for (PlannedDevice& device : pool.nodes) device.memory.reset();
        for (HostModel& host : pool.hosts) host.cores = 1;
        if (slow_data) {
            for (PlannedDevice& device : pool.nodes) {
                DeviceProfile profile = *device.profile;
                profile.rates.bytes_per_s = 2e6;
                device.profile = std::make_shared<const DeviceProfile>(std::move(profile));
            }
        }
        SegmentationRequest request;
        request.method = "optimal";
        if (open) request.least_stages = 1, request.most_stages = 3;
        else request.stages = 2;
        LayerTask task = sample.task(pool);
        task.data_instances = data_instances;
        const auto by_chain = plan_on_nodes(priced_chain(task, request, 3).value(), task, request);
        const auto plan = optimal_layers(task, request);
        QVERIFY(by_chain.ok() && plan.ok());
        const double before = simulated(sample, pool, by_chain->cuts, by_chain->nodes, data_instances);
        const double after = simulated(sample, pool, plan->cuts, plan->nodes, data_instances);
        QVERIFY(after <= before);
        if (relay_s_per_byte == 0 && data_instances == 0) {
            QCOMPARE(plan->cuts, by_chain->cuts);
            QCOMPARE(plan->nodes, by_chain->nodes);
        }
        double least = infinite;
        for (std::size_t stages = open ? 1 : 2; stages <= (open ? 3 : 2); ++stages)
            least = std::min(least, least_simulated(sample, pool, stages, data_instances));
        faster += after < before * 0.999;
        best += after <= least * 1.05;
        best_before += before <= least * 1.05;
        worst = std::max(worst, after / least);
        worst_before = std::max(worst_before, before / least);
    }
    qInfo("%d of %d faster; within 5 %% of the best %d, by the chain alone %d; at worst %.2f, %.2f times", faster,
          rounds, best, best_before, worst, worst_before);
    QVERIFY(worst <= worst_before && best >= best_before);
    QVERIFY(faster > 0 || !gains);
}

/// The search prices the complete step, so it gives the same step time as the prediction.
void NodeChainTest::tabu_search_prices_data_instances() {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        test::Draw draw(seed);
        Sample sample(4);
        const NodePool pool = behind_gateways(draw, 1e-6);
        SegmentationRequest request;
        request.method = "tabu";
        request.stages = 3;
        request.tabu_iterations = 20;
        LayerTask task = sample.task(pool);
        task.data_instances = 1;
        const auto plan = tabu_layers(task, request);
        const auto start = optimal_layers(task, request);
        QVERIFY(plan.ok() && start.ok());
        QCOMPARE(plan->step_ms, simulated(sample, pool, plan->cuts, plan->nodes, 1));
        QVERIFY(plan->step_ms <= simulated(sample, pool, start->cuts, start->nodes, 1));
    }
}

namespace {

/// Returns the shortest simulated step of these cuts over all arrangements of the nodes; infinite if rules allow none.
double least_on_nodes(Sample& sample, const NodePool& pool, const CutConstraints& constraints, const CutChoice& choice,
                      std::int32_t data_instances) {
    std::vector<std::int32_t> order(pool.nodes.size());
    std::iota(order.begin(), order.end(), 0);
    const auto stages = static_cast<std::ptrdiff_t>(choice.size()) + 1;
    double least = infinite;
    do {
        const std::vector<std::int32_t> nodes(order.begin(), order.begin() + stages);
        if (!std::is_sorted(order.begin() + stages, order.end())) continue;
        if (std::isfinite(sample.slowest(pool, constraints, choice, nodes)))
            least = std::min(least, simulated(sample, pool, choice, nodes, data_instances));
    } while (std::next_permutation(order.begin(), order.end()));
    return least;
}

/// Returns the pool without the costs of gateways and routers, which an earlier version of place_cuts() ignored.
NodePool without_relays(NodePool pool) {
    if (!pool.links.paths) return pool;
    MeshPaths paths = *pool.links.paths;
    for (auto& [ends, path] : paths) path.relays.clear();
    pool.links.paths = std::make_shared<const MeshPaths>(std::move(paths));
    return pool;
}

/// Returns whether a step is no slower than another. Steps that differ by less than a simulation's tolerance are equal.
bool is_no_slower(double step_ms, double than_ms) { return step_ms * (1 - steady_difference) <= than_ms * (1 + 1e-9); }

}  // namespace

void NodeChainTest::cuts_get_the_nodes_of_the_fastest_step_data() {
    QTest::addColumn<double>("relay_s_per_byte");
    QTest::addColumn<int>("data_instances");
    QTest::addColumn<bool>("moves");  // whether stages move in some samples
    QTest::newRow("slow relays") << 1e-6 << 0 << true;
    QTest::newRow("data instances") << 0.0 << 2 << false;
    QTest::newRow("both") << 1e-6 << 2 << true;
}

/// The console therefore shows the same figures for given cuts as the search.
void NodeChainTest::cuts_get_the_nodes_of_the_fastest_step() {
    QFETCH(double, relay_s_per_byte);
    QFETCH(int, data_instances);
    QFETCH(bool, moves);
    int moved = 0;
    double worst_before = 1;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        test::Draw draw(seed);
        Sample sample(4);
        NodePool pool = behind_gateways(draw, relay_s_per_byte);
        const CutChoice choice{static_cast<std::int32_t>(draw.below(3)), static_cast<std::int32_t>(3 + draw.below(3))};
        LayerTask task = sample.task(pool);
        task.data_instances = data_instances;
        const auto placed = place_cuts(task, choice);
        QVERIFY2(placed.ok(), placed.ok() ? "" : placed.error().message().c_str());
        QCOMPARE(placed->cuts, choice);
        const double least = least_on_nodes(sample, pool, {}, choice, data_instances);
        const double step_ms = simulated(sample, pool, choice, placed->nodes, data_instances);
        QVERIFY2(is_no_slower(step_ms, least), qPrintable(QString("%1: %2 %3").arg(seed).arg(step_ms).arg(least)));
        const NodePool old = without_relays(pool);
        const auto before = place_cuts(sample.task(old), choice);
        QVERIFY(before.ok());
        const double before_ms = simulated(sample, pool, choice, before->nodes, data_instances);
        moved += before_ms > 1.01 * step_ms;
        worst_before = std::max(worst_before, before_ms / least);
        // A plan of the search is on the nodes that place_cuts() gives its cuts.
        SegmentationRequest request;
        request.method = "optimal";
        request.stages = 3;
        const auto plan = optimal_layers(task, request);
        QVERIFY(plan.ok());
        const auto shown = place_cuts(task, plan->cuts);
        QVERIFY(shown.ok());
        const double plan_ms = simulated(sample, pool, plan->cuts, plan->nodes, data_instances);
        const double shown_ms = simulated(sample, pool, plan->cuts, shown->nodes, data_instances);
        QVERIFY(is_no_slower(shown_ms, plan_ms) && plan_ms <= shown_ms);
    }
    qInfo("%d of 30 on other nodes, where they were up to %.2f times as slow", moved, worst_before);
    QVERIFY(moved > 0 || !moves);
}

/// The pool has three equal nodes. The first node's host reads the data, which takes as long as two layers.
void NodeChainTest::stages_avoid_the_host_of_data_instances() {
    Sample sample(2);
    NodePool pool;
    for (std::int32_t i = 0; i < 3; ++i) {
        PlannedDevice device;
        device.node = device.name = std::string(1, static_cast<char>('a' + i));
        device.profile = i > 0 ? pool.nodes.front().profile : profile(1e8);
        device.host = i;
        pool.nodes.push_back(std::move(device));
        pool.hosts.push_back({std::to_string(i), 1});
    }
    pool.ready = 3;
    pool.complete = true;
    pool.links.between_hosts = {1e-7, 1e9, 1e-7, 0};
    pool.data = pool.nodes.front();
    DeviceProfile slow = *pool.data->profile;
    slow.rates.bytes_per_s = 4e7;
    pool.data->profile = std::make_shared<const DeviceProfile>(std::move(slow));
    LayerTask task = sample.task(pool);
    const CutChoice choice{1};
    QCOMPARE(place_cuts(task, choice)->nodes, (std::vector<std::int32_t>{0, 1}));  // without data the nodes are equal
    task.data_instances = 1;
    const auto placed = place_cuts(task, choice);
    QVERIFY(placed.ok() && placed->nodes_matter && placed->all_orders);
    QVERIFY(std::find(placed->nodes.begin(), placed->nodes.end(), 0) == placed->nodes.end());
    const double step_ms = simulated(sample, pool, choice, placed->nodes, 1);
    QVERIFY(is_no_slower(step_ms, least_on_nodes(sample, pool, {}, choice, 1)));
    QVERIFY(step_ms * 1.1 < simulated(sample, pool, choice, {0, 1}, 1));
}

/// Pins, privacy and the nodes of the task are respected.
void NodeChainTest::rules_hold_when_simulated_steps_decide() {
    int placed = 0;
    for (std::uint64_t seed = 3000; seed < 3060; ++seed) {
        test::Draw draw(seed);
        Sample sample(4);
        const NodePool pool = behind_gateways(draw, 1e-6);
        CutConstraints constraints = draw_constraints(draw, sample, pool);
        const CutChoice choice{static_cast<std::int32_t>(draw.below(3)), static_cast<std::int32_t>(3 + draw.below(3))};
        const double least = least_on_nodes(sample, pool, constraints, choice, 0);
        const auto plan = place_cuts(sample.task(pool, constraints), choice);
        if (!std::isfinite(least) || !plan.ok()) continue;
        ++placed;
        QVERIFY(std::isfinite(sample.slowest(pool, constraints, choice, plan->nodes)));
        QVERIFY(is_no_slower(simulated(sample, pool, choice, plan->nodes, 0), least));
        constraints = {};
        constraints.stages = {"c", "a", "d"};
        const auto fixed = place_cuts(sample.task(pool, constraints), choice);
        QVERIFY(fixed.ok());
        QCOMPARE(fixed->nodes, (std::vector<std::int32_t>{2, 0, 3}));
    }
    QVERIFY2(placed > 10, qPrintable(QString::number(placed)));
}

/// If the budget does not suffice for all arrangements, the result is still never slower than the first start.
void NodeChainTest::exchanging_nodes_finds_a_faster_arrangement() {
    int faster = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        test::Draw draw(seed);
        Sample sample(4);
        const NodePool pool = behind_gateways(draw, 1e-6);
        const CutChoice choice{static_cast<std::int32_t>(draw.below(3)), static_cast<std::int32_t>(3 + draw.below(3))};
        const LayerTask task = sample.task(pool);
        const std::vector<std::int32_t> start{0, 2, 1};  // a path to the other MIC and back
        const auto each = static_cast<std::int64_t>(sample.training.graph.nodes.size()) + 3 * 2 * 3 * 4;
        const FastestNodes found = fastest_nodes(task, choice, {start}, 12 * each);  // enough for 12 of 24 arrangements
        QVERIFY(!found.all_tried);
        const double before = simulated(sample, pool, choice, start, 0);
        const double after = simulated(sample, pool, choice, found.nodes, 0);
        QVERIFY(after <= before);
        faster += after < 0.99 * before;
        QCOMPARE(fastest_nodes(task, choice, {start}, each).nodes.size(), start.size());
        QVERIFY(fastest_nodes(task, choice, {start}).all_tried);
    }
    QVERIFY(faster > 0);
}

DIVISI_TEST(NodeChainTest)

}  // namespace node_chain_test

#include "node_chain_test.moc"
