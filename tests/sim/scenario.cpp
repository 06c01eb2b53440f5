// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/scenario.h"

#include <algorithm>

#include "tests/sim/cluster.h"
#include "tests/sim/task_text.h"

namespace divisi::sim {

using std::chrono::milliseconds, std::chrono::seconds;

namespace {

constexpr Weather calm{};
constexpr Weather rough{milliseconds(3), milliseconds(400), 0.05, 0.02, 0.05};
constexpr Wear worn{0.002, 0.001, 0.2};

/// Longest duration of any fault, except in recovery scenarios. Each fault is shorter than the time that is allowed for
/// settling afterwards. The time for settling covers the wait for a silent instance (20 s), the registration and
/// preparation of the next attempt, and the return of a refused node.
constexpr Duration longest_fault = seconds(20);
/// A process could not notice a pause shorter than half a heartbeat interval.
constexpr Duration shortest_fault = control::heartbeat_interval / 2;
constexpr Duration settling = seconds(120);
/// Longest absence of a node. The node was given up 10 s earlier (return_grace, after peer_timeout), and other nodes do
/// its work.
constexpr Duration longest_absence = seconds(35);
/// Time to settle if a task recovers repeatedly. Each recovery may have to wait for a lost node, and for another node
/// to register in time.
constexpr Duration long_settling = seconds(600);

/// Injects a random fault. Returns false if the fault applies to no object.
bool harsh_fault(Cluster& cluster) {
    World& world = cluster.world();
    const auto away = [&](Duration most) { return world.between(shortest_fault, most); };
    switch (world.pick(12)) {
        case 0:
        case 1: return cluster.kill_instance();
        case 2: return cluster.kill_node();
        case 3:
        case 4: return cluster.kill_orchestrator();
        case 5: return cluster.kill_client();
        case 6: return cluster.power_off_node(away(longest_fault));
        case 7: return cluster.part_node(away(longest_fault));
        case 8: return cluster.stop_process(away(longest_fault));
        case 9: return cluster.stop_orchestrator(away(longest_fault));
        default: return cluster.network().break_one();
    }
}

/// Injects a fault that every task must survive, and sets its duration in `lasts`.
bool gentle_fault(Cluster& cluster, Duration& lasts) {
    World& world = cluster.world();
    const auto away = [&](Duration most) { return lasts = world.between(shortest_fault, most); };
    switch (world.pick(5)) {
        case 0: return cluster.part_node(away(seconds(10)));
        case 1: return cluster.stop_process(away(seconds(3)));
        case 2: return cluster.stop_orchestrator(away(seconds(20)));
        case 3: return cluster.kill_orchestrator();
        default: return cluster.network().break_one();
    }
}

/// Injects a fault that a recovering task must survive, and sets its duration in `lasts`.
bool recovery_fault(Cluster& cluster, Duration& lasts) {
    World& world = cluster.world();
    const auto away = [&](Duration most) { return lasts = world.between(shortest_fault, most); };
    switch (world.pick(12)) {
        case 0:
        case 1:
        case 2: return cluster.kill_instance();
        case 3: return cluster.kill_node();
        case 4: return cluster.kill_orchestrator();
        case 5: return cluster.power_off_node(away(longest_absence));
        case 6: return cluster.power_off_node(away(longest_absence), true);
        case 7: return cluster.part_node(away(longest_absence));
        case 8: return cluster.stop_node(away(longest_absence));
        case 9: return cluster.stop_process(away(longest_absence));
        case 10: return cluster.stop_orchestrator(away(seconds(5)));
        default: return cluster.network().break_one();
    }
}

void submit_some(Cluster& cluster, int tasks, int nodes, int least_steps, int most_steps, Duration over) {
    World& world = cluster.world();
    for (int i = 0; i < tasks; ++i) {
        const std::size_t stages = 1 + world.pick(static_cast<std::size_t>(nodes));
        const std::size_t steps =
            static_cast<std::size_t>(least_steps) + world.pick(static_cast<std::size_t>(most_steps - least_steps));
        cluster.submit("task" + std::to_string(i) + " " + std::to_string(stages) + " " + std::to_string(steps),
                       world.between(milliseconds(1), over));
    }
}

/// Submits training tasks that survive faults, at random times up to `over`, in a cluster with a slow network and a bad
/// disk. A task has at least `least_steps` and less than `least_steps` + `more_steps` steps, up to three stages, and a
/// random interval of checkpoints.
void train_some(Cluster& cluster, std::size_t tasks, std::size_t least_steps, std::size_t more_steps, Duration over) {
    World& world = cluster.world();
    cluster.network().weather(rough);
    cluster.disk().wear(worn);
    for (std::size_t i = 0; i < tasks; ++i) {
        const std::size_t stages = 1 + world.pick(3), steps = least_steps + world.pick(more_steps),
                          every = world.pick(6);
        cluster.submit(task_file("task" + std::to_string(i), stages, steps, every),
                       world.between(milliseconds(1), over));
    }
}

/// Runs until everything is settled. `lasts`: time until the last fault has ended; `patience`: time allowed after that.
Verdict settle(Cluster& cluster, std::size_t faults, Duration lasts = longest_fault, Duration patience = settling) {
    cluster.network().weather(calm);
    cluster.disk().wear({});
    cluster.quiet();
    cluster.run(lasts);
    Verdict verdict;
    verdict.faults = faults;
    std::string rest = cluster.unsettled();
    while (!rest.empty() && !cluster.watch().violation() && verdict.settled_s < patience / seconds(1)) {
        cluster.end_drains();
        cluster.run(seconds(1));
        ++verdict.settled_s;
        rest = cluster.unsettled();
    }
    verdict.problem = cluster.watch().violation().value_or(rest);
    verdict.events = cluster.watch().events();
    verdict.content = content(cluster.watch().durable());
    verdict.recoveries = cluster.watch().recoveries();
    verdict.checkpoints = cluster.watch().checkpoints();
    verdict.recuts = cluster.watch().recuts();
    return verdict;
}

ClusterConfig config_of(std::uint64_t seed, double work_failure) {
    ClusterConfig config;
    config.seed = seed;
    config.one_machine = seed % 3 == 0;
    config.work_failure = work_failure;
    return config;
}

/// Returns the configuration of a world with one client, whose tasks survive faults.
ClusterConfig surviving(std::uint64_t seed, InjectedBug bug) {
    ClusterConfig config = config_of(seed, 0);
    config.clients = 1;
    config.bug = bug;
    return config;
}

/// Returns the first task that did not succeed and its error; empty if all succeeded.
std::string unsuccessful(Cluster& cluster) {
    for (const auto& [id, task] : cluster.watch().durable().tasks)
        if (task.outcome != control::Outcome::succeeded)
            return id.value() + " did not succeed: " + (task.error ? task.error->message() : "no error");
    return {};
}

}  // namespace

Verdict quiet(std::uint64_t seed) {
    const ClusterConfig config = config_of(seed, 0);
    Cluster cluster(config);
    submit_some(cluster, 3, config.nodes, 20, 30, seconds(5));
    cluster.run(seconds(30));
    Verdict verdict = settle(cluster, 0);
    if (verdict.problem.empty()) verdict.problem = unsuccessful(cluster);
    return verdict;
}

Verdict harsh(std::uint64_t seed) {
    const ClusterConfig config = config_of(seed, 0.002);
    Cluster cluster(config);
    cluster.network().weather(rough);
    cluster.disk().wear(worn);
    submit_some(cluster, 4, config.nodes, 5, 60, seconds(15));
    cluster.stop(TaskId("task2-1"), seconds(10));
    std::size_t faults = 0;
    const TimePoint end = cluster.world().now() + seconds(25);
    while (cluster.world().now() < end && !cluster.watch().violation()) {
        cluster.run(cluster.world().between(milliseconds(100), milliseconds(2500)));
        faults += harsh_fault(cluster) ? 1 : 0;
    }
    return settle(cluster, faults);
}

Verdict gentle(std::uint64_t seed, InjectedBug bug) {
    ClusterConfig config = config_of(seed, 0);
    config.bug = bug;
    Cluster cluster(config);
    cluster.network().weather(rough);
    submit_some(cluster, 2, config.nodes, 50, 150, seconds(5));
    std::size_t faults = 0;
    for (int i = 0; i < 3 && !cluster.watch().violation(); ++i) {
        cluster.run(cluster.world().between(milliseconds(500), seconds(6)));
        Duration lasts{};
        faults += gentle_fault(cluster, lasts) ? 1 : 0;
        // Leave time for all connections to be made again.
        cluster.run(lasts + seconds(12));
    }
    Verdict verdict = settle(cluster, faults);
    if (verdict.problem.empty()) verdict.problem = unsuccessful(cluster);
    return verdict;
}

Verdict recovery(std::uint64_t seed, InjectedBug bug) {
    Cluster cluster(surviving(seed, bug));
    World& world = cluster.world();
    train_some(cluster, 2, 10, 30, seconds(2));
    cluster.run(seconds(2));
    const std::size_t wanted = 1 + world.pick(5);
    std::size_t faults = 0;
    Duration lasts{};  // time until the last fault has ended
    for (std::size_t i = 0; i < wanted && !cluster.watch().violation(); ++i) {
        const Duration pause = world.between(milliseconds(50), seconds(4));
        cluster.run(pause);
        Duration this_one{};
        faults += recovery_fault(cluster, this_one) ? 1 : 0;
        lasts = std::max(lasts - pause, this_one);
    }
    return settle(cluster, faults, lasts, long_settling);
}

Verdict recuts(std::uint64_t seed, InjectedBug bug) {
    Cluster cluster(surviving(seed, bug));
    World& world = cluster.world();
    train_some(cluster, 1 + world.pick(2), 40, 60, seconds(1));
    cluster.run(seconds(3));
    const std::size_t acts = 3 + world.pick(6);
    std::size_t faults = 0;
    Duration lasts{};  // time until the last fault is over
    for (std::size_t i = 0; i < acts && !cluster.watch().violation(); ++i) {
        const Duration pause = world.between(milliseconds(50), seconds(2));
        cluster.run(pause);
        lasts -= pause;
        if (world.chance(0.6)) {
            if (world.chance(0.75)) cluster.recut();
            else cluster.drain();
            continue;
        }
        Duration this_one{};
        faults += recovery_fault(cluster, this_one) ? 1 : 0;
        lasts = std::max(lasts, this_one);
    }
    return settle(cluster, faults, std::max(lasts, Duration{}), long_settling);
}

}  // namespace divisi::sim
