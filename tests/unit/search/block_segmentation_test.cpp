// SPDX-License-Identifier: Apache-2.0

#include <functional>
#include <random>

#include "tests/support/test_program.h"

#include "backend/search/block_segmentation.h"

namespace block_segmentation_test {

using namespace divisi;
using namespace divisi::search;

namespace {

bool acyclic(const BlockProblem& problem, const BlockPlan& plan) {
    for (const BlockValue& value : problem.values)
        for (const auto consumer : value.consumers)
            if (plan.part_of[consumer] < plan.part_of[value.producer]) return false;
    return true;
}

/// Returns layers of operators whose values go to later operators; some values have several consumers.
BlockProblem random_problem(std::mt19937& random, std::size_t operators, std::size_t nodes) {
    BlockProblem problem;
    for (std::size_t i = 0; i < operators; ++i) {
        BlockOperator op;
        op.seconds = 1 + static_cast<double>(random() % 9);
        op.memory = 1 + random() % 5;
        problem.operators.push_back(op);
        if (i + 1 == operators) break;
        BlockValue value{static_cast<std::int32_t>(i), {}, static_cast<Bytes>(1 + random() % 20)};
        for (std::size_t consumers = 1 + random() % 3; consumers > 0; --consumers)
            value.consumers.push_back(static_cast<std::int32_t>(
                i + 1 + random() % std::min<std::size_t>(operators - i - 1, 1 + operators / 8)));
        std::sort(value.consumers.begin(), value.consumers.end());
        value.consumers.erase(std::unique(value.consumers.begin(), value.consumers.end()), value.consumers.end());
        problem.values.push_back(std::move(value));
    }
    for (std::size_t i = 0; i < nodes; ++i) problem.nodes.push_back({1.0 + static_cast<double>(random() % 3), 0, true});
    problem.seconds_per_byte.assign(nodes, std::vector<double>(nodes, 0.3));
    return problem;
}

/// Returns the best contiguous plan for the nodes in their order, by exhaustive search.
BlockPlan best_contiguous(const BlockProblem& problem) {
    const auto count = static_cast<std::int32_t>(problem.operators.size());
    const auto parts = static_cast<std::int32_t>(problem.nodes.size());
    BlockPlan best;
    BlockScore least;
    std::vector<std::int32_t> cuts(static_cast<std::size_t>(parts) - 1, 0);
    const std::function<void(std::size_t, std::int32_t)> choose = [&](std::size_t which, std::int32_t from) {
        if (which < cuts.size()) {
            for (cuts[which] = from; cuts[which] <= count; ++cuts[which]) {
                const auto cut = cuts[which];
                choose(which + 1, cut);
                cuts[which] = cut;
            }
            return;
        }
        BlockPlan plan;
        for (std::int32_t part = 0; part < parts; ++part) plan.node_of.push_back(part);
        for (std::int32_t op = 0; op < count; ++op)
            plan.part_of.push_back(static_cast<std::int32_t>(
                std::count_if(cuts.begin(), cuts.end(), [&](std::int32_t cut) { return cut <= op; })));
        const BlockScore cost = score(problem, plan);
        if (best.part_of.empty() || cost < least) {
            least = cost;
            best = plan;
        }
    };
    choose(0, 0);
    return best;
}

}  // namespace

class BlockSegmentationTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void branches_run_in_parallel();
    void result_is_never_worse_than_contiguous_layers();
    void result_is_near_the_optimum_of_small_graphs();
    void keeps_pins_groups_and_secure_nodes();
    void never_exceeds_a_nodes_memory();
    void relayed_values_are_charged_on_their_path();
    void handles_large_graphs();
};

void BlockSegmentationTest::branches_run_in_parallel() {
    // The problem is a stem, two branches of equal work whose operators are listed alternately, and an end. Values
    // within a branch are large.
    BlockProblem problem;
    for (int i = 0; i < 10; ++i) problem.operators.push_back({i == 0 || i == 9 ? 1.0 : 4.0});
    problem.values.push_back({0, {1, 2}, 1});
    for (int i = 1; i < 7; ++i) problem.values.push_back({i, {i + 2}, 10});
    problem.values.push_back({7, {9}, 1});
    problem.values.push_back({8, {9}, 1});
    problem.nodes.resize(2);
    problem.seconds_per_byte.assign(2, std::vector<double>(2, 1.0));
    const BlockPlan layers = best_contiguous(problem);
    const auto plan = block_segmentation(problem, {layers});
    QVERIFY(plan.ok());
    QVERIFY(acyclic(problem, *plan));
    QVERIFY(score(problem, *plan) < score(problem, layers));
    for (int i = 3; i < 9; ++i) QCOMPARE(plan->part_of[i], plan->part_of[i - 2]);
    QVERIFY(plan->part_of[1] != plan->part_of[2]);
}

void BlockSegmentationTest::result_is_never_worse_than_contiguous_layers() {
    std::mt19937 random(3);
    int better = 0;
    for (int i = 0; i < 40; ++i) {
        const BlockProblem problem = random_problem(random, 12 + random() % 30, 2 + random() % 2);
        const BlockPlan layers = best_contiguous(problem);
        const auto plan = block_segmentation(problem, {layers});
        QVERIFY(plan.ok());
        QVERIFY(acyclic(problem, *plan));
        QVERIFY(score(problem, *plan) <= score(problem, layers));
        better += score(problem, *plan).slowest < score(problem, layers).slowest ? 1 : 0;
    }
    qInfo("better than the best contiguous plan in %d of 40", better);
    QVERIFY(better >= 10);
}

void BlockSegmentationTest::result_is_near_the_optimum_of_small_graphs() {
    std::mt19937 random(5);
    int optimal = 0;
    for (int i = 0; i < 40; ++i) {
        const BlockProblem problem = random_problem(random, 9, 2);
        double least = 1e9;
        for (int bits = 0; bits < 1 << 9; ++bits)  // bits of the operators in the second part
            for (const auto& nodes : {std::vector<std::int32_t>{0, 1}, {1, 0}}) {
                BlockPlan plan{{}, nodes};
                for (int op = 0; op < 9; ++op) plan.part_of.push_back(bits >> op & 1);
                if (acyclic(problem, plan)) least = std::min(least, score(problem, plan).slowest);
            }
        const auto plan = block_segmentation(problem, {});
        QVERIFY(plan.ok());
        const double found = score(problem, *plan).slowest;
        QVERIFY(found >= least - 1e-9 && found <= 1.25 * least);
        optimal += found <= least + 1e-9 ? 1 : 0;
    }
    qInfo("optimal in %d of 40", optimal);
    QVERIFY(optimal >= 30);
}

void BlockSegmentationTest::keeps_pins_groups_and_secure_nodes() {
    std::mt19937 random(7);
    for (int i = 0; i < 20; ++i) {
        BlockProblem problem = random_problem(random, 24, 3);
        problem.operators[2].pin = 1;
        problem.nodes[0].secure = problem.nodes[1].secure = false;
        problem.operators[9].sensitive = true;
        problem.operators[5].together = problem.operators[12].together = 0;
        const auto plan = block_segmentation(problem, {});
        QVERIFY2(plan.ok(), plan.ok() ? "" : plan.error().message().c_str());
        QVERIFY(acyclic(problem, *plan));
        QCOMPARE(plan->node_of[plan->part_of[2]], 1);
        QCOMPARE(plan->node_of[plan->part_of[9]], 2);
        QCOMPARE(plan->part_of[5], plan->part_of[12]);
        QCOMPARE(score(problem, *plan).violations, 0);
    }
    BlockProblem problem = random_problem(random, 6, 2);
    problem.operators[1].together = problem.operators[2].together = 0;
    problem.operators[1].pin = 0;
    problem.operators[2].pin = 1;
    QVERIFY(block_segmentation(problem, {}).error().message().find("operator 1, which is pinned to another node") !=
            std::string::npos);
    for (BlockNode& node : problem.nodes) node.secure = false;
    problem.operators[2] = {1.0, 0, any_node, true};
    QCOMPARE(block_segmentation(problem, {}).error().code, ErrorCode::invalid_input);
}

void BlockSegmentationTest::never_exceeds_a_nodes_memory() {
    std::mt19937 random(9);
    BlockProblem problem = random_problem(random, 20, 2);
    Bytes total = 0;
    for (const BlockOperator& op : problem.operators) total += op.memory;
    problem.nodes[0] = {10.0, total / 4, true};  // a fast node with little memory
    problem.nodes[1] = {1.0, total, true};
    const auto plan = block_segmentation(problem, {});
    QVERIFY(plan.ok());
    QCOMPARE(score(problem, *plan).excess_bytes, 0.0);
    problem.nodes[1].memory = total / 4;
    QCOMPARE(block_segmentation(problem, {}).error().code, ErrorCode::exhausted);
}

void BlockSegmentationTest::relayed_values_are_charged_on_their_path() {
    BlockProblem problem;
    problem.operators.resize(3);
    problem.values = {{0, {1, 2}, 8}};
    problem.nodes.resize(3);
    problem.seconds_per_byte = {{0, 1, 100}, {1, 0, 1}, {100, 1, 0}};
    QCOMPARE(score(problem, {{0, 1, 2}, {0, 1, 2}}).slowest, 8.0);    // path 0 -> 1 -> 2
    QCOMPARE(score(problem, {{0, 0, 2}, {0, 1, 2}}).slowest, 800.0);  // direct path
    QCOMPARE(score(problem, {{0, 0, 0}, {0, 1, 2}}).slowest, 0.0);
}

void BlockSegmentationTest::handles_large_graphs() {
    std::mt19937 random(11);
    const BlockProblem problem = random_problem(random, 2000, 4);
    const auto plan = block_segmentation(problem, {});
    QVERIFY(plan.ok());
    QVERIFY(acyclic(problem, *plan));
    double work = 0, speed = 0;
    for (const BlockOperator& op : problem.operators) work += op.seconds;
    for (const BlockNode& node : problem.nodes) speed += node.speed;
    qInfo("slowest resource %.3f times the bound of even work", score(problem, *plan).slowest * speed / work);
    QVERIFY(score(problem, *plan).slowest < 1.5 * work / speed);
}

DIVISI_TEST(BlockSegmentationTest)

}  // namespace block_segmentation_test

#include "block_segmentation_test.moc"
