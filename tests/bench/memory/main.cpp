// SPDX-License-Identifier: Apache-2.0
// What each instance of a split run holds at its peak, against the plan and against the unsplit model.
#include <QCoreApplication>
#include <algorithm>
#include <cstdio>

#include "tests/system/memory_watch.h"

int main(int argc, char** argv) {
    const QCoreApplication app(argc, argv);
    const int layers = argc > 1 ? std::atoi(argv[1]) : 12;
    const int width = argc > 2 ? std::atoi(argv[2]) : 256;
    constexpr double mib = 1 << 20;
    divisi::tests::Programs programs;
    if (!programs.cluster_up()) {
        std::fprintf(stderr, "the cluster does not come up\n");
        return 1;
    }
    const double empty = divisi::tests::empty_instance(programs);
    const QString task = programs.write("memory.toml", divisi::tests::memory_task(layers, width));
    std::printf("gpt of %d layers, width %d; an empty instance takes %.0f MiB, which is taken off\n", layers, width,
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
