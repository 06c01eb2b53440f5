// SPDX-License-Identifier: Apache-2.0
// Measures the cost of a checkpoint at every step for a training. Compares its step time with that of the same training
// without checkpoints, and the bandwidth of its snapshots with that of dd during the same training. There are three
// set-ups:
// - Two stages fully use two cores.
// - One stage leaves a core for the writer and for the copies to another node, all of them on the same machine here.
// - One stage on the only node has only the costs that each machine of a cluster has itself.
#include <QCoreApplication>
#include <QDirIterator>
#include <QRegularExpression>
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "tests/bench/prediction/agreement.h"
#include "tests/bench/recovery/snapshots.h"
#include "tests/system/disturbed_run.h"
#include "tests/system/tcp_cluster.h"

namespace {

using divisi::bench::median;
using divisi::bench::Snapshot;
using divisi::bench::StageSnapshots;
using divisi::tests::DisturbedRun;
using divisi::tests::Finished;
using divisi::tests::Programs;
using divisi::tests::TcpCluster;

/// Steps that are not counted, because the first ones fault in their memory.
constexpr int warm_up_steps = 3;
/// Writes of dd in a round.
constexpr int dd_writes = 8;
constexpr double wanted_percent = 3.5, wanted_bandwidth = 0.7;

const char* task_file = DIVISI_SOURCE_DIR "/resources/tasks/gpt-text.toml";

/// Returns settings for the sample's data and batches with a larger model. Evaluations are off, because they would
/// count as part of a step.
QStringList settings(std::size_t stages, int steps, const char* every) {
    return {"model.layers=6",
            "model.width=192",
            "train.steps=" + QString::number(steps),
            "train.warmup_steps=0",
            "train.eval_every=0",
            "split.stages=" + QString::number(stages),
            QString("checkpoint.every=") + every};
}

/// A stage's store and its reported snapshots.
struct Stage {
    QString store;
    StageSnapshots snapshots;

    double median_of(double Snapshot::*figure) const {
        std::vector<double> values;
        for (const Snapshot& one : snapshots.written) values.push_back(one.*figure);
        return median(values);
    }
    qint64 bytes() const { return static_cast<qint64>(median_of(&Snapshot::bytes)); }
};

std::optional<Stage> read_stage(const Programs& programs, const QString& task, std::size_t stage) {
    QDirIterator files(programs.folder(), {QString("%1.stage-%2.0.sqlite").arg(task).arg(stage)}, QDir::Files,
                       QDirIterator::Subdirectories);
    if (!files.hasNext()) return std::nullopt;
    Stage found{files.next(), {}};
    const Finished state = programs.run({"state", found.store, "--rows", "100000", "--json"});
    found.snapshots = divisi::bench::stage_snapshots(state.objects().value(0));
    if (found.snapshots.written.empty()) return std::nullopt;
    return found;
}

/// Starts dd, which writes a new file of `bytes` bytes and syncs it to disk.
std::unique_ptr<QProcess> start_dd(const QString& file, qint64 bytes) {
    auto dd = std::make_unique<QProcess>();
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("LC_ALL", "C");
    dd->setProcessEnvironment(environment);
    dd->start("dd", {"if=/dev/zero", "of=" + file, "bs=1M", "count=" + QString::number(bytes), "iflag=count_bytes",
                     "conv=fdatasync"});
    return dd;
}

/// Returns the milliseconds that dd reports.
std::optional<double> dd_ms(QProcess& dd) {
    static const QRegularExpression took(R"(copied, (\S+) s,)");
    if (!dd.waitForFinished(60'000) || dd.exitCode() != 0) return std::nullopt;
    const auto match = took.match(dd.readAllStandardError());
    if (!match.hasMatch()) return std::nullopt;
    return 1e3 * match.captured(1).toDouble();
}

/// Returns dd's median milliseconds for each stage. dd writes as many bytes as the stage's snapshots into its node's
/// folder. All stages write at once, as they do with snapshots.
std::optional<std::vector<double>> write_beside(const std::vector<Stage>& written) {
    std::vector<std::vector<double>> times(written.size());
    for (int i = 0; i < dd_writes; ++i) {
        std::vector<std::unique_ptr<QProcess>> running;
        for (const Stage& stage : written) running.push_back(start_dd(stage.store + ".dd", stage.bytes()));
        for (std::size_t stage = 0; stage < written.size(); ++stage) {
            const auto took = dd_ms(*running[stage]);
            QFile::remove(written[stage].store + ".dd");
            if (!took) return std::nullopt;
            times[stage].push_back(*took);
        }
    }
    std::vector<double> medians;
    std::ranges::transform(times, std::back_inserter(medians), median);
    return medians;
}

/// Medians of a stage, one per round.
struct StageRounds {
    std::vector<double> mib, copy_ms, write_ms, dd_ms, bandwidth;
    std::size_t written = 0;
    int given_up = 0;

    void add(const Stage& stage, double dd) {
        mib.push_back(stage.median_of(&Snapshot::bytes) / (1 << 20));
        copy_ms.push_back(stage.median_of(&Snapshot::copy_ms));
        write_ms.push_back(stage.median_of(&Snapshot::write_ms));
        dd_ms.push_back(dd);
        bandwidth.push_back(dd / write_ms.back());
        written += stage.snapshots.written.size();
        given_up += stage.snapshots.given_up;
    }
    void print(std::size_t number) const {
        const auto rate = [&](const std::vector<double>& ms) { return median(mib) / (median(ms) / 1e3); };
        std::printf("stage %zu: %.1f MiB a snapshot, copied in %.1f ms, written in %.0f ms; %zu written, %d given up\n",
                    number, median(mib), median(copy_ms), median(write_ms), written, given_up);
        std::printf("  %.0f MiB/s, dd beside the same training %.0f MiB/s: ratio %.2f (wanted: at least %.2f)\n",
                    rate(write_ms), rate(dd_ms), median(bandwidth), wanted_bandwidth);
    }
};

class Comparison {
public:
    Comparison(const Programs& programs, QString name, std::size_t stages, int steps)
        : programs_(programs), name_(std::move(name)), steps_(steps), stages_(stages) {}

    bool take(int rounds) {
        for (int round = 1; round <= rounds; ++round)
            if (!take_round(round)) return false;
        print();
        return true;
    }

private:
    /// Runs one round. The order alternates between rounds, so that neither variant always meets a fuller disk.
    bool take_round(int number) {
        const bool without_first = number % 2 == 1;
        const auto first = train(without_first ? "never" : "1"), second = train(without_first ? "1" : "never");
        if (!first || !second) return false;
        const auto& [without, with] = without_first ? std::tie(*first, *second) : std::tie(*second, *first);
        if (without.losses() != with.losses()) return complain("the losses differ");
        const double free_ms = step_ms(without), kept_ms = step_ms(with);
        free_ms_.push_back(free_ms);
        kept_ms_.push_back(kept_ms);
        percent_.push_back(100 * (kept_ms / free_ms - 1));
        std::printf("%s, round %d: %.1f ms a step, %.1f ms with a checkpoint at each: %+.1f %%\n", qPrintable(name_),
                    number, free_ms, kept_ms, percent_.back());
        std::fflush(stdout);
        return take_snapshots(with);
    }
    void print() const {
        std::printf("%s, median: %.1f ms a step, %.1f ms with a checkpoint at each: %+.1f %% (wanted: %.1f %%)\n",
                    qPrintable(name_), median(free_ms_), median(kept_ms_), median(percent_), wanted_percent);
        for (std::size_t stage = 0; stage < stages_.size(); ++stage) stages_[stage].print(stage);
    }
    std::optional<Finished> train(const char* every) const {
        QStringList arguments{"run", task_file, "--json"};
        for (const QString& setting : settings(stages_.size(), steps_, every)) arguments << "--set" << setting;
        Finished run = programs_.run(arguments, 600'000);
        if (run.status == 0) return run;
        complain(run.errors);
        return std::nullopt;
    }
    static double step_ms(const Finished& run) {
        std::vector<double> times;
        const auto told = run.objects("step");
        for (qsizetype i = warm_up_steps; i < told.size(); ++i) times.push_back(told[i]["step_ms"].toDouble());
        return median(times);
    }
    /// Collects the snapshots of a run that has ended, and the times of dd during a run that continues.
    bool take_snapshots(const Finished& run) {
        std::vector<Stage> written;
        for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
            const auto found = read_stage(programs_, run.objects("end").value(0)["task"].toString(), stage);
            if (!found) return complain(QString("stage %1 tells of no snapshot in its store").arg(stage));
            written.push_back(*found);
        }
        DisturbedRun beside(programs_, task_file, settings(stages_.size(), divisi::tests::endless, "never"));
        if (!beside.wait_for_steps(warm_up_steps)) return complain(beside.told());
        const auto dd = write_beside(written);
        if (!dd || beside.is_over()) return complain("dd failed, or the training beside it");
        for (std::size_t stage = 0; stage < stages_.size(); ++stage) stages_[stage].add(written[stage], (*dd)[stage]);
        return true;
    }
    static bool complain(const QString& what) {
        std::fprintf(stderr, "%s\n", qPrintable(what));
        return false;
    }

    const Programs& programs_;
    QString name_;
    int steps_;
    std::vector<double> free_ms_, kept_ms_, percent_;
    std::vector<StageRounds> stages_;
};

int is_down() {
    std::fprintf(stderr, "the cluster does not start\n");
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    const QCoreApplication app(argc, argv);
    const QStringList words = QCoreApplication::arguments();
    const int rounds = words.value(1, "5").toInt(), steps = words.value(2, "40").toInt();
    if (rounds < 1 || steps <= warm_up_steps || words.size() > 3) {
        std::fprintf(stderr, "use: divisi-bench-checkpoint [rounds] [steps, above %d]\n", warm_up_steps);
        return 2;
    }
    {
        Programs programs;
        if (!programs.cluster_up()) return is_down();
        if (!Comparison(programs, "2 stages", 2, steps).take(rounds)) return 1;
        if (!Comparison(programs, "1 stage", 1, steps).take(rounds)) return 1;
    }
    TcpCluster alone;
    alone.names = {"mic-1/node-1"};
    if (!alone.start()) return is_down();
    return Comparison(alone.programs, "1 stage and no other node", 1, steps).take(rounds) ? 0 : 1;
}
