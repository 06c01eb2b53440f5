// SPDX-License-Identifier: Apache-2.0
#include <QCoreApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "backend/staging/ideals.h"
#include "backend/staging/stage_bounds.h"
#include "backend/staging/stage_search.h"
#include "backend/staging/stage_series.h"
#include "backend/staging/staging.h"
#include "tests/support/test_program.h"
#include "tests/unit/staging/wide_profiles.h"

namespace staging_test {

using namespace divisi;
using namespace divisi::staging;

class StagingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void optimum_equals_brute_force();
    void search_over_the_lattice_of_ideals_finds_the_optimum();
    void optimum_is_between_the_bound_and_the_searches();
    void frontier_has_the_cheapest_boundary_for_each_work();
    void wide_graphs_have_a_valid_bound();
    void wide_networks_are_solved_within_3_percent_data();
    void wide_networks_are_solved_within_3_percent();
    void nodes_without_cost_do_not_multiply_the_boundary_sets();
    void measured_profiles_are_solved_exactly_data();
    void measured_profiles_are_solved_exactly();
    void shared_value_counts_once_per_boundary();
    void connected_nodes_stay_together_if_links_are_slow();
    void graph_without_work_is_one_stage();
    void invalid_requests_are_refused();
};

namespace {

using Stages = std::vector<std::vector<std::int32_t>>;

Profile random_profile(std::mt19937& random, int count) {
    const auto chance = [&](double p) { return std::bernoulli_distribution(p)(random); };
    const auto number = [&](double most) {
        return chance(0.2) ? 0.0 : std::uniform_real_distribution<double>(0, most)(random);
    };
    Profile profile;
    const double density = std::vector<double>{0.0, 0.15, 0.3, 0.6}[random() % 4];
    for (int i = 0; i < count; ++i)
        profile.nodes.push_back({"n" + std::to_string(i), "", number(3), number(5), number(100), 0});
    std::vector<std::int32_t> place(count);  // shuffled, so that the file is not in topological order
    for (int i = 0; i < count; ++i) place[i] = i;
    std::shuffle(place.begin(), place.end(), random);
    for (int i = 0; i < count; ++i)
        for (int j = i + 1; j < count; ++j)
            if (chance(density)) profile.edges.push_back({place[i], place[j]});
    std::sort(profile.edges.begin(), profile.edges.end());
    return profile;
}

/// Returns the objective by its definition: the bytes that cross a boundary after a set of nodes.
double crossing(const Profile& profile, std::uint64_t before, std::optional<double> bandwidth) {
    if (!bandwidth) return 0;
    double bytes = 0;
    for (std::size_t node = 0; node < profile.nodes.size(); ++node) {
        const bool crosses = std::any_of(profile.edges.begin(), profile.edges.end(), [&](const Profile::Edge& e) {
            return e.from == static_cast<std::int32_t>(node) && (before >> e.from & 1) && !(before >> e.to & 1);
        });
        if (crosses) bytes += profile.nodes[node].activation_bytes;
    }
    return 2 * bytes / *bandwidth * 1000;
}

/// Returns the optimum by trying all chains of downward-closed sets. A set is a number here: bit i is node i.
double brute_force(const Profile& profile, int stages, std::optional<double> bandwidth) {
    const std::uint64_t all = (std::uint64_t{1} << profile.nodes.size()) - 1;
    std::vector<std::uint64_t> closed;
    std::vector<double> work(all + 1, 0), cross(all + 1, 0);
    for (std::uint64_t set = 0; set <= all; ++set) {
        if (std::any_of(profile.edges.begin(), profile.edges.end(),
                        [&](const Profile::Edge& e) { return (set >> e.to & 1) && !(set >> e.from & 1); }))
            continue;
        closed.push_back(set);
        for (std::size_t node = 0; node < profile.nodes.size(); ++node)
            if (set >> node & 1) work[set] += profile.nodes[node].forward_ms + profile.nodes[node].backward_ms;
        cross[set] = crossing(profile, set, bandwidth);
    }
    std::vector<double> best(all + 1, std::numeric_limits<double>::infinity());
    best[0] = 0;
    for (int stage = 0; stage < stages; ++stage) {
        std::vector<double> next = best;
        for (const std::uint64_t from : closed)
            for (const std::uint64_t to : closed)
                if ((from & ~to) == 0)
                    next[to] = std::min(next[to], std::max({best[from], work[to] - work[from], cross[to]}));
        best = std::move(next);
    }
    return best[all];
}

/// Checks that every node is in one stage, no stage is empty, and no edge leads back. Returns the objective, or -1.
double check(const Profile& profile, const Stages& stages, std::size_t most, std::optional<double> bandwidth) {
    std::vector<int> stage_of(profile.nodes.size(), -1);
    double slowest = 0;
    if (stages.size() > most) return -1;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        double work = 0;
        if (stages[i].empty()) return -1;
        for (const std::int32_t node : stages[i]) {
            if (stage_of[node] >= 0) return -1;
            stage_of[node] = static_cast<int>(i);
            work += profile.nodes[node].forward_ms + profile.nodes[node].backward_ms;
        }
        slowest = std::max(slowest, work);
    }
    if (std::find(stage_of.begin(), stage_of.end(), -1) != stage_of.end()) return -1;
    for (const Profile::Edge& edge : profile.edges)
        if (stage_of[edge.from] > stage_of[edge.to]) return -1;
    if (!bandwidth) return slowest;
    for (int boundary = 0; boundary + 1 < static_cast<int>(stages.size()); ++boundary) {
        std::vector<bool> crosses(profile.nodes.size(), false);
        for (const Profile::Edge& edge : profile.edges)
            if (stage_of[edge.from] <= boundary && stage_of[edge.to] > boundary) crosses[edge.from] = true;
        double bytes = 0;
        for (std::size_t node = 0; node < crosses.size(); ++node)
            if (crosses[node]) bytes += profile.nodes[node].activation_bytes;
        slowest = std::max(slowest, 2 * bytes / *bandwidth * 1000);
    }
    return slowest;
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)) + 1e-12; }

const std::vector<std::optional<double>> bandwidths{std::nullopt, 1e-290, 1e3, 1e4, 3e4, 1e5, 1e290};

/// Returns a profile in ticks, the unit of the searches. 1 ms is 1000 ticks; nodes must be in a topological order.
StageGraph in_ticks(const Profile& profile, std::optional<double> bandwidth) {
    StageGraph graph;
    graph.successors.resize(profile.nodes.size());
    graph.predecessors.resize(profile.nodes.size());
    for (const Profile::Edge& edge : profile.edges) {
        graph.successors[edge.from].push_back(edge.to);
        graph.predecessors[edge.to].push_back(edge.from);
    }
    for (std::size_t i = 0; i < profile.nodes.size(); ++i) {
        const ProfileNode& node = profile.nodes[i];
        graph.work.push_back(std::llround((node.forward_ms + node.backward_ms) * 1000));
        const Ticks cost = bandwidth ? std::llround(2e6 * node.activation_bytes / *bandwidth) : 0;
        if (cost > 0 && !graph.successors[i].empty())
            graph.nets.push_back({static_cast<std::int32_t>(i), graph.successors[i], cost});
    }
    return contract(graph, {}).graph;
}

/// Returns the optimum of a lattice by bisection.
Ticks optimum(const IdealLattice& lattice, const StageGraph& graph, std::int32_t stages) {
    Ticks low = 0, high = graph.total_work();
    while (low < high) {
        const Ticks middle = low + (high - low) / 2;
        const auto answer = lattice.fits(middle, stages);
        if (answer.feasible) high = bottleneck(graph, answer.stage_of);
        else low = answer.next;
        if (answer.feasible && high > middle) return -1;
    }
    return high;
}

QString profile_folder() {
    if (qEnvironmentVariableIsSet("DIVISI_PROFILES")) return qEnvironmentVariable("DIVISI_PROFILES");
    QDir folder(QCoreApplication::applicationDirPath());
    do {
        if (folder.exists("shared/data/pipedream")) return folder.filePath("shared/data/pipedream");
    } while (folder.cdUp());
    return {};
}

}  // namespace

void StagingTest::optimum_equals_brute_force() {
    std::mt19937 random(1);
    for (int round = 0; round < 500; ++round) {
        const Profile profile = random_profile(random, 1 + static_cast<int>(random() % 8));
        const int stages = 1 + static_cast<int>(random() % 9);
        const auto bandwidth = bandwidths[random() % bandwidths.size()];
        const auto staging = stage_profile(profile, stages, bandwidth);
        QVERIFY(staging.ok());
        const std::string label = "graph " + std::to_string(round);
        QVERIFY2(staging->exact, label.c_str());
        QCOMPARE(staging->lower_bound_ms, staging->objective_ms);
        const double value = check(profile, staging->stages, stages, bandwidth);
        QVERIFY2(near(value, staging->objective_ms), label.c_str());
        QVERIFY2(near(value, brute_force(profile, stages, bandwidth)), label.c_str());
    }
}

void StagingTest::search_over_the_lattice_of_ideals_finds_the_optimum() {
    std::mt19937 random(2);
    for (int round = 0; round < 500; ++round) {
        Profile profile = random_profile(random, 1 + static_cast<int>(random() % 8));
        for (ProfileNode& node : profile.nodes) {  // round to whole ticks
            node.forward_ms = std::round(node.forward_ms * 1000) / 1000;
            node.backward_ms = std::round(node.backward_ms * 1000) / 1000;
            node.activation_bytes = std::round(node.activation_bytes);
        }
        const auto bandwidth = std::vector<std::optional<double>>{std::nullopt, 1e4, 5e4}[random() % 3];
        const int stages = 1 + static_cast<int>(random() % 9);
        const StageGraph graph = in_ticks(profile, bandwidth);
        const auto lattice = IdealLattice::enumerate(graph);
        QVERIFY(lattice.has_value());
        const double expected = brute_force(profile, stages, bandwidth);
        QCOMPARE(optimum(*lattice, graph, stages), std::llround(expected * 1000));
        if (lattice->size() > 1) QVERIFY(!IdealLattice::enumerate(graph, lattice->size() - 1));
    }
}

void StagingTest::optimum_is_between_the_bound_and_the_searches() {
    std::mt19937 random(3);
    for (int round = 0; round < 100; ++round) {
        const Profile profile = random_profile(random, 2 + static_cast<int>(random() % 10));
        const auto bandwidth = bandwidths[2 + random() % 4];
        const auto stages = static_cast<std::int32_t>(1 + random() % profile.nodes.size());
        const StageGraph graph = in_ticks(profile, bandwidth);
        const Ticks least = optimum(*IdealLattice::enumerate(graph), graph, stages);
        const Ticks lower = least_bottleneck(graph, stages, graph.total_work());
        QVERIFY(lower <= least);
        const StageOf start = best_of_orders(graph, stages);
        const StageOf moved = improve_by_moves(graph, stages, start);
        // improve_by_lattices() takes longest, so it runs only in every tenth round.
        const StageOf improved = round % 10 == 0 ? improve_by_lattices(graph, stages, moved, lower) : moved;
        const Frontier frontier(graph);
        std::size_t visits = 10'000'000;
        const auto table = frontier.search({{}, graph.total_work(), graph.total_work()}, false, visits);
        QVERIFY(table.has_value());
        const Ticks series_lower = least_of_series(frontier, *table, stages, lower, graph.total_work());
        QVERIFY(series_lower >= lower);
        QVERIFY(series_lower <= least);
        StageOf built = build_series(graph, frontier, stages, series_lower, graph.total_work(), visits);
        if (built.empty()) built = StageOf(graph.work.size(), 0);
        QVERIFY(bottleneck(graph, built) >= least);
        QVERIFY(bottleneck(graph, moved) <= bottleneck(graph, start));
        QVERIFY(bottleneck(graph, improved) <= bottleneck(graph, moved));
        QVERIFY(bottleneck(graph, improved) >= least);
        for (const StageOf& stage_of : {start, moved, improved, built}) {
            QVERIFY(*std::max_element(stage_of.begin(), stage_of.end()) < stages);
            for (std::int32_t node = 0; node < graph.size(); ++node)
                for (const std::int32_t next : graph.successors[node]) QVERIFY(stage_of[node] <= stage_of[next]);
        }
    }
}

void StagingTest::frontier_has_the_cheapest_boundary_for_each_work() {
    std::mt19937 random(6);
    for (int round = 0; round < 200; ++round) {
        StageGraph graph = in_ticks(random_profile(random, 1 + static_cast<int>(random() % 9)), 3e4);
        for (Ticks& work : graph.work) work /= 8;  // few enough that the unit is one tick
        const Frontier frontier(graph);
        QCOMPARE(frontier.unit(), Ticks{1});
        Frontier::Range range{std::vector<bool>(graph.work.size(), false), 0, 0};
        for (std::int32_t node = 0; node < static_cast<std::int32_t>(random() % 4) && node < graph.size(); ++node)
            range.before[node] = true;  // the first nodes of a topological order
        range.most_work = graph.total_work() * static_cast<Ticks>(1 + random() % 4) / 4;
        for (const Net& net : graph.nets) range.most_crossing += net.cost;
        range.most_crossing = range.most_crossing * static_cast<Ticks>(1 + random() % 4) / 4;
        std::vector<Ticks> least(graph.total_work() + 1, range.most_crossing + 1);
        for (std::uint32_t set = 0; set < 1U << graph.size(); ++set) {
            bool good = true;
            Ticks work = 0, crossing = 0;
            for (std::int32_t node = 0; node < graph.size(); ++node) {
                const bool inside = set >> node & 1;
                good &= inside || !range.before[node];
                if (inside) work += graph.work[node];
                for (const std::int32_t before : graph.predecessors[node]) good &= !inside || (set >> before & 1);
            }
            for (const Net& net : graph.nets)
                if ((set >> net.source & 1) && std::any_of(net.targets.begin(), net.targets.end(),
                                                           [&](std::int32_t target) { return !(set >> target & 1); }))
                    crossing += net.cost;
            if (good && work <= range.most_work) least[work] = std::min(least[work], crossing);
        }
        std::size_t visits = 10'000'000;
        const auto table = frontier.search(range, true, visits);
        QVERIFY(table.has_value());
        for (Ticks work = 0; work <= range.most_work; ++work) {
            const Ticks crossing = table->crossing(static_cast<std::int32_t>(work));
            QVERIFY(crossing <= least[work]);
            QVERIFY(crossing >= std::min(least[work], range.most_crossing) - 2);  // rounding error in 2^28 parts
            if (crossing > range.most_crossing) continue;
            const std::vector<bool> before = table->boundary(static_cast<std::int32_t>(work));
            Ticks inside = 0;
            for (std::int32_t node = 0; node < graph.size(); ++node) {
                if (before[node]) inside += graph.work[node];
                QVERIFY(before[node] || !range.before[node]);
                for (const std::int32_t other : graph.predecessors[node]) QVERIFY(!before[node] || before[other]);
            }
            QCOMPARE(inside, work);
        }
        visits = 100;  // too few for a single state
        QVERIFY(table->size() == 0 || !frontier.search(range, false, visits).has_value());
    }
}

void StagingTest::wide_graphs_have_a_valid_bound() {
    // There are 12 chains of 12 nodes: 13^12 downward-closed sets.
    std::mt19937 random(4);
    Profile profile;
    for (std::int32_t i = 0; i < 144; ++i) {
        const double ms = std::uniform_real_distribution<double>(0, 1)(random);
        profile.nodes.push_back({"n" + std::to_string(i), "", ms, ms, 1e6, 0});
        if (i % 12 != 0) profile.edges.push_back({i - 1, i});
    }
    for (const auto bandwidth : {std::optional<double>(), std::optional<double>(1e9)}) {
        const auto staging = stage_profile(profile, 4, bandwidth);
        QVERIFY(staging.ok());
        QVERIFY(!staging->exact);
        QVERIFY(staging->too_many_ideals);
        QVERIFY(near(check(profile, staging->stages, 4, bandwidth), staging->objective_ms));
        QVERIFY(staging->lower_bound_ms <= staging->objective_ms);
        QVERIFY2(staging->gap() < 0.02, std::to_string(staging->gap()).c_str());
    }
}

void StagingTest::wide_networks_are_solved_within_3_percent_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<double>("share");
    QTest::addColumn<int>("stages");
    // Each network has more than a million boundary sets, and links that are slow for it.
    QTest::newRow("towers, slow") << "towers" << 60.0 << 16;
    QTest::newRow("heads") << "heads" << 60.0 << 8;
    QTest::newRow("series-parallel") << "series-parallel" << 60.0 << 8;
}

void StagingTest::wide_networks_are_solved_within_3_percent() {
    QFETCH(QString, name);
    QFETCH(double, share);
    QFETCH(int, stages);
    const auto all = test::wide_profiles();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name.toStdString(); });
    QVERIFY(found != all.end());
    const double bandwidth = test::bandwidth_for(found->profile, share);
    const auto staging = stage_profile(found->profile, stages, bandwidth);
    QVERIFY(staging.ok());
    QVERIFY(near(check(found->profile, staging->stages, stages, bandwidth), staging->objective_ms));
    QVERIFY(staging->lower_bound_ms <= staging->objective_ms);
    QVERIFY2(staging->gap() <= 0.03, std::to_string(staging->gap()).c_str());
}

void StagingTest::nodes_without_cost_do_not_multiply_the_boundary_sets() {
    // A chain of 20 nodes. Each node also has an input, an output and a part in a sum, which cost nothing.
    Profile profile;
    std::mt19937 random(5);
    for (std::int32_t i = 0; i < 20; ++i) {
        const double ms = std::uniform_real_distribution<double>(0, 1)(random);
        const std::int32_t first = 4 * i;
        profile.nodes.push_back({"in", "", 0, 0, 100, 0});
        profile.nodes.push_back({"op", "", ms, ms, 1000, 0});
        profile.nodes.push_back({"out", "", 0, 0, 0, 0});
        profile.nodes.push_back({"sum", "", 0, 0, 0, 0});
        profile.edges.push_back({first, first + 1});
        profile.edges.push_back({first + 1, first + 2});
        profile.edges.push_back({first + 1, first + 3});
        if (i > 0) profile.edges.push_back({first - 3, first + 1});
        if (i > 0) profile.edges.push_back({first - 3, first + 3});
    }
    std::sort(profile.edges.begin(), profile.edges.end());
    for (const auto bandwidth : std::vector<std::optional<double>>{std::nullopt, 1e6, 1e8}) {
        const auto staging = stage_profile(profile, 7, bandwidth);
        QVERIFY(staging.ok());
        QVERIFY(staging->exact);
        QVERIFY(staging->ideals <= 21);
        QVERIFY(near(check(profile, staging->stages, 7, bandwidth), staging->objective_ms));
        // Nodes without work have no effect: the chain alone has the same optimum.
        Profile chain;
        for (std::int32_t i = 0; i < 20; ++i) {
            chain.nodes.push_back(profile.nodes[4 * i + 1]);
            if (i > 0) chain.edges.push_back({i - 1, i});
        }
        QVERIFY(near(stage_profile(chain, 7, bandwidth)->objective_ms, staging->objective_ms));
    }
}

void StagingTest::measured_profiles_are_solved_exactly_data() {
    QTest::addColumn<QString>("file");
    const QDir folder(profile_folder());
    const QStringList files = folder.entryList({"*.graph.txt"});
    if (profile_folder().isEmpty() || files.isEmpty()) QTest::newRow("none") << QString();
    else
        for (const QString& file : files) QTest::newRow(qPrintable(file)) << folder.filePath(file);
}

void StagingTest::measured_profiles_are_solved_exactly() {
    QFETCH(QString, file);
    if (file.isEmpty()) QSKIP("PipeDream's profiles are not here; name their folder in DIVISI_PROFILES");
    QFile text(file);
    QVERIFY(text.open(QIODevice::ReadOnly));
    const auto profile = parse_profile(text.readAll().toStdString(), file.toStdString());
    QVERIFY2(profile.ok(), profile.ok() ? "" : profile.error().message().c_str());
    qint64 longest_ms = 0;
    for (const auto bandwidth : {std::optional<double>(), std::optional<double>(1e9)}) {
        double previous = std::numeric_limits<double>::infinity();
        for (int stages = 2; stages <= 16; stages += bandwidth ? 7 : 1) {
            QElapsedTimer timer;
            timer.start();
            const auto staging = stage_profile(*profile, stages, bandwidth);
            longest_ms = std::max(longest_ms, timer.elapsed());
            QVERIFY(staging.ok());
            QVERIFY(staging->exact);
            QCOMPARE(staging->gap(), 0.0);
            QVERIFY(near(check(*profile, staging->stages, stages, bandwidth), staging->objective_ms));
            QVERIFY(staging->objective_ms <= previous);  // one more stage never increases the objective
            previous = staging->objective_ms;
        }
    }
    qInfo("%s: 2 to 16 stages, links free or 1 GB/s: each exact, at most %lld ms",
          qPrintable(QFileInfo(file).fileName()), static_cast<long long>(longest_ms));
}

void StagingTest::shared_value_counts_once_per_boundary() {
    Profile profile;
    for (int i = 0; i < 4; ++i) profile.nodes.push_back({"n" + std::to_string(i), "", 1, 0, i == 0 ? 1000.0 : 1.0, 0});
    profile.edges = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {2, 3}};
    const Stages each{{0}, {1}, {2}, {3}};
    // The second and the third boundary each carry 1000 + 1 bytes in both directions (activation and gradient), at 1
    // MB/s.
    QCOMPARE(slowest_ms(profile, each, 1e6), 2.002);
    QCOMPARE(slowest_ms(profile, {{0}, {1, 2, 3}}, 1e6), 3.0);
    QCOMPARE(slowest_ms(profile, each, std::nullopt), 1.0);
}

void StagingTest::connected_nodes_stay_together_if_links_are_slow() {
    Profile profile;  // two unconnected parts: the boundary between them costs nothing
    for (int i = 0; i < 4; ++i) profile.nodes.push_back({"n" + std::to_string(i), "", 1, 1, 1, 0});
    profile.edges = {{0, 2}, {1, 3}};
    const auto staging = stage_profile(profile, 4, 1e-6);
    QVERIFY(staging.ok());
    QCOMPARE(staging->objective_ms, 4.0);
    QCOMPARE(staging->stages.size(), std::size_t{2});
    QVERIFY(staging->exact);
}

void StagingTest::graph_without_work_is_one_stage() {
    Profile profile;
    profile.nodes = {{"a", "", 0, 0, 5, 0}, {"b", "", 0, 0, 5, 0}};
    profile.edges = {{0, 1}};
    const auto staging = stage_profile(profile, 1'000'000'000'000, 1.0);
    QVERIFY(staging.ok());
    QCOMPARE(staging->objective_ms, 0.0);
    QCOMPARE(staging->gap(), 0.0);
    QVERIFY(near(check(profile, staging->stages, 2, 1.0), 0));
}

void StagingTest::invalid_requests_are_refused() {
    Profile profile;
    profile.nodes = {{"a", "", 1, 1, 5, 0}};
    for (const std::int64_t stages : {0, -3}) QVERIFY(!stage_profile(profile, stages, std::nullopt).ok());
    for (const double bandwidth : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
        const auto refused = stage_profile(profile, 2, bandwidth);
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().where, std::string("bandwidth"));
    }
    QVERIFY(!stage_profile({}, 2, std::nullopt).ok());
}

DIVISI_TEST(StagingTest)

}  // namespace staging_test

#include "staging_test.moc"
