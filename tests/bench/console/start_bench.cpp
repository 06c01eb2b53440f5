// SPDX-License-Identifier: GPL-3.0-or-later
// Measures the time from the start of the real program, as a separate process, to its first painted window. The cache
// is warm.
#include <QElapsedTimer>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <cstdio>
#include <optional>

#include "tests/bench/console/benches.h"
#include "tests/bench/console/measures.h"

namespace divisi::bench {

namespace {

constexpr double limit_ms = 1000;
constexpr int patience_ms = 60'000;

/// Returns the milliseconds until the program reports that its window is painted; the program then ends on its own.
/// Each run has a fresh folder, so no session is restored.
std::optional<double> start_ms(const QStringList& arguments) {
    const QTemporaryDir folder(QDir::tempPath() + QStringLiteral("/dv-XXXXXX"));
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("DIVISI_DATA"), folder.filePath(QStringLiteral("data")));
    environment.insert(QStringLiteral("XDG_RUNTIME_DIR"), folder.path());
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    QProcess program;
    program.setProcessEnvironment(environment);
    program.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    const QStringList all = QStringList{QStringLiteral("--startup-time"), QStringLiteral("--settings"),
                                        folder.filePath(QStringLiteral("settings.ini"))} +
                            arguments;
    QElapsedTimer timer;
    timer.start();
    program.start(QStringLiteral(DIVISI_BIN_DIR "/divisi"), all);
    QByteArray said;
    while (!said.contains('\n') && program.waitForReadyRead(patience_ms)) said += program.readAllStandardOutput();
    const double took = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    const bool ended = program.waitForFinished(patience_ms);
    if (!ended) program.kill(), program.waitForFinished();
    if (said.contains("first window") && ended) return took;
    std::fprintf(stderr, "divisi did not say when its window was painted, or did not end: %s\n", said.constData());
    return std::nullopt;
}

bool measure(const char* what, const QStringList& arguments, int rounds, const Report& report) {
    std::vector<double> times;
    for (int round = -1; round < rounds; ++round) {
        const std::optional<double> took = start_ms(arguments);
        if (!took) return false;
        if (round >= 0) times.push_back(*took);  // the first round warms the cache
    }
    report.figure(what, median(times), limit_ms, "ms", 0);
    return true;
}

}  // namespace

bool start_bench(const QStringList& arguments, Report& report) {
    const int rounds = arguments.value(0, QStringLiteral("7")).toInt();
    return measure("start to first window, median", {}, rounds, report) &&
           measure("the same without a cluster", {QStringLiteral("--no-cluster")}, rounds, report);
}

}  // namespace divisi::bench
