// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <functional>
#include <vector>

namespace divisi::bench {

double median(std::vector<double> values);
/// Returns the CPU seconds of all threads of this process, without its children.
double process_cpu_s();
/// Return the CPU seconds of all cores of the machine, and the number of cores.
double machine_busy_s();
int cores();
/// Returns the resident bytes of this process.
double resident_bytes();
/// Processes events until `done` returns true, polling it every few milliseconds. Returns false after the limit.
bool wait_for(const std::function<bool()>& done, int limit_ms);
/// Processes events for `ms` milliseconds.
void let_pass(int ms);

/// Measures how long the event loop of this thread is blocked: the longest wall-clock time between two iterations.
class BlockMeter : public QObject {
public:
    BlockMeter();
    void start();
    /// Stops measuring and returns the longest block in milliseconds.
    double longest_ms();

private:
    void turn();

    QTimer tick_;
    QElapsedTimer clock_;
    double longest_ms_ = 0;
};

}  // namespace divisi::bench
