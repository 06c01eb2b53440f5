// SPDX-License-Identifier: GPL-3.0-or-later
// Sends 100,000 messages in a second through a socket into the console's real client, with its window in front.
#include <QApplication>
#include <QLabel>
#include <QThread>
#include <cmath>
#include <cstdio>

#include "app/client/cluster_client.h"
#include "tests/bench/console/bench_window.h"
#include "tests/bench/console/benches.h"
#include "tests/bench/console/scripted_cluster.h"

namespace divisi::bench {

namespace {

constexpr int patience_ms = 60'000;
/// Time for a snapshot to arrive if the console had to request one.
constexpr int settle_ms = 3000;
/// Longest time for the cluster to send all messages; if it takes longer, the load differs from the intended one.
constexpr double longest_flood_s = 1;
/// A person notices a longer block as an interruption.
constexpr double longest_block_ms = 100;
/// Time for which the window is blocked on purpose. The messages of one second fill its mailbox in less time than that.
constexpr int standstill_ms = 1000;

class Flooded {
public:
    explicit Flooded(const client::ClusterOptions& options, ScriptedCluster& cluster)
        : cluster_(cluster), client_(options), shown_(&client_) {}

    bool connect() {
        if (!wait_for([this] { return data().state.tasks.contains(RunningTask::id()); }, patience_ms)) return false;
        shown_.watch(RunningTask::id());
        return true;
    }
    /// Waits until all messages are sent, and then long enough for the views to show them. Returns false on timeout.
    bool hear_all() {
        if (!wait_for([this] { return !cluster_.flooding(); }, patience_ms)) return false;
        let_pass(settle_ms);
        return true;
    }
    const client::ClusterData& data() const { return client_.data(); }
    /// Counts measurements that were lost or counted twice.
    double unaccounted() const {
        return std::abs(static_cast<double>(cluster_.measurements()) -
                        static_cast<double>(data().loads_taken + data().loads_left_out));
    }
    void report(const Report& report, const std::string& when) {
        report.figure("sending took, " + when, cluster_.flood_s(), longest_flood_s, "s", 2);
        report.fact("measurements left out and counted, " + when, static_cast<double>(data().loads_left_out), "", 0);
        report.figure("measurements neither shown nor counted, " + when, unaccounted(), 0, "", 0);
        report.figure("states that differ from the cluster's, " + when,
                      bytes_of(data().state) == cluster_.state_bytes() ? 0 : 1, 0, "", 0);
        report.fact("connections lost, " + when, cluster_.connections_lost(), "", 0);
    }
    bool says_what_is_left_out() {
        const auto* label = shown_.window->findChild<QLabel*>(QStringLiteral("telemetryLeftOut"));
        return label && label->isVisible() && !label->text().isEmpty();
    }

private:
    ScriptedCluster& cluster_;
    client::ClusterClient client_;
    BenchWindow shown_;
};

}  // namespace

bool messages_bench(const QStringList& arguments, Report& report) {
    const std::int64_t count = arguments.value(0, QStringLiteral("100000")).toInt();
    ScriptedCluster cluster;
    client::ClusterOptions options;
    options.connection = cluster.connection();
    options.version = "bench";
    Flooded console(options, cluster);
    if (!console.connect()) return std::fputs("the console does not reach the bench's cluster\n", stderr), false;

    BlockMeter meter;
    meter.start();
    cluster.flood(count);
    if (!console.hear_all()) return std::fputs("the messages were not sent in time\n", stderr), false;
    const double longest = meter.longest_ms();
    report.fact("messages", static_cast<double>(count), "", 0);
    report.figure("longest block of the window", longest, longest_block_ms, "ms");
    report.fact("events among them", static_cast<double>(cluster.events()), "", 0);
    console.report(report, "window alive");

    cluster.flood(count);
    QThread::msleep(standstill_ms);
    if (!console.hear_all()) return std::fputs("the messages were not sent in time\n", stderr), false;
    console.report(report, "window held for 1 s");
    report.figure_at_least("what was left out stands on screen", console.says_what_is_left_out() ? 1 : 0,
                           console.data().loads_left_out > 0 ? 1 : 0, "", 0);
    return true;
}

}  // namespace divisi::bench
