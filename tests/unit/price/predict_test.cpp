// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <numeric>

#include "backend/graph/roles.h"
#include "backend/graph/zoo.h"
#include "backend/plan/cut_choice.h"
#include "backend/price/predict.h"
#include "tests/support/test_program.h"
#include "tests/unit/plan/graphs.h"

namespace predict_test {

using namespace divisi;
using namespace divisi::plan;
using namespace divisi::price;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-3 * std::max(std::abs(a), std::abs(b)); }

/// A small GPT, its pricing, and partitions into about equal FLOPs.
struct Sample {
    Sample()
        : model(graph::build_zoo("gpt", {{"layers", 4}, {"width", 64}, {"heads", 4}, {"context", 32}}, 4).value()),
          training(make_training_graph(model, {}).value()),
          cost(training.graph),
          cuts(graph::find_cuts(model)),
          pricing(training, cost) {}

    Partition split(std::size_t stages) const {
        static const std::vector<std::string> names[] = {
            {}, {"/layers/2/attn/Gemm"}, {"/layers/1/Add", "/layers/2/Add_1"}};
        const CutChoice choice = choose_cuts(model, cuts, names[stages - 1]).value();
        return make_partition(training.graph, segments_from_cuts(model, cuts, choice, training.graph).value()).value();
    }

    graph::Graph model;
    TrainingGraph training;
    graph::GraphCost cost;
    graph::CutList cuts;
    Pricing pricing;
};

}  // namespace

class PredictTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void one_stage_is_the_sum_of_its_operators();
    void stages_report_their_work_and_memory();
    void tied_weights_are_exchanged_once_per_step();
    void recomputation_trades_time_for_memory();
    void stage_beyond_the_memory_of_its_device_does_not_fit();
    void prediction_states_its_share_of_measured_prices();
    void unequal_devices_are_priced_separately();
    void slow_links_increase_the_step();
    void links_name_their_source();
    void data_instances_are_priced();
    void impossible_placements_are_refused();

private:
    Sample sample_;
};

void PredictTest::one_stage_is_the_sum_of_its_operators() {
    const Partition whole = sample_.split(1);
    TrainingSetup setup;
    setup.microbatches = 4;
    setup.optimizer_states = 2;
    const Placement placement = default_placement(1);
    const auto prediction = predict(sample_.pricing, whole, placement, setup);
    QVERIFY2(prediction.ok(), prediction.ok() ? "" : prediction.error().message().c_str());
    QVERIFY(prediction->steady);
    const PredictedStage& stage = prediction->stages.front();
    const StageSeconds seconds = price_plan(sample_.pricing, whole, placement, setup)->seconds.front();
    const double per_step = seconds.finish_gradients + seconds.optimizer;
    const double total = (*sample_.pricing.on(placement.stages[0].profile))->total().total();
    const double passes = 2 * placement.stages[0].profile->rates.pass_s;
    QVERIFY(near(prediction->step_ms, 1e3 * (4 * (total + passes) + per_step) + prediction->data_ms));
    QVERIFY(near(stage.work_ms, 1e3 * total));
    QCOMPARE(stage.flops_share, 1.0);
    QCOMPARE(stage.sent(), Bytes{0});
    QVERIFY(near(stage.bubble, prediction->data_ms / prediction->step_ms));
}

void PredictTest::stages_report_their_work_and_memory() {
    const Partition partition = sample_.split(3);
    TrainingSetup setup;
    setup.microbatches = 6;
    const auto prediction = predict(sample_.pricing, partition, default_placement(3), setup);
    QVERIFY(prediction.ok());
    QCOMPARE(prediction->stages.size(), std::size_t{3});
    const auto plan = price_plan(sample_.pricing, partition, default_placement(3), setup);
    double share = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const PredictedStage& stage = prediction->stages[i];
        const StageSeconds& seconds = plan->seconds[i];
        QVERIFY(near(stage.busy_ms, 1e3 * (6 * (seconds.forward + seconds.backward) + seconds.share_gradients +
                                           seconds.finish_gradients + seconds.optimizer)));
        QCOMPARE(stage.flops, 6 * segment_flops(sample_.cost, partition.segments[i].nodes));
        share += stage.flops_share;
        QVERIFY(stage.bubble > 0 && stage.bubble < 1);
        const auto in_flight = most_in_flight(one_f_one_b(3, 6)[i]);
        QCOMPARE(stage.memory,
                 stage_memory(sample_.training.graph, sample_.cost, partition.segments[i], in_flight, 0).total());
        QCOMPARE(prediction->simulation.stages[i].in_flight, in_flight);
    }
    QVERIFY(std::abs(share - 1) < 1e-12);
    // The bytes that stage 1 sends equal the bytes that cross the cut, in both directions.
    Bytes forward = 0, backward = 0;
    for (const Edge& edge : partition.edges) {
        const Bytes bytes = graph::size_bytes(sample_.training.graph.values[edge.value]).value();
        if (edge.from == 1) forward += bytes;
        if (edge.to == 1 && edge.gradient) backward += bytes;
    }
    QVERIFY(forward > 0 && backward > 0);
    QCOMPARE(prediction->stages[1].sent_forward, forward * 6);
    QCOMPARE(prediction->stages[1].sent_backward, backward * 6);
}

void PredictTest::tied_weights_are_exchanged_once_per_step() {
    test::GraphBuilder b;
    const auto tied = b.weight("tied");
    const auto hidden = b.op("Relu", "hidden", {b.op("MatMul", "encode", {b.input("x"), tied})});
    const auto model = b.finish({b.op("MatMul", "decode", {hidden, tied})});
    const auto training = make_training_graph(model, {.loss = Loss::mse}).value();
    const graph::GraphCost cost(training.graph);
    Pricing pricing(training, cost);
    const auto cuts = graph::find_cuts(model);
    const auto last = static_cast<std::int32_t>(cuts.legal.size()) - 1;
    const Partition partition =
        make_partition(training.graph, segments_from_cuts(model, cuts, {last}, training.graph).value()).value();
    QCOMPARE(partition.shared_weights.size(), std::size_t{1});
    const Bytes weight = test::GraphBuilder::width * test::GraphBuilder::width * 4;
    TrainingSetup setup;
    const auto few = predict(pricing, partition, default_placement(2), setup);
    setup.microbatches = 2;
    const auto more = predict(pricing, partition, default_placement(2), setup);
    QVERIFY(few.ok() && more.ok());
    for (const auto& prediction : {few, more}) QCOMPARE(prediction->stages[0].sent_shared, weight);
    QCOMPARE(more->stages[0].sent_forward, 2 * few->stages[0].sent_forward);
    QCOMPARE(few->stages[0].sent(), few->stages[0].sent_forward + weight);
}

void PredictTest::recomputation_trades_time_for_memory() {
    const Partition partition = sample_.split(2);
    TrainingSetup setup;
    setup.schedule = "gpipe";
    setup.microbatches = 8;
    const auto keep = predict(sample_.pricing, partition, default_placement(2), setup);
    const auto kept = price_plan(sample_.pricing, partition, default_placement(2), setup);
    setup.recompute = true;
    const auto again = predict(sample_.pricing, partition, default_placement(2), setup);
    const auto redone = price_plan(sample_.pricing, partition, default_placement(2), setup);
    const double pass_s = default_profile("cpu").rates.pass_s;
    const auto activations = [&](const Result<Prediction>& prediction, std::size_t stage) {
        const auto weights = stage_memory(sample_.training.graph, sample_.cost, partition.segments[stage], 0, 0);
        return prediction->stages[stage].memory - weights.total();
    };
    QVERIFY(keep.ok() && again.ok());
    for (std::size_t i = 0; i < 2; ++i) {
        QVERIFY(activations(again, i) < activations(keep, i) / 2);
        QVERIFY(near(redone->seconds[i].backward,  // backward of one pass
                     kept->seconds[i].backward + kept->seconds[i].forward - pass_s));
    }
    QVERIFY(again->step_ms > 1.2 * keep->step_ms);
    // If activations are recomputed, eight micro-batches store their inputs, but only one stores its activations.
    Bytes inputs = 0;
    for (const Edge& edge : partition.edges)
        if (edge.to == 1) inputs += graph::size_bytes(sample_.training.graph.values[edge.value]).value();
    QCOMPARE(activations(again, 1), activations(keep, 1) / 8 + 8 * inputs);
}

void PredictTest::stage_beyond_the_memory_of_its_device_does_not_fit() {
    const Partition partition = sample_.split(2);
    Placement placement = default_placement(2);
    const auto open = predict(sample_.pricing, partition, placement, {});
    QVERIFY(open.ok() && open->stages[0].fits());
    placement.stages[0].memory = open->stages[0].memory;
    placement.stages[1].memory = open->stages[1].memory - 1;
    const auto tight = predict(sample_.pricing, partition, placement, {});
    QVERIFY(tight.ok() && tight->stages[0].fits() && !tight->stages[1].fits());
}

void PredictTest::prediction_states_its_share_of_measured_prices() {
    const Partition partition = sample_.split(2);
    Placement placement = default_placement(2);
    QCOMPARE(predict(sample_.pricing, partition, placement, {})->profiled_share, 0.0);
    DeviceProfile measured = default_profile("cpu");
    const auto gradient = graph::needs_gradient(sample_.training.graph);
    for (std::size_t i = 0; i < sample_.training.graph.nodes.size(); ++i)
        measured.operators[operator_key(sample_.training.graph, static_cast<graph::NodeIndex>(i), gradient)] = {
            {1e-4, 0}, {1e-4, 0}, {1e-4, 0}};
    placement.stages[1].profile = std::make_shared<const DeviceProfile>(measured);
    const auto prediction = predict(sample_.pricing, partition, placement, {});
    QVERIFY(prediction.ok());
    QCOMPARE(prediction->stages[0].profiled_share, 0.0);
    QVERIFY(near(prediction->stages[1].profiled_share, 1));
    QVERIFY(prediction->profiled_share > 0 && prediction->profiled_share < 1);
}

void PredictTest::unequal_devices_are_priced_separately() {
    const Partition partition = sample_.split(2);
    TrainingSetup setup;
    setup.microbatches = 16;
    Placement placement = default_placement(2);
    const double equal = predict(sample_.pricing, partition, placement, setup)->step_ms;
    DeviceProfile slow = default_profile("cpu");
    slow.rates = {slow.rates.product_flops_per_s / 3, slow.rates.other_flops_per_s / 3, slow.rates.bytes_per_s / 3,
                  slow.rates.dispatch_s * 3};
    placement.stages[1].profile = std::make_shared<const DeviceProfile>(slow);
    const auto prediction = predict(sample_.pricing, partition, placement, setup);
    QVERIFY(prediction.ok());
    QVERIFY(prediction->step_ms > 2 * equal && prediction->step_ms < 3.1 * equal);
    QVERIFY(prediction->stages[0].bubble > prediction->stages[1].bubble + 0.4);
}

void PredictTest::slow_links_increase_the_step() {
    const Partition partition = sample_.split(2);
    TrainingSetup setup;
    setup.microbatches = 4;
    Placement placement = default_placement(2);
    placement.links = {};
    const double ideal = predict(sample_.pricing, partition, placement, setup)->step_ms;
    placement.links.between_hosts = {0.1, 0, 0, 0};
    QVERIFY(predict(sample_.pricing, partition, placement, setup)->step_ms > ideal + 200);
}

void PredictTest::links_name_their_source() {
    const auto source = [&](std::size_t stages, Placement placement) {
        return predict(sample_.pricing, sample_.split(stages), placement, {})->link_source;
    };
    QVERIFY(!source(1, default_placement(1)));  // the data unit is on the same thread
    QCOMPARE(source(2, default_placement(2)), std::optional(LinkSource::standard));
    Placement placement = default_placement(3);
    placement.links.between_hosts.source = LinkSource::measured;
    QCOMPARE(source(3, placement), std::optional(LinkSource::measured));
    placement.links.by_host[{1, 0}] = placement.links.between_hosts;
    placement.links.by_host[{1, 0}].source = LinkSource::stated;  // link of the gradients
    QCOMPARE(source(3, placement), std::optional(LinkSource::stated));
    Placement single = default_placement(1);
    single.data = single.stages[0];
    QCOMPARE(source(1, single), std::optional(LinkSource::standard));
}

void PredictTest::data_instances_are_priced() {
    const Partition partition = sample_.split(2);
    TrainingSetup setup;
    setup.microbatches = 6;
    Placement placement = default_placement(2);
    QVERIFY(predict(sample_.pricing, partition, placement, setup)->dealt.devices.empty());
    const double stages_alone = predict(sample_.pricing, partition, placement, setup)->step_ms;

    // Tokens go to the first stage, targets to the second.
    const auto plan = price_plan(sample_.pricing, partition, placement, setup);
    Bytes fed = 0, slots = 0;
    for (std::size_t i = 0; i < plan->programs->channels.size(); ++i) {
        const Channel& channel = plan->programs->channels[i];
        if (channel.from != data_unit) continue;
        fed += plan->tensor_bytes[i];
        slots += plan->tensor_bytes[i] * channel.slots;
    }
    DeviceProfile slow = default_profile("cpu");
    slow.rates.bytes_per_s = 3 * static_cast<double>(fed);  // copied once for reading and twice for preprocessing: 1 s
    slow.rates.dispatch_s = 0;
    const auto with = [&](std::int32_t instances) {
        Placement dealt = placement;
        for (std::int32_t i = 0; i < instances; ++i) {
            PlannedDevice device = placement.stages[0];
            device.name = "data " + std::to_string(i);
            device.profile = std::make_shared<const DeviceProfile>(slow);
            device.host = static_cast<std::int32_t>(dealt.hosts.size());
            dealt.hosts.push_back({device.name, 0});
            dealt.dealt.push_back(device);
        }
        return predict(sample_.pricing, partition, dealt, setup);
    };
    const auto one = with(1), two = with(2);
    QVERIFY(one.ok() && two.ok());
    QCOMPARE(two->dealt.devices, (std::vector<std::string>{"data 0", "data 1"}));
    QVERIFY(near(one->dealt.microbatch_ms, 1000));
    QVERIFY(near(one->dealt.busy_ms, 12 * 1000));  // 6 for each of two stages
    QVERIFY(near(one->data_ms, 12 * 1000));
    QCOMPARE(one->dealt.sent, 6 * fed);
    QCOMPARE(one->dealt.memory, fed + slots);
    QVERIFY2(one->step_ms > 11'000 + stages_alone, std::to_string(one->step_ms).c_str());
    QVERIFY2(two->step_ms < 0.6 * one->step_ms, std::to_string(two->step_ms).c_str());
}

void PredictTest::impossible_placements_are_refused() {
    const Partition partition = sample_.split(2);
    QVERIFY(!predict(sample_.pricing, partition, default_placement(1), {}).ok());
    Placement placement = default_placement(2);
    placement.stages[1].host = 5;
    const auto nowhere = predict(sample_.pricing, partition, placement, {});
    QVERIFY(!nowhere.ok() && nowhere.error().where == "stage 1");
    placement = default_placement(2);
    DeviceProfile broken = default_profile("cpu");
    broken.rates.bytes_per_s = -1;
    placement.stages[0].profile = std::make_shared<const DeviceProfile>(broken);
    QVERIFY(!predict(sample_.pricing, partition, placement, {}).ok());
    QVERIFY(!predict(sample_.pricing, partition, default_placement(2), {.schedule = "zigzag"}).ok());
}

DIVISI_TEST(PredictTest)

}  // namespace predict_test

#include "predict_test.moc"
