// SPDX-License-Identifier: Apache-2.0
#include "tests/system/memory_watch.h"

#include "tests/support/test_program.h"

namespace memory_test {

using divisi::tests::Programs;

/// Tests that an instance holds only its own stage. If every process held the whole model, each would take as much
/// memory as the unsplit model. The bounds here are generous; tests/bench/memory prints the exact figures.
class Memory : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Trains thousands of steps of a model whose tensors are small compared with the process.
    void long_run_does_not_grow_in_memory() {
        Programs programs;
        QVERIFY(programs.cluster_up());
        const QString task = programs.write("growth.toml", divisi::tests::growth_task());
        constexpr int steps = 1500, settled = 200;
        const auto growth = divisi::tests::measure_growth(programs, task, steps, settled, 100'000);
        for (const char* process : {"divisi-instance stage-0", "divisi-instance stage-1", "divisid", "divisictl"})
            QVERIFY2(growth.contains(process), process);
        constexpr double mib = 1 << 20, tables = 4 * mib;  // growth of internal tables, which fill up once
        for (auto process = growth.begin(); process != growth.end(); ++process) {
            const QString figures = QString("%1 grew from %2 to %3 MiB between step %4 and step %5")
                                        .arg(process.key())
                                        .arg(process->settled / mib, 0, 'f', 1)
                                        .arg(process->last / mib, 0, 'f', 1)
                                        .arg(settled)
                                        .arg(steps);
            qInfo("%s", qPrintable(figures));
            const double slack = process.key().startsWith("divisi-instance") ? 0 : tables;
            QVERIFY2(process->last < 1.1 * process->settled + slack, qPrintable(figures));
        }
    }
    void each_stage_uses_only_the_memory_of_its_own_part() {
        Programs programs;
        QVERIFY(programs.cluster_up());
        const double empty = divisi::tests::empty_instance(programs);
        QVERIFY(empty > 0);
        const QString task = programs.write("memory.toml", divisi::tests::memory_task(8, 256));
        const auto whole = divisi::tests::measure_memory(programs, task, 1);
        const auto parts = divisi::tests::measure_memory(programs, task, 4);
        QCOMPARE(whole.size(), 1);
        QCOMPARE(parts.size(), 4);
        const double unsplit = whole[0].peak - empty;
        QVERIFY2(unsplit > whole[0].predicted / 2, "the watch sees too little");
        // limit relative to the stage's own memory; it allows for tensors in transit and frames in flight
        constexpr double mib = 1 << 20, most = 1.5;
        qInfo("a process takes %.0f MiB beside its stage", empty / mib);
        for (int stage = 0; stage < 4; ++stage) {
            const double held = parts[stage].peak - empty;
            const QString figures = QString("stage %1 holds %2 MiB of %3, predicted %4")
                                        .arg(stage)
                                        .arg(held / mib, 0, 'f', 1)
                                        .arg(unsplit / mib, 0, 'f', 1)
                                        .arg(parts[stage].predicted / mib, 0, 'f', 1);
            QVERIFY2(held < unsplit / 2, qPrintable(figures));
            QVERIFY2(held < most * parts[stage].predicted, qPrintable(figures));
        }
    }
};

DIVISI_TEST(Memory)

}  // namespace memory_test

#include "memory_test.moc"
