// SPDX-License-Identifier: Apache-2.0
// Compares the step time that a plan predicts through gateways and routers with the measured one.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "tests/bench/mesh/benches.h"
#include "tests/bench/mesh/relaying.h"
#include "tests/support/task_file.h"
#include "tests/system/programs.h"

namespace divisi::bench {
namespace {

using tests::Finished, tests::Programs;

/// Steps that are not counted, because the first ones fault in their memory.
constexpr int warm_up_steps = 3;
constexpr int counted_steps = 20;

testing::TaskFile hops_task(const char* second_node) {
    return testing::TaskFile("hops")
        .gpt(4, 128, 4, 64)
        .set("data.samples", 256)
        .section("train",
                 {{"steps", warm_up_steps + counted_steps}, {"batch", 16}, {"microbatches", 8}, {"optimizer", "adamw"}})
        .section("split", {{"stages", 2}, {"schedule", "1f1b"}})
        .set("place.stages", {"mic-1/node-1", second_node});
}

struct Case {
    const char* name;
    const char* second_node;
    const char* rate;   ///< rate of the link sr-1 - mg-2; null: unchanged
    const char* delay;  ///< delay of the same link; null: unchanged
};
constexpr Case cases[] = {
    {"in one MIC", "mic-1/node-2", nullptr, nullptr},          {"across MICs", "mic-2/node-1", nullptr, nullptr},
    {"a link of 50 MB/s", "mic-2/node-1", "50MB/s", nullptr},  {"a link of 10 MB/s", "mic-2/node-1", "10MB/s", nullptr},
    {"a link with 5 ms more", "mic-2/node-1", nullptr, "5ms"},
};

/// Runs a command and exits unless the command succeeds.
Finished must(const Programs& programs, const QStringList& arguments) {
    Finished done = programs.run(arguments, 600'000);
    if (done.status != 0) give_up(arguments.join(' ').toStdString() + ": " + done.errors.toStdString());
    return done;
}

double step_ms(const Finished& run) {
    std::vector<double> times;
    const auto steps = run.objects("step");
    for (qsizetype i = warm_up_steps; i < steps.size(); ++i) times.push_back(steps[i]["step_ms"].toDouble());
    return median(times);
}

}  // namespace

int hops_bench(const Arguments& arguments) {
    const int rounds = arguments.empty() ? 3 : std::max(1, std::atoi(arguments.front()));
    Programs programs;
    if (!programs.cluster_up()) give_up("the cluster does not start");
    const auto task = [&](const Case& one) { return programs.write("hops.toml", hops_task(one.second_node)); };
    must(programs, {"profile", task(cases[0])});
    std::printf("gpt of 4 layers in two stages, ms a step: predicted, measured (median of %d rounds)\n", rounds);
    std::printf("%-24s %10s %10s %8s  %s\n", "", "predicted", "measured", "error", "path");
    double worst = 0;
    for (const Case& one : cases) {
        if (one.rate) must(programs, {"fault", "slow-link", "sr-1", "mg-2", "--rate", one.rate});
        if (one.delay) must(programs, {"fault", "slow-link", "sr-1", "mg-2", "--delay", one.delay});
        must(programs, {"links", "--measure"});
        const QString file = task(one);
        const QJsonObject planned = must(programs, {"plan", file, "--json"}).objects().value(0);
        std::vector<double> measured;
        for (int round = 0; round < rounds; ++round)
            measured.push_back(step_ms(must(programs, {"run", file, "--json"})));
        const double predicted = planned["predicted_step_ms"].toDouble(), took = median(measured);
        const QJsonObject path = planned["paths"].toArray().at(0).toObject();
        std::printf("%-24s %10.1f %10.1f %7.1f%%  %s\n", one.name, predicted, took, 100 * (predicted - took) / took,
                    qPrintable(path["narrowest"].toString()));
        std::fflush(stdout);
        worst = std::max(worst, std::abs(std::log(predicted / took)));
        if (one.rate || one.delay) must(programs, {"fault", "heal"});
    }
    std::printf("largest ratio of predicted and measured time (or its inverse): %.2f\n", std::exp(worst));
    return 0;
}

}  // namespace divisi::bench
