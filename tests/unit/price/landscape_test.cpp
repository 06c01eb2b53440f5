// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>

#include "backend/graph/roles.h"
#include "backend/price/landscape.h"
#include "backend/price/landscape_points.h"
#include "backend/price/max_plus.h"
#include "tests/support/test_program.h"
#include "tests/unit/plan/graphs.h"
#include "tests/unit/plan/random_graphs.h"

namespace landscape_test {

using namespace divisi;
using namespace divisi::plan;
using namespace divisi::price;

namespace {

/// A model with everything that a landscape is computed from.
struct Sample {
    explicit Sample(graph::Graph graph)
        : model(std::move(graph)),
          training(make_training_graph(model, {.loss = Loss::mse}).value()),
          cost(training.graph),
          cuts(graph::find_cuts(model)),
          pricing(training, cost) {}

    /// Draws as many cuts as possible, at most `count`, at random positions.
    CutChoice draw_cuts(test::Draw& draw, int count) const {
        const auto legal = static_cast<int>(cuts.legal.size());
        CutChoice choice;
        for (int i = 0; i < 4 * count && static_cast<int>(choice.size()) < std::min(count, legal); ++i) {
            const std::int32_t cut = draw.below(legal);
            if (std::find(choice.begin(), choice.end(), cut) == choice.end()) choice.push_back(cut);
        }
        std::sort(choice.begin(), choice.end());
        return choice;
    }
    double simulated(const CutChoice& choice, const Placement& placement, const TrainingSetup& setup) {
        const auto prediction = predict_cuts(pricing, model, cuts, choice, placement, setup);
        return prediction.ok() ? prediction->step_ms * 1e-3 : -1;
    }

    graph::Graph model;
    TrainingGraph training;
    graph::GraphCost cost;
    graph::CutList cuts;
    Pricing pricing;
};

Placement draw_placement(test::Draw& draw, std::int32_t stages) {
    Placement placement = default_placement(stages);
    DeviceProfile small{"small", {1e9, 1e9, 2e10, 1e-6}, {}}, large{"large", {3e9, 3e9, 4e10, 1e-6}, {}};
    const auto one = std::make_shared<const DeviceProfile>(small), other = std::make_shared<const DeviceProfile>(large);
    for (PlannedDevice& device : placement.stages) device.profile = draw.chance(50) ? one : other;
    const auto link = [&] {
        LinkModel model{draw.between(1e-7, 1e-4), draw.between(1e7, 1e10), draw.between(1e-7, 1e-5), 0};
        if (draw.chance(30)) model.relayed_s_per_byte = draw.below(5) / model.bytes_per_s;  // up to four more links
        return model;
    };
    placement.links.between_hosts = link();
    for (std::int32_t i = 0; i + 1 < stages; ++i) {
        if (draw.chance(30)) placement.links.by_host[{i, i + 1}] = link();
        if (draw.chance(30)) placement.links.by_host[{i + 1, i}] = link();
    }
    return placement;
}

TrainingSetup draw_setup(test::Draw& draw) {
    TrainingSetup setup;
    setup.schedule = schedule_names()[static_cast<std::size_t>(draw.below(2))];
    setup.microbatches = 1 + draw.below(48);
    setup.optimizer_states = draw.below(3);
    setup.clip = draw.chance(30);
    setup.recompute = draw.chance(30);
    return setup;
}

}  // namespace

class LandscapeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void landscape_is_within_3_percent_of_full_simulation();
    void many_microbatches_are_extrapolated();
    void cut_series_match_the_partition_at_each_position();
    void positions_beyond_a_neighbouring_cut_are_invalid();
    void positions_that_violate_a_pin_are_marked();
    void sensitive_operators_stay_on_secure_stages();
    void memory_equals_the_full_prediction();
    void landscape_is_a_lower_bound_on_crowded_hosts();
    void stages_of_one_host_slow_each_other_down();
    void impossible_cuts_are_refused();
    void best_position_is_that_of_the_simulation_data();
    void best_position_is_that_of_the_simulation();
    void gateway_relay_times_change_the_best_position();
    void data_instances_change_the_best_position();
    void relays_on_hosts_with_idle_cores_change_nothing();
    void few_simulations_come_close_to_the_optimum();
};

void LandscapeTest::landscape_is_within_3_percent_of_full_simulation() {
    double worst = 0, sum = 0;
    int positions = 0, graphs = 0;
    for (std::uint64_t seed = 1; graphs < 100; ++seed) {
        test::Draw draw(seed);
        Sample sample(test::random_graph(draw, 20 + draw.below(120)));
        CutChoice choice = sample.draw_cuts(draw, 1 + draw.below(7));
        if (choice.empty()) continue;
        ++graphs;
        const auto stages = static_cast<std::int32_t>(choice.size()) + 1;
        const Placement placement = draw_placement(draw, stages);
        const TrainingSetup setup = draw_setup(draw);
        const auto moving = static_cast<std::size_t>(draw.below(static_cast<int>(choice.size())));
        const auto landscape =
            make_landscape(sample.pricing, {sample.cuts, choice, static_cast<std::int32_t>(moving)}, placement, setup);
        QVERIFY2(landscape.ok(), landscape.ok() ? "" : landscape.error().message().c_str());
        QCOMPARE(landscape->positions.size(), sample.cuts.legal.size());
        for (std::size_t i = 0; i < landscape->positions.size(); ++i) {
            if (landscape->positions[i].obstacle == Obstacle::order) continue;
            choice[moving] = static_cast<std::int32_t>(i);
            const double full = sample.simulated(choice, placement, setup);
            QVERIFY(full > 0);
            const double off = std::abs(landscape->positions[i].step_s / full - 1);
            worst = std::max(worst, off);
            sum += off;
            ++positions;
            const std::string where = "seed " + std::to_string(seed) + ", position " + std::to_string(i) + ": " +
                                      setup.schedule + ", " + std::to_string(stages) + " stages, " +
                                      std::to_string(setup.microbatches) +
                                      " micro-batches: " + std::to_string(landscape->positions[i].step_s * 1e6) +
                                      " us, simulated " + std::to_string(full * 1e6);
            if (off > 0.03) qWarning("%s", where.c_str());
        }
    }
    qInfo("%d positions of %d graphs: %.4f %% off on average, %.3f %% at most", positions, graphs,
          100 * sum / positions, 100 * worst);
    QVERIFY(positions > 1000 && worst <= 0.03);
}

void LandscapeTest::many_microbatches_are_extrapolated() {
    test::Draw draw(77);
    double worst = 0;
    for (int round = 0; round < 20; ++round) {
        Sample sample(test::random_graph(draw, 120));
        CutChoice choice = sample.draw_cuts(draw, 2 + draw.below(10));
        const auto stages = static_cast<std::int32_t>(choice.size()) + 1;
        const Placement placement = draw_placement(draw, stages);
        TrainingSetup setup = draw_setup(draw);
        setup.microbatches = 160;
        const auto series = make_cut_series(sample.pricing, {sample.cuts, choice, 1}, placement, setup);
        QVERIFY(series.ok());
        const auto all = step_times(*series, placement, setup, std::int64_t{1} << 40);
        const auto some = step_times(*series, placement, setup, 1);
        QVERIFY(all.ok() && some.ok());
        for (std::size_t column = 0; column < all->size(); ++column)
            worst = std::max(worst, std::abs((*some)[column] / (*all)[column] - 1));
    }
    qInfo("extrapolation is %.3f %% off at most", 100 * worst);
    QVERIFY(worst > 0 && worst <= 0.03);
}

void LandscapeTest::cut_series_match_the_partition_at_each_position() {
    for (std::uint64_t seed = 200; seed < 230; ++seed) {
        test::Draw draw(seed);
        Sample sample(test::random_graph(draw, 60));
        CutChoice choice = sample.draw_cuts(draw, 4);
        if (choice.size() < 2) continue;
        const auto stages = static_cast<std::int32_t>(choice.size()) + 1;
        Placement placement = default_placement(stages);
        placement.links = {{}, {0, 0, 0, 1}, {}};  // a byte takes a second, so occupancy equals bytes
        const std::int32_t moving = draw.below(stages - 1);
        const auto series = make_cut_series(sample.pricing, {sample.cuts, choice, moving}, placement, {});
        QVERIFY(series.ok());
        for (std::size_t column = 0; column < series->columns; ++column) {
            choice[static_cast<std::size_t>(moving)] = series->first_legal + static_cast<std::int32_t>(column);
            const Partition partition =
                make_partition(sample.training.graph,
                               segments_from_cuts(sample.model, sample.cuts, choice, sample.training.graph).value())
                    .value();
            std::map<CutSeries::Ends, double> expected;
            for (const Edge& edge : partition.edges) {
                if (edge.from == data_unit) continue;
                const auto bytes =
                    static_cast<double>(graph::size_bytes(sample.training.graph.values[edge.value]).value());
                expected[{edge.from, edge.to}] += bytes;
                if (edge.gradient) expected[{edge.to, edge.from}] += bytes;
            }
            for (const auto& [ends, hop] : series->hops) QCOMPARE(hop.occupancy[column], expected[ends]);
            for (const auto& [ends, bytes] : expected) QVERIFY(bytes == 0 || series->hops.contains(ends));
            bool shares = false;
            for (const auto& [ends, hop] : series->shared) shares |= hop.occupancy[column] > 0;
            QCOMPARE(shares, !partition.shared_weights.empty());
        }
    }
}

void LandscapeTest::positions_beyond_a_neighbouring_cut_are_invalid() {
    Sample sample(test::chain(8));
    const CutChoice choice{2, 5, 8};
    const Placement placement = default_placement(4);
    const auto landscape = make_landscape(sample.pricing, {sample.cuts, choice, 1}, placement, {});
    QVERIFY(landscape.ok());
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(landscape->positions.size()); ++i) {
        const LandscapePosition& position = landscape->positions[static_cast<std::size_t>(i)];
        QCOMPARE(position.obstacle == Obstacle::order, i <= 2 || i >= 8);
        QCOMPARE(position.step_s > 0, i > 2 && i < 8);
        QCOMPARE(explain(*landscape, i, sample.model, placement).empty(), i > 2 && i < 8);
    }
    const std::int32_t best = landscape->best();
    for (std::size_t i = 3; i < 8; ++i)
        QVERIFY(landscape->positions[static_cast<std::size_t>(best)].step_s <= landscape->positions[i].step_s);
}

void LandscapeTest::positions_that_violate_a_pin_are_marked() {
    Sample sample(test::chain(8));
    const graph::NodeIndex node = sample.model.find_node("matmul_4");
    CutConstraints constraints;
    constraints.pins.push_back({node, "b"});
    constraints.stages = {"a", "b"};
    const Placement placement = default_placement(2);
    const auto landscape = make_landscape(sample.pricing, {sample.cuts, {0}, 0}, placement, {}, constraints);
    QVERIFY(landscape.ok());
    for (std::size_t i = 0; i < landscape->positions.size(); ++i) {
        const bool stays = sample.cuts.legal[i] < node;
        QCOMPARE(landscape->positions[i].obstacle == Obstacle::none, stays);
        if (stays) continue;
        QVERIFY(landscape->positions[i].obstacle == Obstacle::pinned);
        const std::string text =
            explain(*landscape, static_cast<std::int32_t>(i), sample.model, placement, constraints);
        QVERIFY(text.find("matmul_4") != std::string::npos && text.find("placed on a") != std::string::npos);
    }
}

void LandscapeTest::sensitive_operators_stay_on_secure_stages() {
    Sample sample(test::chain(8));
    CutConstraints constraints;
    constraints.sensitive = {sample.model.find_node("matmul_0"), sample.model.find_node("relu_2")};
    constraints.stages = {"a", "b"};
    constraints.secure = {{"a"}};
    const Placement placement = default_placement(2);
    const auto landscape = make_landscape(sample.pricing, {sample.cuts, {0}, 0}, placement, {}, constraints);
    QVERIFY(landscape.ok());
    for (std::size_t i = 0; i < landscape->positions.size(); ++i) {
        const bool stays = sample.cuts.legal[i] >= constraints.sensitive.back();
        QCOMPARE(landscape->positions[i].obstacle == Obstacle::none, stays);
        if (stays) continue;
        QVERIFY(landscape->positions[i].obstacle == Obstacle::sensitive);
        QCOMPARE(landscape->positions[i].node == constraints.sensitive[0],
                 sample.cuts.legal[i] < constraints.sensitive[0]);
        QVERIFY(explain(*landscape, static_cast<std::int32_t>(i), sample.model, placement, constraints)
                    .find("not secure") != std::string::npos);
    }
}

void LandscapeTest::memory_equals_the_full_prediction() {
    for (std::uint64_t seed = 300; seed < 340; ++seed) {
        test::Draw draw(seed);
        Sample sample(test::random_graph(draw, 60));
        CutChoice choice = sample.draw_cuts(draw, 3);
        if (choice.empty()) continue;
        const TrainingSetup setup = draw_setup(draw);
        const auto moving = static_cast<std::size_t>(draw.below(static_cast<int>(choice.size())));
        Placement placement = default_placement(static_cast<std::int32_t>(choice.size()) + 1);
        for (const std::size_t stage : {moving, moving + 1}) placement.stages[stage].memory = 200'000 << draw.below(4);
        const auto landscape =
            make_landscape(sample.pricing, {sample.cuts, choice, static_cast<std::int32_t>(moving)}, placement, setup);
        QVERIFY(landscape.ok());
        for (std::size_t i = 0; i < landscape->positions.size(); ++i) {
            const LandscapePosition& position = landscape->positions[i];
            if (position.obstacle == Obstacle::order) continue;
            choice[moving] = static_cast<std::int32_t>(i);
            const auto full = predict_cuts(sample.pricing, sample.model, sample.cuts, choice, placement, setup);
            QVERIFY(full.ok());
            const bool fits = full->stages[moving].fits() && full->stages[moving + 1].fits();
            QCOMPARE(position.obstacle == Obstacle::none, fits);
            if (fits) continue;
            QCOMPARE(position.memory, full->stages[static_cast<std::size_t>(position.stage)].memory);
            QVERIFY(explain(*landscape, static_cast<std::int32_t>(i), sample.model, placement).find("would need") !=
                    std::string::npos);
        }
    }
}

void LandscapeTest::landscape_is_a_lower_bound_on_crowded_hosts() {
    test::Draw draw(5);
    Sample sample(test::random_graph(draw, 80));
    const CutChoice choice = sample.draw_cuts(draw, 3);
    QCOMPARE(choice.size(), std::size_t{3});
    Placement placement = default_placement(4);
    for (PlannedDevice& device : placement.stages) device.host = 0;
    placement.hosts = {{"laptop", 2}};
    // The costs of messages within a host are not part of the bound.
    placement.links.within_host.message_s = placement.links.within_host.serialize_s_per_byte = 0;
    TrainingSetup setup;
    setup.microbatches = 16;
    const auto landscape = make_landscape(sample.pricing, {sample.cuts, choice, 1}, placement, setup);
    QVERIFY(landscape.ok());
    for (std::int32_t i = choice[0] + 1; i < choice[2]; ++i) {
        const double full = sample.simulated({choice[0], i, choice[2]}, placement, setup);
        const double bound = landscape->positions[static_cast<std::size_t>(i)].step_s;
        QVERIFY(bound <= full * 1.001 && bound > 0.6 * full);
    }
}

void LandscapeTest::stages_of_one_host_slow_each_other_down() {
    test::Draw draw(6);
    Sample sample(test::random_graph(draw, 80));
    DeviceProfile profile = default_profile("cpu");
    profile.crowded_cores = 2;
    const auto gradient = graph::needs_gradient(sample.training.graph);
    for (std::size_t node = 0; node < sample.training.graph.nodes.size(); ++node) {
        const auto time = [&] { return MeasuredTime{20e-6, 0, draw.between(20e-6, 40e-6)}; };
        profile.operators[operator_key(sample.training.graph, static_cast<graph::NodeIndex>(node), gradient)] = {
            time(), time(), time()};
    }
    Placement placement = default_placement(2);
    for (PlannedDevice& device : placement.stages) {
        device.profile = std::make_shared<const DeviceProfile>(profile);
        device.host = 0;
    }
    placement.hosts = {{"laptop", 2}};
    TrainingSetup setup;
    setup.microbatches = 8;
    Placement apart = placement;
    apart.hosts.push_back({"another", 2});
    apart.stages[1].host = 1;
    const auto count = static_cast<std::int32_t>(sample.cuts.legal.size());
    const auto together = make_landscape(sample.pricing, {sample.cuts, {count / 2}, 0}, placement, setup);
    QVERIFY(together.ok());
    for (std::int32_t i = 0; i < count; ++i) {
        const double full = sample.simulated({i}, placement, setup), alone = sample.simulated({i}, apart, setup);
        const double found = together->positions[static_cast<std::size_t>(i)].step_s;
        QVERIFY2(std::abs(found / full - 1) < 0.05, qPrintable(QString("%1: %2, %3").arg(i).arg(found).arg(full)));
        QVERIFY(full >= alone);
    }
    const auto middle = sample.simulated({count / 2}, placement, setup);
    QVERIFY(middle > 1.1 * sample.simulated({count / 2}, apart, setup));
}

void LandscapeTest::impossible_cuts_are_refused() {
    Sample sample(test::chain(8));
    const auto refused = [&](const CutChoice& choice, std::int32_t moving, std::int32_t devices) {
        return !make_landscape(sample.pricing, {sample.cuts, choice, moving}, default_placement(devices), {}).ok();
    };
    QVERIFY(!refused({1, 3}, 1, 3));
    QVERIFY(refused({3, 1}, 1, 3));
    QVERIFY(refused({1, 99}, 1, 3));
    QVERIFY(refused({1, 3}, 2, 3));
    QVERIFY(refused({1, 3}, 0, 2));
    QVERIFY(refused({}, 0, 1));
}

namespace {

/// Returns stages on hosts of one core in two MICs: the first stage alone, and all others. The first stage's host also
/// runs a gateway and a router, which handle the traffic between the MICs.
Placement behind_gateways(std::int32_t stages, double relay_s_per_byte) {
    Placement placement = default_placement(stages);
    const DeviceProfile profile{"small", {1e9, 1e9, 2e10, 1e-6}, {}};
    const auto shared = std::make_shared<const DeviceProfile>(profile);
    for (PlannedDevice& device : placement.stages) {
        device.profile = shared;
        device.mic = device.host > 0 ? 1 : 0;
    }
    for (HostModel& host : placement.hosts) host.cores = 1;
    placement.links.between_hosts = {1e-7, 1e9, 1e-7, 0};
    const double each = relay_s_per_byte / 2;
    MeshPaths paths;
    for (const auto& [from, to] : {std::pair{0, 1}, {1, 0}})
        paths[{from, to}] = {
            {1e-6, 1e9, 1e-7, 0}, {"mg-1", "sr-1"}, "mg-1, sr-1", {{"host 0", 1e-7, each}, {"host 0", 1e-7, each}}};
    placement.links.paths = std::make_shared<const MeshPaths>(std::move(paths));
    return placement;
}

/// Adds data instances on their own host, or on that of the last stage, whose memory is slow.
void add_data(Placement& placement, int instances, double bytes_per_s, bool beside_stage) {
    PlannedDevice device = placement.stages.back();
    DeviceProfile profile = *device.profile;
    profile.rates.bytes_per_s = bytes_per_s;
    device.profile = std::make_shared<const DeviceProfile>(std::move(profile));
    if (!beside_stage) {
        device.host = static_cast<std::int32_t>(placement.hosts.size());
        placement.hosts.push_back({"data", 1});
    }
    placement.dealt.assign(static_cast<std::size_t>(instances), device);
}

/// Returns the placement without data instances and without the costs of gateways and routers. A landscape of this
/// placement ignores both, as every landscape did in an earlier version.
Placement without_either(Placement placement) {
    placement.dealt.clear();
    if (!placement.links.paths) return placement;
    MeshPaths paths = *placement.links.paths;
    for (auto& [ends, path] : paths) path.relays.clear();
    placement.links.paths = std::make_shared<const MeshPaths>(std::move(paths));
    return placement;
}

/// Returns the simulated step at each position of a cut, in seconds; 0 beyond the neighbouring cuts.
std::vector<double> simulated_everywhere(Sample& sample, CutChoice choice, std::size_t moving,
                                         const Placement& placement, const TrainingSetup& setup) {
    std::vector<double> steps(sample.cuts.legal.size());
    const auto legal = static_cast<std::int32_t>(steps.size());
    const std::int32_t first = moving == 0 ? 0 : choice[moving - 1] + 1;
    const std::int32_t last = moving + 1 == choice.size() ? legal : choice[moving + 1];
    for (std::int32_t i = first; i < last; ++i) {
        choice[moving] = i;
        steps[static_cast<std::size_t>(i)] = sample.simulated(choice, placement, setup);
    }
    return steps;
}

double least_of(const std::vector<double>& steps) {
    double least = 1e300;
    for (const double step : steps)
        if (step > 0) least = std::min(least, step);
    return least;
}

bool is_near(double a, double b, double share = 1e-9) { return std::abs(a - b) <= share * std::abs(b); }

/// Returns ten layers "matmul_i", "relu_i" of equal work; the third reads the input again.
graph::Graph with_late_input() {
    plan::test::GraphBuilder b;
    const graph::ValueIndex input = b.input("x");
    graph::ValueIndex x = input;
    for (int i = 0; i < 10; ++i) {
        const std::string n = std::to_string(i);
        x = b.op("MatMul", "matmul_" + n, {x, b.weight("w" + n)});
        x = i == 2 ? b.op("Add", "add_" + n, {x, input}) : b.op("Relu", "relu_" + n, {x});
    }
    return b.finish({x});
}

}  // namespace

void LandscapeTest::best_position_is_that_of_the_simulation_data() {
    QTest::addColumn<double>("relay_s_per_byte");
    QTest::addColumn<int>("instances");
    QTest::addColumn<bool>("beside_stage");
    QTest::addColumn<bool>("moves");  // whether the best position moves in some samples
    QTest::newRow("slow relays") << 1e-6 << 0 << false << true;
    QTest::newRow("slow data instances") << 0.0 << 2 << false << false;
    QTest::newRow("slow data instances beside a stage") << 0.0 << 1 << true << false;
    QTest::newRow("both") << 1e-6 << 1 << true << true;
}

void LandscapeTest::best_position_is_that_of_the_simulation() {
    QFETCH(double, relay_s_per_byte);
    QFETCH(int, instances);
    QFETCH(bool, beside_stage);
    QFETCH(bool, moves);
    int graphs = 0, moved = 0;
    double worst_before = 1;
    for (std::uint64_t seed = 1; graphs < 20; ++seed) {
        test::Draw draw(seed);
        Sample sample(test::random_graph(draw, 20 + draw.below(30)));
        const CutChoice choice = sample.draw_cuts(draw, 1 + draw.below(3));
        if (choice.empty()) continue;
        ++graphs;
        Placement placement = behind_gateways(static_cast<std::int32_t>(choice.size()) + 1, relay_s_per_byte);
        if (instances > 0) add_data(placement, instances, 2e7, beside_stage);
        TrainingSetup setup = draw_setup(draw);
        setup.microbatches = 1 + draw.below(8);
        const auto moving = static_cast<std::size_t>(draw.below(static_cast<int>(choice.size())));
        const MovingCut cut{sample.cuts, choice, static_cast<std::int32_t>(moving)};
        const auto landscape = make_landscape(sample.pricing, cut, placement, setup);
        const auto before = make_landscape(sample.pricing, cut, without_either(placement), setup);
        QVERIFY2(landscape.ok(), landscape.ok() ? "" : landscape.error().message().c_str());
        QVERIFY(before.ok());
        const std::vector<double> steps = simulated_everywhere(sample, choice, moving, placement, setup);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            QCOMPARE(landscape->positions[i].obstacle == Obstacle::order, steps[i] == 0);
            QVERIFY2(is_near(landscape->positions[i].step_s, steps[i]),
                     qPrintable(QString("seed %1, %2: %3, simulated %4")
                                    .arg(seed)
                                    .arg(i)
                                    .arg(landscape->positions[i].step_s)
                                    .arg(steps[i])));
        }
        const double least = least_of(steps);
        QVERIFY(is_near(steps[static_cast<std::size_t>(landscape->best())], least));
        const double there_before = steps[static_cast<std::size_t>(before->best())] / least;
        worst_before = std::max(worst_before, there_before);
        moved += there_before > 1.001;
    }
    qInfo("of %d graphs %d have their best place elsewhere, where it was %.2f times as slow at worst", graphs, moved,
          worst_before);
    QVERIFY(moved > 0 || !moves);
}

/// Traffic to the other MIC costs the first stage as much as four layers, so it gets fewer layers.
void LandscapeTest::gateway_relay_times_change_the_best_position() {
    Sample sample(test::chain(10));
    const Placement placement = behind_gateways(2, 1e-7);
    TrainingSetup setup;
    setup.microbatches = 8;
    const CutChoice choice{static_cast<std::int32_t>(sample.cuts.legal.size()) / 2};
    const auto landscape = make_landscape(sample.pricing, {sample.cuts, choice, 0}, placement, setup);
    const auto before = make_landscape(sample.pricing, {sample.cuts, choice, 0}, without_either(placement), setup);
    QVERIFY(landscape.ok() && before.ok());
    QVERIFY(landscape->best() < before->best());
    const std::vector<double> steps = simulated_everywhere(sample, choice, 0, placement, setup);
    QVERIFY(is_near(steps[static_cast<std::size_t>(landscape->best())], least_of(steps)));
    const double was = steps[static_cast<std::size_t>(before->best())];
    QVERIFY2(was > 1.02 * least_of(steps), qPrintable(QString("%1 %2").arg(was).arg(least_of(steps))));
}

/// The middle stage is best without the operator that reads the input again. With this operator it would request
/// micro-batches too, and all stages would wait for them.
void LandscapeTest::data_instances_change_the_best_position() {
    Sample sample(with_late_input());
    const graph::NodeIndex late = sample.model.find_node("add_2");
    Placement placement = behind_gateways(3, 0);
    placement.links.paths.reset();
    add_data(placement, 1, 5e6, false);
    TrainingSetup setup;
    setup.microbatches = 8;
    const auto legal = static_cast<std::int32_t>(sample.cuts.legal.size());
    const CutChoice choice{1, legal - 2};
    const auto landscape = make_landscape(sample.pricing, {sample.cuts, choice, 1}, placement, setup);
    const auto before = make_landscape(sample.pricing, {sample.cuts, choice, 1}, without_either(placement), setup);
    QVERIFY(landscape.ok() && before.ok());
    const auto cut_after = [&](const Landscape& of) { return sample.cuts.legal[static_cast<std::size_t>(of.best())]; };
    QVERIFY(cut_after(*landscape) < late);
    QVERIFY(cut_after(*before) >= late);
    const std::vector<double> steps = simulated_everywhere(sample, choice, 1, placement, setup);
    QVERIFY(is_near(steps[static_cast<std::size_t>(landscape->best())], least_of(steps)));
    const double was = steps[static_cast<std::size_t>(before->best())];
    QVERIFY2(was > 1.05 * least_of(steps), qPrintable(QString("%1 %2").arg(was).arg(least_of(steps))));
}

void LandscapeTest::relays_on_hosts_with_idle_cores_change_nothing() {
    Sample sample(test::chain(10));
    Placement placement = behind_gateways(2, 1e-6);
    QVERIFY(costs_beside_stages(placement));
    QVERIFY(!costs_beside_stages(without_either(placement)));
    placement.hosts.front().cores = 2;
    QVERIFY(!costs_beside_stages(placement));
    const auto landscape = make_landscape(sample.pricing, {sample.cuts, {5}, 0}, placement, {});
    const auto closed = make_landscape(sample.pricing, {sample.cuts, {5}, 0}, without_either(placement), {});
    QVERIFY(landscape.ok() && closed.ok());
    for (std::size_t i = 0; i < closed->positions.size(); ++i)
        QCOMPARE(landscape->positions[i].step_s, closed->positions[i].step_s);
    add_data(placement, 1, 1e9, false);
    QVERIFY(costs_beside_stages(placement));
}

/// Not every position is simulated, but the best position and the current cut always are.
void LandscapeTest::few_simulations_come_close_to_the_optimum() {
    constexpr int simulations = 12;
    double worst = 1, worst_off = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        test::Draw draw(seed);
        Sample sample(test::chain(40));
        const Placement placement = behind_gateways(2, draw.between(1e-8, 1e-6));
        TrainingSetup setup;
        setup.microbatches = 4 + draw.below(5);
        const auto legal = static_cast<std::int32_t>(sample.cuts.legal.size());
        const CutChoice choice{draw.below(legal)};
        const MovingCut cut{sample.cuts, choice, 0};
        auto landscape = make_landscape(sample.pricing, cut, without_either(placement), setup);
        QVERIFY(landscape.ok());
        const auto each = static_cast<std::int64_t>(sample.training.graph.nodes.size()) + 3 * 4 * setup.microbatches;
        simulate_positions(*landscape, sample.pricing, cut, placement, setup, simulations * each);
        const std::vector<double> steps = simulated_everywhere(sample, choice, 0, placement, setup);
        const auto best = static_cast<std::size_t>(landscape->best());
        const auto here = static_cast<std::size_t>(choice.front());
        QVERIFY(is_near(landscape->positions[best].step_s, steps[best]));
        QVERIFY(is_near(landscape->positions[here].step_s, steps[here]));
        int exact = 0;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            exact += is_near(landscape->positions[i].step_s, steps[i]);
            worst_off = std::max(worst_off, std::abs(landscape->positions[i].step_s / steps[i] - 1));
        }
        QVERIFY(exact >= simulations);
        QVERIFY(exact < legal);  // otherwise this tests nothing
        worst = std::max(worst, steps[best] / least_of(steps));
    }
    qInfo("with %d simulations the best place is %.3f times as slow as there is, others are %.1f %% off at most",
          simulations, worst, 100 * worst_off);
    QVERIFY(worst <= 1.15);
    QVERIFY(worst_off <= 0.3);
}

DIVISI_TEST(LandscapeTest)

}  // namespace landscape_test

#include "landscape_test.moc"
