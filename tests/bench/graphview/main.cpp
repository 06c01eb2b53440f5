// SPDX-License-Identifier: GPL-3.0-or-later
// Measures a graph of 10,000 operators under software rendering: the time until it shows, frames while panning and
// zooming, and moves of a paint stroke. In the whole window it measures moves of a cut with the resulting price, the
// first frame, and how long the event loop blocks (blocks.h). Prints one line per figure and fails if a limit is
// exceeded. Limits: 1 s to show, 33 ms for 95 % of frames, 16 ms for 95 % of moves with the frame that shows them. 95 %
// of prices must come within 100 ms, and no block may last longer than 100 ms.
#include <QElapsedTimer>
#include <QMouseEvent>
#include <QScrollBar>
#include <QSettings>
#include <QTemporaryDir>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <utility>
#include <vector>

#include "app/shell/window/main_window.h"
#include "tests/bench/graphview/blocks.h"
#include "tests/bench/graphview/probe.h"
#include "tests/gui/window_parts.h"
#include "tests/unit/app/sample_graphs.h"

namespace {

using divisi::bench::p95, divisi::bench::report, divisi::bench::wait_for;
using divisi::graphview::GraphView;

/// Returns the 95th percentile, in milliseconds, of `frames` repaints while `move` changes the view.
double p95_of_frames(GraphView& view, int frames, const std::function<void(int)>& move) {
    QImage frame(view.viewport()->size(), QImage::Format_ARGB32_Premultiplied);
    std::vector<double> times;
    for (int i = 0; i < frames; ++i) {
        QElapsedTimer timer;
        timer.start();
        move(i);
        view.viewport()->render(&frame);
        times.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    return p95(std::move(times));
}

void send(GraphView& view, QEvent::Type type, QPointF at) {
    const bool up = type == QEvent::MouseButtonRelease;
    QMouseEvent event(type, at, view.viewport()->mapToGlobal(at), Qt::LeftButton, up ? Qt::NoButton : Qt::LeftButton,
                      {});
    QApplication::sendEvent(view.viewport(), &event);
}

/// Drags a cut by up to 300 pixels in the whole window; form, tables, landscape and overview update.
bool drag_in_the_window(divisi::shell::MainWindow& window, double zoom) {
    GraphView& view = divisi::testing::WindowParts::graph_view(window);
    const divisi::model::PriceBoard& prices = window.context().prices;
    const auto priced = [&] {
        return prices.prices() && !prices.busy() && prices.prices()->cuts == window.context().document.shown_cuts();
    };
    view.setTransform(QTransform::fromScale(zoom, zoom));
    view.cut_focus().show(1);
    view.camera().centre();
    view.setTransform(QTransform::fromScale(zoom, zoom));
    view.centerOn(QPointF(0, view.mapToScene(view.cut_drag().handle(1)).y()));
    if (!wait_for(priced, 60'000) || !prices.prices()->ok()) {
        std::printf("no prices: %s\n", prices.prices() ? qPrintable(prices.prices()->problem) : "none came");
        return false;
    }
    const QPointF start = view.cut_drag().handle(1);
    send(view, QEvent::MouseButtonPress, start);
    std::vector<double> moves, answers;
    const int most = std::min(view.viewport()->height() / 2 - 60, 300);  // without scrolling
    for (int i = 1; i <= 120; ++i) {
        QElapsedTimer timer;
        timer.start();
        send(view, QEvent::MouseMove, start + QPointF(0, static_cast<double>(i) * most / 120));
        QApplication::processEvents();  // the frame that shows the move
        moves.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
        if (i % 10 != 0) continue;
        wait_for(priced, 10'000);
        answers.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    const bool moved = window.context().document.previewing();
    send(view, QEvent::MouseButtonRelease, start + QPointF(0, most));
    char what[64];
    std::snprintf(what, sizeof what, "drag at zoom %.2f, p95", zoom);
    bool good = report(what, p95(moves), 16) && moved;
    std::snprintf(what, sizeof what, "price at zoom %.2f, p95", zoom);
    good &= report(what, p95(answers), 100);
    return good;
}

/// Measures the graph view alone: showing, zooming, panning and painting it.
bool measure_view(const divisi::model::ModelPtr& model) {
    divisi::model::GraphDocument document;
    GraphView view(document);
    view.resize(1440, 900);
    view.show();
    QElapsedTimer timer;
    timer.start();
    document.set_model(model, {500, 1000, 1500});
    view.scopes().open_all();
    wait_for([&] { return !view.scopes().layouts().service().busy(); }, 60'000);
    view.camera().fit_all();
    QImage first(view.viewport()->size(), QImage::Format_ARGB32_Premultiplied);
    view.viewport()->render(&first);
    bool good = report("10,002 operators shown", static_cast<double>(timer.elapsed()), 1000);

    good &= report("zoom in to the blocks, p95", p95_of_frames(view, 60, [&](int) { view.camera().zoom_in(); }), 33);
    good &= report("zoom out to the whole, p95", p95_of_frames(view, 60, [&](int) { view.camera().zoom_out(); }), 33);
    for (const double zoom : {1.0, 0.36, 0.1, 0.02}) {
        view.setTransform(QTransform::fromScale(zoom, zoom));
        QScrollBar* bar = view.verticalScrollBar();
        bar->setValue(bar->minimum());
        const double frames = p95_of_frames(view, 120, [bar](int) { bar->setValue(bar->value() + 97); });
        char what[64];
        std::snprintf(what, sizeof what, "pan at zoom %.2f, p95", zoom);
        good &= report(what, frames, 33);
    }
    view.brush().set_painting(true);
    view.brush().choose(4);
    for (const double zoom : {1.0, 0.1}) {
        view.setTransform(QTransform::fromScale(zoom, zoom));
        const QPointF block = view.layout().blocks()[5000].rect.center();
        view.centerOn(block);
        const QPointF start = view.mapFromScene(block);
        send(view, QEvent::MouseButtonPress, start);
        const int most = view.viewport()->height() / 2 - 40;  // without scrolling
        const double moves = p95_of_frames(
            view, 100, [&](int i) { send(view, QEvent::MouseMove, start + QPointF(0, (i + 1) * most / 100)); });
        good &= document.previewing();  // otherwise nothing was painted
        send(view, QEvent::MouseButtonRelease, start);
        char what[64];
        std::snprintf(what, sizeof what, "paint at zoom %.2f, p95", zoom);
        good &= report(what, moves, 16);
    }
    return good;
}

/// Zooms and pans the graph in the whole window. Returns whether the 95th percentile of frame times, including the
/// repaint of all dependent views, is at most 33 ms for every movement.
bool move_in_the_window(divisi::shell::MainWindow& window) {
    GraphView& view = divisi::testing::WindowParts::graph_view(window);
    const auto frames = [](int count, const std::function<void()>& move) {
        std::vector<double> times;
        for (int i = 0; i < count; ++i) {
            QElapsedTimer timer;
            timer.start();
            move();
            QApplication::processEvents();
            times.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
        }
        return p95(std::move(times));
    };
    bool good = report("window: zoom in, p95", frames(60, [&] { view.camera().zoom_in(); }), 33);
    good &= report("window: zoom out, p95", frames(60, [&] { view.camera().zoom_out(); }), 33);
    for (const double zoom : {1.0, 0.36, 0.1, 0.02}) {
        view.setTransform(QTransform::fromScale(zoom, zoom));
        QScrollBar* bar = view.verticalScrollBar();
        bar->setValue(bar->minimum());
        QApplication::processEvents();
        char what[64];
        std::snprintf(what, sizeof what, "window: pan at zoom %.2f, p95", zoom);
        good &= report(what, frames(120, [bar] { bar->setValue(bar->value() + 97); }), 33);
    }
    return good;
}

bool measure_window(const divisi::model::ModelPtr& model) {
    const QTemporaryDir folder;
    QSettings settings(folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
    divisi::shell::MainWindow window(settings, nullptr);
    window.resize(1440, 900);
    window.show();
    window.context().document.set_model(model, {500, 1000, 1500});
    divisi::testing::WindowParts::graph_view(window).scopes().open_all();
    wait_for([&] { return !divisi::testing::WindowParts::graph_view(window).scopes().layouts().service().busy(); },
             60'000);
    bool good = move_in_the_window(window);
    for (const double zoom : {1.0, 0.1, 0.04}) good &= drag_in_the_window(window, zoom);
    return good;
}

}  // namespace

int main(int argc, char** argv) {
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    divisi::bench::ProbedApplication application(argc, argv);
    const auto model = std::make_shared<const divisi::model::LoadedModel>(divisi::testing::residual(3334),
                                                                          divisi::model::ModelSource{});
    bool good = measure_view(model);
    good &= measure_window(model);
    good &= divisi::bench::measure_blocks(application);
    return good ? 0 : 1;
}
