// SPDX-License-Identifier: Apache-2.0
// Measures the gain from functional modules in the scenarios for which they were made, and their cost in other
// scenarios. The same task runs on one cluster with the module alternately on and off.
#include <QElapsedTimer>
#include <QThread>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tests/bench/mesh/benches.h"
#include "tests/bench/mesh/relaying.h"
#include "tests/support/task_file.h"
#include "tests/system/programs.h"

namespace divisi::bench {
namespace {

using tests::Finished, tests::Programs;

constexpr int warm_up_steps = 3;
constexpr double least_gain = 0.10, most_cost = 0.02;
/// A module gives advice only after watching for some seconds. It stays on long enough to also give bad advice.
constexpr qint64 off_ms = 5000, on_ms = 10'000;
/// Time after a switch until the steps that were in flight are done.
constexpr qint64 settling_ms = 500;

struct Change {
    double at_s;  ///< seconds after the start of the run
    const char* rate;
};
/// A scenario with a new run for each measurement, with and without the module.
struct Gain {
    const char* module;
    const char* name;
    int steps;
    const char* rate;             ///< rate of both paths from mg-1 at the start
    std::vector<Change> changes;  ///< rate changes of the link mg-1 - sr-1
};
const Gain gains[] = {
    {"link-trend",
     "a link that degrades from 20 to 11 MB/s",
     100,
     "20MB/s",
     {{10, "18MB/s"}, {13, "16MB/s"}, {16, "14MB/s"}, {19, "12MB/s"}, {22, "11MB/s"}}},
    {"compute-routing", "a saturated path of 20 MB/s beside an idle one", 100, "20MB/s", {}},
};

/// A task whose stages compute most of the time, in two MICs.
testing::TaskFile computing_task(int steps) {
    return testing::TaskFile("computing")
        .section("model", {{"inputs", 256}, {"width", 512}, {"layers", 4}, {"classes", 4}})
        .set("data.samples", 2048)
        .section("train", {{"steps", steps}, {"batch", 512}, {"microbatches", 4}, {"optimizer", "sgd"}})
        .section("split", {{"stages", 2}, {"schedule", "1f1b"}})
        .set("place.stages", {"mic-1/node-1", "mic-2/node-2"});
}
/// A scenario with one run in which the module is switched on and off.
struct Cost {
    const char* module;
    const char* name;
    testing::TaskFile (*task)(int steps);
    const char* rate;  ///< rate of both paths from mg-1; null: not slowed
};
const Cost costs[] = {
    {"link-trend", "links as fast as they are", tests::wide_task, nullptr},
    {"compute-routing", "links as fast as they are", tests::wide_task, nullptr},
    {"link-trend", "steady links of 40 MB/s", tests::wide_task, "40MB/s"},
    {"compute-routing", "stages that compute most of the time", computing_task, nullptr},
};

Finished must(const Programs& programs, const QStringList& arguments) {
    Finished done = programs.run(arguments, 600'000);
    if (done.status != 0) give_up(arguments.join(' ').toStdString() + ": " + done.errors.toStdString());
    return done;
}

void set_links(const Programs& programs, const char* rate) {
    must(programs, {"fault", "heal"});
    if (!rate) return;
    for (const char* router : {"sr-1", "sr-2"}) must(programs, {"fault", "slow-link", "mg-1", router, "--rate", rate});
}

void set_module(const Programs& programs, const char* module, bool on) {
    must(programs, {"modules", on ? "enable" : "disable", module});
}

/// A task that trains during the measurement.
class Run {
public:
    Run(const Programs& programs, const testing::TaskFile& task) {
        const QString file = programs.write("modules.toml", task);
        process_.setProcessEnvironment(programs.environment());
        process_.start(Programs::program("divisictl"), {"run", file, "--json"});
    }
    ~Run() {
        process_.kill();
        process_.waitForFinished();
    }
    void wait() {
        if (!process_.waitForFinished(600'000) || process_.exitCode() != 0)
            give_up("the run failed: " + process_.readAllStandardError().toStdString());
    }
    /// Stops the task before its last step.
    void stop(const Programs& programs) {
        const auto tasks = must(programs, {"tasks", "--json"}).objects();
        must(programs, {"tasks", "stop", tasks.last()["task"].toString()});
        if (!process_.waitForFinished(60'000)) give_up("the run does not stop");
    }
    /// Returns the milliseconds of each step done since the last call, including steps of the next `ms` milliseconds.
    std::vector<double> steps(qint64 ms = 0) {
        QElapsedTimer timer;
        timer.start();
        do {
            if (ms > 0) process_.waitForReadyRead(50);
            read_ += process_.readAllStandardOutput();
        } while (timer.elapsed() < ms);
        Finished finished;
        const qsizetype whole = read_.lastIndexOf('\n') + 1;
        finished.output = read_.left(whole);
        read_.remove(0, whole);
        std::vector<double> times;
        for (const QJsonObject& step : finished.objects("step")) times.push_back(step["step_ms"].toDouble());
        return times;
    }

private:
    QProcess process_;
    QByteArray read_;
};

/// Returns the mean milliseconds per step. The mean includes all waiting times, however they are spread over the steps.
double mean_step_ms(const Programs& programs, const Gain& scenario, bool on) {
    set_links(programs, scenario.rate);
    set_module(programs, scenario.module, on);
    Run run(programs, tests::wide_task(scenario.steps));
    double passed = 0;
    for (const Change& change : scenario.changes) {
        QThread::msleep(static_cast<unsigned long>((change.at_s - passed) * 1e3));
        passed = change.at_s;
        must(programs, {"fault", "slow-link", "mg-1", "sr-1", "--rate", change.rate});
    }
    run.wait();
    const std::vector<double> steps = run.steps();
    double sum = 0;
    for (std::size_t i = warm_up_steps; i < steps.size(); ++i) sum += steps[i];
    return sum / static_cast<double>(std::max<std::size_t>(1, steps.size() - warm_up_steps));
}

/// Step times with the module off and on, one of each per round.
struct Rounds {
    std::vector<double> off, on;
    int advice = 0;  ///< advice that the module gave during the rounds

    std::vector<double> ratios() const {
        std::vector<double> ratios;
        for (std::size_t i = 0; i < on.size(); ++i) ratios.push_back(on[i] / off[i]);
        std::ranges::sort(ratios);
        return ratios;
    }
};

int advice_given(const Programs& programs, const char* module) {
    for (const QJsonObject& one : must(programs, {"modules", "--json"}).objects())
        if (one["module"].toString() == module) return one["given"].toInt();
    return 0;
}

/// Starts a cluster with the module, and switches the module off.
template <typename Scenario>
void begin(Programs& programs, const Scenario& scenario) {
    if (!programs.cluster_up()) give_up("the cluster does not start");
    set_links(programs, scenario.rate);
    must(programs, {"modules", "start", scenario.module});
    set_module(programs, scenario.module, false);
}

/// Runs each measurement on its own cluster. The orchestrator keeps its observations of paths and the shares that it
/// has moved. On a shared cluster these would influence the next run without the module.
Rounds measure(const Gain& scenario, int rounds) {
    Rounds measured;
    const auto one = [&](bool on) {
        Programs programs;
        begin(programs, scenario);
        const double step_ms = mean_step_ms(programs, scenario, on);
        measured.advice += advice_given(programs, scenario.module);
        return step_ms;
    };
    for (int round = 0; round < rounds; ++round) {
        measured.off.push_back(one(false));
        measured.on.push_back(one(true));
    }
    return measured;
}

/// Returns the median step with the module on or off. The median ignores steps that other programs delay.
double median_step_ms(const Programs& programs, const Cost& scenario, Run& run, bool on) {
    set_module(programs, scenario.module, on);
    (void)run.steps(settling_ms);
    const std::vector<double> steps = run.steps(on ? on_ms : off_ms);
    if (steps.empty()) give_up("no step was done within seconds");
    return median(steps);
}

/// Switches the module off, on, off, on, ... and compares each on-period with the mean of its neighbouring off-periods.
Rounds measure(const Cost& scenario, int rounds) {
    Programs programs;
    begin(programs, scenario);
    Run run(programs, scenario.task(1'000'000));
    while (run.steps(100).size() < warm_up_steps) {}
    Rounds measured;
    double before = median_step_ms(programs, scenario, run, false);
    for (int round = 0; round < rounds; ++round) {
        measured.on.push_back(median_step_ms(programs, scenario, run, true));
        const double after = median_step_ms(programs, scenario, run, false);
        measured.off.push_back((before + after) / 2);
        before = after;
    }
    run.stop(programs);
    measured.advice = advice_given(programs, scenario.module);
    return measured;
}

/// Reports whether the module gains enough, or costs little enough, in the median of the rounds.
template <typename Scenario>
bool report(const Scenario& scenario, int rounds, double limit, const char* beyond) {
    const Rounds measured = measure(scenario, rounds);
    const std::vector<double> ratios = measured.ratios();
    const double ratio = median(ratios);
    const auto quarter = static_cast<std::ptrdiff_t>(ratios.size() / 4);
    std::printf("%-16s %-48s %8.1f %8.1f %8.3f  %.3f-%.3f %7d%s\n", scenario.module, scenario.name,
                median(measured.off), median(measured.on), ratio, ratios[static_cast<std::size_t>(quarter)],
                ratios.rbegin()[quarter], measured.advice, ratio > limit ? beyond : "");
    std::fflush(stdout);
    return ratio <= limit;
}

}  // namespace

int modules_bench(const Arguments& arguments) {
    const int rounds = arguments.empty() ? 3 : std::max(1, std::atoi(arguments.front()));
    std::printf("ms per step with the module alternately off and on: medians of %d rounds, or %d in cost scenarios\n",
                rounds, 3 * rounds);
    std::printf("%-16s %-48s %8s %8s %8s  %-11s %7s\n", "", "", "off", "on", "ratio", "quartiles", "advice");
    bool held = true;
    for (const Gain& scenario : gains) held &= report(scenario, rounds, 1 - least_gain, "  gains less than 10 %");
    for (const Cost& scenario : costs) held &= report(scenario, 3 * rounds, 1 + most_cost, "  costs more than 2 %");
    return held ? 0 : 1;
}

}  // namespace divisi::bench
