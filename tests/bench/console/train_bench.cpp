// SPDX-License-Identifier: GPL-3.0-or-later
// Measures the CPU time of the console while a task trains on all cores of the machine and a user watches it.
#include <cstdio>
#include <memory>

#include "backend/control/protocol/task_messages.h"
#include "tests/bench/console/bench_window.h"
#include "tests/bench/console/benches.h"
#include "tests/gui/embedded_options.h"
#include "tests/support/task_file.h"

namespace divisi::bench {

namespace {

constexpr double most_share = 5;
constexpr int warm_ms = 10'000, patience_ms = 120'000;

/// Two stages of nearly equal work keep both cores busy all the time.
testing::TaskFile watched_task() {
    return testing::TaskFile("watched")
        .gpt(4, 256, 4, 64)
        .set("data.samples", 1024)
        .section("train", {{"steps", 1'000'000}, {"batch", 16}, {"microbatches", 8}})
        .section("split", {{"stages", 2}, {"schedule", "1f1b"}});
}

const control::TaskView* newest(const client::Client& client) {
    const auto& tasks = client.data().state.tasks;
    return tasks.empty() ? nullptr : &tasks.rbegin()->second;
}

}  // namespace

bool train_bench(const QStringList& arguments, Report& report) {
    const int seconds = arguments.value(0, QStringLiteral("30")).toInt();
    tests::Programs programs;
    qputenv("DIVISI_DATA", programs.data().toUtf8());
    qputenv("XDG_RUNTIME_DIR", programs.folder().toUtf8());
    if (!programs.cluster_up()) return std::fputs("the cluster does not start\n", stderr), false;
    client::ClusterClient client(testing::embedded_options(programs));
    BenchWindow shown(&client);
    const auto connected = [&] { return client.status().connection == client::Connection::connected; };
    if (!wait_for(connected, patience_ms)) return std::fputs("the console is not connected\n", stderr), false;
    client.order(client::SubmitText{QString::fromStdString(watched_task().text()), programs.folder()});
    const auto trains = [&] { return newest(client) && newest(client)->step > 2; };
    if (!wait_for(trains, patience_ms)) return std::fputs("the task does not train\n", stderr), false;
    shown.watch(newest(client)->id);
    let_pass(warm_ms);

    const std::int64_t step = newest(client)->step;
    const double cpu = process_cpu_s(), busy = machine_busy_s();
    QElapsedTimer timer;
    timer.start();
    let_pass(1000 * seconds);
    const double wall = static_cast<double>(timer.nsecsElapsed()) / 1e9, all = wall * cores();
    report.fact("cores", cores(), "", 0);
    report.fact("steps a second meanwhile", static_cast<double>(newest(client)->step - step) / wall, "");
    report.fact("the machine was busy for", 100 * (machine_busy_s() - busy) / all, "%");
    report.figure("the console's share of all cores", 100 * (process_cpu_s() - cpu) / all, most_share, "%", 2);
    client.order(control::StopTask{newest(client)->id, client::stop_reason});
    (void)wait_for([&] { return newest(client)->over(); }, patience_ms);
    return true;
}

}  // namespace divisi::bench
