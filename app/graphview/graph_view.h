// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBasicTimer>
#include <QGraphicsScene>
#include <QGraphicsView>
#include <functional>
#include <memory>

#include "app/graphview/cut_overlay.h"
#include "app/graphview/graph_canvas.h"
#include "app/graphview/graph_snapshot.h"
#include "app/graphview/layout_notice.h"
#include "app/graphview/layout_service.h"
#include "app/model/accessible_parts.h"

namespace divisi::graphview {

/// The model graph with its cuts or painted segments. Pointer: drag a cut, drag elsewhere to pan, wheel to zoom,
/// double click to open and close scopes. A dragged cut snaps to a legal position that is near, which a guide shows;
/// Alt turns that off: the line follows the pointer, and where it would land is shown. Where it cannot lie the drop is
/// refused, and the line says why before. Keys: see actions in shell; here Tab and Shift+Tab go through the cuts,
/// arrows move the focused cut by one legal position, with Shift by ten, or, without one, the selection; a digit paints
/// the selection.
///
/// While painting, a press or drag over blocks gives their operators to the segment of the brush, a drag on the
/// ground frames blocks, and a drag with Shift is a lasso around them; one gesture is one undo step. A closed scope
/// stands for all in it. The first stroke turns cuts into segments.
class GraphView : public QGraphicsView, public model::AccessiblePicture {
    Q_OBJECT
public:
    explicit GraphView(model::GraphDocument& document, QWidget* parent = nullptr);

    const Layout& layout() const { return canvas_->layout(); }
    /// Where a cut can be taken with the pointer, in viewport coordinates.
    QPoint cut_handle(std::size_t which) const;
    /// Where the numbers of cuts within closed scopes stand, in viewport coordinates, in the order of the cuts.
    std::vector<QRectF> cut_ticks() const;
    /// Where a pointer must be for a cut to snap to a legal position.
    QPoint snap_point(std::int32_t legal) const;
    int focused_cut() const { return focused_cut_; }
    void focus_cut(int which);
    /// Focuses a cut and scrolls to it; -1 goes to the last segment.
    void show_cut(int which);
    double zoom() const { return transform().m11(); }

    /// BlockTree index of what is selected, or -1.
    std::int32_t selected_block() const;
    void select_block(std::int32_t block, bool scroll_to);
    /// Marks all blocks with operators of `first` to `last`, in place of a selection: keys and menus leave them alone.
    void mark_operators(graph::NodeIndex first, graph::NodeIndex last);
    /// Whether a block of the BlockTree has a place in the picture itself, not in a closed scope.
    bool shows(std::int32_t block) const;
    /// Whether a block of the BlockTree that shows is selected or marked.
    bool is_marked(std::int32_t block) const;
    void toggle_open(std::int32_t block);
    bool is_open(std::int32_t block) const { return open_[static_cast<std::size_t>(block)]; }
    /// Where layouts come from. A large one comes later than it was asked for: see LayoutService::busy().
    LayoutService& layouts() { return layouts_; }
    /// Opens every scope around an operator and shows it in the middle.
    void reveal_node(graph::NodeIndex node);
    /// What else the card of a cut says.
    void set_notes(const QStringList& notes);
    const QStringList& notes() const { return notes_; }
    /// What the plan on screen costs, for the label of the cut in hand; empty while it is not known.
    void set_price(const QString& price);
    const QString& price() const { return price_; }
    /// Highlights operators, and closed scopes that hold some, until the model changes.
    void set_search_matches(std::vector<graph::NodeIndex> nodes, bool searching);
    /// Operators, ascending.
    const std::vector<graph::NodeIndex>& search_matches() const { return matches_; }
    /// Whether a block of the layout is one that a search has found, or holds some.
    bool is_match(std::int32_t placed) const { return canvas_->is_match(placed); }
    /// Why a cut may not be dropped at a legal position; empty where it may.
    using Judge = std::function<QString(int cut, std::int32_t legal)>;
    void set_judge(Judge judge) { judge_ = std::move(judge); }
    /// Why the cut in hand could not be dropped now; empty where it could.
    const QString& refusal() const { return refusal_; }
    /// Whether the cut in hand has snapped to a legal position, which a guide shows.
    bool snapped() const { return gesture_ == Gesture::drag_cut && snapped_; }

    model::ColourBy colour_by() const { return colour_by_; }
    /// Of the shown blocks, by what they are coloured by; without values where that is unknown or nothing.
    const model::BlockFigures& figures() const { return canvas_->figures(); }
    /// The predicted times of the model's operators; null while they are not known.
    void set_times(std::shared_ptr<const model::OperatorTimes> times);
    QColor block_colour(std::int32_t placed) const { return canvas_->far_colour(placed); }
    /// See GraphCanvas::far_parts().
    std::vector<ColouredPart> coloured_parts(const Row& row, double least) const {
        return canvas_->far_parts(row, least);
    }

    /// Size of a picture of the whole graph at a zoom of 1, with room for labels, title and legend.
    QSizeF picture_size() const;
    /// That picture, as the graph is coloured, with its cuts or segments; needs a layout that shows.
    GraphSnapshot snapshot(const QString& title) const;

    bool painting() const { return painting_; }
    /// The segment that a block of the layout is painted with, from 0; -1 for none or several.
    std::int32_t painted_segment(std::int32_t placed) const { return canvas_->segment(placed); }
    /// The segment that is painted, from 0; one more than there are begins a new one.
    int brush() const { return brush_; }
    /// Segments that can be painted, without a new one.
    int segment_count() const;
    /// Gives all selected blocks to a segment; false where nothing is selected.
    bool paint_selection(int segment);
    /// The painted segments without their cycle, see model::mended(); empty where there is none.
    std::optional<model::Painting> mended() const;

    /// The cuts, then the blocks that have a place in the picture.
    int part_count() const override;
    model::AccessiblePart part(int number) const override;
    int part_at(QPoint at) const override;
    void change_part(int number, int to) override;
    void choose_part(int number) override;

public Q_SLOTS:
    void zoomIn();
    void zoomOut();
    void zoomReset();  ///< and brings the graph back where it would lie off the view
    /// The whole graph; of one that would be a line then, as much as can be read.
    void fitAll();
    /// Brings the focused cut or the selection to the middle, readable; fitAll() where it is there already, or where
    /// nothing is chosen.
    void centre();
    void fitWidth();
    void openAll();
    void closeAll();
    void cancelLayout();  ///< that is under way: the graph stays as it is
    void addCut();        ///< after the selected block, else where it balances best
    void removeCut();     ///< the focused one
    void nextCut();
    void previousCut();
    void setPainting(bool on);
    void setBrush(int segment);
    /// Takes it for the brush, and selects its blocks.
    void selectSegment(int segment);
    void mend();
    void setColourBy(model::ColourBy by);

Q_SIGNALS:
    void coloursChanged();   ///< of blocks: by what, their figures, or the segments that they are painted with
    void paintingChanged();  ///< switched on or off, or another brush
    void blockSelected(std::int32_t block);
    void focusedCutChanged(int which);
    /// What the pointer or keyboard is at, in words; empty for nothing.
    void hint(const QString& text);
    void matchesChanged();  ///< of a search
    void viewChanged();
    void layoutChanged();
    /// Instead of a layout that takes too long.
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
    void let_go_of_snaps(bool off);
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

    // graph_view_layout.cpp
    /// An operator that keeps its place when the layout changes: the given one, else where it is when that happens.
    struct Stay {
        graph::NodeIndex node = graph::no_node;
        std::optional<QPoint> at = {};  ///< in the viewport
    };
    void connect_notice();
    void onModelChanged();
    void clear_picture();
    void tell_cleared();
    void show_version(const model::LoadedModel& before);
    /// Asks for a layout; `then` is called once it shows, which is at once where it is small or known.
    void lay_out(std::vector<bool> open, Stay stay, std::function<void()> then);
    Stay standing(graph::NodeIndex node) const;
    void show_layout(const LayoutPtr& layout, const Stay& stay);
    void select_unless_chosen(std::int32_t block);
    void bring_to_middle(graph::NodeIndex node);

    // graph_view_paint.cpp
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

    // graph_view_colours.cpp
    void show_figures();
    void show_matches();

    // graph_view_accessible.cpp
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
    std::vector<bool> wanted_open_;  ///< the scopes of the last layout that was asked for
    model::ModelPtr model_;          ///< what the canvas shows, kept alive with it: subject_, or null until that shows
    std::vector<bool> open_;         ///< the scopes that the canvas shows open
    std::function<void()> arrived_;  ///< shows a layout that came during a gesture
    int choices_ = 0;                ///< how often something was selected or marked
    bool chosen_since_ = false;      ///< that happened since the layout that comes now was asked for
    std::function<void()> dropped_;  ///< asks again for the last layout that was asked for and does not show
    Gesture gesture_ = Gesture::none;
    QPoint press_, last_;
    int gesture_cut_ = -1;
    int focused_cut_ = -1;
    int hovered_cut_ = -1;
    QStringList notes_;
    QString price_;
    Judge judge_;
    QString refusal_;
    bool snapped_ = false;    ///< the cut in hand is near a legal position
    bool snaps_off_ = false;  ///< Alt is held
    model::ColourBy colour_by_ = model::ColourBy::nothing;
    std::shared_ptr<const model::OperatorTimes> times_;
    std::vector<graph::NodeIndex> matches_;
    bool searching_ = false;
    std::optional<model::Cuts> coloured_cuts_;  ///< whose segments the canvas is painted with; none for other segments
    bool painting_ = false;
    int brush_ = 0;
    model::Painting stroke_;          ///< what the gesture has painted so far
    model::Painting before_stroke_;   ///< when it began
    std::vector<bool> last_painted_;  ///< by operator: the last stroke, which mending keeps
    bool click_painted_ = false;      ///< the last stroke became an undo step
    QPointF frame_from_;              ///< scene
    QPolygonF lasso_;                 ///< scene
    std::int32_t anchor_ = -1;        ///< of a selection of several blocks
    QBasicTimer scroll_timer_;
    bool fit_pending_ = false;  ///< a model came while the view had no size yet
    LayoutService layouts_;     ///< last, so that it ends before what its answers are for
};

}  // namespace divisi::graphview
