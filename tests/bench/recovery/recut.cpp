// SPDX-License-Identifier: Apache-2.0
// Measures the cost of a re-cut of a running task: how much longer the pause is than a normal step.
#include <QCoreApplication>
#include <algorithm>
#include <cstdio>
#include <optional>
#include <vector>

#include "tests/bench/prediction/agreement.h"
#include "tests/bench/recovery/task_timeline.h"
#include "tests/system/disturbed_run.h"

namespace {

using divisi::bench::median;
using divisi::bench::Spread;
using divisi::bench::TaskTimeline;
using divisi::tests::DisturbedRun;
using divisi::tests::Finished;
using divisi::tests::Programs;

const char* task_file = DIVISI_SOURCE_DIR "/resources/tasks/gpt-text.toml";
constexpr const char* task = "gpt-text-1";
/// Two of six layers move from one stage to the other, and back.
constexpr const char *early = "/layers/1/Add_1", *late = "/layers/3/Add_1";
/// Steps between two re-cuts. Their median is the time of a step.
constexpr int steps_between = 10;
constexpr int recut_limit_ms = 120'000;

/// The learning rate is constant. The reference ends at the step where the run was stopped, so with a schedule its
/// learning rate would fall faster than that of the run.
QStringList settings() {
    return {"model.layers=6",       "model.width=192",    "train.steps=1000000",   "train.lr_schedule=constant",
            "train.warmup_steps=0", "train.eval_every=0", "checkpoint.every=never"};
}

struct Cost {
    double stall_ms = 0, step_ms = 0, brought = 0;
    int again = 0;
};

/// One training, whose cut moves back and forth.
class Training {
public:
    bool start() {
        if (!programs_.cluster_up()) return complain("the cluster does not start");
        run_.emplace(programs_, task_file, settings());
        if (!run_->wait_for_steps(steps_between)) return complain("the training does not begin");
        // Ignores the status: the re-cut is refused if the planner's first cut is already at that place.
        (void)programs_.run({"recut", task, "--cuts", late, "--json"}, recut_limit_ms);
        return run_->wait_for_more_steps() || complain("the training does not go on");
    }
    std::optional<Cost> recut(const char* cut) {
        Cost cost;
        cost.step_ms = step_ms();
        const Finished done = programs_.run({"recut", task, "--cuts", cut, "--json"}, recut_limit_ms);
        const QJsonObject said = done.objects().value(0);
        if (done.status != 0 || !run_->wait_for_generation(said["generation"].toInt()) ||
            !run_->wait_for_more_steps()) {
            complain(done.errors);
            return std::nullopt;
        }
        cost.stall_ms = said["stall_ms"].toDouble();
        cost.brought = said["brought_bytes"].toDouble();
        cost.again = said["steps_again"].toInt();
        return cost;
    }
    /// Stops the task. Returns whether all its losses match the reference.
    bool end() {
        run_->stop();
        const Finished reference = run_->reference();
        if (reference.status != 0) return complain(reference.errors);
        TaskTimeline timeline;
        for (const QJsonObject& line : run_->lines()) timeline.take(line, 0);
        const QString difference = timeline.difference(reference.losses());
        return difference.isEmpty() || complain(difference);
    }

private:
    /// Returns the median time of the last steps.
    double step_ms() const {
        const auto steps = run_->all("step");
        std::vector<double> times;
        for (const QJsonObject& step : steps.last(std::min<qsizetype>(steps.size(), steps_between)))
            times.push_back(step["step_ms"].toDouble());
        return median(times);
    }
    bool complain(const QString& what) {
        std::fprintf(stderr, "%s\n%s", qPrintable(what), run_ ? run_->told().constData() : "");
        return false;
    }

    Programs programs_;
    std::optional<DisturbedRun> run_;
};

}  // namespace

int main(int argc, char** argv) {
    const QCoreApplication app(argc, argv);
    const QStringList words = QCoreApplication::arguments();
    bool is_count = words.size() == 1;
    const int rounds = is_count ? 5 : words[1].toInt(&is_count);
    if (!is_count || rounds < 1 || words.size() > 2) {
        std::fprintf(stderr,
                     "use: divisi-bench-recut [rounds]; a round moves two layers from the first stage to the second, "
                     "and back\n");
        return 2;
    }
    Training training;
    if (!training.start()) return 1;
    std::vector<double> stalls, stood, in_steps;
    int again = 0;
    for (int number = 0; number < 2 * rounds; ++number) {
        const auto cost = training.recut(number % 2 == 0 ? early : late);
        if (!cost) return 1;
        std::printf(
            "two layers %s: the next step is done after %.0f ms, a step takes %.0f ms; %.1f MiB brought besides "
            "copies, "
            "%d steps again\n",
            number % 2 == 0 ? "over" : "back", cost->stall_ms, cost->step_ms, cost->brought / (1 << 20), cost->again);
        std::fflush(stdout);
        stalls.push_back(cost->stall_ms);
        stood.push_back(cost->stall_ms - cost->step_ms);
        in_steps.push_back(stood.back() / cost->step_ms);
        again += cost->again;
    }
    const Spread next = divisi::bench::spread(stalls), stall = divisi::bench::spread(stood),
                 steps = divisi::bench::spread(in_steps);
    std::printf("the next step is done after %.0f ms (median; %.0f to %.0f)\n", next.median, next.min, next.max);
    std::printf("of this time no step runs: %.0f ms (%.0f to %.0f), %.2f steps (%.2f to %.2f; wanted: 1 + transfer)\n",
                stall.median, stall.min, stall.max, steps.median, steps.min, steps.max);
    const bool good = training.end() && again == 0;
    std::printf(good ? "no step was repeated, and all losses equal the reference\n" : "failed\n");
    return good ? 0 : 1;
}
