// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <functional>
#include <vector>

namespace divisi::bench {

double median(std::vector<double> values);
/// What this process has computed, all its threads together, without its children.
double process_cpu_s();
/// What all cores of the machine have computed, and how many there are.
double machine_busy_s();
int cores();
/// Bytes of this process that are in memory.
double resident_bytes();
/// Lets events happen until `done` says so, looked at every few milliseconds; false after the limit.
bool wait_for(const std::function<bool()>& done, int limit_ms);
/// Lets events happen for that long.
void let_pass(int ms);

/// How long the event loop of this thread stands still: the longest time between two turns of it, by the clock.
class BlockMeter : public QObject {
public:
    BlockMeter();
    void start();
    /// Ends it. Milliseconds.
    double longest_ms();

private:
    void turn();

    QTimer tick_;
    QElapsedTimer clock_;
    double longest_ms_ = 0;
};

}  // namespace divisi::bench
