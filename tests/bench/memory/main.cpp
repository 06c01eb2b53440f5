// SPDX-License-Identifier: Apache-2.0
// Compares the peak memory of each instance of a split run with the plan's prediction and with the unsplit model. Also
// measures the memory of every process of a long run, and the cost of tensor memory.
#include <QCoreApplication>
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "tests/bench/memory/heap.h"
#include "tests/system/memory_watch.h"

namespace {

using divisi::tests::Programs;

constexpr double mib = 1 << 20;

int bench_stages(const Programs& programs, int layers, int width) {
    const double empty = divisi::tests::empty_instance(programs);
    const QString task = programs.write("memory.toml", divisi::tests::memory_task(layers, width));
    std::printf("gpt of %d layers, width %d; the %.0f MiB of an empty instance are subtracted\n", layers, width,
                empty / mib);
    std::printf("%6s %6s %12s %15s %8s %12s\n", "stages", "stage", "held MiB", "predicted MiB", "ratio", "of unsplit");
    double unsplit = 0;
    for (const int stages : {1, 2, 4}) {
        const auto measured = divisi::tests::measure_memory(programs, task, stages);
        if (measured.isEmpty()) return 1;
        if (stages == 1) unsplit = measured[0].peak - empty;
        for (int stage = 0; stage < stages; ++stage) {
            const double held = measured[stage].peak - empty, predicted = measured[stage].predicted;
            std::printf("%6d %6d %12.1f %15.1f %8.2f %12.2f\n", stages, stage, held / mib, predicted / mib,
                        held / predicted, held / unsplit);
        }
        std::fflush(stdout);
    }
    return 0;
}

int bench_growth(const Programs& programs, int steps) {
    constexpr int settled = 200, milliseconds_a_step = 500;
    const QString task = programs.write("growth.toml", divisi::tests::growth_task());
    const auto growth = divisi::tests::measure_growth(programs, task, steps, settled, steps * milliseconds_a_step);
    if (growth.isEmpty()) return 1;
    std::printf("an MLP in two stages, %d steps\n%-26s %12s %12s %8s\n", steps, "process", "step 200 MiB", "at end MiB",
                "ratio");
    for (auto process = growth.begin(); process != growth.end(); ++process)
        std::printf("%-26s %12.1f %12.1f %8.3f\n", qPrintable(process.key()), process->settled / mib,
                    process->last / mib, process->last / process->settled);
    return 0;
}

/// Runs each variant in its own process, because a heap does not shrink when memory is freed.
int bench_heap() {
    const auto theirs = divisi::bench::in_a_process(divisi::bench::Way::aligned_alloc);
    const auto ours = divisi::bench::in_a_process(divisi::bench::Way::allocate_tensor);
    if (!theirs || !ours) return 1;
    std::printf("%-18s %14s %14s %8s %14s\n", "20,000 rounds", "round 200 MiB", "at end MiB", "growth", "ns a tensor");
    for (const auto& [name, one] : {std::pair("aligned_alloc()", *theirs), std::pair("allocate_tensor()", *ours)})
        std::printf("%-18s %14.1f %14.1f %8.2f %14.0f\n", name, one.settled_bytes / mib, one.last_bytes / mib,
                    one.last_bytes / one.settled_bytes, one.ns_each);
    std::printf("allocate_tensor() takes %.2f times the time of aligned_alloc()\n", ours->ns_each / theirs->ns_each);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const QCoreApplication app(argc, argv);
    const auto number = [&](int at, int otherwise) { return argc > at ? std::atoi(argv[at]) : otherwise; };
    if (argc > 1 && std::strcmp(argv[1], "heap") == 0) return bench_heap();
    Programs programs;
    if (!programs.cluster_up()) {
        std::fprintf(stderr, "the cluster does not start\n");
        return 1;
    }
    if (argc > 1 && std::strcmp(argv[1], "growth") == 0) return bench_growth(programs, number(2, 20'000));
    return bench_stages(programs, number(1, 12), number(2, 256));
}
