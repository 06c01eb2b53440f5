// SPDX-License-Identifier: Apache-2.0
// Measures the cost of keeping state while a task trains undisturbed. Compares the CPU time of the thread that writes
// an instance's store with the step time, and the CPU time of the orchestrator with a whole core.
#include <unistd.h>

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QMap>
#include <algorithm>
#include <cstdio>
#include <optional>

#include "agents/instance/keeping/state_writer.h"
#include "tests/system/disturbed_run.h"
#include "tests/system/free_port.h"
#include "tests/system/http_get.h"
#include "tests/system/tcp_cluster.h"

namespace {

using divisi::tests::DisturbedRun;
using divisi::tests::Programs;
using divisi::tests::TcpCluster;

constexpr int warm_up_steps = 5;
constexpr double most_percent = 1;

/// Returns the user and system time of a thread, in milliseconds, from its line in /proc.
double cpu_ms(const QByteArray& stat) {
    const QList<QByteArray> fields = stat.mid(stat.lastIndexOf(')') + 2).split(' ');
    return (fields.value(11).toDouble() + fields.value(12).toDouble()) * 1e3 /
           static_cast<double>(sysconf(_SC_CLK_TCK));
}

QByteArray read(const QString& file) {
    QFile opened(file);
    return opened.open(QIODevice::ReadOnly) ? opened.readAll() : QByteArray();
}

/// Returns the CPU time of the thread that keeps an instance's state. Returns nothing if there is no such thread,
/// because then there is nothing to measure.
std::optional<double> keeper_ms(qint64 instance) {
    const QString tasks = QString("/proc/%1/task/").arg(instance);
    for (const QString& thread : QDir(tasks).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
        if (read(tasks + thread + "/comm").trimmed() == divisi::instance::keeper_name)
            return cpu_ms(read(tasks + thread + "/stat"));
    return std::nullopt;
}

/// CPU times and counts so far, read at the same time.
struct Taken {
    QMap<qint64, double> keepers_ms;  ///< by process
    double log_ms = 0, events = 0;
    double orchestrator_ms = 0;  ///< CPU time of divisid as a whole
    int step = 0;
};

class Measurement {
public:
    Measurement(const TcpCluster& cluster, int port, int seconds) : cluster_(cluster), port_(port), seconds_(seconds) {}

    /// Measures one set-up. Returns false if it could not measure.
    bool take(const char* name, const QString& file, const QStringList& settings, bool limited) const {
        DisturbedRun run(cluster_.programs, file, settings);
        if (!run.wait_for_steps(warm_up_steps)) return complain(run.told());
        const auto before = sample(run);
        QElapsedTimer timer;
        timer.start();
        QTest::qWait(1000 * seconds_);
        const auto after = sample(run);
        const double wall_ms = static_cast<double>(timer.nsecsElapsed()) / 1e6;
        if (!before || !after || run.is_over() || after->step == before->step) return complain("not measured");
        double kept = 0;  // CPU time of the busiest thread that keeps an instance's state
        for (const auto& [instance, ms] : after->keepers_ms.asKeyValueRange())
            kept = std::max(kept, ms - before->keepers_ms.value(instance));
        const double steps = after->step - before->step;
        std::printf("%s: %.0f steps of %.2f ms, %.1f events a second\n", name, steps, wall_ms / steps,
                    1e3 * (after->events - before->events) / wall_ms);
        print("  an instance's store, of a step", kept / wall_ms, limited);
        print("  the event log, of a core", (after->log_ms - before->log_ms) / wall_ms, limited);
        print("  divisid as a whole, of a core", (after->orchestrator_ms - before->orchestrator_ms) / wall_ms, false);
        return true;
    }

private:
    static void print(const char* what, double share, bool limited) {
        std::printf("%-34s %.2f %%", what, 100 * share);
        if (limited) std::printf(" (wanted: at most %.0f %%)", most_percent);
        std::printf("\n");
    }
    std::optional<Taken> sample(DisturbedRun& run) const {
        Taken taken;
        for (const qint64 instance : cluster_.programs.pids("divisi-instance"))
            if (const auto keeper = keeper_ms(instance)) taken.keepers_ms[instance] = *keeper;
        taken.log_ms = 1e3 * metric("divisi_event_log_cpu_seconds_total");
        taken.events = metric("divisi_events_total");
        for (const qint64 one : cluster_.programs.pids("divisid"))
            taken.orchestrator_ms += cpu_ms(read(QString("/proc/%1/stat").arg(one)));
        (void)run.wait_until([] { return true; });
        taken.step = run.last("step")["step"].toInt();
        return !taken.keepers_ms.isEmpty() && taken.log_ms > 0 ? std::optional(taken) : std::nullopt;
    }
    double metric(const QByteArray& name) const {
        const auto text =
            QByteArray::fromStdString(divisi::tests::http_body(divisi::tests::http_get(port_, "/metrics")));
        for (const QByteArray& line : text.split('\n'))
            if (line.startsWith(name + ' ')) return line.mid(name.size() + 1).toDouble();
        return 0;
    }
    static bool complain(const QByteArray& what) {
        std::fprintf(stderr, "%s\n", what.constData());
        return false;
    }

    const TcpCluster& cluster_;
    int port_, seconds_;
};

}  // namespace

int main(int argc, char** argv) {
    const QCoreApplication app(argc, argv);
    const int seconds = QCoreApplication::arguments().value(1, "60").toInt();
    if (seconds < 1 || argc > 2) return std::fprintf(stderr, "use: divisi-bench-keeping [seconds]\n"), 2;
    TcpCluster cluster;
    const int port = divisi::tests::free_port_pair();
    cluster.options = {"--metrics", QString("127.0.0.1:%1").arg(port)};
    if (!cluster.start()) return std::fprintf(stderr, "the cluster does not start\n"), 1;
    const Measurement measurement(cluster, port, seconds);
    const QStringList larger{"model.layers=6",     "model.width=192", "train.steps=1000000",   "train.warmup_steps=0",
                             "train.eval_every=0", "split.stages=1",  "checkpoint.every=never"};
    const QString quick = cluster.programs.small_task("quick", divisi::tests::endless);
    const bool measured = measurement.take("zoo:gpt, 6 layers, width 192",
                                           DIVISI_SOURCE_DIR "/resources/tasks/gpt-text.toml", larger, true) &&
                          measurement.take("a task of small steps", quick, {"checkpoint.every=never"}, false);
    return measured ? 0 : 1;
}
