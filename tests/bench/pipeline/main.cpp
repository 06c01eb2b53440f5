// SPDX-License-Identifier: Apache-2.0
// Two stages on two cores against the unsplit reference on one thread, as ratios of one run, and where the time
// of a step goes.
#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "tests/bench/pipeline/breakdown.h"
#include "tests/system/programs.h"

namespace {

using divisi::bench::break_down;
using divisi::bench::read_trace;
using divisi::bench::Shares;
using divisi::bench::Trace;
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

constexpr std::pair<const char*, double Shares::*> columns[] = {
    {"compute", &Shares::compute}, {"off core", &Shares::off_core},      {"dispatch", &Shares::dispatch},
    {"wire", &Shares::wire},       {"fill, drain", &Shares::fill_drain}, {"other idle", &Shares::idle},
    {"data", &Shares::data},
};

void print_head() {
    std::printf("\n%-10s%8s", "mean ms", "step");
    for (const auto& [name, share] : columns) std::printf("%17s", name);
    std::printf("%18s\n", "sockets (beside)");
}

void print_shares(const char* name, const Shares& shares) {
    std::printf("%-10s%8.1f", name, shares.step);
    for (const auto& [column, share] : columns)
        std::printf("%8.1f (%4.1f %%)", shares.*share, 100 * shares.*share / shares.step);
    std::printf("%18.1f\n", shares.sockets);
}

/// Where a step goes, as the instances' traces tell.
class Breakdown {
public:
    explicit Breakdown(Programs& programs) : folder_(programs.folder() + "/trace") {
        QDir().mkpath(folder_);
        programs.set_variable("DIVISI_TRACE", folder_);
    }
    /// False when the shares of a stage do not add up to its steps.
    bool take_round() {
        std::vector<Trace> stages;
        for (const QString& file : QDir(folder_).entryList({"*.stage-*.csv"}, QDir::Files, QDir::Name))
            stages.push_back(read_trace(folder_ + "/" + file));
        add(break_down({read_trace(folder_ + "/reference.csv")}, warm_up_steps), 0);
        add(break_down(stages, warm_up_steps), 1);
        for (const QString& file : QDir(folder_).entryList(QDir::Files)) QFile::remove(folder_ + "/" + file);
        return std::all_of(sums_.begin(), sums_.end(), [](const Shares& shares) {
            return shares.step > 0 && std::abs(shares.sum() - shares.step) < 0.001 * shares.step;
        });
    }
    void print(double steps) const {
        print_head();
        for (std::size_t i = 0; i < sums_.size(); ++i)
            print_shares(i == 0 ? "reference" : qPrintable(QString("stage %1").arg(i - 1)), sums_[i].over(steps));
    }

private:
    void add(const std::vector<Shares>& shares, std::size_t at) {
        sums_.resize(std::max(sums_.size(), at + shares.size()));
        for (std::size_t i = 0; i < shares.size(); ++i) sums_[at + i] += shares[i];
    }

    QString folder_;
    std::vector<Shares> sums_;
};

}  // namespace

int main(int argc, char** argv) {
    const QCoreApplication app(argc, argv);
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
    const int steps = argc > 2 ? std::atoi(argv[2]) : 12;
    Programs programs;
    const QString task = programs.write("pipeline.toml", QString(task_text).arg(DIVISI_SOURCE_DIR).arg(steps).toUtf8());
    Breakdown breakdown(programs);
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
        if (!breakdown.take_round()) {
            std::fprintf(stderr, "the parts do not add up to the step\n");
            return 1;
        }
        std::printf("round %d: reference %.1f ms, two stages %.1f ms a step, ratio %.3f\n", round + 1, one, two,
                    one / two);
        std::fflush(stdout);
    }
    const double ideal = 2.0 * 8 / (8 + 1);
    std::printf("median: reference %.1f ms, two stages %.1f ms a step, ratio %.3f (ideal of this pipeline %.2f)\n",
                median(unsplit), median(split), median(ratios), ideal);
    breakdown.print(static_cast<double>(rounds) * (steps - warm_up_steps));
    return 0;
}
