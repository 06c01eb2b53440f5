// SPDX-License-Identifier: GPL-3.0-or-later
// Draws 64 series at 10 Hz for an hour of simulated time in the real Telemetry view. Measures the CPU time of refreshes
// with their painting, and the memory of the process.
#include <QApplication>
#include <QChartView>
#include <QEvent>
#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>

#include "tests/bench/console/bench_window.h"
#include "tests/bench/console/benches.h"
#include "tests/bench/console/running_task.h"
#include "tests/gui/scripted_client.h"

namespace divisi::bench {

namespace {

constexpr int instances = 16, hz = 10;  ///< four curves of each instance are drawn
constexpr double most_share = 60, most_growth = 5;

/// The client's side of the mailbox with a clock that the bench advances. Every message takes the same route as in
/// client::ClusterClient.
class SimulatedClient final : public testing::ScriptedClient {
public:
    TimePoint now() const override { return moment_; }
    /// Delivers all messages of one tick.
    void hear(const std::vector<control::Event::Body>& bodies, const std::vector<control::InstanceLoad>& loads) {
        client::Mail mail;
        std::vector<control::Event> events;
        for (const control::Event::Body& body : bodies) events.push_back({++sequence_, moment_, body});
        if (!client::add_events(mail, events)) qFatal("too many events at once");
        client::add_loads(mail, loads);
        mail.heard = true;
        Q_EMIT mailCame(mail);
        client::take(cluster, mail, std::chrono::steady_clock::now());
        Q_EMIT dataChanged();
    }
    void pass(Duration time) { moment_ += time; }

private:
    TimePoint moment_{std::chrono::hours(24 * 365 * 50)};
    std::uint64_t sequence_ = 0;
};

/// Counts the paintings of each chart: a figure for a chart that was not painted would be meaningless.
class PaintCounter : public QObject {
public:
    PaintCounter() { qApp->installEventFilter(this); }
    std::int64_t count() const {
        std::int64_t sum = 0;
        for (const auto& [chart, count] : counts_) sum += count;
        return sum;
    }
    /// Returns how often the visible chart with the fewest paintings was painted; 0 if no chart is visible.
    std::int64_t least(const QWidget& around) const {
        std::optional<std::int64_t> least;
        for (const QChartView* chart : around.findChildren<QChartView*>()) {
            if (!chart->isVisible() || chart->viewport()->visibleRegion().isEmpty()) continue;
            const auto found = counts_.find(chart);
            const std::int64_t count = found == counts_.end() ? 0 : found->second;
            least = std::min(least.value_or(count), count);
        }
        return least.value_or(0);
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() != QEvent::Paint) return false;
        if (const auto* chart = qobject_cast<QChartView*>(watched->parent())) ++counts_[chart];
        return false;
    }

private:
    std::map<const QObject*, std::int64_t> counts_;
};

/// Results of the run so far.
struct Measured {
    std::vector<double> refresh_ms;
    double warm_bytes = 0, end_bytes = 0;
};

/// Runs one tick of the simulated clock with its painting.
void tick(SimulatedClient& client, const RunningTask& task, int number, Measured& measured) {
    std::vector<control::InstanceLoad> loads;
    for (int stage = 0; stage < instances; ++stage) loads.push_back(task.load(stage, number));
    client.pass(std::chrono::milliseconds(1000 / hz));
    QElapsedTimer timer;
    timer.start();
    client.hear({RunningTask::step(number + 2)}, loads);
    QApplication::processEvents();
    measured.refresh_ms.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
}

}  // namespace

bool series_bench(const QStringList& arguments, Report& report) {
    const int minutes = arguments.value(0, QStringLiteral("60")).toInt(), ticks = minutes * 60 * hz;
    const RunningTask task(instances);
    SimulatedClient client;
    client.connect_to(QStringLiteral("bench"));
    BenchWindow shown(&client);
    client.hear(task.beginning(), {});
    client.hear({RunningTask::step(1)}, {});
    shown.watch(RunningTask::id());
    const PaintCounter paintings;
    Measured measured;
    const double began = process_cpu_s();
    for (int number = 0; number < ticks; ++number) {
        tick(client, task, number, measured);
        if (number == ticks / 6) measured.warm_bytes = resident_bytes();
    }
    measured.end_bytes = resident_bytes();
    const double share = 100 * (process_cpu_s() - began) / (60.0 * minutes);
    const auto curves = shown.telemetry().telemetry().store().names("instance|");
    // A change of less than a pixel is painted after at most half a second.
    const std::int64_t least = paintings.least(shown.telemetry());
    if (least == 0 || shown.telemetry().grid().busy().point_count() == 0)
        return std::fputs("a chart on screen was not painted\n", stderr), false;
    report.fact("simulated time", minutes, "min", 0);
    report.fact("series by time that are drawn", 4.0 * instances, "", 0);
    report.fact("series that are kept of instances", static_cast<double>(curves.size()), "", 0);
    report.fact("paintings of charts for each refresh", static_cast<double>(paintings.count()) / ticks, "");
    report.fact("the same of the chart painted least", static_cast<double>(least) / ticks, "", 2);
    report.fact("a refresh with its painting, median", median(measured.refresh_ms), "ms", 2);
    report.figure("share of a core", share, most_share, "%");
    report.fact("resident after a sixth of it", measured.warm_bytes / (1 << 20), "MiB");
    report.fact("resident at the end", measured.end_bytes / (1 << 20), "MiB");
    report.figure("growth from then on", 100 * (measured.end_bytes / measured.warm_bytes - 1), most_growth, "%", 2);
    return true;
}

}  // namespace divisi::bench
