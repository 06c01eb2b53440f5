// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDeadlineTimer>
#include <QMap>
#include <QRegularExpression>
#include <QTest>

#include "tests/support/task_file.h"
#include "tests/system/programs.h"

namespace divisi::tests {

/// Peak memory of one stage's process, and the plan's prediction, in bytes.
struct StageMemory {
    double peak = 0;       ///< VmHWM of the process
    double predicted = 0;  ///< plan::stage_memory
};

/// Returns a gpt task whose parameters, with gradients and AdamW's two moments, outweigh the memory of an empty
/// process.
inline testing::TaskFile memory_task(int layers, int width) {
    return testing::TaskFile("memory")
        .gpt(layers, width, 4, 32)
        .replace("data", {{"kind", "text"}, {"path", DIVISI_SOURCE_DIR "/resources/samples/text/divisi.txt"}})
        .section("train", {{"steps", 3}, {"microbatches", 4}, {"optimizer", "adamw"}})
        .set("split.stages", 1);
}

/// Returns a small MLP in two stages: thousands of steps in seconds. Each step allocates a few hundred tensors of 32
/// KiB.
inline testing::TaskFile growth_task() {
    return testing::TaskFile("growth")
        .section("model", {{"inputs", 32}, {"width", 32}, {"layers", 16}, {"classes", 4}})
        .set("data.samples", 4096)
        .section("train", {{"steps", 1}, {"batch", 1024}, {"microbatches", 4}, {"optimizer", "adamw"}})
        .section("split", {{"stages", 2}, {"schedule", "1f1b"}});
}

/// Updates the peaks, by stage, of the instances that run on this data folder.
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

/// Resident bytes of one process: after the run had settled, and at its end.
struct Growth {
    double settled = 0, last = 0;
};

/// Returns a process name from its command line: "divisi-instance stage-1", "divisi-node mic-1/node-2", "divisid".
inline QString process_name(const QString& command_line) {
    const QStringList words = command_line.split(QChar('\0'), Qt::SkipEmptyParts);
    const auto option = [&](const char* name) { return words.value(words.indexOf(name) + 1); };
    const QString program = QFileInfo(words.value(0)).fileName();
    if (program == "divisi-instance") return program + " " + option("--instance").section('/', -2, -2);
    if (program == "divisi-node") return program + " " + option("--name");
    return program;
}

/// Returns the resident bytes of every process on this data folder.
inline QMap<QString, double> resident_bytes(const Programs& programs) {
    static const QRegularExpression resident("VmRSS:\\s+(\\d+) kB");
    QMap<QString, double> found;
    for (const QString& pid : QDir("/proc").entryList(QDir::Dirs)) {
        QFile command("/proc/" + pid + "/cmdline"), status("/proc/" + pid + "/status");
        if (!command.open(QIODevice::ReadOnly)) continue;
        const QString line = command.readAll();
        if (!line.contains("divisi") || !line.contains(programs.folder())) continue;
        if (!status.open(QIODevice::ReadOnly)) continue;
        if (const auto held = resident.match(status.readAll()); held.hasMatch())
            found[process_name(line)] = held.captured(1).toDouble() * 1024;
    }
    return found;
}

/// Runs a task and watches every process of its cluster. `settled` is the step after which nothing should grow. Returns
/// an empty map if the task fails.
inline QMap<QString, Growth> measure_growth(const Programs& programs, const QString& task, int steps, int settled,
                                            int limit_ms) {
    QProcess run;
    run.setProcessEnvironment(programs.environment());
    run.start(Programs::program("divisictl"), {"run", task, "--set", QString("train.steps=%1").arg(steps), "--json"});
    int done = 0;
    QByteArray printed;
    QMap<QString, Growth> growth;
    const auto sample = [&] {
        printed += run.readAllStandardOutput();
        done += static_cast<int>(printed.count("\"event\":\"step\""));
        printed = printed.right(8);  // keeps less than the searched word, because the word may arrive in two parts
        const auto now = resident_bytes(programs);
        for (auto process = now.begin(); process != now.end(); ++process) {
            Growth& one = growth[process.key()];
            if (done < settled || one.settled == 0) one.settled = process.value();
            one.last = process.value();
        }
        return run.state() == QProcess::NotRunning;
    };
    // Inspecting all processes takes milliseconds of CPU time that the run needs.
    constexpr int pause_ms = 200;
    QDeadlineTimer deadline(limit_ms);
    bool over = sample();
    while (!over && !deadline.hasExpired()) {
        run.waitForFinished(pause_ms);
        over = sample();
    }
    printed += run.readAllStandardOutput();
    if (over && run.exitCode() == 0 && done + printed.count("\"event\":\"step\"") >= steps) return growth;
    qWarning("%d of %d steps: %s", done, steps, run.readAllStandardError().constData());
    return {};
}

/// Runs the task in `stages` stages. Returns an empty list if it fails.
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

/// Returns the memory of a nearly empty instance: LibTorch and the other libraries, the sockets' threads.
inline double empty_instance(const Programs& programs) {
    const auto measured = measure_memory(programs, programs.write("empty.toml", memory_task(1, 8)), 1);
    return measured.isEmpty() ? 0 : measured[0].peak - measured[0].predicted;
}

}  // namespace divisi::tests
