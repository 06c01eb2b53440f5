// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "backend/base/hash.h"
#include "backend/price/simulator.h"
#include "tests/support/test_program.h"
#include "tests/unit/plan/simulator.h"

namespace simulator_test {

using namespace divisi;
using namespace divisi::plan;
using namespace divisi::price;

namespace {

/// Returns stages with 2 ms forward and 4 ms backward, each on its own host; links and data cost nothing.
SimulatedPlan plan_of(const std::string& schedule, std::int32_t stages, std::int32_t microbatches, bool skips = false,
                      std::int64_t steps = most_simulated_steps) {
    SimulatedPlan plan;
    plan.programs = std::make_shared<const Programs>(
        make_programs(test::pipeline(stages, skips), make_pass_order(schedule, stages, microbatches).value(),
                      {1, steps, microbatches, 0, 0}, skips));
    for (std::int32_t s = 0; s < stages; ++s) {
        plan.seconds.push_back({2e-3, 4e-3, 0, 0, 0});
        plan.places.push_back({s, 1});
        plan.hosts.push_back({"host " + std::to_string(s), 1});
    }
    plan.tensor_bytes.assign(plan.programs->channels.size(), 1000);
    return plan;
}

void put_on_one_host(SimulatedPlan& plan, double cores) {
    plan.hosts = {{"host", cores}};
    for (InstancePlace& place : plan.places) place.host = 0;
}

double step_ms(const SimulatedPlan& plan) {
    const auto simulation = simulate(plan);
    return simulation.ok() ? simulation->step_s * 1e3 : -1;
}

/// Adds data instances, each on its own host; each takes `seconds` for a micro-batch of one stage.
void deal(SimulatedPlan& plan, std::int32_t instances, double seconds) {
    for (std::int32_t i = 0; i < instances; ++i) {
        plan.dealt.push_back({{static_cast<std::int32_t>(plan.hosts.size()), 1}, {seconds / 4, seconds * 3 / 4}});
        plan.hosts.push_back({"data host " + std::to_string(i), 1});
    }
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b)); }

}  // namespace

class StepSimulatorTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void equal_stages_take_the_ideal_time_data();
    void equal_stages_take_the_ideal_time();
    void agrees_with_a_naive_simulation_to_the_nanosecond();
    void step_time_includes_the_work_after_the_last_backward();
    void tensor_time_is_link_occupancy_plus_latency();
    void tensors_queue_on_a_slow_link();
    void instances_of_two_hosts_share_their_link();
    void paths_share_their_narrowest_link();
    void slots_and_latency_limit_throughput();
    void relay_time_of_devices_adds_to_the_latency();
    void one_core_runs_all_work_sequentially();
    void stages_with_enough_cores_do_not_slow_each_other_down();
    void stages_on_a_crowded_host_share_its_cores();
    void overlapping_passes_are_slower();
    void sending_and_receiving_take_time_of_a_core();
    void gateways_and_routers_take_time_of_a_core();
    void data_unit_shares_the_thread_of_stage_0();
    void stages_wait_for_slow_data_instances();
    void each_stage_requests_its_own_microbatches();
    void fast_data_instances_cost_nothing();
    void data_instances_occupy_the_links();
    void in_flight_passes_match_the_schedule();
    void steady_step_is_found();
    void run_may_be_too_short_to_become_steady();
    void impossible_plans_are_refused();
    void deadlock_is_found();
};

void StepSimulatorTest::equal_stages_take_the_ideal_time_data() {
    QTest::addColumn<QString>("schedule");
    QTest::addColumn<int>("stages");
    QTest::addColumn<int>("microbatches");
    for (const std::string& name : schedule_names())
        for (const int stages : {1, 2, 4, 7})
            for (const int microbatches : {1, 3, 8, 20})
                QTest::addRow("%s %d x %d", name.c_str(), stages, microbatches)
                    << QString::fromStdString(name) << stages << microbatches;
}

void StepSimulatorTest::equal_stages_take_the_ideal_time() {
    QFETCH(QString, schedule);
    QFETCH(int, stages);
    QFETCH(int, microbatches);
    const auto simulation = simulate(plan_of(schedule.toStdString(), stages, microbatches));
    QVERIFY2(simulation.ok(), simulation.ok() ? "" : simulation.error().message().c_str());
    QVERIFY(near(simulation->step_s, 6e-3 * (microbatches + stages - 1)));
    for (const InstanceUse& use : simulation->stages) {
        QVERIFY(near(use.busy_s, 6e-3 * microbatches));
        QVERIFY(std::abs(use.bubble - (stages - 1.0) / (microbatches + stages - 1.0)) < 1e-9);
    }
    QVERIFY(simulation->steady);
}

void StepSimulatorTest::agrees_with_a_naive_simulation_to_the_nanosecond() {
    std::uint64_t key = 11;
    const auto draw = [&key](int below) {
        key = mix(key, 1);
        return static_cast<int>(key % static_cast<std::uint64_t>(below));
    };
    for (int round = 0; round < 200; ++round) {
        const std::int32_t stages = 1 + draw(6), microbatches = 1 + draw(12);
        SimulatedPlan plan = plan_of(schedule_names()[draw(2)], stages, microbatches, draw(2) == 1, 1);
        const auto nanoseconds = [&] { return 1e-9 * draw(1000); };
        for (StageSeconds& s : plan.seconds)
            s = {nanoseconds(), nanoseconds(), nanoseconds(), nanoseconds(), nanoseconds()};
        plan.data = {nanoseconds(), nanoseconds()};
        plan.data_place = InstancePlace{0, 0};
        plan.links.between_hosts.latency_s = plan.links.within_host.latency_s = nanoseconds();
        const auto simulation = simulate(plan, {true});
        QVERIFY(simulation.ok());

        test::Simulator plain(*plan.programs);
        const auto time = [](double seconds) { return static_cast<int>(std::lround(seconds * 1e9)); };
        plain.latency = [&](const TensorKey&) { return time(plan.links.between_hosts.latency_s); };
        plain.duration = [&](std::int32_t instance, const Operation& operation) {
            if (instance == data_unit)
                return time(operation.kind == OperationKind::load ? plan.data.load : plan.data.preprocess);
            const StageSeconds& s = plan.seconds[instance];
            switch (operation.kind) {
                case OperationKind::forward: return time(s.forward);
                case OperationKind::backward: return time(s.backward);
                case OperationKind::share_gradients: return time(s.share_gradients);
                case OperationKind::finish_gradients: return time(s.finish_gradients);
                default: return time(s.optimizer);
            }
        };
        QVERIFY(plain.run());
        using Place = std::tuple<std::int32_t, OperationKind, std::int32_t>;
        std::map<Place, std::pair<TimePoint, TimePoint>> expected;
        for (const auto& [instance, ended] : plain.records)
            expected[{instance, ended.operation.kind, ended.operation.microbatch}] = {ended.begin, ended.end};
        for (const TimedOperation& operation : simulation->operations) {
            const auto [begin, end] = expected.at({operation.instance, operation.kind, operation.microbatch});
            QCOMPARE(operation.begin.time_since_epoch().count(), begin.time_since_epoch().count());
            QCOMPARE(operation.end.time_since_epoch().count(), end.time_since_epoch().count());
        }
        QVERIFY(simulation->operations.size() >= static_cast<std::size_t>(2 * stages * microbatches));
    }
}

void StepSimulatorTest::step_time_includes_the_work_after_the_last_backward() {
    SimulatedPlan plan = plan_of("1f1b", 1, 4);
    plan.seconds[0].finish_gradients = 1e-3;
    plan.seconds[0].optimizer = 5e-3;
    QVERIFY(near(step_ms(plan), 4 * 6 + 1 + 5));
    plan = plan_of("1f1b", 2, 4, true);  // the last stage waits for a weight of the first, which waits for the norm
    plan.seconds[1].finish_gradients = 50e-3;
    QVERIFY(near(step_ms(plan), 6 * (4 + 1) + 50));
}

void StepSimulatorTest::tensor_time_is_link_occupancy_plus_latency() {
    SimulatedPlan plan = plan_of("gpipe", 2, 1);
    plan.links.between_hosts = {3e-3, 1e6, 0.5e-3, 0.25e-6};  // 1000 bytes: 0.5 + 1 + 0.25 ms, then 3 ms
    const auto simulation = simulate(plan);
    QVERIFY(simulation.ok());
    QVERIFY(near(simulation->step_s, 2 * (2e-3 + 4e-3) + 2 * 4.75e-3));
    QCOMPARE(simulation->links.size(), std::size_t{2});  // forward, with the targets from the data unit, and back
    for (const LinkUse& link : simulation->links) QVERIFY(!link.within_host);
}

void StepSimulatorTest::tensors_queue_on_a_slow_link() {
    SimulatedPlan plan = plan_of("gpipe", 2, 16);
    plan.links.by_host[{0, 1}] = {0, 1000 / 10e-3, 0, 0};  // a tensor takes 10 ms, a forward pass 2 ms
    for (std::size_t i = 0; i < plan.tensor_bytes.size(); ++i)
        if (plan.programs->channels[i].from == data_unit) plan.tensor_bytes[i] = 0;
    const auto simulation = simulate(plan);
    QVERIFY(simulation.ok());
    QVERIFY(near(simulation->step_s, 2e-3 + 16 * 10e-3 + 2e-3 + 16 * 4e-3 + 4e-3));
    const auto slow = std::find_if(simulation->links.begin(), simulation->links.end(),
                                   [](const LinkUse& link) { return link.from == 0 && link.bytes > 0; });
    QVERIFY(slow != simulation->links.end() && slow->to == 1);
    QVERIFY(slow->queued_s > 0 && slow->longest_queue_s > 2e-3);
    QVERIFY(near(slow->busy_s, 10e-3 * static_cast<double>(slow->bytes) / 1000));
}

void StepSimulatorTest::instances_of_two_hosts_share_their_link() {
    // Stages 0 and 2 are on one host, 1 and 3 on the other, so 0 -> 1 and 2 -> 3 use the same link.
    SimulatedPlan apart = plan_of("gpipe", 4, 8);
    apart.links.between_hosts = {0, 1000 / 5e-3, 0, 0};
    SimulatedPlan together = apart;
    together.hosts = {{"ada", 0}, {"bob", 0}};
    for (std::int32_t s = 0; s < 4; ++s) together.places[s].host = s % 2;
    QVERIFY(step_ms(together) > 1.2 * step_ms(apart));
    together.links.within_host = together.links.between_hosts;
    for (InstancePlace& place : together.places) place.host = 0;  // now each pair has its own link
    QVERIFY(step_ms(together) <= step_ms(apart) * 1.001);
}

void StepSimulatorTest::paths_share_their_narrowest_link() {
    // Each stage is in its own MIC, and all MICs are on one host. Each pair has its own path, or all pairs share one.
    const auto step = [](const std::function<std::string(int, int)>& narrowest) {
        SimulatedPlan plan = plan_of("gpipe", 4, 8);
        plan.links.within_host = {};
        plan.hosts = {{"ada", 0}};
        MeshPaths paths;
        for (int from = 0; from < 4; ++from) {
            plan.places[from].host = 0;
            plan.places[from].mic = from;
            for (int to = 0; to < 4; ++to)
                if (from != to) paths[{from, to}] = {{0, 1000 / 5e-3, 0, 0}, {"mg"}, narrowest(from, to)};
        }
        plan.links.paths = std::make_shared<const MeshPaths>(std::move(paths));
        return step_ms(plan);
    };
    const auto own = [](int from, int to) { return std::to_string(from) + ", " + std::to_string(to); };
    const double apart = step(own), shared = step([](int, int) { return "a, b"; });
    QVERIFY(shared > 2 * apart);
    // All instances of a host share one link to a gateway, and all stages here are on one host.
    QCOMPARE(step([](int, int) { return ", mg-1"; }), shared);
    QCOMPARE(narrowest_link({{}, {}, ", mg-1"}, {1, 0}, {0, 1}, {{"ada", 0}, {"bob", 0}}), std::string("bob, mg-1"));
    QCOMPARE(narrowest_link({{}, {}, "mg-1, "}, {1, 0}, {0, 1}, {{"ada", 0}, {"bob", 0}}), std::string("mg-1, ada"));
}

void StepSimulatorTest::slots_and_latency_limit_throughput() {
    SimulatedPlan plan = plan_of("gpipe", 2, 30);
    plan.links.between_hosts.latency_s = 20e-3;
    // The slots allow only three micro-batches in one cycle of forward, transfer, forward and transfer back. The cycle
    // takes 2 + 20 + 2 + 20 = 44 ms.
    QVERIFY(step_ms(plan) > 30 / 3.0 * (44 + 48) * 0.9);
}

void StepSimulatorTest::relay_time_of_devices_adds_to_the_latency() {
    // Tensors have 1000 bytes, and there are fewer tensors than slots, so no stage waits for the acknowledgement.
    SimulatedPlan late = plan_of("gpipe", 2, 2), relayed = late;
    late.links.between_hosts.latency_s = 20e-3;
    relayed.links.between_hosts.relayed_s_per_byte = 20e-3 / 1000;
    QCOMPARE(step_ms(relayed), step_ms(late));
    const LinkModel link = relayed.links.between_hosts;
    QCOMPARE(link.latency(Bytes{1} << 30), link.latency(Bytes{1} << 20));  // only the first MiB counts
}

void StepSimulatorTest::one_core_runs_all_work_sequentially() {
    for (const std::string& schedule : schedule_names()) {
        SimulatedPlan plan = plan_of(schedule, 4, 8);
        put_on_one_host(plan, 1);
        QVERIFY(near(step_ms(plan), 4 * 8 * 6));
    }
}

void StepSimulatorTest::stages_with_enough_cores_do_not_slow_each_other_down() {
    SimulatedPlan plan = plan_of("1f1b", 4, 8, true);
    const double apart = step_ms(plan);
    put_on_one_host(plan, 4);
    QVERIFY(near(step_ms(plan), apart));
    for (InstancePlace& place : plan.places) place.threads = 2;
    QVERIFY(step_ms(plan) > 1.2 * apart);
}

void StepSimulatorTest::stages_on_a_crowded_host_share_its_cores() {
    SimulatedPlan plan = plan_of("1f1b", 4, 16);
    const double apart = step_ms(plan);
    put_on_one_host(plan, 2);
    const auto simulation = simulate(plan, {true});
    QVERIFY(simulation.ok());
    const double shared = simulation->step_s * 1e3, least = 4 * 16 * 6 / 2.0;
    QVERIFY2(shared >= least * 0.999 && shared < least * 1.25, std::to_string(shared).c_str());
    QVERIFY(shared > apart);
    // At the start the first forward pass runs alone at full speed. When all four stages are busy, each pass takes
    // twice as long.
    Duration shortest = Duration::max(), longest{};
    for (const TimedOperation& operation : simulation->operations) {
        if (operation.kind != OperationKind::forward) continue;
        shortest = std::min(shortest, operation.end - operation.begin);
        longest = std::max(longest, operation.end - operation.begin);
    }
    QCOMPARE(shortest.count(), 2'000'000);
    QVERIFY(longest.count() > 3'500'000);
}

void StepSimulatorTest::overlapping_passes_are_slower() {
    SimulatedPlan plan = plan_of("gpipe", 2, 2);
    for (StageSeconds& s : plan.seconds) s.crowded_forward = 1e-3, s.crowded_backward = 2e-3;
    for (InstancePlace& place : plan.places) place.crowded_cores = 2;
    QVERIFY(near(step_ms(plan), 2 + 2 + 2 + 4 + 4 + 4));  // each stage on its own host
    put_on_one_host(plan, 2);
    // One forward pass of each stage overlaps with one of the other stage, and so does one backward pass.
    QVERIFY(near(step_ms(plan), 2 + 3 + 2 + 4 + 6 + 4));
    // Two busy cores would cause the full slowdown; only one is busy, so half of it applies.
    for (InstancePlace& place : plan.places) place.crowded_cores = 3;
    QVERIFY(near(step_ms(plan), 2 + 2.5 + 2 + 4 + 5 + 4));
    // On one core the stages take turns, and no pass overlaps with another.
    for (InstancePlace& place : plan.places) place.crowded_cores = 2;
    plan.hosts[0].cores = 1;
    QVERIFY(near(step_ms(plan), 2 * 2 * 6));
    // A partial overlap slows only the overlapping part.
    plan = plan_of("gpipe", 2, 2);
    put_on_one_host(plan, 0);
    plan.seconds = {{2e-3, 1e-3, 0, 0, 0}, {3e-3, 1e-3, 0, 0, 0, 1.5e-3, 0}};
    plan.places[1].crowded_cores = 2;
    // Stage 0 runs forward at 0-2 and 2-4. Stage 1 starts its first forward at 2 and has done 4/3 of its 3 ms at time
    // 4. It does the rest alone until 5.667 and its second forward until 8.667. Its backwards last until 10.667, and
    // stage 0's last one until 11.667.
    QVERIFY(near(step_ms(plan), 2 + 2 + (3 - 4 / 3.0) + 3 + 2 + 1));
}

void StepSimulatorTest::sending_and_receiving_take_time_of_a_core() {
    SimulatedPlan plan = plan_of("gpipe", 2, 20);
    put_on_one_host(plan, 4);
    for (std::size_t i = 0; i < plan.tensor_bytes.size(); ++i)
        if (plan.programs->channels[i].from == data_unit) plan.tensor_bytes[i] = 0;
    const double free = step_ms(plan);
    plan.links.within_host = {0, 0, 0, 0.1e-3 / 1000};  // 0.1 ms at each end of a tensor
    const double idle_cores = step_ms(plan);
    QVERIFY(idle_cores >= free && idle_cores < free + 0.5);  // one transfer of 0.1 ms, while the pipeline is full
    plan.hosts[0].cores = 2;
    // 20 tensors in each direction, at both ends, take 8 ms of a core. Two cores do nearly all of this in parallel with
    // the passes.
    const double full = step_ms(plan);
    QVERIFY2(full > idle_cores + 3 && full < idle_cores + 4.2, std::to_string(full - idle_cores).c_str());
}

/// Calculated by hand: 20 tensors in each direction take 0.2 ms of a core at the device, 8 ms in all. Two busy cores do
/// this work in 4 ms. Subtract the part that is done while the pipeline fills and drains and one core is idle.
void StepSimulatorTest::gateways_and_routers_take_time_of_a_core() {
    SimulatedPlan plan = plan_of("gpipe", 2, 20);
    put_on_one_host(plan, 2);
    for (std::size_t i = 0; i < plan.tensor_bytes.size(); ++i)
        if (plan.programs->channels[i].from == data_unit) plan.tensor_bytes[i] = 0;
    plan.links.within_host = {};
    plan.places[1].mic = 1;
    const auto with_device_on = [&](const char* host, double s_per_byte) {
        MeshPath path;
        path.devices = {"mg-1"};
        path.narrowest = "mg-1, mg-2";
        path.relays = {{host, 0, s_per_byte}};
        plan.links.paths = std::make_shared<MeshPaths>(MeshPaths{{{0, 1}, path}, {{1, 0}, path}});
        return step_ms(plan);
    };
    const double free = with_device_on("host", 0);
    const double beside = with_device_on("host", 0.2e-3 / 1000);
    QVERIFY2(beside > free + 3 && beside < free + 4.2, std::to_string(beside - free).c_str());
    QVERIFY(near(with_device_on("another host", 0.2e-3 / 1000), free));
    plan.hosts[0].cores = 4;  // two of the cores are idle
    QVERIFY(near(with_device_on("host", 0.2e-3 / 1000), free));
    // One instance keeps its host busy, and shares the host's only core with a gateway or router.
    plan.hosts = {{"host", 1}, {"host 1", 1}};
    plan.places[1].host = 1;
    QVERIFY(with_device_on("host", 0.2e-3 / 1000) > with_device_on("another host", 0.2e-3 / 1000) + 3);
    MeshPath wrong;
    wrong.relays = {{"host", -1, 0}};
    plan.links.paths = std::make_shared<MeshPaths>(MeshPaths{{{0, 1}, wrong}});
    QVERIFY(!simulate(plan).ok());
}

void StepSimulatorTest::data_unit_shares_the_thread_of_stage_0() {
    SimulatedPlan plan = plan_of("1f1b", 2, 6);
    plan.data = {1e-3, 1e-3};
    const double own = [&] {
        SimulatedPlan apart = plan;
        apart.data_place = InstancePlace{0, 0};
        return step_ms(apart);
    }();
    const auto simulation = simulate(plan, {true});
    QVERIFY(simulation.ok());
    QVERIFY(simulation->step_s * 1e3 > own);
    std::vector<std::pair<TimePoint, TimePoint>> thread;
    for (const TimedOperation& operation : simulation->operations)
        if (operation.instance <= 0) thread.emplace_back(operation.begin, operation.end);
    std::sort(thread.begin(), thread.end());
    for (std::size_t i = 1; i < thread.size(); ++i) QVERIFY(thread[i - 1].second <= thread[i].first);
}

/// The stage computes for 4 x 6 ms per step. One data instance needs 4 x 40 ms for its data, so it is always busy.
void StepSimulatorTest::stages_wait_for_slow_data_instances() {
    for (const std::int32_t instances : {1, 2}) {
        SimulatedPlan plan = plan_of("1f1b", 1, 4);
        deal(plan, instances, 40e-3);
        const auto simulation = simulate(plan);
        QVERIFY(simulation.ok());
        QVERIFY(simulation->steady);
        QVERIFY(near(simulation->step_s, 4 * 40e-3 / instances));
        QCOMPARE(simulation->dealt.size(), static_cast<std::size_t>(instances));
        for (const InstanceUse& use : simulation->dealt) {
            QVERIFY(near(use.busy_s, 4 * 40e-3 / instances));
            QVERIFY(use.bubble < 1e-6);
        }
        QVERIFY(near(simulation->stages[0].busy_s, 4 * 6e-3));
        QCOMPARE(simulation->data.busy_s, 0.0);
    }
}

/// The first stage takes inputs and the last one labels: each micro-batch is prepared twice.
void StepSimulatorTest::each_stage_requests_its_own_microbatches() {
    SimulatedPlan plan = plan_of("1f1b", 3, 4);
    deal(plan, 1, 40e-3);
    const auto simulation = simulate(plan);
    QVERIFY(simulation.ok());
    QVERIFY2(simulation->step_s > 0.3 && simulation->step_s < 0.36, std::to_string(simulation->step_s).c_str());
    QVERIFY(near(simulation->dealt[0].busy_s, 8 * 40e-3));
}

void StepSimulatorTest::fast_data_instances_cost_nothing() {
    for (const int stages : {1, 3}) {
        SimulatedPlan plan = plan_of("1f1b", stages, 4);
        const double free = step_ms(plan);
        deal(plan, 2, 0);
        QVERIFY(near(step_ms(plan), free));
        plan.dealt[1].place.host = 99;
        const auto nowhere = simulate(plan);
        QVERIFY(!nowhere.ok() && nowhere.error().where == "data instance 1");
    }
}

/// Each tensor occupies the link from the data instance for 40 ms, between hosts and on a path between MICs.
void StepSimulatorTest::data_instances_occupy_the_links() {
    const LinkModel slow{0, 0, 40e-3};
    for (const bool by_path : {false, true}) {
        SimulatedPlan plan = plan_of("1f1b", 1, 4);
        deal(plan, 1, 0);
        if (by_path) {
            plan.dealt[0].place.mic = 1;
            plan.links.paths = std::make_shared<const MeshPaths>(
                MeshPaths{{{1, 0}, {slow, {"mg-1", "mg-2"}, "mg-1, mg-2"}}, {{0, 1}, {{}, {}, "mg-2, mg-1"}}});
        } else {
            plan.links.by_host[{1, 0}] = slow;
        }
        const auto simulation = simulate(plan);
        QVERIFY(simulation.ok());
        QVERIFY(near(simulation->step_s, 4 * 40e-3));
        QCOMPARE(simulation->links.size(), std::size_t{1});
        QCOMPARE(simulation->links[0].bytes, 1000 * simulation->links[0].tensors);
        QVERIFY(simulation->links[0].tensors >= 4 * simulation->measured_step);
    }
}

void StepSimulatorTest::in_flight_passes_match_the_schedule() {
    const auto one_by_one = simulate(plan_of("1f1b", 4, 8));
    const auto all_first = simulate(plan_of("gpipe", 4, 8));
    QVERIFY(one_by_one.ok() && all_first.ok());
    for (std::int32_t s = 0; s < 4; ++s) {
        QCOMPARE(one_by_one->stages[s].in_flight, 4 - s);
        QCOMPARE(all_first->stages[s].in_flight, 8);
        QVERIFY(one_by_one->stages[s].buffered >= 1000);
    }
    QCOMPARE(one_by_one->data.buffered, Bytes{0});
}

void StepSimulatorTest::steady_step_is_found() {
    SimulatedPlan plan = plan_of("1f1b", 3, 4);
    plan.data = {0, 40e-3};  // only the first step waits for its data; later data are read ahead as far as slots allow
    plan.data_place = InstancePlace{0, 0};
    const auto simulation = simulate(plan);
    QVERIFY(simulation.ok() && simulation->steady);
    QVERIFY(simulation->measured_step > 1);
    QVERIFY(near(simulation->step_s, 4 * 40e-3));  // the data unit is always busy
    QVERIFY(near(simulation->data.busy_s, 4 * 40e-3));
}

void StepSimulatorTest::run_may_be_too_short_to_become_steady() {
    const auto simulation = simulate(plan_of("1f1b", 3, 4, false, 1));
    QVERIFY(simulation.ok() && !simulation->steady);
    QCOMPARE(simulation->measured_step, std::int64_t{1});
    QVERIFY(near(simulation->step_s, 6e-3 * (4 + 2)));
}

void StepSimulatorTest::impossible_plans_are_refused() {
    const auto refused = [](const SimulatedPlan& plan, const std::string& names) {
        const auto simulation = simulate(plan);
        return !simulation.ok() && simulation.error().message().find(names) != std::string::npos;
    };
    SimulatedPlan plan = plan_of("1f1b", 2, 2);
    plan.seconds.pop_back();
    QVERIFY(refused(plan, "one price and one place for each stage"));
    plan = plan_of("1f1b", 2, 2);
    plan.seconds[1].backward = std::numeric_limits<double>::quiet_NaN();
    QVERIFY(refused(plan, "stage 1"));
    plan = plan_of("1f1b", 2, 2);
    plan.places[1].host = 7;
    QVERIFY(refused(plan, "stage 1"));
    plan = plan_of("1f1b", 2, 2);
    plan.tensor_bytes[2] = -1;
    QVERIFY(refused(plan, "size of a tensor is negative"));
    plan = plan_of("1f1b", 2, 2);
    plan.links.between_hosts.bytes_per_s = 1e-9;
    QVERIFY(refused(plan, "host 0 to host 1"));
}

void StepSimulatorTest::deadlock_is_found() {
    PassOrder order = gpipe(3, 4);
    order[1].erase(order[1].begin());
    SimulatedPlan plan = plan_of("gpipe", 3, 4);
    plan.programs = std::make_shared<const Programs>(
        make_programs(test::pipeline(3, false), order, {1, most_simulated_steps, 4, 0, 0}, false));
    const auto simulation = simulate(plan);
    QVERIFY(!simulation.ok());
    QVERIFY(simulation.error().message().find("deadlocks") != std::string::npos);
}

DIVISI_TEST(StepSimulatorTest)

}  // namespace simulator_test

#include "simulator_test.moc"
