// SPDX-License-Identifier: Apache-2.0
// What functional modules gain where they are made for it, and what they cost elsewhere: the same task with the module
// on and off, by turns, on one cluster.
#include <QThread>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "tests/bench/mesh/benches.h"
#include "tests/bench/mesh/relaying.h"
#include "tests/system/programs.h"

namespace divisi::bench {
namespace {

using tests::Finished, tests::Programs;

constexpr int warm_up_steps = 3;
constexpr double least_gain = 0.10, most_cost = 0.02;

/// Between its two stages a step sends 4 MB each way, in tensors of 1 MB, and computes little.
const char* task_text = R"(
[task]
name = "wide"
[model]
zoo = "mlp"
inputs = 16
width = 256
layers = 2
classes = 4
[data]
kind = "synthetic"
samples = 8192
[train]
steps = %1
batch = 4096
microbatches = 4
optimizer = "sgd"
[split]
stages = 2
schedule = "1f1b"
[place]
stages = ["mic-1/node-1", "mic-2/node-2"]
)";

struct Change {
    double at_s;  ///< after the start of the run
    const char* rate;
};
struct Scenario {
    const char* module;
    const char* name;
    int steps;
    const char* rate;             ///< of both ways from mg-1 at the start; null: as fast as they are
    std::vector<Change> changes;  ///< of the link mg-1 - sr-1
    bool made_for_it;
};
const Scenario scenarios[] = {
    {"link-trend",
     "a link that degrades from 20 to 11 MB/s",
     100,
     "20MB/s",
     {{10, "18MB/s"}, {13, "16MB/s"}, {16, "14MB/s"}, {19, "12MB/s"}, {22, "11MB/s"}},
     true},
    {"compute-routing", "a saturated path of 20 MB/s beside an idle one", 100, "20MB/s", {}, true},
    {"link-trend", "links as fast as they are", 400, nullptr, {}, false},
    {"compute-routing", "links as fast as they are", 400, nullptr, {}, false},
    {"link-trend", "steady links of 40 MB/s", 80, "40MB/s", {}, false},
};

Finished must(const Programs& programs, const QStringList& arguments) {
    Finished done = programs.run(arguments, 600'000);
    if (done.status != 0) give_up(arguments.join(' ').toStdString() + ": " + done.errors.toStdString());
    return done;
}

/// Milliseconds a step, on average: what is waited for counts, however it is spread.
double mean_step_ms(const Finished& run) {
    const auto steps = run.objects("step");
    double sum = 0;
    for (qsizetype i = warm_up_steps; i < steps.size(); ++i) sum += steps[i]["step_ms"].toDouble();
    return sum / static_cast<double>(std::max<qsizetype>(1, steps.size() - warm_up_steps));
}

double run(const Programs& programs, const Scenario& scenario, bool on) {
    must(programs, {"fault", "heal"});
    if (scenario.rate)
        for (const char* router : {"sr-1", "sr-2"})
            must(programs, {"fault", "slow-link", "mg-1", router, "--rate", scenario.rate});
    must(programs, {"modules", on ? "enable" : "disable", scenario.module});
    const QString file = programs.write("wide.toml", QString(task_text).arg(scenario.steps).toUtf8());
    QProcess process;
    process.setProcessEnvironment(programs.environment());
    process.start(Programs::program("divisictl"), {"run", file, "--json"});
    double passed = 0;
    for (const Change& change : scenario.changes) {
        QThread::msleep(static_cast<unsigned long>((change.at_s - passed) * 1e3));
        passed = change.at_s;
        must(programs, {"fault", "slow-link", "mg-1", "sr-1", "--rate", change.rate});
    }
    if (!process.waitForFinished(600'000) || process.exitCode() != 0)
        give_up("the run failed: " + process.readAllStandardError().toStdString());
    Finished finished;
    finished.output = process.readAllStandardOutput();
    return mean_step_ms(finished);
}

}  // namespace

int modules_bench(const Arguments& arguments) {
    const int rounds = arguments.empty() ? 3 : std::max(1, std::atoi(arguments.front()));
    Programs programs;
    if (!programs.cluster_up()) give_up("the cluster does not come up");
    for (const char* module : {"link-trend", "compute-routing"}) {
        must(programs, {"modules", "start", module});
        must(programs, {"modules", "disable", module});
    }
    std::printf("ms a step, module off and on by turns, median of %d rounds\n", rounds);
    std::printf("%-16s %-48s %8s %8s %8s\n", "", "", "off", "on", "ratio");
    bool held = true;
    for (const Scenario& scenario : scenarios) {
        std::vector<double> off, on, ratios;
        for (int round = 0; round < rounds; ++round) {
            off.push_back(run(programs, scenario, false));
            on.push_back(run(programs, scenario, true));
            ratios.push_back(on.back() / off.back());
            must(programs, {"modules", "disable", scenario.module});
        }
        const double ratio = median(ratios);
        const bool good = scenario.made_for_it ? ratio <= 1 - least_gain : ratio <= 1 + most_cost;
        held = held && good;
        std::printf("%-16s %-48s %8.1f %8.1f %8.3f%s\n", scenario.module, scenario.name, median(off), median(on), ratio,
                    good                   ? ""
                    : scenario.made_for_it ? "  gains less than 10 %"
                                           : "  costs more than 2 %");
        std::fflush(stdout);
    }
    return held ? 0 : 1;
}

}  // namespace divisi::bench
