// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPixmap>
#include <QWidget>
#include <utility>

#include "app/graphview/drawing/cut_axis.h"
#include "app/model/estimates/price_board.h"

namespace divisi::graphview {

/// Shows, below the graph, the cost landscape of one cut: the approximate step time for every legal position of this
/// cut, if the other cuts do not move. The best position is marked, and impossible positions are hatched. The current
/// position and the position under the pointer are simulated exactly.
///
/// A press or drag moves the cut as in the graph: one gesture is one undo step, and Esc restores the cut. A press
/// beyond a neighbouring cut selects that cut. Arrows move the cut by one position, with Shift by ten. The x axis goes
/// from the previous cut to the next one, or is the axis of another view; see follow().
class LandscapeStrip : public QWidget {
    Q_OBJECT
public:
    LandscapeStrip(model::GraphDocument& document, model::PriceBoard& board, QWidget* parent = nullptr);
    QSize sizeHint() const override { return {400, 112}; }

    /// Places the legal positions at the x given by `axis`; null: by their index. Call follow() again when the axis has
    /// changed. The axis must outlive the strip, or be removed with follow(nullptr).
    void follow(const CutAxis* axis);

    /// Returns the point of a legal position, in widget coordinates. Needs a landscape.
    QPoint point_of(std::int32_t legal) const;
    /// Describes a position: its step time ("about" unless simulated), or why the cut cannot be there.
    QString describe(std::int32_t legal) const;
    /// Describes the price of the plan on screen: its simulated step time, how much slower it is than the best plan,
    /// and whether its operators were measured. Empty while unknown.
    QString price_text() const;
    /// Returns the text of price_text() with the best position of the current cut. Values that are not simulated are
    /// marked "about". Needs a landscape.
    QString figures() const;

Q_SIGNALS:
    void hint(const QString& text);
    void cutTaken(int which);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    /// Returns the landscape if it belongs to the open model and to an existing cut; else null.
    const price::Landscape* landscape() const;
    QRectF plot() const;
    double x_of(std::int32_t legal) const;
    double y_of(double step_s) const;
    std::int32_t legal_at(double x) const;
    /// Returns the boundary between a position and the previous one.
    double left_of(std::int32_t legal) const;
    /// Returns the first and last visible position, extended by one beyond each edge.
    std::pair<std::int32_t, std::int32_t> shown_positions() const;
    /// Returns the shown position of the current cut. Needs a landscape.
    std::int32_t shown_at() const;
    /// Returns the positions of the previous and the next cut. If there is no such cut, the position is one before the
    /// first or one after the last legal position.
    std::pair<std::int32_t, std::int32_t> neighbours() const;
    void find_axis();
    QString distance_text() const;
    QString source_text() const;
    QString now_text() const;
    void find_range();
    void move_to(std::int32_t legal);
    void move_by(std::int32_t by);
    void draw_landscape();
    void draw_curve(QPainter& painter) const;
    void draw_obstacles(QPainter& painter) const;
    void draw_best(QPainter& painter) const;
    void draw_neighbours(QPainter& painter) const;
    void draw_marks(QPainter& painter) const;
    void draw_scale(QPainter& painter) const;
    void show_reason(const QPoint& global, std::int32_t legal);
    void draw_text(QPainter& painter) const;
    void show_where_cuts_are();
    void let_go();
    void refresh();

    model::GraphDocument& document_;
    model::PriceBoard& board_;
    double low_s_ = 0, high_s_ = 1;  ///< range of the y axis
    double first_ = 0, last_ = 1;    ///< legal positions at the ends of the x axis
    const CutAxis* axis_ = nullptr;  ///< if set, replaces first_ and last_
    QPixmap drawn_;                  ///< the part that depends only on prices and size, reused during a drag
    std::int32_t hovered_ = -1;
    bool dragging_ = false;
};

}  // namespace divisi::graphview
