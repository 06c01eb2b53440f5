// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/cutting/graph_page.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "app/graphview/diagram/recut_bar.h"

namespace divisi::shell {

GraphPage::GraphPage(AppContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      view_(new graphview::GraphView(context.document, this)),
      minimap_(new graphview::Minimap(*view_, context.document, this)),
      score_(new graphview::OperatorTimelinePanel(*view_, context.document, context.prices, this)),
      legend_(new graphview::LegendBar(*view_, this)),
      search_(new graphview::SearchBar(*view_, context.document, this)),
      paint_(new graphview::PaintBar(*view_, context.document, this)),
      strip_(new graphview::LandscapeStrip(context.document, context.prices, this)) {
    setFocusProxy(view_);
    build();
    connect_views();
    connect_score();
    retranslate();
}

void GraphPage::build() {
    auto* row = new QHBoxLayout;
    row->setSpacing(0);
    row->addWidget(view_, 1);
    row->addWidget(minimap_);
    row->addWidget(score_, 1);
    auto* page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    page->setSpacing(0);
    page->addWidget(search_);
    page->addLayout(row, 1);
    page->addWidget(legend_);
    // Put the bar below the graph, so that the graph does not move when the bar appears or grows.
    page->addWidget(paint_);
    page->addWidget(new graphview::RecutBar(*view_, context_.recut, this));
    page->addWidget(strip_);
}

void GraphPage::connect_views() {
    using graphview::GraphView, graphview::LandscapeStrip, graphview::PaintBar;
    connect(view_, &GraphView::hint, &context_, &AppContext::hint);
    connect(&view_->cut_focus(), &graphview::CutFocus::changed, this, &GraphPage::stateChanged);
    connect(&view_->cut_focus(), &graphview::CutFocus::changed, &context_.prices, &model::PriceBoard::set_moving);
    connect(&view_->brush(), &graphview::SegmentBrush::changed, this, &GraphPage::stateChanged);
    connect(&view_->selection(), &graphview::BlockSelection::changed, this, &GraphPage::blockSelected);
    connect(view_, &GraphView::contextMenuRequested, this, &GraphPage::show_context_menu);
    connect(&view_->scopes().layouts(), &graphview::ScopeLayouts::scoreRequested, this, [this] { choose_score(true); });
    connect(paint_, &PaintBar::cutsRequested, this, &GraphPage::cutsRequested);
    connect(paint_, &PaintBar::segmentMenuRequested, this, &GraphPage::show_segment_menu);
    connect(strip_, &LandscapeStrip::hint, &context_, &AppContext::hint);
    connect(strip_, &LandscapeStrip::cutTaken, &view_->cut_focus(), &graphview::CutFocus::show);
}

void GraphPage::connect_score() {
    using graphview::OperatorTimeline, graphview::TimelineMeasure;
    const QString measure = QStringLiteral("scoreMeasure");
    score_->set_measure(graphview::parse_measure(context_.settings.value(measure).toString()));
    connect(score_, &graphview::OperatorTimelinePanel::measureChosen, this,
            [this, measure](TimelineMeasure chosen) { context_.settings.setValue(measure, graphview::id(chosen)); });
    OperatorTimeline& view = score_->view();
    connect(&view, &OperatorTimeline::hint, &context_, &AppContext::hint);
    connect(&view, &OperatorTimeline::blockSelected, this, &GraphPage::blockSelected);
    connect(&view, &OperatorTimeline::contextMenuRequested, this, &GraphPage::show_context_menu);
    // The strip follows the score's axis while the score is shown.
    connect(&view, &OperatorTimeline::viewChanged, strip_, [this] {
        if (score_shown_) strip_->follow(&score_->view());
    });
    connect(&context_.prices, &model::PriceBoard::pricesChanged, score_, [this] { score_->view().update(); });
    connect(&view_->brush(), &graphview::SegmentBrush::changed, this, [this] {
        if (view_->brush().painting()) show_score(false);  // the graph shows painted segments, the score does not
    });
    show_score(context_.settings.value(QStringLiteral("score")).toBool());
}

void GraphPage::choose_score(bool on) {
    show_score(on);
    context_.settings.setValue(QStringLiteral("score"), on);
}

void GraphPage::show_score(bool on) {
    score_shown_ = on;
    if (on) view_->brush().set_painting(false);
    const bool focused = view_->hasFocus() || score_->view().hasFocus();
    (on ? static_cast<QWidget*>(score_) : view_)->show();
    // Forward the focus to the visible view. Set the focus before the other view is hidden, because a hidden view
    // passes its focus to the next widget.
    view_->setFocusProxy(on ? &score_->view() : nullptr);
    if (focused) on ? score_->view().setFocus() : view_->setFocus();
    (on ? static_cast<QWidget*>(view_) : score_)->hide();
    minimap_->setVisible(!on);
    legend_->refresh();
    strip_->follow(on ? &score_->view() : nullptr);
    Q_EMIT stateChanged();
}

void GraphPage::zoom_in() { score_shown_ ? score().zoomIn() : view_->camera().zoom_in(); }
void GraphPage::zoom_out() { score_shown_ ? score().zoomOut() : view_->camera().zoom_out(); }
void GraphPage::zoom_reset() { score_shown_ ? score().zoomReset() : view_->camera().zoom_reset(); }
void GraphPage::fit() { score_shown_ ? score().fitAll() : view_->camera().fit_all(); }
void GraphPage::fit_width() { score_shown_ ? score().fitAll() : view_->camera().fit_width(); }
void GraphPage::centre() { score_shown_ ? score().centre() : view_->camera().centre(); }
void GraphPage::add_cut() { score_shown_ ? score().addCut() : view_->cut_focus().add(view_->selection().block()); }

void GraphPage::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QWidget::changeEvent(event);
}

void GraphPage::retranslate() {
    view_->setAccessibleName(tr("Model graph"));
    minimap_->setAccessibleName(tr("Overview of the graph"));
}

/// Shows the menu of a segment's brush, which chooses the node that runs the segment.
void GraphPage::show_segment_menu(int segment, const QPoint& global) {
    const model::Painting painting = context_.document.start_painting();
    const auto number = static_cast<std::size_t>(segment);
    if (number >= painting.places.size()) return;
    std::vector<std::string> nodes{""};
    if (context_.client)
        for (const auto& [id, node] : context_.client->data().state.nodes) nodes.push_back(id.value());
    const std::string& now = painting.places[number];
    if (std::find(nodes.begin(), nodes.end(), now) == nodes.end()) nodes.push_back(now);
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("segmentMenu"));
    menu->setToolTipsVisible(true);
    menu->addSection(tr("Run segment %1 on").arg(segment + 1));
    for (const std::string& node : nodes) {
        QAction* action = menu->addAction(node.empty() ? tr("Any node") : QString::fromStdString(node));
        action->setCheckable(true);
        action->setChecked(node == now);
        connect(action, &QAction::triggered, this, [this, number, node] {
            model::Painting placed = context_.document.start_painting();
            if (number >= placed.places.size()) return;
            placed.places[number] = node;
            context_.document.set_split({{}, std::move(placed)}, tr("Place segment %1").arg(number + 1));
        });
    }
    menu->popup(global);
}

/// Adds the actions of a selected block: the segment to paint it with, and whether it may leave secure nodes.
void GraphPage::add_block_actions(QMenu& menu) {
    QMenu* paint = menu.addMenu(tr("Paint with segment"));
    for (int segment = 0; segment <= view_->brush().segment_count(); ++segment) {
        const bool fresh = segment == view_->brush().segment_count();
        QAction* action = paint->addAction(model::segment_swatch(segment, model::colours_of(palette())),
                                           fresh ? tr("New segment") : tr("Segment %1").arg(segment + 1));
        connect(action, &QAction::triggered, this, [this, segment] { view_->brush().paint_selection(segment); });
    }
    const model::Block& block = context_.document.model()->tree.blocks[view_->selection().block()];
    const std::string pattern = block.is_operator() ? block.path : block.path + "/*";
    QAction* sensitive = menu.addAction(tr("Sensitive: stays on secure nodes"));
    sensitive->setCheckable(true);
    sensitive->setChecked(context_.draft.is_sensitive(pattern));
    connect(sensitive, &QAction::toggled, this, [this, pattern](bool on) {
        context_.draft.set_sensitive(pattern, on);
        const QString name = QString::fromStdString(pattern);
        Q_EMIT context_.hint(on ? tr("%1 runs on secure nodes only").arg(name)
                                : tr("%1 may run on any node").arg(name));
    });
    menu.addSeparator();
}

void GraphPage::show_context_menu(const QPoint& global, int cut, std::int32_t legal) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("graphMenu"));
    menu->setToolTipsVisible(true);
    const bool painted = view_->brush().painting() || context_.document.painting();
    if (view_->selection().block() >= 0) add_block_actions(*menu);
    if (painted) {
        menu->addAction(context_.actions.get("to_cuts"));
    } else if (cut >= 0) {
        connect(menu->addAction(tr("Remove this cut")), &QAction::triggered, this,
                [this, cut] { context_.document.remove_cut(static_cast<std::size_t>(cut)); });
    } else if (legal >= 0) {
        const QString name =
            QString::fromStdString(context_.document.model()->graph.nodes[context_.document.position(legal)].name);
        connect(menu->addAction(tr("Add cut after %1").arg(name)), &QAction::triggered, this,
                [this, legal] { context_.document.add_cut(legal); });
    }
    menu->addAction(context_.actions.get("equal"));
    menu->addAction(context_.actions.get("clear_cuts"));
    menu->addSeparator();
    for (const char* id : {"open_all", "close_all", "fit", "fit_width"}) menu->addAction(context_.actions.get(id));
    menu->popup(global);
}

}  // namespace divisi::shell

#include "moc_graph_page.cpp"
