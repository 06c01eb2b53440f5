// SPDX-License-Identifier: Apache-2.0

#include <limits>

#include "backend/search/layers.h"
#include "tests/support/test_program.h"
#include "tests/unit/plan/graphs.h"

namespace equal_flops_test {

using namespace divisi;
using namespace divisi::plan;
using namespace divisi::search;

namespace {

/// A model and everything else that the equal-flops rule reads.
struct Model {
    explicit Model(graph::Graph g) : graph(std::move(g)), cuts(graph::find_cuts(graph)), cost(graph) {}
    graph::Graph graph;
    graph::CutList cuts;
    graph::GraphCost cost;

    double bottleneck(const CutChoice& choice) const {
        double most = 0;
        const auto segments = graph::segment_nodes(graph, cuts, choice);
        for (const auto& nodes : *segments) most = std::max(most, segment_flops(cost, nodes));
        return most;
    }
    /// Returns the optimum by exhaustive search.
    double least(std::size_t stages) const {
        double best = std::numeric_limits<double>::infinity();
        CutChoice choice;
        try_all(stages, 0, choice, best);
        return best;
    }
    void try_all(std::size_t stages, std::int32_t first, CutChoice& choice, double& best) const {
        if (choice.size() + 1 == stages) {
            best = std::min(best, bottleneck(choice));
            return;
        }
        for (auto i = first; i < static_cast<std::int32_t>(cuts.legal.size()); ++i) {
            choice.push_back(i);
            try_all(stages, i + 1, choice, best);
            choice.pop_back();
        }
    }
};

/// Returns a chain whose layers have unequal widths and so unequal FLOPs.
graph::Graph uneven(const std::vector<std::int64_t>& widths) {
    test::GraphBuilder b;
    auto x = b.input("x");
    b.graph.values[x].shape = test::GraphBuilder::shape({4, widths[0]});
    for (std::size_t i = 1; i < widths.size(); ++i) {
        const std::string n = std::to_string(i);
        const auto w = b.weight("w" + n);
        b.graph.values[w].shape = test::GraphBuilder::shape({widths[i - 1], widths[i]});
        x = b.op("MatMul", "matmul_" + n, {x, w});
        b.graph.values[x].shape = test::GraphBuilder::shape({4, widths[i]});
    }
    return b.finish({x});
}

}  // namespace

class EqualFlopsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cut_is_near_the_exact_optimum();
    void fewer_bytes_break_ties();
    void too_many_stages_are_refused();
};

void EqualFlopsTest::cut_is_near_the_exact_optimum() {
    const Model model(uneven({8, 64, 16, 16, 128, 8, 32, 32, 8, 96, 4, 4}));
    QVERIFY(model.cuts.legal.size() >= 9);
    for (std::size_t stages = 1; stages <= 5; ++stages) {
        const auto choice = equal_flops(model.graph, model.cuts, model.cost, static_cast<std::int64_t>(stages));
        QVERIFY(choice.ok());
        QCOMPARE(choice->size(), stages - 1);
        QVERIFY(std::is_sorted(choice->begin(), choice->end()));
        const double least = model.least(stages);
        QVERIFY(least > 0);
        QVERIFY(model.bottleneck(*choice) <= least * (1 + equal_flops_slack) + 1e-9);
    }
}

void EqualFlopsTest::fewer_bytes_break_ties() {
    // Builds two equal halves. Between them are free views, and a doubled value that would cross twice.
    test::GraphBuilder b;
    auto x = b.op("MatMul", "first", {b.input("x"), b.weight("w0")});
    const auto twin = b.op("Identity", "twin", {x});
    const auto pair = b.op("Concat", "join", {x, twin});
    b.graph.values[pair].shape = test::GraphBuilder::shape({4, 4});  // fewer bytes than either neighbour
    const auto graph = b.finish({b.op("MatMul", "second", {pair, b.weight("w1")})});
    const Model model(graph);
    const auto choice = equal_flops(model.graph, model.cuts, model.cost, 2);
    QVERIFY(choice.ok());
    QCOMPARE(cut_names(model.graph, model.cuts, *choice), (std::vector<std::string>{"join"}));
}

void EqualFlopsTest::too_many_stages_are_refused() {
    const Model model(test::chain(2));
    const auto most = static_cast<std::int64_t>(model.cuts.legal.size()) + 1;
    QVERIFY(equal_flops(model.graph, model.cuts, model.cost, most).ok());
    const auto refused = equal_flops(model.graph, model.cuts, model.cost, most + 1);
    QVERIFY(!refused.ok());
    QVERIFY(refused.error().message().find("use 1 to " + std::to_string(most)) != std::string::npos);
    QVERIFY(!equal_flops(model.graph, model.cuts, model.cost, 0).ok());
}

DIVISI_TEST(EqualFlopsTest)

}  // namespace equal_flops_test

#include "equal_flops_test.moc"
