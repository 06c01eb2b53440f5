// SPDX-License-Identifier: GPL-3.0-or-later
// Tests cuts of a task whose data instances have a cost. Nodes, price and landscape must come from the same simulated
// step.

#include <algorithm>
#include <cmath>

#include "app/model/estimates/prices.h"
#include "tests/support/test_program.h"
#include "tests/unit/app/sample_graphs.h"

namespace shown_nodes_test {

using namespace divisi;
using namespace divisi::model;

namespace {

/// Returns three equal nodes on hosts with one core. The data is read on the first host, about as slowly as a stage
/// runs.
price::NodePool reads_beside_the_first() {
    price::NodePool pool;
    const auto profile =
        std::make_shared<const price::DeviceProfile>(price::DeviceProfile{"", {1e8, 1e8, 1e9, 1e-6}, {}});
    for (std::int32_t i = 0; i < 3; ++i) {
        price::PlannedDevice device;
        device.node = device.name = std::string(1, static_cast<char>('a' + i));
        device.profile = profile;
        device.host = i;
        pool.nodes.push_back(std::move(device));
        pool.hosts.push_back({std::to_string(i), 1});
    }
    pool.ready = 3;
    pool.complete = true;
    pool.links.between_hosts = {1e-7, 1e9, 1e-7, 0};
    price::DeviceProfile slow = *profile;
    slow.rates.bytes_per_s = 2.5e7;
    pool.data = pool.nodes.front();
    pool.data->profile = std::make_shared<const price::DeviceProfile>(std::move(slow));
    return pool;
}

TaskToPrice sample_task(std::int64_t data_instances) {
    task::TaskSpec spec;
    spec.train.loss = "mse";
    spec.train.microbatches = 4;
    spec.split.schedule = "1f1b";
    spec.data.instances = data_instances;
    return {std::make_shared<const LoadedModel>(testing::residual(4), ModelSource{}), spec, reads_beside_the_first(),
            1};
}

}  // namespace

class ShownNodesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void stages_avoid_the_host_of_data_instances() {
        for (const std::int64_t instances : {0, 1}) {
            PriceQuestion question;
            question.task = sample_task(instances);
            question.cuts = {static_cast<std::int32_t>(question.task.model->cuts.legal.size()) / 2};
            const Prices prices = Pricer().answer(question);
            QVERIFY2(prices.ok(), qPrintable(prices.problem));
            QCOMPARE(prices.placement.dealt.size(), static_cast<std::size_t>(instances));
            const bool beside = std::ranges::any_of(
                prices.placement.stages, [](const price::PlannedDevice& device) { return device.host == 0; });
            QCOMPARE(beside, instances == 0);  // without data instances, nodes are assigned in order
        }
    }

    void landscape_uses_the_same_prices_as_the_display() {
        PriceQuestion question;
        question.task = sample_task(1);
        question.cuts = {1};
        question.moving = 0;
        const Prices prices = Pricer().answer(question);
        QVERIFY2(prices.ok(), qPrintable(prices.problem));
        QVERIFY(prices.landscape.has_value());
        std::unique_ptr<PricedTask> priced;
        QVERIFY(price_task(question.task, priced).ok());
        const auto& positions = prices.landscape->positions;
        double least_ms = 1e300;
        for (std::int32_t legal = 0; legal < static_cast<std::int32_t>(positions.size()); ++legal) {
            const auto there = priced->predict({legal}, prices.placement);
            QVERIFY(there.ok());
            const double shown_ms = positions[static_cast<std::size_t>(legal)].step_s * 1e3;
            QVERIFY2(std::abs(shown_ms - there->step_ms) <= 1e-6 * there->step_ms,
                     qPrintable(QString("%1: %2, simulated %3").arg(legal).arg(shown_ms).arg(there->step_ms)));
            least_ms = std::min(least_ms, there->step_ms);
        }
        const double best_ms = positions[static_cast<std::size_t>(prices.landscape->best())].step_s * 1e3;
        QVERIFY(std::abs(best_ms - least_ms) <= 1e-6 * least_ms);
        // The landscape keeps the current nodes. A drop at the best cut chooses new nodes, so its step is no slower.
        question.cuts = {prices.landscape->best()};
        const Prices dropped = Pricer().answer(question);
        QVERIFY2(dropped.ok(), qPrintable(dropped.problem));
        QVERIFY(dropped.prediction.step_ms <= best_ms * 1.002);
    }
};

DIVISI_TEST(ShownNodesTest)

}  // namespace shown_nodes_test

#include "shown_nodes_test.moc"
