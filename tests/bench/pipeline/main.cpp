// SPDX-License-Identifier: Apache-2.0
// Two stages on two cores against the unsplit reference on one thread, as ratios of one run.
#include <QCoreApplication>
#include <algorithm>
#include <cstdio>
#include <vector>

#include "tests/system/programs.h"

namespace {

using divisi::tests::Finished;
using divisi::tests::Programs;

/// Steps that are not counted: the first ones touch memory for the first time.
constexpr int warm_up_steps = 3;

const char* task_text = R"(
[task]
name = "pipeline"
[model]
zoo = "gpt"
layers = 6
width = 192
heads = 6
context = 128
[data]
kind = "text"
path = "%1/resources/samples/text/divisi.txt"
[train]
steps = %2
batch = 16
microbatches = 8
optimizer = "adamw"
lr = 0.001
seed = 1
[split]
stages = 2
schedule = "1f1b"
)";

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// Median step time in milliseconds; 0 and a message when the run failed.
double step_ms(const Finished& run, const char* what) {
    std::vector<double> times;
    const auto steps = run.objects("step");
    for (qsizetype i = warm_up_steps; i < steps.size(); ++i) times.push_back(steps[i]["step_ms"].toDouble());
    if (run.status != 0 || times.empty()) std::fprintf(stderr, "%s failed: %s\n", what, qPrintable(run.errors));
    return median(times);
}

}  // namespace

int main(int argc, char** argv) {
    const QCoreApplication app(argc, argv);
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
    const int steps = argc > 2 ? std::atoi(argv[2]) : 12;
    Programs programs;
    const QString task = programs.write("pipeline.toml", QString(task_text).arg(DIVISI_SOURCE_DIR).arg(steps).toUtf8());
    if (!programs.cluster_up()) {
        std::fprintf(stderr, "the cluster does not come up\n");
        return 1;
    }
    std::vector<double> ratios, unsplit, split;
    for (int round = 0; round < rounds; ++round) {
        const Finished reference = programs.run({"reference", task, "--json"}, 600'000);
        const Finished run = programs.run({"run", task, "--json"}, 600'000);
        const double one = step_ms(reference, "reference"), two = step_ms(run, "run");
        if (one == 0 || two == 0) return 1;
        if (reference.losses() != run.losses()) {
            std::fprintf(stderr, "the losses differ\n");
            return 1;
        }
        unsplit.push_back(one);
        split.push_back(two);
        ratios.push_back(one / two);
        std::printf("round %d: reference %.1f ms, two stages %.1f ms a step, ratio %.3f\n", round + 1, one, two,
                    one / two);
        std::fflush(stdout);
    }
    const double ideal = 2.0 * 8 / (8 + 1);
    std::printf("median: reference %.1f ms, two stages %.1f ms a step, ratio %.3f (ideal of this pipeline %.2f)\n",
                median(unsplit), median(split), median(ratios), ideal);
    return 0;
}
