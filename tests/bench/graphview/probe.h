// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QElapsedTimer>
#include <functional>
#include <vector>

namespace divisi::bench {

/// One thing that the GUI thread did without looking at anything else, in milliseconds.
struct Block {
    double computed_ms = 0;  ///< what the thread computed: other programs of a busy machine do not count
    double clock_ms = 0;
    QByteArray what;  ///< "QTimer QEvent::Timer"
};

/// The application, which times every event that its loop delivers: nobody can do anything while one takes long.
class ProbedApplication : public QApplication {
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override;
    /// Does something in the GUI thread, then turns the event loop until `until` holds (a minute at most) and nothing
    /// has happened for a tenth of a second. Returns the longest block of all that; `until` not met: clock_ms is -1.
    Block longest_block(const std::function<void()>& gesture, const std::function<bool()>& until = {});

private:
    template <typename Work>
    void time(const char* what, const char* kind, Work work);

    int depth_ = 0;
    Block longest_;
};

/// Turns the event loop until `done` holds; false after `limit_ms`.
bool wait_for(const std::function<bool()>& done, int limit_ms);

/// The value that 95 % of them stay within.
double p95(std::vector<double> times);

/// Prints a figure beside its limit; whether it is kept.
bool report(const char* what, double value_ms, double limit_ms);
/// The same for a block of the event loop: told is what was computed, with the clock's time and the event.
bool report(const char* what, const Block& longest, double limit_ms);

}  // namespace divisi::bench
