// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/sim/scenario.h"
#include "tests/support/test_program.h"

namespace cluster_test {

using namespace divisi::sim;

namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    return qEnvironmentVariableIsSet(name) ? qEnvironmentVariable(name).toULongLong() : otherwise;
}

#ifdef __SANITIZE_ADDRESS__
constexpr std::uint64_t share = 10;  // under a sanitizer, a world takes ten times as long
#else
constexpr std::uint64_t share = 1;
#endif

/// Runs the scenario for `seeds` seeds, for DIVISI_SIM_SEEDS seeds if that is set, or for DIVISI_SEED alone.
void run(const char* name, Verdict (*scenario)(std::uint64_t), std::uint64_t seeds) {
    const std::uint64_t one = from_environment("DIVISI_SEED", 0);
    const std::uint64_t last = one ? one : from_environment("DIVISI_SIM_SEEDS", seeds / share);
    std::size_t faults = 0, events = 0, recoveries = 0, checkpoints = 0, plans = 0;
    double slowest = 0;
    for (std::uint64_t seed = one ? one : 1; seed <= last; ++seed) {
        const Verdict verdict = scenario(seed);
        QVERIFY2(
            verdict.problem.empty(),
            qPrintable(
                QString("%1, DIVISI_SEED=%2: %3").arg(name).arg(seed).arg(QString::fromStdString(verdict.problem))));
        faults += verdict.faults;
        events += verdict.events;
        recoveries += verdict.recoveries;
        checkpoints += verdict.checkpoints;
        plans += verdict.recuts;
        slowest = std::max(slowest, verdict.settled_s);
    }
    qInfo("%s: %llu seeds, %zu faults, %zu events; settled after at most %.0f s", name,
          static_cast<unsigned long long>(one ? 1 : last), faults, events, slowest);
    if (recoveries > 0) qInfo("%zu recoveries, %zu checkpoints, %zu re-cuts", recoveries, checkpoints, plans);
    QVERIFY2(one || faults >= last, "too few faults occurred for a meaningful test");
}

Verdict gentle_of(std::uint64_t seed) { return gentle(seed); }
Verdict generations_of(std::uint64_t seed) { return generations(seed); }
Verdict recovery_of(std::uint64_t seed) { return recovery(seed); }
Verdict recuts_of(std::uint64_t seed) { return recuts(seed); }
Verdict hops_of(std::uint64_t seed) { return hops(seed); }

using BuggyScenario = Verdict (*)(std::uint64_t, InjectedBug);
/// The scenarios that accept a planted bug, in the order of their names below.
constexpr BuggyScenario scenarios[] = {gentle, generations, recovery, recuts, hops};
enum Scenario : int { of_gentle, of_generations, of_recovery, of_recuts, of_hops };

}  // namespace

/// Tests the cluster's processes under faults. Each world follows from one seed, and a failing seed is printed.
/// DIVISI_SEED replays one seed; DIVISI_SIM_SEEDS sets the number of seeds.
class ClusterSimulation : public QObject {
    Q_OBJECT
public:
    /// Qt Test ends a function after five minutes. 20,000 seeds take longer, and so do 2,000 seeds under a sanitizer.
    static void initMain() {
        if (!qEnvironmentVariableIsSet("QTEST_FUNCTION_TIMEOUT")) qputenv("QTEST_FUNCTION_TIMEOUT", "36000000");
    }
private Q_SLOTS:
    void without_faults_every_task_succeeds();
    void equal_seeds_give_equal_runs();
    void short_faults_are_tolerated() { run("gentle", gentle_of, 600); }
    void generations_change_without_a_stall() { run("generations", generations_of, 300); }
    void tensors_pass_gateways_and_routers() { run("hops", hops_of, 150); }
    void no_fault_breaks_an_invariant() { run("harsh", harsh, 1400); }
    void tasks_recover_from_faults() { run("recovery", recovery_of, 2000); }
    void tasks_are_recut_among_faults() { run("recuts", recuts_of, 1000); }
    void seeds_of_past_bugs_pass();
    void enough_recoveries_occur_in_the_recovery_scenario();
    void enough_recuts_and_recoveries_occur_in_the_recuts_scenario();
    void planted_bugs_are_found_data();
    void planted_bugs_are_found();
};

void ClusterSimulation::without_faults_every_task_succeeds() {
    for (const std::uint64_t seed : {1, 2, 3}) {
        const Verdict verdict = quiet(seed);
        QVERIFY2(verdict.problem.empty(), verdict.problem.c_str());
        QVERIFY(verdict.events > 100);
    }
}

void ClusterSimulation::equal_seeds_give_equal_runs() {
    const Verdict one = harsh(7), same = harsh(7), other = harsh(8);
    QVERIFY(one.events > 50);
    QCOMPARE(one.events, same.events);
    QVERIFY(one.content == same.content);
    QVERIFY(one.content != other.content);
}

/// These seeds run in addition to the seeds of every run.
void ClusterSimulation::seeds_of_past_bugs_pass() {
    for (const std::uint64_t seed : {2495, 9653}) {
        const Verdict verdict = recovery(seed);
        QVERIFY2(verdict.problem.empty(), qPrintable(QString::number(seed) + ": " + verdict.problem.c_str()));
    }
    for (const std::uint64_t seed : {1480, 2372, 15816}) {
        const Verdict verdict = recuts(seed);
        QVERIFY2(verdict.problem.empty(), qPrintable(QString::number(seed) + ": " + verdict.problem.c_str()));
    }
}

void ClusterSimulation::enough_recoveries_occur_in_the_recovery_scenario() {
    constexpr std::uint64_t seeds = 50;
    std::size_t recoveries = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) recoveries += recovery(seed).recoveries;
    QVERIFY2(recoveries >= seeds / 2, "too few recoveries occurred for a meaningful test");
}

void ClusterSimulation::enough_recuts_and_recoveries_occur_in_the_recuts_scenario() {
    constexpr std::uint64_t seeds = 50;
    std::size_t plans = 0, recoveries = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const Verdict verdict = recuts(seed);
        plans += verdict.recuts;
        recoveries += verdict.recoveries;
    }
    QVERIFY2(plans >= seeds / 5, qPrintable(QStringLiteral("%1 re-cuts are too few to mean anything").arg(plans)));
    QVERIFY2(recoveries >= seeds / 2, "too few recoveries occurred for a meaningful test");
}

void ClusterSimulation::planted_bugs_are_found_data() {
    QTest::addColumn<int>("bug");
    QTest::addColumn<int>("scenario");
    const auto add = [](const char* name, InjectedBug bug, Scenario scenario = of_recovery) {
        QTest::newRow(name) << static_cast<int>(bug) << static_cast<int>(scenario);
    };
    add("a second silence detector counts its own pauses as silence", InjectedBug::accuses_after_a_pause, of_gentle);
    add("a new generation's hello opens no flow", InjectedBug::hellos_are_lost, of_generations);
    add("a process keeps the weights of its previous instance", InjectedBug::keeps_its_state);
    add("reports carry the current generation instead of their own", InjectedBug::reports_unfenced);
    add("a restored instance starts one step too early", InjectedBug::begins_too_early);
    add("a snapshot is reported before it is durable", InjectedBug::reports_before_durable);
    add("a stage continues past the step at which it must hold", InjectedBug::goes_on_past_a_hold, of_recuts);
    add("a node reports a blob before the blob is durable", InjectedBug::brought_before_durable, of_recuts);
    add("a merged stage restores only one of two snapshots", InjectedBug::begins_with_one_part, of_recuts);
    add("a restarted orchestrator does not adopt running tasks", InjectedBug::forgets_to_adopt);
    add("gateways and routers return credit twice", InjectedBug::returns_credit_twice, of_hops);
}

void ClusterSimulation::planted_bugs_are_found() {
    QFETCH(int, bug);
    QFETCH(int, scenario);
    constexpr std::uint64_t most = 1000;
    std::uint64_t seed = 1;
    std::string problem;
    while (seed <= most && (problem = scenarios[scenario](seed, static_cast<InjectedBug>(bug)).problem).empty()) ++seed;
    qInfo("seed %llu: %s", static_cast<unsigned long long>(seed), problem.c_str());
    QVERIFY2(!problem.empty(), "no seed finds the planted bug");
}

DIVISI_TEST(ClusterSimulation)

}  // namespace cluster_test

#include "cluster_test.moc"
