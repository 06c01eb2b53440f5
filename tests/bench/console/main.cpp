// SPDX-License-Identifier: GPL-3.0-or-later
// Measures the console in its real window, offscreen and painted by software. Each bench prints its figures next to
// their limits. The exit status only says whether the measurement succeeded.
#include <QApplication>
#include <QStandardPaths>
#include <cstdio>

#include "tests/bench/console/benches.h"

namespace {

struct Bench {
    const char* name;
    const char* arguments;
    bool (*run)(const QStringList& arguments, divisi::bench::Report& report);
};
constexpr Bench benches[] = {
    {"series", "[minutes]", divisi::bench::series_bench}, {"messages", "[count]", divisi::bench::messages_bench},
    {"start", "[rounds]", divisi::bench::start_bench},    {"undo", "[steps] [rounds]", divisi::bench::undo_bench},
    {"train", "[seconds]", divisi::bench::train_bench},
};

int usage() {
    std::fputs("usage: divisi-bench-console [--markdown] BENCH [arguments]\n", stderr);
    for (const Bench& bench : benches) std::fprintf(stderr, "  %s %s\n", bench.name, bench.arguments);
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    // Qt paints the real window offscreen, so no display is needed.
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argc, argv);
    QStandardPaths::setTestModeEnabled(true);
    QStringList words = QCoreApplication::arguments().mid(1);
    const bool markdown = words.removeAll(QStringLiteral("--markdown")) > 0;
    const QString name = words.isEmpty() ? QString() : words.takeFirst();
    for (const QString& word : words)
        if (word.toInt() <= 0) return usage();
    for (const Bench& bench : benches) {
        if (name != QLatin1String(bench.name)) continue;
        divisi::bench::Report report(markdown);
        return bench.run(words, report) ? 0 : 1;
    }
    return usage();
}
