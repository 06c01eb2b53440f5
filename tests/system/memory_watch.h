// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMap>
#include <QRegularExpression>
#include <QTest>

#include "tests/system/programs.h"

namespace divisi::tests {

/// What one stage's process held at its peak, and what the plan foretold; bytes.
struct StageMemory {
    double peak = 0;       ///< VmHWM of the process
    double predicted = 0;  ///< plan::stage_memory
};

/// A gpt whose parameters, with gradients and AdamW's two moments, outweigh what a process takes anyway.
inline QByteArray memory_task(int layers, int width) {
    return QString(R"(
[task]
name = "memory"
[model]
zoo = "gpt"
layers = %1
width = %2
heads = 4
context = 32
[data]
kind = "text"
path = "%3/resources/samples/text/divisi.txt"
[train]
steps = 3
batch = 8
microbatches = 4
optimizer = "adamw"
[split]
stages = 1
)")
        .arg(layers)
        .arg(width)
        .arg(DIVISI_SOURCE_DIR)
        .toUtf8();
}

/// Peaks by stage of the instances that run on this data folder, as far as they have come.
inline void watch_peaks(const Programs& programs, QMap<int, double>& peaks) {
    static const QRegularExpression stage("/stage-(\\d+)/"), peak("VmHWM:\\s+(\\d+) kB");
    for (const QString& pid : QDir("/proc").entryList(QDir::Dirs)) {
        QFile command("/proc/" + pid + "/cmdline"), status("/proc/" + pid + "/status");
        if (!command.open(QIODevice::ReadOnly)) continue;
        const QString line = command.readAll();
        if (!line.contains("divisi-instance") || !line.contains(programs.folder())) continue;
        if (!status.open(QIODevice::ReadOnly)) continue;
        const auto named = stage.match(line), held = peak.match(status.readAll());
        if (named.hasMatch() && held.hasMatch()) peaks[named.captured(1).toInt()] = held.captured(1).toDouble() * 1024;
    }
}

/// Runs the task in `stages` stages; empty when it fails.
inline QList<StageMemory> measure_memory(const Programs& programs, const QString& task, int stages) {
    const QStringList arguments{task, "--set", QString("split.stages=%1").arg(stages), "--json"};
    const Finished plan = programs.run(QStringList{"plan"} + arguments);
    QProcess run;
    run.setProcessEnvironment(programs.environment());
    run.start(Programs::program("divisictl"), QStringList{"run"} + arguments);
    QMap<int, double> peaks;
    const auto over = [&] {
        watch_peaks(programs, peaks);
        return run.state() == QProcess::NotRunning;
    };
    if (!QTest::qWaitFor(over, 180'000) || run.exitCode() != 0 || plan.status != 0) {
        qWarning("%s%s", run.readAllStandardOutput().right(500).constData(), qPrintable(plan.errors));
        return {};
    }
    QList<StageMemory> result;
    const QJsonArray predictions = plan.objects().value(0)["predictions"].toArray();
    for (int stage = 0; stage < stages; ++stage)
        result.append({peaks.value(stage), predictions[stage].toObject()["memory_bytes"].toDouble()});
    return result;
}

/// What an instance takes that holds next to nothing: LibTorch and the other libraries, the sockets' threads.
inline double empty_instance(const Programs& programs) {
    const auto measured = measure_memory(programs, programs.write("empty.toml", memory_task(1, 8)), 1);
    return measured.isEmpty() ? 0 : measured[0].peak - measured[0].predicted;
}

}  // namespace divisi::tests
