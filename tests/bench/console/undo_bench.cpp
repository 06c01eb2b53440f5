// SPDX-License-Identifier: GPL-3.0-or-later
// Undoes and redoes 200 steps of a long session in the real window. Both must restore the task byte for byte.
#include <QApplication>
#include <QElapsedTimer>
#include <algorithm>

#include "tests/bench/console/bench_window.h"
#include "tests/bench/console/benches.h"
#include "tests/unit/app/many_steps.h"
#include "tests/unit/app/sample_graphs.h"

namespace divisi::bench {

namespace {

/// Time from a step to the frame that shows it; a person notices a longer time as a delay.
constexpr double most_step_ms = 100;

/// Returns the milliseconds of each of `steps` steps, including the update of the views.
std::vector<double> timed(int steps, const std::function<void(int)>& make) {
    std::vector<double> times;
    for (int number = 0; number < steps; ++number) {
        QElapsedTimer timer;
        timer.start();
        make(number);
        QApplication::processEvents();
        times.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    return times;
}

}  // namespace

bool undo_bench(const QStringList& arguments, Report& report) {
    const int steps = arguments.value(0, QStringLiteral("200")).toInt();
    const int rounds = arguments.value(1, QStringLiteral("3")).toInt();
    BenchWindow shown(nullptr);
    model::GraphDocument& document = shown.window->context().document;
    model::TaskDraft& draft = shown.window->context().draft;
    document.set_model(testing::chain_model(testing::many_steps_model));
    let_pass(500);
    const QByteArray before = testing::bytes_of(draft, document);
    for (int number = 0; number < steps; ++number) testing::make_step(draft, document, number, steps);
    const QByteArray after = testing::bytes_of(draft, document);
    QUndoStack& stack = document.undo_stack();
    if (stack.count() != steps || before == after)
        return std::fprintf(stderr, "%d steps were made instead of %d\n", stack.count(), steps), false;
    int different = 0;
    std::vector<double> undo, redo;
    for (int round = 0; round < rounds; ++round) {
        const auto undone = timed(steps, [&](int) { stack.undo(); });
        different += testing::bytes_of(draft, document) != before;
        const auto redone = timed(steps, [&](int) { stack.redo(); });
        different += testing::bytes_of(draft, document) != after;
        undo.insert(undo.end(), undone.begin(), undone.end());
        redo.insert(redo.end(), redone.begin(), redone.end());
    }
    report.fact("steps", steps, "", 0);
    report.fact("bytes of the task after them", static_cast<double>(after.size()), "", 0);
    report.figure("states that are another one than before", different, 0, "", 0);
    report.fact("an undo with its frame, median", median(undo), "ms", 2);
    report.fact("a redo with its frame, median", median(redo), "ms", 2);
    report.figure("the slowest of them", std::max(*std::ranges::max_element(undo), *std::ranges::max_element(redo)),
                  most_step_ms, "ms");
    return true;
}

}  // namespace divisi::bench
