// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>
#include <QWidget>

#include "app/graphview/graph_view.h"
#include "app/graphview/landscape_strip.h"
#include "app/graphview/minimap.h"
#include "app/graphview/paint_bar.h"
#include "app/graphview/search_bar.h"
#include "app/shell/desk.h"

namespace divisi::shell {

/// The model graph with what belongs around it: search, overview, brushes, what a re-cut would cost, the landscape of
/// prices; and its menus.
class GraphPage : public QWidget {
    Q_OBJECT
public:
    GraphPage(Desk& desk, QWidget* parent);

    graphview::GraphView& view() { return *view_; }
    graphview::SearchBar& search() { return *search_; }

Q_SIGNALS:
    /// Painted segments are to be cuts again.
    void cutsRequested();
    /// What the actions on the graph depend on is another: a focused cut, a brush.
    void stateChanged();
    void blockSelected(std::int32_t block);

protected:
    void changeEvent(QEvent* event) override;

private:
    void build();
    void connect_views();
    void show_segment_menu(int segment, const QPoint& global);
    void add_block_actions(QMenu& menu);
    void show_context_menu(const QPoint& global, int cut, std::int32_t legal);
    void retranslate();

    Desk& desk_;
    graphview::GraphView* view_;
    graphview::Minimap* minimap_;
    graphview::SearchBar* search_;
    graphview::PaintBar* paint_;
    graphview::LandscapeStrip* strip_;
};

}  // namespace divisi::shell
