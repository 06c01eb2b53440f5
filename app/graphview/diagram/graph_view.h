// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsScene>
#include <QGraphicsView>

#include "app/graphview/diagram/block_colours.h"
#include "app/graphview/diagram/block_selection.h"
#include "app/graphview/diagram/block_sweep.h"
#include "app/graphview/diagram/cut_drag.h"
#include "app/graphview/diagram/cut_focus.h"
#include "app/graphview/diagram/graph_camera.h"
#include "app/graphview/diagram/graph_scopes.h"
#include "app/graphview/diagram/search_matches.h"
#include "app/graphview/diagram/segment_brush.h"
#include "app/model/wording/accessible_parts.h"

namespace divisi::graphview {

/// Shows the model graph with its cuts or painted segments. The view paints, and passes pointer and key events to its
/// parts, each of which has its own state. The shortcuts are listed with the actions in shell.
///
/// Pointer: drag a cut, drag elsewhere to pan, wheel to zoom, double click to open and close scopes. A dragged cut
/// snaps to a nearby legal position, which a guide shows. With Alt it does not snap: the line follows the pointer, and
/// the position after the drop is shown. If the cut must not be dropped there, the drop is refused, and the reason is
/// shown at the line beforehand.
///
/// Keys: Tab and Shift+Tab focus the next or previous cut. Arrows move the focused cut by one legal position, with
/// Shift by ten; without a focused cut they move the selection. A digit paints the selected blocks with the segment of
/// this number.
///
/// While painting, a press or drag over blocks gives their operators to the brush's segment. A drag on the background
/// frames blocks, and a drag with Shift is a lasso around them. One gesture is one undo step. Painting a closed scope
/// paints everything in it. The first stroke turns cuts into segments.
class GraphView : public QGraphicsView, public model::AccessiblePicture {
    Q_OBJECT
public:
    explicit GraphView(model::GraphDocument& document, QWidget* parent = nullptr);

    const model::GraphDocument& document() const { return document_; }
    const GraphCanvas& canvas() const { return *canvas_; }
    const Layout& layout() const { return canvas_->layout(); }

    GraphCamera& camera() { return camera_; }
    GraphScopes& scopes() { return scopes_; }
    const GraphScopes& scopes() const { return scopes_; }
    BlockSelection& selection() { return selection_; }
    BlockColours& colours() { return colours_; }
    const BlockColours& colours() const { return colours_; }
    SearchMatches& matches() { return matches_; }
    SegmentBrush& brush() { return brush_; }
    const SegmentBrush& brush() const { return brush_; }
    CutFocus& cut_focus() { return cut_focus_; }
    CutDrag& cut_drag() { return cut_drag_; }
    CutCard& cut_card() { return cut_card_; }

    /// The accessible parts are the cuts, followed by the blocks in the picture.
    int part_count() const override;
    model::AccessiblePart part(int number) const override;
    int part_at(QPoint at) const override;
    void change_part(int number, int to) override;
    void choose_part(int number) override;

Q_SIGNALS:
    /// Describes the element under the pointer or with the keyboard focus; empty if there is none.
    void hint(const QString& text);
    void viewChanged();
    void layoutChanged();
    void contextMenuRequested(const QPoint& global, int cut, std::int32_t legal);

protected:
    void drawBackground(QPainter* painter, const QRectF& rect) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool focusNextPrevChild(bool next) override;
    bool viewportEvent(QEvent* event) override;
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    enum class Gesture { none, press_cut, drag_cut, dropped, press_ground, pan, paint };

    void set_up_view();
    void connect_parts();
    void onModelChanged();
    void onCutsChanged();
    void onCutFocused(int which);
    void onLayoutShown();
    void onPaintingSwitched(bool on);
    void tell_cleared();
    void describe();
    void show_tooltip(QHelpEvent* event);

    // Implemented in graph_view_input.cpp.
    bool drags() const { return gesture_ == Gesture::drag_cut || gesture_ == Gesture::paint; }
    void begin_stroke(QPoint position, bool lasso);
    void paint_to(QPoint position);
    void drag_cut_to(QPoint position, bool snaps);
    void follow_scrolling();
    void escape();
    void drop_gesture();
    void end_gesture();

    // Implemented in graph_view_accessible.cpp.
    static void tell_screen_readers();
    int told_cuts() const;
    model::AccessiblePart block_part(std::int32_t placed) const;

    model::GraphDocument& document_;
    QGraphicsScene scene_;
    GraphCanvas* canvas_;  ///< owned by scene_
    Gesture gesture_ = Gesture::none;
    QPoint press_, last_;  ///< positions of the pointer in the viewport: at the press, and now
    GraphCamera camera_;
    EdgeScroll edge_scroll_;
    BlockSelection selection_;
    CutFocus cut_focus_;
    CutDrag cut_drag_;
    CutCard cut_card_;
    SegmentBrush brush_;
    BlockSweep sweep_;
    BlockColours colours_;
    SearchMatches matches_;
    GraphScopes scopes_;  ///< declared last, so that it is destroyed before the members that arriving layouts change
};

}  // namespace divisi::graphview
