// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/graphview/probe.h"

#include <QMetaEnum>
#include <algorithm>
#include <cstdio>

#include "tests/support/cpu_time.h"

namespace divisi::bench {

template <typename Work>
void ProbedApplication::time(const char* what, const char* kind, Work work) {
    if (depth_++ > 0) {  // part of a longer event
        work();
        --depth_;
        return;
    }
    QElapsedTimer clock;
    clock.start();
    const double before = testing::thread_cpu_ms();
    const QByteArray name = QByteArray(what) + ' ' + kind;  // the receiver may be deleted by then
    work();
    const double computed = testing::thread_cpu_ms() - before;
    if (computed > longest_.computed_ms) longest_ = {computed, static_cast<double>(clock.nsecsElapsed()) / 1e6, name};
    --depth_;
}

bool ProbedApplication::notify(QObject* receiver, QEvent* event) {
    const char* kind = QMetaEnum::fromType<QEvent::Type>().valueToKey(event->type());
    bool taken = false;
    time(receiver->metaObject()->className(), kind ? kind : "event",
         [&] { taken = QApplication::notify(receiver, event); });
    return taken;
}

Block ProbedApplication::longest_block(const std::function<void()>& gesture, const std::function<bool()>& until) {
    longest_ = {};
    time("the gesture", "itself", gesture);
    const bool met = wait_for(
        until ? until : [] { return true; }, 60'000);
    QElapsedTimer quiet;
    quiet.start();
    wait_for([&] { return quiet.elapsed() > 100; }, 1000);
    if (!met) longest_.clock_ms = -1;
    return longest_;
}

bool wait_for(const std::function<bool()>& done, int limit_ms) {
    QElapsedTimer timer;
    for (timer.start(); !done() && timer.elapsed() < limit_ms;)
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 5);
    return done();
}

double p95(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    return times[times.size() * 95 / 100];
}

bool report(const char* what, double value_ms, double limit_ms) {
    std::printf("%-34s %8.1f ms (limit %.0f)\n", what, value_ms, limit_ms);
    return value_ms <= limit_ms;
}

bool report(const char* what, const Block& longest, double limit_ms) {
    if (longest.clock_ms < 0) {
        std::printf("%-34s did not end\n", what);
        return false;
    }
    std::printf("%-34s %8.1f ms (limit %.0f), by the clock %.1f ms: %s\n", what, longest.computed_ms, limit_ms,
                longest.clock_ms, longest.what.constData());
    return longest.computed_ms <= limit_ms;
}

}  // namespace divisi::bench
