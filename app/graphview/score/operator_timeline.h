// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBasicTimer>
#include <QWidget>

#include "app/graphview/diagram/graph_view.h"
#include "app/graphview/drawing/cut_axis.h"
#include "app/graphview/score/timeline_layout.h"
#include "app/graphview/score/timeline_paint.h"
#include "app/model/estimates/price_board.h"
#include "app/model/wording/accessible_parts.h"

namespace divisi::graphview {

/// Shows the model as a score: operators from left to right, each as wide as its price, with cuts as vertical lines.
/// Shares the focused cut with the graph view.
///
/// Pointer: drag a cut, drag elsewhere to pan, wheel to zoom, with Shift to scroll. If a cut must not be dropped at a
/// position, the drop is refused as in the graph view, and the reason is shown beforehand. Keys: Tab and Shift+Tab go
/// from cut to cut. Arrows move the focused cut by one legal position, with Shift by ten; without a focused cut they
/// move the selection. Home, End and Page keys scroll.
class OperatorTimeline : public QWidget, public CutAxis, public model::AccessiblePicture {
    Q_OBJECT
public:
    OperatorTimeline(GraphView& graph, model::GraphDocument& document, model::PriceBoard& board,
                     QWidget* parent = nullptr);
    QSize sizeHint() const override { return {600, 320}; }

    const TimelineLayout& layout() const { return layout_; }
    const TimelineAxis& axis() const { return axis_; }
    /// wanted() returns the quantity that the user has chosen for the widths; measure() returns the quantity that the
    /// widths show. Without predicted times, the widths show FLOPs instead.
    TimelineMeasure wanted() const { return wanted_; }
    TimelineMeasure measure() const { return measure_; }
    void set_measure(TimelineMeasure measure);
    /// Returns a remark on the widths, such as "unmeasured operators", or the reason why they do not show the requested
    /// measure.
    QString source_text() const;

    /// Returns the label of a segment, counted from 0.
    QString head_text(std::size_t segment) const { return TimelinePainter(sheet()).segment_text(segment); }
    /// Returns why the dragged cut cannot be dropped at its position; empty if it can.
    const QString& refusal() const { return refusal_; }
    /// Returns the text beside a hovered or dragged cut, starting with the reason if the cut must not be dropped.
    QStringList card_lines(std::size_t which) const;

    /// Returns the point at which the pointer can grab a cut.
    QPoint cut_handle(std::size_t which) const;
    /// Returns the point at which the pointer must be for a cut to snap to a legal position.
    QPoint snap_point(std::int32_t legal) const;
    double x_of_legal(std::int32_t legal) const override;
    std::int32_t legal_at(double x) const override;
    /// Returns the centre of an operator on screen.
    QPoint operator_point(graph::NodeIndex node) const;
    graph::NodeIndex selected() const { return first_selected_; }
    graph::NodeIndex last_selected() const { return last_selected_; }
    /// Return the width of the whole axis in pixels, and the pixels left of the view, for a scroll bar.
    double full_width() const;
    double scrolled() const { return (axis_.first - 0) * axis_.scale; }
    void scroll_to(double pixels);

    /// The accessible parts are the cuts, followed by the operators.
    int part_count() const override;
    model::AccessiblePart part(int number) const override;
    void change_part(int number, int to) override;
    void choose_part(int number) override;

public Q_SLOTS:
    void zoomIn() { zoom_by(1.25, width() / 2.0); }
    void zoomOut() { zoom_by(0.8, width() / 2.0); }
    /// Zooms so that the name of the average operator is readable.
    void zoomReset();
    void fitAll();
    /// Centres the focused cut or the selection. If it is already centred, or nothing is selected, calls fitAll().
    void centre();
    void addCut();  ///< adds a cut after the selected operator, or at the position that balances the work best
    /// Marks the operators of a block of the BlockTree; -1 for none.
    void show_block(std::int32_t block);
    /// Marks the operators from `first` to `last`, both inclusive.
    void show_operators(graph::NodeIndex first, graph::NodeIndex last);

Q_SIGNALS:
    void viewChanged();
    void pricesChanged();  ///< the widths, or the text about their source, have changed
    void blockSelected(std::int32_t block);
    void hint(const QString& text);
    void contextMenuRequested(const QPoint& global, int cut, std::int32_t legal);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void timerEvent(QTimerEvent* event) override;
    bool focusNextPrevChild(bool next) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    enum class Gesture { none, press_cut, drag_cut, dropped, press_ground, pan };

    TimelineSheet sheet() const;
    void onModelChanged();
    void onCutsChanged();
    void take_prices();
    void set_prices(TimelineMeasure measure, const std::vector<double>& prices);
    void describe();
    static void tell_screen_readers();
    int told_cuts() const;
    model::AccessiblePart cut_part(int which) const;
    model::AccessiblePart operator_part(graph::NodeIndex node) const;

    double room() const;
    double least_scale() const;
    double most_scale() const;
    void set_axis(double first, double scale);
    void zoom_by(double factor, double x);
    void ensure_visible(double at);
    void move_focused(std::int32_t by);
    void move_selection(std::int32_t by);
    void select(graph::NodeIndex node);
    void drag_to(QPoint position);
    void judge_drop();
    void drop_cut();
    void end_gesture();
    bool scroll_key(int key);
    void drop_by_key();

    GraphView& graph_;
    model::GraphDocument& document_;
    model::PriceBoard& board_;
    model::ModelPtr model_;  ///< model of the layout
    TimelineLayout layout_;
    TimelineAxis axis_;
    TimelineMeasure wanted_ = TimelineMeasure::time, measure_ = TimelineMeasure::flops;
    std::shared_ptr<const model::OperatorTimes> times_;  ///< times used as widths; null for other measures
    bool priced_ = false;                                ///< whether the widths belong to `model_`
    bool fitted_ = true;                                 ///< whether the whole axis is visible, and is fitted again
                                                         ///< when the size changes
    Gesture gesture_ = Gesture::none;
    QPoint press_, last_;
    int gesture_cut_ = -1;
    int hovered_cut_ = -1;
    QString refusal_;
    graph::NodeIndex first_selected_ = -1, last_selected_ = -1;
    bool selecting_ = false;  ///< whether this view is passing its selection to the graph view
    QBasicTimer scroll_timer_;
};

}  // namespace divisi::graphview
