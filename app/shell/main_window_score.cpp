// SPDX-License-Identifier: GPL-3.0-or-later
// The two views of the model in MainWindow, graph and score, and the actions that go to the one that shows.
#include "app/shell/main_window.h"

namespace divisi::shell {

void MainWindow::connect_zoom() {
    using graphview::GraphView, graphview::UnitView, graphview::ScoreView, topology::MeshMap;
    const auto shown = [this](auto in_graph, auto in_score, auto in_units, auto in_topology) {
        if (stack_->currentWidget() == topology_) (topology_->map().*in_topology)();
        else if (stack_->currentWidget() == unit_view_) (unit_view_->*in_units)();
        else if (score_->isVisible()) (score_->view().*in_score)();
        else (view_->*in_graph)();
    };
    on("zoom_in", [shown] { shown(&GraphView::zoomIn, &ScoreView::zoomIn, &UnitView::zoomIn, &MeshMap::zoomIn); });
    on("zoom_out", [shown] { shown(&GraphView::zoomOut, &ScoreView::zoomOut, &UnitView::zoomOut, &MeshMap::zoomOut); });
    on("fit", [shown] { shown(&GraphView::fitAll, &ScoreView::fitAll, &UnitView::fit, &MeshMap::fit); });
    on("centre", [shown] { shown(&GraphView::centre, &ScoreView::centre, &UnitView::fit, &MeshMap::fit); });
    on("zoom_reset", [this] {
        if (stack_->currentWidget() == topology_) topology_->map().zoomReset();
        else if (score_->isVisible()) score_->view().zoomReset();
        else view_->zoomReset();
    });
    on("fit_width", [this] { score_->isVisible() ? score_->view().fitAll() : view_->fitWidth(); });
    on("add_cut", [this] { score_->isVisible() ? score_->view().addCut() : view_->addCut(); });
}

void MainWindow::connect_score() {
    using graphview::ScoreView, graphview::ScoreMeasure;
    const QString measure = QStringLiteral("scoreMeasure");
    score_->set_measure(graphview::parse_measure(settings_.value(measure).toString()));
    connect(score_, &graphview::ScorePanel::measureChosen, this,
            [this, measure](ScoreMeasure chosen) { settings_.setValue(measure, graphview::id(chosen)); });
    ScoreView& view = score_->view();
    connect(&view, &ScoreView::hint, hint_, &QLabel::setText);
    connect(&view, &ScoreView::blockSelected, inspector_, &panels::Inspector::show_block);
    connect(&view, &ScoreView::contextMenuRequested, this, &MainWindow::show_context_menu);
    // The strip has the axis of the score while that shows above it.
    connect(&view, &ScoreView::viewChanged, strip_, [this] {
        if (score_shown_) strip_->follow(&score_->view());
    });
    const auto show_price = [this] { score_->view().update(); };
    connect(&prices_, &model::PriceBoard::pricesChanged, score_, show_price);
    connect(view_, &graphview::GraphView::paintingChanged, this, [this] {
        if (view_->painting()) show_score(false);  // segments are painted in the graph
    });
    const auto choose = [this](bool on) {
        show_view(graph_page_);
        show_score(on);
        settings_.setValue(QStringLiteral("score"), on);
    };
    on("score", [this, choose] { choose(!score_shown_ || stack_->currentWidget() != graph_page_); });
    on("model_graph", [choose] { choose(false); });
    show_score(settings_.value(QStringLiteral("score")).toBool());
}

void MainWindow::show_score(bool on) {
    score_shown_ = on;
    if (on) view_->setPainting(false);
    const bool focused = view_->hasFocus() || score_->view().hasFocus();
    score_->setVisible(on);
    view_->setVisible(!on);
    minimap_->setVisible(!on);
    // What gives the graph the keys gives them to the view that shows.
    view_->setFocusProxy(on ? &score_->view() : nullptr);
    strip_->follow(on ? &score_->view() : nullptr);
    if (focused) on ? score_->view().setFocus() : view_->setFocus();
    update_actions();
}

void MainWindow::update_score() {
    const bool model = document_.model() != nullptr;
    const bool page = stack_->currentWidget() == graph_page_;
    actions_.get("score")->setEnabled(model);
    actions_.get("score")->setChecked(score_shown_ && page);
    if (score_shown_ && page) actions_.get("model_graph")->setChecked(false);
    for (const char* id : {"open_all", "close_all"}) actions_.get(id)->setEnabled(model && !(score_shown_ && page));
}

}  // namespace divisi::shell
