// SPDX-License-Identifier: Apache-2.0
// Measures how much queued tasks cost a running task: its steps per second, alternately with and without queued tasks.
#include <QCoreApplication>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "tests/bench/queue/small_cluster.h"
#include "tests/support/task_file.h"

namespace {

using divisi::bench::SmallCluster;
using Stopwatch = std::chrono::steady_clock;

/// Returns a task with two stages on the only two nodes, so that every other task waits.
std::string task_text(const std::string& name, std::int64_t steps) {
    return divisi::testing::TaskFile(name)
        .set("train.steps", steps)
        .set("split.stages", 2)
        .set("place.stages", {"m/a", "m/b"})
        .text();
}

double seconds_since(Stopwatch::time_point begin) {
    return std::chrono::duration<double>(Stopwatch::now() - begin).count();
}

/// Returns the median time of `count` submissions, in milliseconds.
double submit_ms(SmallCluster& cluster, int count) {
    std::vector<double> times;
    for (int i = 0; i < count; ++i) {
        const auto begin = Stopwatch::now();
        (void)cluster.submit(task_text("waiting", 1));
        times.push_back(1e3 * seconds_since(begin));
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

double steps_per_s(SmallCluster& cluster, double seconds) {
    const auto before = cluster.steps();
    const auto begin = Stopwatch::now();
    cluster.wait(seconds);
    return static_cast<double>(cluster.steps() - before) / seconds_since(begin);
}

void print_round(const SmallCluster& cluster, const char* when) {
    if (const auto longest = cluster.longest_round_s())
        std::printf("longest round of the loop %-34s %8.1f ms\n", when, 1e3 * *longest);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    const QCoreApplication app(argc, argv);
    QStringList words = app.arguments().mid(1);
    QString programs = DIVISI_BIN_DIR;
    if (const qsizetype at = words.indexOf("--programs"); at >= 0 && at + 1 < words.size()) {
        programs = words.takeAt(at + 1);
        words.removeAt(at);
    }
    const int tasks = words.value(0, "1000").toInt();
    const double window_s = words.value(1, "5").toDouble();
    constexpr int samples = 20;
    SmallCluster cluster(programs);
    if (tasks < 2 * samples || window_s <= 0 || !cluster.start()) return 1;

    (void)cluster.submit(task_text("running", 100'000'000));
    while (cluster.steps() < 100) cluster.wait(0.1);
    print_round(cluster, "so far");
    const double alone = steps_per_s(cluster, window_s);
    const double first_ms = submit_ms(cluster, samples);
    const auto begin = Stopwatch::now();
    const auto steps = cluster.steps();
    for (int queued = samples; queued < tasks - samples; ++queued) (void)cluster.submit(task_text("waiting", 1));
    const double filling_s = seconds_since(begin), filling = static_cast<double>(cluster.steps() - steps) / filling_s;
    const double last_ms = submit_ms(cluster, samples);
    print_round(cluster, "while tasks are submitted");
    const double queued = steps_per_s(cluster, window_s);
    print_round(cluster, "with the queue");
    std::printf("a submission, nothing queued   %8.1f ms\n", first_ms);
    std::printf("a submission, %4d queued      %8.1f ms, ratio %.2f\n", tasks - samples, last_ms, last_ms / first_ms);
    std::printf("steps of the running task, alone           %8.0f /s\n", alone);
    std::printf("  while %d tasks are submitted in %.1f s %8.0f /s, ratio %.2f\n", tasks - 2 * samples, filling_s,
                filling, filling / alone);
    std::printf("  with %d tasks queued                   %8.0f /s, ratio %.2f\n", tasks, queued, queued / alone);
    return 0;
}
