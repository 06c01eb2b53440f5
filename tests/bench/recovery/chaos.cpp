// SPDX-License-Identifier: Apache-2.0
// Kills and pauses processes of every kind during trainings, at random times. Measures how long the next step takes and
// how many steps are repeated. Checks that the losses equal those of the same training without faults.
#include <signal.h>

#include <QCoreApplication>
#include <QElapsedTimer>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <random>

#include "backend/control/types/restart_budget.h"
#include "tests/bench/recovery/task_timeline.h"
#include "tests/system/disturbed_run.h"

namespace {

using divisi::bench::Outage;
using divisi::bench::Spread;
using divisi::bench::TaskTimeline;
using divisi::tests::DisturbedRun;
using divisi::tests::Finished;
using divisi::tests::Programs;

/// Number of faults of an instance from which its task recovers in place. After one more fault, the instance would move
/// to another node and never return to this one, and soon no node would be left. Therefore the next kills affect
/// another task on another cluster.
constexpr int most_recoveries = static_cast<int>(divisi::control::recoveries_in_place.most);
/// Most faults of a task. Its reference repeats all its steps, and a difference is only found at the end.
constexpr int most_faults_a_task = 20;
/// Milliseconds of undisturbed training, which include several checkpoints. A fault occurs at a random time within
/// these milliseconds.
constexpr int calm_ms = 2'000;
/// Training counts as continued after this many steps that are done for the first time.
constexpr int new_steps = 10;
constexpr int patience_ms = 120'000;
/// A process that pauses for this long is not considered dead.
constexpr int pause_ms = 3'000;
/// One of this many faults is a pause; the others are kills.
constexpr unsigned pause_share = 6;
/// Longest run in minutes: a week.
constexpr double longest_minutes = 7 * 24 * 60;
/// Exit status if nothing failed, but the time limit was reached before all kills.
constexpr int too_few = 3;

struct Kind {
    const char* name;
    const char* program;
    bool stops = false;  ///< resumes after pause_ms; otherwise the process is killed
};
constexpr Kind kills[] = {
    {"instance", "divisi-instance"}, {"node", "divisi-node"}, {"gateway", "divisi-gateway"},
    {"router", "divisi-router"},     {"divisid", "divisid"},
};
constexpr Kind pauses[] = {
    {"instance, 3 s", "divisi-instance", true}, {"node, 3 s", "divisi-node", true},
    {"gateway, 3 s", "divisi-gateway", true},   {"router, 3 s", "divisi-router", true},
    {"divisid, 3 s", "divisid", true},
};

/// Draws the next kind of fault. Kills come in rounds: each round has every kind once, in random order.
class Draw {
public:
    explicit Draw(std::mt19937_64& random) : random_(random) {}
    const Kind& next() {
        if (random_() % pause_share == 0) return pauses[random_() % std::size(pauses)];
        if (round_.empty()) {
            for (const Kind& kind : kills) round_.push_back(&kind);
            std::shuffle(round_.begin(), round_.end(), random_);
        }
        const Kind& kind = *round_.back();
        round_.pop_back();
        return kind;
    }

private:
    std::mt19937_64& random_;
    std::vector<const Kind*> round_;
};

/// Returns the parent of a process; 0 if the process has ended.
qint64 parent_of(qint64 pid) {
    QFile status(QString("/proc/%1/status").arg(pid));
    if (!status.open(QIODevice::ReadOnly)) return 0;
    const QByteArray text = status.readAll(), name = "\nPPid:";
    return text.mid(text.indexOf(name) + name.size()).split('\n').first().trimmed().toLongLong();
}

/// Results of the faults of each kind.
using Outages = std::map<const Kind*, std::vector<Outage>>;

/// One task on its own cluster, whose two stages are in two MICs.
class Training {
public:
    explicit Training(std::mt19937_64& random) : random_(random) {}

    bool start() {
        if (!programs_.cluster_up()) return complain("the cluster does not start");
        run_.emplace(programs_, programs_.task_across_mics("chaos", divisi::tests::endless),
                     QStringList{"checkpoint.every=5"});
        clock_.start();
        return watch([&] { return timeline_.furthest() > 0; }) || complain("the training does not begin");
    }
    /// Waits a random time and kills or pauses a process of this kind. Then waits until training continues and the
    /// process is replaced.
    std::optional<Outage> strike(const Kind& kind) {
        const qint64 then = clock_.elapsed() + drawn(calm_ms);
        const bool calm = watch([&] { return clock_.elapsed() >= then; });
        const auto found = victims(kind);
        if (!calm || found.isEmpty()) {
            complain(calm ? "there is no such process" : "the training ended");
            return std::nullopt;
        }
        const qsizetype running = pids(kind).size();
        (void)watch([] { return true; });  // reads the output printed during the search for processes
        const int before = timeline_.furthest();
        timeline_.disturb(now_ms());
        const auto victim = static_cast<pid_t>(found[drawn(static_cast<int>(found.size()) - 1)]);
        ::kill(victim, kind.stops ? SIGSTOP : SIGKILL);
        if (kind.stops) {
            const qint64 until = clock_.elapsed() + pause_ms;
            (void)watch([&] { return clock_.elapsed() >= until; });
            ::kill(victim, SIGCONT);
        }
        const bool went_on =
            watch([&] { return timeline_.furthest() >= before + new_steps && pids(kind).size() >= running; });
        if (went_on) return timeline_.outage();
        complain("the training does not go on");
        return std::nullopt;
    }
    /// Returns whether one more fault would be too many for the training to recover in place.
    bool is_used_up() const { return timeline_.most_recoveries() >= most_recoveries; }
    /// Stops the task. Returns whether all its losses match the reference.
    bool end() {
        run_->stop();
        const bool ended = watch([&] { return run_->is_over(); });
        if (!ended || run_->wait_for_end() != 130) return complain("the task did not end as it was told to");
        const Finished reference = run_->reference();
        if (reference.status != 0) return complain(reference.errors);
        const QString difference = timeline_.difference(reference.losses());
        return difference.isEmpty() || complain(difference);
    }

private:
    QList<qint64> pids(const Kind& kind) const { return programs_.pids(kind.program); }
    /// Returns the processes of this kind. Includes only nodes that host an instance: the loss of another node does not
    /// disturb the training.
    QList<qint64> victims(const Kind& kind) const {
        QList<qint64> found = pids(kind), hosts;
        for (const qint64 instance : programs_.pids("divisi-instance")) hosts << parent_of(instance);
        if (kind.program == QByteArray("divisi-node")) found.removeIf([&](qint64 pid) { return !hosts.contains(pid); });
        return found;
    }
    double now_ms() const { return static_cast<double>(clock_.nsecsElapsed()) / 1e6; }
    int drawn(int most) { return std::uniform_int_distribution<int>(0, most)(random_); }
    /// Processes the run's output until `holds` returns true.
    bool watch(const std::function<bool()>& holds) {
        const auto take = [&] {
            for (; taken_ < run_->lines().size(); ++taken_) timeline_.take(run_->lines()[taken_], now_ms());
            return holds();
        };
        return run_->wait_until(take, patience_ms);
    }
    bool complain(const QString& what) {
        std::fprintf(stderr, "%s\n%s", qPrintable(what), run_ ? run_->told().constData() : "");
        return false;
    }

    std::mt19937_64& random_;
    Programs programs_;
    std::optional<DisturbedRun> run_;
    QElapsedTimer clock_;
    TaskTimeline timeline_;
    qsizetype taken_ = 0;  ///< processed lines of the run
};

/// The requested number of kills and time limit.
struct Wanted {
    int kills = 0;
    qint64 limit_ms = std::numeric_limits<qint64>::max();  ///< no new fault after this time
    QElapsedTimer clock = {};

    bool is_over(int number) const { return number > kills || clock.elapsed() >= limit_ms; }
};

/// Disturbs a new training and checks its losses. `number` is that of the next kill. Returns false on a failure.
bool disturb_one(std::mt19937_64& random, Draw& draw, int& number, const Wanted& wanted, Outages& outages) {
    Training training(random);
    if (!training.start()) return false;
    for (int faults = 0; !wanted.is_over(number) && faults < most_faults_a_task && !training.is_used_up(); ++faults) {
        const Kind& kind = draw.next();
        std::printf("%s %d of %d: %-14s", kind.stops ? "before kill" : "kill", number, wanted.kills, kind.name);
        std::fflush(stdout);
        const auto outage = training.strike(kind);
        if (!outage) return false;
        std::printf("%8.0f ms to the next step, %d repeated steps\n", outage->until_step_ms, outage->again);
        std::fflush(stdout);
        outages[&kind].push_back(*outage);
        if (!kind.stops) ++number;
    }
    return training.end();
}

void print(const Outages& outages) {
    std::printf("\n%-14s%6s%42s%24s\n", "fault", "times", "ms to the next step", "repeated steps");
    std::printf("%20s%12s%10s%10s%10s%12s%12s\n", "", "min", "median", "p90", "max", "median", "max");
    for (const auto& [kind, some] : outages) {
        std::vector<double> times, again;
        for (const Outage& one : some) {
            times.push_back(one.until_step_ms);
            again.push_back(one.again);
        }
        const Spread time = divisi::bench::spread(times), steps = divisi::bench::spread(again);
        std::printf("%-14s%6zu%12.0f%10.0f%10.0f%10.0f%12.0f%12.0f\n", kind->name, some.size(), time.min, time.median,
                    time.p90, time.max, steps.median, steps.max);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const QCoreApplication app(argc, argv);
    const QStringList words = QCoreApplication::arguments();
    bool is_count = false, is_seed = true, is_time = true;
    Wanted wanted;
    wanted.kills = words.value(1).toInt(&is_count);
    const std::uint64_t seed = words.size() > 2 ? words[2].toULongLong(&is_seed) : std::random_device()();
    const double minutes = words.size() > 3 ? words[3].toDouble(&is_time) : longest_minutes;
    if (!is_count || !is_seed || !is_time || wanted.kills < 1 || words.size() > 4 ||
        !(minutes > 0 && minutes <= longest_minutes)) {
        std::fprintf(
            stderr,
            "use: divisi-bench-chaos N [seed [minutes]]; N: how many processes are killed, from 1; after so many "
            "minutes no other is\n");
        return 2;
    }
    wanted.limit_ms = static_cast<qint64>(minutes * 60e3);
    wanted.clock.start();
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    std::mt19937_64 random(seed);
    Outages outages;
    Draw draw(random);
    bool good = true;
    int number = 1;
    while (good && !wanted.is_over(number)) good = disturb_one(random, draw, number, wanted, outages);
    print(outages);
    std::printf("%.1f minutes\n", static_cast<double>(wanted.clock.elapsed()) / 60e3);
    std::printf(good ? "all losses equal the reference\n"
                     : "failed; run again with this seed for the same faults and times\n");
    if (!good) return 1;
    if (number > wanted.kills) return 0;
    std::printf("the time limit was reached after %d of %d kills\n", number - 1, wanted.kills);
    return too_few;
}
