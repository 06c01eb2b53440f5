// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QElapsedTimer>
#include <functional>
#include <vector>

namespace divisi::bench {

/// The times, in milliseconds, that the GUI thread spent in one event, without returning to its event loop.
struct Block {
    double computed_ms = 0;  ///< CPU time of the thread: other programs of a busy machine do not count
    double clock_ms = 0;
    QByteArray what;  ///< receiver and type of the event, such as "QTimer QEvent::Timer"
};

/// The application. Measures the time of every event that its loop delivers, because the user can do nothing while an
/// event takes long.
class ProbedApplication : public QApplication {
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override;
    /// Runs `gesture` in the GUI thread. Then runs the event loop until `until` returns true (a minute at most) and
    /// nothing has happened for a tenth of a second. Returns the longest block of all this; clock_ms is -1 if `until`
    /// never held.
    Block longest_block(const std::function<void()>& gesture, const std::function<bool()>& until = {});

private:
    template <typename Work>
    void time(const char* what, const char* kind, Work work);

    int depth_ = 0;
    Block longest_;
};

/// Runs the event loop until `done` returns true. Returns false after `limit_ms`.
bool wait_for(const std::function<bool()>& done, int limit_ms);

/// Returns the 95th percentile of `times`.
double p95(std::vector<double> times);

/// Prints a figure beside its limit. Returns whether the limit holds.
bool report(const char* what, double value_ms, double limit_ms);
/// Reports a block of the event loop: compares its CPU time with the limit, and prints the wall-clock time and the
/// event.
bool report(const char* what, const Block& longest, double limit_ms);

}  // namespace divisi::bench
