// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBasicTimer>
#include <QGraphicsScene>
#include <QGraphicsView>
#include <functional>
#include <memory>

#include "app/graphview/diagram/graph_snapshot.h"
#include "app/graphview/drawing/cut_overlay.h"
#include "app/graphview/drawing/graph_canvas.h"
#include "app/graphview/placing/layout_notice.h"
#include "app/graphview/placing/layout_service.h"
#include "app/model/wording/accessible_parts.h"

namespace divisi::graphview {

/// Shows the model graph with its cuts or painted segments. The shortcuts are listed with the actions in shell.
///
/// Pointer: drag a cut, drag elsewhere to pan, wheel to zoom, double click to open and close scopes. A dragged cut
/// snaps to a nearby legal position, which a guide shows. With Alt it does not snap: the line follows the pointer, and
/// the landing place is shown. If the cut may not be dropped there, the drop is refused, and the line shows the reason
/// beforehand.
///
/// Keys: Tab and Shift+Tab go through the cuts. Arrows move the focused cut by one legal position, with Shift by ten;
/// without a focused cut they move the selection. A digit paints the selection.
///
/// While painting, a press or drag over blocks gives their operators to the brush's segment. A drag on the background
/// frames blocks, and a drag with Shift is a lasso around them. One gesture is one undo step. Painting a closed scope
/// paints everything in it. The first stroke turns cuts into segments.
class GraphView : public QGraphicsView, public model::AccessiblePicture {
    Q_OBJECT
public:
    explicit GraphView(model::GraphDocument& document, QWidget* parent = nullptr);

    const Layout& layout() const { return canvas_->layout(); }
    /// Returns where the pointer can grab a cut, in viewport coordinates.
    QPoint cut_handle(std::size_t which) const;
    /// Returns the boxes with the numbers of cuts inside closed scopes, in viewport coordinates, in the order of the
    /// cuts.
    std::vector<QRectF> cut_ticks() const;
    /// Returns where the pointer must be for a cut to snap to a legal position.
    QPoint snap_point(std::int32_t legal) const;
    int focused_cut() const { return focused_cut_; }
    void focus_cut(int which);
    /// Focuses a cut and scrolls to it; -1 scrolls to the last segment.
    void show_cut(int which);
    double zoom() const { return transform().m11(); }

    /// Returns the BlockTree index of the selected block; -1 if none.
    std::int32_t selected_block() const;
    void select_block(std::int32_t block, bool scroll_to);
    /// Marks all blocks with operators from `first` to `last` instead of a selection. Keys and menus ignore the marks.
    void mark_operators(graph::NodeIndex first, graph::NodeIndex last);
    /// Returns whether a block of the BlockTree is in the picture itself, not inside a closed scope.
    bool shows(std::int32_t block) const;
    /// Returns whether a visible block of the BlockTree is selected or marked.
    bool is_marked(std::int32_t block) const;
    void toggle_open(std::int32_t block);
    bool is_open(std::int32_t block) const { return open_[static_cast<std::size_t>(block)]; }
    /// Returns the source of layouts. A large layout arrives later than it was requested: see LayoutService::busy().
    LayoutService& layouts() { return layouts_; }
    /// Opens every scope around an operator and centres the operator.
    void reveal_node(graph::NodeIndex node);
    /// Sets the additional lines of a cut's card.
    void set_notes(const QStringList& notes);
    const QStringList& notes() const { return notes_; }
    /// Sets the price of the plan on screen, for the label of the dragged cut; empty while unknown.
    void set_price(const QString& price);
    const QString& price() const { return price_; }
    /// Highlights these operators, and closed scopes that contain some, until the model changes.
    void set_search_matches(std::vector<graph::NodeIndex> nodes, bool searching);
    /// Returns the found operators, ascending.
    const std::vector<graph::NodeIndex>& search_matches() const { return matches_; }
    /// Returns whether a search has found a block of the layout, or something in it.
    bool is_match(std::int32_t placed) const { return canvas_->is_match(placed); }
    /// Returns why a cut may not be dropped at a legal position; empty if it may.
    using Judge = std::function<QString(int cut, std::int32_t legal)>;
    void set_judge(Judge judge) { judge_ = std::move(judge); }
    /// Returns why the dragged cut could not be dropped now; empty if it could.
    const QString& refusal() const { return refusal_; }
    /// Returns whether the dragged cut has snapped to a legal position, which a guide shows.
    bool snapped() const { return gesture_ == Gesture::drag_cut && snapped_; }

    model::ColourBy colour_by() const { return colour_by_; }
    /// Returns the figures that colour the visible blocks; without values if unknown or not coloured.
    const model::BlockFigures& figures() const { return canvas_->figures(); }
    /// Sets the predicted times of the model's operators; null while unknown.
    void set_times(std::shared_ptr<const model::OperatorTimes> times);
    QColor block_colour(std::int32_t placed) const { return canvas_->far_colour(placed); }
    /// See GraphCanvas::far_parts().
    std::vector<ColouredPart> coloured_parts(const Row& row, double least) const {
        return canvas_->far_parts(row, least);
    }

    /// Returns the size of a picture of the whole graph at a zoom of 1, with room for labels, title and legend.
    QSizeF picture_size() const;
    /// Returns that picture with the current colours and with the cuts or segments. Needs a visible layout.
    GraphSnapshot snapshot(const QString& title) const;

    bool painting() const { return painting_; }
    /// Returns the segment that a block of the layout is painted with, from 0; -1 for none or several.
    std::int32_t painted_segment(std::int32_t placed) const { return canvas_->segment(placed); }
    /// Returns the segment that the brush paints, from 0. An index equal to the number of segments creates a new one.
    int brush() const { return brush_; }
    /// Returns the number of segments that can be painted without a new one.
    int segment_count() const;
    /// Paints all selected blocks with a segment. Returns false if nothing is selected.
    bool paint_selection(int segment);
    /// Returns the painted segments without their cycle, see model::mended(); empty if there is no cycle.
    std::optional<model::Painting> mended() const;

    /// Parts are the cuts, followed by the blocks in the picture.
    int part_count() const override;
    model::AccessiblePart part(int number) const override;
    int part_at(QPoint at) const override;
    void change_part(int number, int to) override;
    void choose_part(int number) override;

public Q_SLOTS:
    void zoomIn();
    void zoomOut();
    void zoomReset();  ///< also brings the graph back into view
    /// Shows the whole graph. If the whole graph would be a mere line, shows only as much of it as can be read.
    void fitAll();
    /// Centres the focused cut or the selection at a readable zoom. If it is centred already, or nothing is chosen,
    /// calls fitAll().
    void centre();
    void fitWidth();
    void openAll();
    void closeAll();
    void cancelLayout();  ///< cancels the running layout: the graph stays as it is
    void addCut();        ///< adds it after the selected block, else where it balances the work best
    void removeCut();     ///< removes the focused cut
    void nextCut();
    void previousCut();
    void setPainting(bool on);
    void setBrush(int segment);
    /// Makes the segment the brush and selects its blocks.
    void selectSegment(int segment);
    void mend();
    void setColourBy(model::ColourBy by);

Q_SIGNALS:
    void coloursChanged();   ///< the figure, its values or the painted segments of blocks have changed
    void paintingChanged();  ///< painting was switched on or off, or the brush has changed
    void blockSelected(std::int32_t block);
    void focusedCutChanged(int which);
    /// Describes what the pointer or keyboard is at; empty for nothing.
    void hint(const QString& text);
    void matchesChanged();  ///< the matches of a search have changed
    void viewChanged();
    void layoutChanged();
    /// The user wants the score instead of a layout that takes too long.
    void scoreRequested();
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
    void timerEvent(QTimerEvent* event) override;
    bool focusNextPrevChild(bool next) override;
    bool viewportEvent(QEvent* event) override;
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    enum class Gesture { none, press_cut, drag_cut, dropped, press_ground, pan, stroke, frame, lasso };

    CutOverlay overlay() const;
    void onCutsChanged();
    void drag_to(QPoint position);
    void judge_drop();
    void drop_cut();
    void set_snapping(bool on);
    void end_gesture();
    void zoom_by(double factor, QPoint anchor);
    void keep_in_sight();
    QPointF point_of_interest() const;
    void go_to_end(bool last);
    void show_at(double zoom, QPointF scene, QPointF viewport_point);
    void move_focused(std::int32_t by);
    void move_selection(int by, bool extend);
    void ensure_cut_visible(std::size_t which);
    void describe();
    void show_tooltip(QHelpEvent* event);
    void extend_selection(std::int32_t placed, Qt::KeyboardModifiers modifiers);
    bool drags() const {
        return gesture_ == Gesture::drag_cut || gesture_ == Gesture::stroke || gesture_ == Gesture::frame ||
               gesture_ == Gesture::lasso;
    }
    void scroll_at_edge(QPoint position);
    int sideways(QPoint position) const;

    // Implemented in graph_view_layout.cpp.
    /// The operator that keeps its place when the layout changes. By default it is chosen when the layout is shown.
    struct LayoutAnchor {
        graph::NodeIndex node = graph::no_node;
        std::optional<QPoint> at = {};  ///< position in the viewport
    };
    void connect_notice();
    void onModelChanged();
    void clear_picture();
    void tell_cleared();
    void show_version(const model::LoadedModel& before);
    /// Requests a layout. Calls `then` once the layout is shown, which is at once if it is small or known.
    void lay_out(std::vector<bool> open, LayoutAnchor anchor, std::function<void()> then);
    LayoutAnchor anchor_at(graph::NodeIndex node) const;
    void show_layout(const LayoutPtr& layout, const LayoutAnchor& anchor);
    void select_unless_chosen(std::int32_t block);
    void bring_to_middle(graph::NodeIndex node);

    // Implemented in graph_view_paint.cpp.
    bool show_painting();
    void begin_stroke(QPoint position, bool lasso);
    void stroke_to(QPoint position);
    void frame_to(QPoint position);
    void lasso_to(QPoint position);
    void preview_framed(const std::vector<std::int32_t>& hit);
    void paint_blocks(const std::vector<std::int32_t>& placed);
    void paint_range(graph::NodeIndex first, graph::NodeIndex last);
    void commit_stroke();
    bool paint_key(int key);
    void paint_frame(QPainter& painter) const;
    int segment_at(std::int32_t placed) const;

    // Implemented in graph_view_colours.cpp.
    void show_figures();
    void show_matches();

    // Implemented in graph_view_accessible.cpp.
    static void tell_screen_readers();
    int told_cuts() const;
    int told_segment(std::int32_t placed) const;
    model::AccessiblePart cut_part(int which) const;
    model::AccessiblePart block_part(std::int32_t placed) const;

    model::GraphDocument& document_;
    QGraphicsScene scene_;
    GraphCanvas* canvas_;            ///< owned by scene_
    LayoutNotice* notice_;           ///< owned by this widget
    model::ModelPtr subject_;        ///< the document's model
    std::vector<bool> wanted_open_;  ///< open scopes of the last requested layout
    /// model of the picture: subject_, or null until its layout is shown; kept alive for the canvas
    model::ModelPtr model_;
    std::vector<bool> open_;         ///< scopes that are open in the picture
    std::function<void()> arrived_;  ///< shows a layout that arrived during a gesture
    int choices_ = 0;                ///< number of selections and marks so far
    bool chosen_since_ = false;      ///< something was selected since the arriving layout was requested
    std::function<void()> dropped_;  ///< requests again the last layout that was not shown
    Gesture gesture_ = Gesture::none;
    QPoint press_, last_;
    int gesture_cut_ = -1;
    int focused_cut_ = -1;
    int hovered_cut_ = -1;
    QStringList notes_;
    QString price_;
    Judge judge_;
    QString refusal_;
    bool snapped_ = false;    ///< the dragged cut is near a legal position
    bool snaps_off_ = false;  ///< Alt is pressed
    model::ColourBy colour_by_ = model::ColourBy::nothing;
    std::shared_ptr<const model::OperatorTimes> times_;
    std::vector<graph::NodeIndex> matches_;
    bool searching_ = false;
    std::optional<model::Cuts> coloured_cuts_;  ///< cuts whose segments the canvas shows; none for other segments
    bool painting_ = false;
    int brush_ = 0;
    model::Painting stroke_;          ///< painting of the current gesture
    model::Painting before_stroke_;   ///< painting when the gesture began
    std::vector<bool> last_painted_;  ///< operators of the last stroke, which mending preserves
    bool click_painted_ = false;      ///< the last stroke became an undo step
    QPointF frame_from_;              ///< start of the frame, in scene coordinates
    QPolygonF lasso_;                 ///< in scene coordinates
    std::int32_t anchor_ = -1;        ///< start of a selection of several blocks
    QBasicTimer scroll_timer_;
    bool fit_pending_ = false;  ///< a model was opened while the view had no size
    LayoutService layouts_;     ///< last, so that it is destroyed before the receivers of its answers
};

}  // namespace divisi::graphview
