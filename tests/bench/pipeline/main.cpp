// SPDX-License-Identifier: Apache-2.0
// Compares two stages on two cores with the unsplit reference on one thread, as ratios within one run. Shows how the
// time of a step is spent. With --peer PYTHON, it also runs PyTorch's own eager step and pipeline, alternating with
// Divisi's.
#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

#include "tests/bench/pipeline/breakdown.h"
#include "tests/support/task_file.h"
#include "tests/system/programs.h"

namespace {

using divisi::bench::break_down;
using divisi::bench::read_trace;
using divisi::bench::Shares;
using divisi::bench::Trace;
using divisi::tests::Finished;
using divisi::tests::Programs;

/// Steps that are not counted, because the first ones fault in their memory.
constexpr int warm_up_steps = 3;

divisi::testing::TaskFile pipeline_task(int steps) {
    return divisi::testing::TaskFile("pipeline")
        .gpt(6, 192, 6, 128)
        .replace("data", {{"kind", "text"}, {"path", DIVISI_SOURCE_DIR "/resources/samples/text/divisi.txt"}})
        .section(
            "train",
            {{"steps", steps}, {"batch", 16}, {"microbatches", 8}, {"optimizer", "adamw"}, {"lr", 0.001}, {"seed", 1}})
        .section("split", {{"stages", 2}, {"schedule", "1f1b"}});
}

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// Returns the median step time in milliseconds. If the run failed, prints a message and returns 0.
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

/// Breaks down the time of a step from the instances' traces.
class Breakdown {
public:
    explicit Breakdown(Programs& programs) : folder_(programs.folder() + "/trace") {
        QDir().mkpath(folder_);
        programs.set_variable("DIVISI_TRACE", folder_);
    }
    /// Returns false if the shares of a stage do not add up to its steps.
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

/// One way to train, with its median step in every round.
struct Way {
    const char* name;
    std::vector<double> step_ms = {};
};

/// PyTorch's own step and pipeline for the same model (peer.py).
class Peer {
public:
    Peer(QString python, int steps) : python_(std::move(python)), steps_(steps) {}

    bool take_round() {
        return std::all_of(ways_.begin(), ways_.end(), [&](Way& way) {
            way.step_ms.push_back(step_ms(run(way.name), way.name));
            return way.step_ms.back() > 0;
        });
    }
    void print(double unsplit, double split) const {
        for (const Way& way : ways_) std::printf("PyTorch, %s: %.1f ms a step\n", way.name, median(way.step_ms));
        const double eager = std::min(median(ways_[0].step_ms), median(ways_[1].step_ms));
        std::printf(
            "against PyTorch: unsplit %.3f times its eager step (the faster of the two), two stages %.3f times "
            "its pipeline\n",
            eager / unsplit, median(ways_[2].step_ms) / split);
    }

private:
    Finished run(const char* way) const {
        QProcess process;
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert("OMP_NUM_THREADS", "1");
        process.setProcessEnvironment(environment);
        process.start(python_, {QString(DIVISI_SOURCE_DIR) + "/tests/bench/pipeline/peer.py", way, "--text",
                                QString(DIVISI_SOURCE_DIR) + "/resources/samples/text/divisi.txt", "--steps",
                                QString::number(steps_)});
        Finished finished;
        if (process.waitForFinished(600'000) && process.exitStatus() == QProcess::NormalExit)
            finished.status = process.exitCode();
        finished.output = process.readAllStandardOutput();
        finished.errors = process.readAllStandardError() + process.errorString();
        return finished;
    }

    QString python_;
    int steps_;
    std::vector<Way> ways_{{"unsplit"}, {"accumulated"}, {"split"}};
};

struct Options {
    int rounds = 3, steps = 12;
    QString peer;  ///< a Python with PyTorch 2; empty: none
};

std::optional<Options> read_options(QStringList words) {
    Options options;
    if (const auto at = words.indexOf("--peer"); at >= 0) {
        if (at + 1 >= words.size()) return {};
        options.peer = words.takeAt(at + 1);
        words.removeAt(at);
    }
    bool rounds = true, steps = true;
    if (words.size() > 1) options.rounds = words[1].toInt(&rounds);
    if (words.size() > 2) options.steps = words[2].toInt(&steps);
    if (!rounds || !steps || options.rounds < 1 || options.steps <= warm_up_steps || words.size() > 3) return {};
    return options;
}

/// Runs every way once per round, so that a machine that slows down affects all ways equally.
class Comparison {
public:
    Comparison(Programs& programs, const Options& options)
        : programs_(programs), options_(options), breakdown_(programs) {
        if (!options.peer.isEmpty()) peer_.emplace(options.peer, options.steps);
    }

    bool take_round(const QString& task, int number) {
        const Finished reference = programs_.run({"reference", task, "--json"}, 600'000);
        const Finished run = programs_.run({"run", task, "--json"}, 600'000);
        const double one = step_ms(reference, "reference"), two = step_ms(run, "run");
        if (one == 0 || two == 0 || (peer_ && !peer_->take_round())) return false;
        if (reference.losses() != run.losses()) {
            std::fprintf(stderr, "the losses differ\n");
            return false;
        }
        unsplit_.step_ms.push_back(one);
        split_.step_ms.push_back(two);
        ratios_.push_back(one / two);
        if (!breakdown_.take_round()) {
            std::fprintf(stderr, "the parts do not add up to the step\n");
            return false;
        }
        std::printf("round %d: reference %.1f ms, two stages %.1f ms a step, ratio %.3f\n", number, one, two,
                    one / two);
        std::fflush(stdout);
        return true;
    }
    void print() const {
        const double ideal = 2.0 * 8 / (8 + 1);
        std::printf("median: reference %.1f ms, two stages %.1f ms a step, ratio %.3f (ideal of this pipeline %.2f)\n",
                    median(unsplit_.step_ms), median(split_.step_ms), median(ratios_), ideal);
        if (peer_) peer_->print(median(unsplit_.step_ms), median(split_.step_ms));
        breakdown_.print(static_cast<double>(options_.rounds) * (options_.steps - warm_up_steps));
    }

private:
    Programs& programs_;
    Options options_;
    Breakdown breakdown_;
    Way unsplit_{"reference"}, split_{"two stages"};
    std::vector<double> ratios_;
    std::optional<Peer> peer_;
};

}  // namespace

int main(int argc, char** argv) {
    const QCoreApplication app(argc, argv);
    const auto options = read_options(QCoreApplication::arguments());
    if (!options) {
        std::fprintf(stderr, "use: divisi-bench-pipeline [rounds] [steps, above %d] [--peer PYTHON]\n", warm_up_steps);
        return 2;
    }
    Programs programs;
    const QString task = programs.write("pipeline.toml", pipeline_task(options->steps));
    Comparison comparison(programs, *options);
    if (!programs.cluster_up()) {
        std::fprintf(stderr, "the cluster does not start\n");
        return 1;
    }
    for (int round = 1; round <= options->rounds; ++round)
        if (!comparison.take_round(task, round)) return 1;
    comparison.print();
    return 0;
}
