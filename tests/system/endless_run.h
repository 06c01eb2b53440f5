// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTest>
#include <algorithm>

#include "tests/system/programs.h"

namespace divisi::tests {

/// Stops an endless run of `file` after it has trained for some more steps. Checks its first losses against the same
/// training in one process.
inline void stop_and_compare(const Programs& programs, QProcess& run, const QString& file) {
    constexpr int most_compared = 1'000;
    constexpr qsizetype least_compared = 21;
    constexpr qsizetype least_more = 10;  // more steps after any disturbance
    QByteArray output = run.readAllStandardOutput();
    const auto steps_done = [&] { return output.count("\"event\":\"step\""); };
    const qsizetype wanted = std::max(least_compared, steps_done() + least_more);
    // On a busy machine the run may not have had any CPU time yet.
    const auto enough = [&] {
        output += run.readAllStandardOutput();
        return steps_done() >= wanted || run.state() == QProcess::NotRunning;
    };
    QVERIFY2(QTest::qWaitFor(enough, 60'000),
             qPrintable(QString("%1 of %2 steps").arg(steps_done()).arg(wanted) + run.readAllStandardError()));
    QVERIFY2(steps_done() >= wanted, (output.right(600) + run.readAllStandardError()).constData());
    run.terminate();
    QVERIFY(run.waitForFinished(60'000));
    Finished finished;
    finished.output = output + run.readAllStandardOutput();
    const QStringList losses = finished.losses().mid(0, most_compared);
    const QString steps = "train.steps=" + QString::number(losses.size());
    QCOMPARE(losses, programs.run({"reference", file, "--set", steps, "--json"}).losses());
}

}  // namespace divisi::tests
