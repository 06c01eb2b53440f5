// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>
#include <QWidget>

#include "app/graphview/diagram/graph_view.h"
#include "app/graphview/diagram/landscape_strip.h"
#include "app/graphview/diagram/legend.h"
#include "app/graphview/diagram/minimap.h"
#include "app/graphview/diagram/paint_bar.h"
#include "app/graphview/diagram/search_bar.h"
#include "app/graphview/score/operator_timeline_panel.h"
#include "app/shell/basics/app_context.h"

namespace divisi::shell {

/// Shows the model as a graph or as a score, with the tools around it: search, overview, brushes, the cost of a re-cut,
/// the price landscape, and menus.
class GraphPage : public QWidget {
    Q_OBJECT
public:
    GraphPage(AppContext& context, QWidget* parent);

    graphview::GraphView& view() { return *view_; }
    graphview::OperatorTimeline& score() { return score_->view(); }
    graphview::LandscapeStrip& strip() { return *strip_; }
    graphview::SearchBar& search() { return *search_; }
    bool shows_score() const { return score_shown_; }
    /// Shows the score instead of the graph, or shows the graph again. Saved in the settings.
    void choose_score(bool on);

    // The next functions act on the graph or the score, whichever is shown.
    void zoom_in();
    void zoom_out();
    void zoom_reset();
    void fit();
    void fit_width();
    void centre();
    void add_cut();

Q_SIGNALS:
    /// The user wants to convert painted segments back to cuts.
    void cutsRequested();
    /// A condition for enabling graph actions has changed, such as the focused cut or a brush.
    void stateChanged();
    void blockSelected(std::int32_t block);

protected:
    void changeEvent(QEvent* event) override;

private:
    void build();
    void connect_views();
    void connect_score();
    void show_score(bool on);
    void show_segment_menu(int segment, const QPoint& global);
    void add_block_actions(QMenu& menu);
    void show_context_menu(const QPoint& global, int cut, std::int32_t legal);
    void retranslate();

    AppContext& context_;
    graphview::GraphView* view_;
    graphview::Minimap* minimap_;
    graphview::OperatorTimelinePanel* score_;
    graphview::LegendBar* legend_;
    bool score_shown_ = false;
    graphview::SearchBar* search_;
    graphview::PaintBar* paint_;
    graphview::LandscapeStrip* strip_;
};

}  // namespace divisi::shell
