// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/score/timeline_layout.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/support/test_program.h"
#include "tests/unit/app/sample_graphs.h"

namespace timeline_layout_test {

using namespace divisi;
using graphview::ScoreChain;
using graphview::ScoreRun;
using graphview::TimelineLayout;

namespace {

/// Returns a graph in which `branches` chains of `length` operators start at one operator and are summed at the end.
graph::Graph fork(int branches, int length) {
    graph::Graph graph;
    graph.name = "fork";
    const graph::Shape row{{4, ""}, {8, ""}};
    const auto value = [&](const std::string& name) { return graph.add_value(name, graph::DType::float32, row); };
    const graph::ValueIndex x = value("x"), start = value("start");
    graph.inputs = {x};
    graph.add_node({"start", "Relu", "", {x}, {start}, {}});
    graph::ValueIndex sum = graph::no_value;
    std::vector<graph::ValueIndex> ends;
    for (int branch = 0; branch < branches; ++branch) {
        graph::ValueIndex at = start;
        for (int i = 0; i < length; ++i) {
            const std::string name = "branch" + std::to_string(branch) + "_" + std::to_string(i);
            const graph::ValueIndex next = value(name + "_y");
            graph.add_node({name, "Relu", "", {at}, {next}, {}});
            at = next;
        }
        ends.push_back(at);
    }
    for (std::size_t i = 0; i < ends.size(); ++i) {
        if (i == 0) {
            sum = ends[0];
            continue;
        }
        const graph::ValueIndex next = value("sum" + std::to_string(i));
        graph.add_node({"add" + std::to_string(i), "Add", "", {sum, ends[i]}, {next}, {}});
        sum = next;
    }
    graph.outputs = {sum};
    if (!graph.canonicalize().ok()) std::abort();
    return graph;
}

/// Returns prices from 0 to 10 that are equal in every run; every fifth price is 0.
std::vector<double> some_prices(std::int32_t count, unsigned seed = 7) {
    std::mt19937 random(seed);
    std::vector<double> prices;
    for (std::int32_t i = 0; i < count; ++i)
        prices.push_back(i % 5 == 2 ? 0 : static_cast<double>(random() % 1000) / 100);
    return prices;
}

}  // namespace

class TimelineLayoutTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void operator_position_is_the_sum_of_the_prices_before_it() {
        const model::LoadedModel model(testing::residual(20), {});
        TimelineLayout layout(model);
        QCOMPARE(layout.total(), 60.0);
        const std::vector<double> prices = some_prices(60);
        layout.set_prices(prices);
        double sum = 0;
        for (graph::NodeIndex node = 0; node < 60; ++node) {
            QCOMPARE(layout.start(node), sum);
            sum += prices[static_cast<std::size_t>(node)];
            QCOMPARE(layout.end(node), sum);
            QCOMPARE(layout.cut_at(node), sum);
        }
        QCOMPARE(layout.total(), sum);
    }

    void operators_count_equally_without_prices() {
        const model::LoadedModel model(testing::residual(2), {});
        TimelineLayout layout(model);
        layout.set_prices(std::vector<double>(6, 0));
        QCOMPARE(layout.total(), 6.0);
        QCOMPARE(layout.start(4), 4.0);
    }

    void position_gives_the_operator_that_covers_it() {
        const model::LoadedModel model(testing::residual(20), {});
        TimelineLayout layout(model);
        const std::vector<double> prices = some_prices(60);
        layout.set_prices(prices);
        for (int i = 0; i < 997; ++i) {
            const double at = layout.total() * i / 997;
            graph::NodeIndex expected = 0;
            while (!(layout.start(expected) <= at && at < layout.end(expected))) ++expected;
            QCOMPARE(layout.node_at(at), expected);
        }
        QVERIFY(prices[static_cast<std::size_t>(layout.node_at(-5))] > 0);
        QVERIFY(layout.end(layout.node_at(layout.total() + 5)) == layout.total());
    }

    void a_pointer_snaps_to_the_nearest_legal_cut() {
        const model::LoadedModel model(testing::residual(20), {});
        TimelineLayout layout(model);
        layout.set_prices(some_prices(60));
        const auto& legal = model.cuts.legal;
        QVERIFY(legal.size() > 10);
        for (int i = -50; i < 1050; ++i) {
            const double at = layout.total() * i / 1000;
            double least = HUGE_VAL;
            for (const graph::NodeIndex after : legal) least = std::min(least, std::abs(layout.cut_at(after) - at));
            const std::int32_t found = layout.nearest_cut(at);
            QCOMPARE(std::abs(layout.cut_at(legal[static_cast<std::size_t>(found)]) - at), least);
        }
    }

    void branches_have_separate_lanes() {
        const model::LoadedModel straight(testing::residual(10), {});
        QCOMPARE(TimelineLayout(straight).lanes(), 1);
        for (const int branches : {2, 3, 5}) {
            const model::LoadedModel model(fork(branches, 4), {});
            const TimelineLayout layout(model);
            QCOMPARE(layout.lanes(), branches);
            for (int branch = 0; branch < branches; ++branch) {
                const std::string name = "branch" + std::to_string(branch) + "_";
                for (int i = 1; i < 4; ++i)
                    QCOMPARE(layout.lane(model.graph.find_node(name + std::to_string(i))),
                             layout.lane(model.graph.find_node(name + "0")));
            }
        }
    }

    /// The number of lanes must be the number of simultaneous chains, which is the minimum. No two overlapping chains
    /// may share a lane.
    void number_of_lanes_is_minimal() {
        model::ModelSource gpt;
        gpt.zoo = "gpt";
        const auto loaded = model::load_model(gpt);
        QVERIFY(loaded.ok());
        const model::LoadedModel forked(fork(7, 3), {});
        for (const model::LoadedModel* model : {loaded->get(), &forked}) {
            const TimelineLayout layout(*model);
            std::int32_t most = 0;
            for (graph::NodeIndex node = 0; node < model->node_count(); ++node) {
                std::vector<std::int32_t> lanes;
                for (const ScoreChain& chain : layout.chains())
                    if (chain.first <= node && (node < chain.until || node == chain.first)) lanes.push_back(chain.lane);
                std::sort(lanes.begin(), lanes.end());
                QVERIFY(std::adjacent_find(lanes.begin(), lanes.end()) == lanes.end());
                most = std::max(most, static_cast<std::int32_t>(lanes.size()));
            }
            QCOMPARE(layout.lanes(), most);
        }
    }

    void pixel_column_draws_only_operators_that_begin_in_it() {
        const model::LoadedModel model(fork(3, 30), {});
        TimelineLayout layout(model);
        layout.set_prices(some_prices(model.node_count()));
        for (const double pixel : {0.01, 3.0, 17.0, 400.0})
            for (const double from : {0.0, 101.3}) check_columns(model, layout, from, from + 300, pixel);
    }

    void cost_of_a_fitted_view_depends_on_its_columns_only() {
        const model::LoadedModel model(testing::residual(3334), {});
        const TimelineLayout layout(model);
        const double pixel = layout.total() / 1000;
        const auto runs = layout.operators(0, 0, layout.total(), pixel);
        QVERIFY2(runs.size() <= 1001, qPrintable(QString::number(runs.size())));
        std::int32_t count = 0;
        for (const ScoreRun& run : runs) {
            QVERIFY(run.density > 0.85);  // a chain has no empty columns
            count += run.count;
        }
        QCOMPARE(count, 10'002);
        QVERIFY(layout.operators(0, 0, 5.5, 0.01).size() == 6);
    }

    void span_of_a_scope_contains_its_operators() {
        model::ModelSource gpt;
        gpt.zoo = "gpt";
        const auto model = model::load_model(gpt);
        QVERIFY(model.ok());
        const TimelineLayout layout(**model);
        QVERIFY(layout.depths() >= 2);
        for (std::int32_t depth = 0; depth < layout.depths(); ++depth) {
            double before = 0;
            for (const ScoreRun& run : layout.scopes(depth, 0, layout.total(), 1e-6)) {
                const model::Block& block = (*model)->tree.blocks[static_cast<std::size_t>(run.first)];
                QVERIFY(!block.is_operator());
                QCOMPARE(run.start, layout.start(block.first));
                QCOMPARE(run.end, layout.end(block.last));
                QVERIFY(run.start >= before);
                before = run.end;
            }
            // Narrow scopes are merged.
            QVERIFY(layout.scopes(depth, 0, layout.total(), layout.total()).size() <= 2);
        }
    }

private:
    static void check_columns(const model::LoadedModel& model, const TimelineLayout& layout, double from, double to,
                              double pixel) {
        for (std::int32_t lane = 0; lane < layout.lanes(); ++lane) {
            const std::vector<ScoreRun> runs = layout.operators(lane, from, to, pixel);
            std::size_t at = 0;
            for (graph::NodeIndex node = 0; node < model.node_count();) {
                const double width = layout.end(node) - layout.start(node);
                const bool shows = layout.lane(node) == lane && layout.end(node) > from && layout.start(node) < to;
                if (!shows || width <= 0) {
                    ++node;
                    continue;
                }
                QVERIFY(at < runs.size());
                const ScoreRun& run = runs[at++];
                if (width >= pixel) {
                    QCOMPARE(run.first, node);
                    QCOMPARE(run.count, 1);
                    QCOMPARE(run.start, layout.start(node));
                    QCOMPARE(run.end, layout.end(node));
                    ++node;
                    continue;
                }
                QVERIFY(run.start <= layout.start(node) && layout.start(node) < run.end);
                double taken = 0;
                for (; node < model.node_count() && layout.start(node) < run.end; ++node) {
                    const double price = layout.end(node) - layout.start(node);
                    if (layout.lane(node) != lane) continue;
                    if (price >= pixel) break;
                    taken += price;
                }
                QVERIFY(std::abs(run.density - std::min(1.0, taken / pixel)) < 1e-9);
            }
            QCOMPARE(at, runs.size());
        }
    }
};

DIVISI_TEST(TimelineLayoutTest)

}  // namespace timeline_layout_test

#include "timeline_layout_test.moc"
