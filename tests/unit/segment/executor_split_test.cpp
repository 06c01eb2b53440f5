// SPDX-License-Identifier: Apache-2.0
// Tests that losses and weights have the same bits as in the unsplit run, for every cut and schedule.

#include <random>

#include "backend/plan/gradient_order.h"
#include "tests/support/test_program.h"
#include "tests/unit/segment/mini_models.h"
#include "tests/unit/segment/split_run.h"

namespace executor_split_test {

using namespace divisi;
using namespace divisi::test;

namespace {

RunResult trained(const Model& model, RunOptions options) {
    SplitRun run(model.graph, model.loss, std::move(options));
    auto result =
        run.train([&](std::int64_t step, std::int64_t microbatch) { return sample(model, step, microbatch); });
    if (!result) qFatal("%s", result.error().message().c_str());
    return std::move(result).value();
}

/// Returns `stages` segments with about equal numbers of nodes.
std::vector<NodeIndex> equal_cuts(const Model& model, int stages) {
    const auto count = static_cast<NodeIndex>(model.graph.nodes.size());
    std::vector<NodeIndex> cuts;
    for (int s = 1; s < stages; ++s) cuts.push_back(count * s / stages);
    return cuts;
}

RunOptions adamw_with_clip() {
    RunOptions options;
    options.optimizer.kind = segment::OptimizerConfig::Kind::adamw;
    options.optimizer.weight_decay = 0.01;
    options.optimizer.clip = 0.5;
    options.lr = 0.02;
    return options;
}

/// Returns nodes in a random topological order, cut at random places: any acyclic partition is possible.
std::vector<plan::Segment> random_blocks(const graph::Graph& graph, std::mt19937& random) {
    std::vector<std::int32_t> waiting(graph.nodes.size(), 0);
    std::vector<NodeIndex> ready, order;
    for (NodeIndex node = 0; node < static_cast<NodeIndex>(graph.nodes.size()); ++node) {
        for (const ValueIndex input : graph.nodes[node].inputs)
            if (input >= 0 && graph.values[input].producer >= 0) ++waiting[node];
        if (waiting[node] == 0) ready.push_back(node);
    }
    while (!ready.empty()) {
        std::swap(ready[random() % ready.size()], ready.back());
        order.push_back(ready.back());
        ready.pop_back();
        for (const ValueIndex output : graph.nodes[order.back()].outputs)
            for (const NodeIndex next : graph.values[output].consumers)
                if (--waiting[next] == 0) ready.push_back(next);
    }
    std::vector<plan::Segment> segments(1);
    for (const NodeIndex node : order) {
        if (!segments.back().nodes.empty() && random() % 4 == 0) segments.emplace_back();
        segments.back().nodes.push_back(node);
    }
    return segments;
}

const std::map<std::string, Model (*)()> models = {
    {"skips", skips_and_transposes},         {"branches", branches},         {"tied", tied_embedding},
    {"convolutions", residual_convolutions}, {"slices", slices_and_dropout}, {"shape", shape_at_the_end}};

}  // namespace

class ExecutorSplitTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void equals_unsplit_at_every_cut_data();
    void equals_unsplit_at_every_cut();
    void equals_unsplit_for_any_acyclic_partition_data();
    void equals_unsplit_for_any_acyclic_partition();
    void equals_unsplit_under_every_schedule_data();
    void equals_unsplit_under_every_schedule();
    void recomputation_changes_nothing_data();
    void recomputation_changes_nothing();
    void clipping_uses_the_norm_of_all_segments();
    void training_lowers_the_loss();
};

void ExecutorSplitTest::equals_unsplit_at_every_cut_data() {
    QTest::addColumn<QString>("name");
    for (const auto& [name, make] : models) QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

void ExecutorSplitTest::equals_unsplit_at_every_cut() {
    QFETCH(QString, name);
    const Model model = models.at(name.toStdString())();
    const auto reference = trained(model, {});
    for (NodeIndex cut = 1; cut < static_cast<NodeIndex>(model.graph.nodes.size()); ++cut) {
        RunOptions options;
        options.cuts = {cut};
        QVERIFY2(trained(model, options) == reference, model.graph.nodes[cut].name.c_str());
    }
}

void ExecutorSplitTest::equals_unsplit_for_any_acyclic_partition_data() { equals_unsplit_at_every_cut_data(); }

void ExecutorSplitTest::equals_unsplit_for_any_acyclic_partition() {
    QFETCH(QString, name);
    const Model model = models.at(name.toStdString())();
    const auto reference = trained(model, {});
    std::mt19937 random(1);
    for (int i = 0; i < 60; ++i) {
        RunOptions options;
        options.segments = random_blocks(model.graph, random);
        plan::TrainingGraph training;
        training.graph = model.graph;
        QVERIFY(plan::keep_gradient_order(training, options.segments, i % 2 == 0).ok());
        Model ordered = model;
        ordered.graph = training.graph;
        QVERIFY2(trained(ordered, options) == reference, qPrintable(QString("partition %1").arg(i)));
    }
}

void ExecutorSplitTest::equals_unsplit_under_every_schedule_data() { equals_unsplit_at_every_cut_data(); }

void ExecutorSplitTest::equals_unsplit_under_every_schedule() {
    QFETCH(QString, name);
    const Model model = models.at(name.toStdString())();
    for (const std::int64_t microbatches : {4, 8}) {
        auto options = adamw_with_clip();
        options.microbatches = microbatches;
        const auto reference = trained(model, options);
        for (const int stages : {1, 2, 3, 4})
            for (const bool interleave : {false, true}) {
                options.cuts = equal_cuts(model, stages);
                options.one_forward_one_backward = interleave;
                QVERIFY2(
                    trained(model, options) == reference,
                    qPrintable(
                        QString("%1 stages, %2 micro-batches, 1f1b %3").arg(stages).arg(microbatches).arg(interleave)));
            }
    }
}

void ExecutorSplitTest::recomputation_changes_nothing_data() { equals_unsplit_at_every_cut_data(); }

void ExecutorSplitTest::recomputation_changes_nothing() {
    QFETCH(QString, name);
    const Model model = models.at(name.toStdString())();
    RunOptions options;
    options.optimizer.momentum = 0.9;
    const auto reference = trained(model, options);
    options.recompute = true;
    for (const int stages : {1, 3}) {
        options.cuts = equal_cuts(model, stages);
        QVERIFY(trained(model, options) == reference);
    }
}

void ExecutorSplitTest::clipping_uses_the_norm_of_all_segments() {
    const Model model = skips_and_transposes();
    RunOptions options;
    options.steps = 1;
    const auto plain = trained(model, options);
    options.optimizer.clip = 1e6;
    QVERIFY(trained(model, options) == plain);
    options.optimizer.clip = 1e-3;
    QVERIFY(!(trained(model, options) == plain));
}

void ExecutorSplitTest::training_lowers_the_loss() {
    const Model model = skips_and_transposes();
    RunOptions options;
    options.steps = 30;
    SplitRun run(model.graph, model.loss, options);
    const auto result = run.train([&](std::int64_t, std::int64_t microbatch) { return sample(model, 0, microbatch); });
    QVERIFY(result.ok());
    QVERIFY(result->losses.back() < 0.7F * result->losses.front());
}

DIVISI_TEST(ExecutorSplitTest)

}  // namespace executor_split_test

#include "executor_split_test.moc"
