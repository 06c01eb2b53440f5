// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/console/measures.h"

#include <unistd.h>

#include <QCoreApplication>
#include <QFile>
#include <algorithm>

namespace divisi::bench {

namespace {

QList<QByteArray> fields_of(const char* path) {
    QFile file(QString::fromLatin1(path));
    if (!file.open(QIODevice::ReadOnly)) qFatal("%s cannot be read", path);
    return file.readLine().simplified().split(' ');
}

double seconds_of(const QByteArray& ticks) { return ticks.toDouble() / static_cast<double>(::sysconf(_SC_CLK_TCK)); }

}  // namespace

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::ranges::sort(values);
    return values[values.size() / 2];
}

/// Reads fields 14 and 15 of /proc/self/stat, see proc(5). The fields can be split at spaces, because this program's
/// name has no space.
double process_cpu_s() {
    const QList<QByteArray> fields = fields_of("/proc/self/stat");
    return seconds_of(fields.value(13)) + seconds_of(fields.value(14));
}

/// Sums the fields of "cpu  user nice system idle iowait irq softirq steal" except idle, iowait and steal.
double machine_busy_s() {
    const QList<QByteArray> fields = fields_of("/proc/stat");
    double busy = 0;
    for (const int at : {1, 2, 3, 6, 7}) busy += seconds_of(fields.value(at));
    return busy;
}

int cores() { return static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)); }

double resident_bytes() {
    return fields_of("/proc/self/statm").value(1).toDouble() * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

bool wait_for(const std::function<bool()>& done, int limit_ms) {
    QTimer look;  // wakes the loop when no other event does
    look.start(5);
    QElapsedTimer timer;
    timer.start();
    while (!done() && timer.elapsed() < limit_ms) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    return done();
}

void let_pass(int ms) {
    (void)wait_for([] { return false; }, ms);
}

BlockMeter::BlockMeter() {
    tick_.setInterval(0);
    connect(&tick_, &QTimer::timeout, this, &BlockMeter::turn);
}

void BlockMeter::start() {
    longest_ms_ = 0;
    clock_.start();
    tick_.start();
}

double BlockMeter::longest_ms() {
    turn();
    tick_.stop();
    return longest_ms_;
}

void BlockMeter::turn() {
    longest_ms_ = std::max(longest_ms_, static_cast<double>(clock_.nsecsElapsed()) / 1e6);
    clock_.start();
}

}  // namespace divisi::bench
