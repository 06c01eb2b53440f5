// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPixmap>
#include <QWidget>
#include <utility>

#include "app/graphview/cut_axis.h"
#include "app/model/price_board.h"

namespace divisi::graphview {

/// The cost landscape of one cut under the graph, from the cut before it to the cut behind it: predicted step time at
/// every legal position while the other cuts stay (approximate), the best position, hatched where it cannot lie, and by
/// full simulation where it lies and where the pointer is. Press or drag moves the cut as in the graph: one gesture is
/// one undo step, Esc restores. A press beyond a neighbour takes that one in hand. Arrows move it by one position, with
/// Shift by ten.
/// Its x axis goes from the cut before to the cut behind, or follows that of a view above.
class LandscapeStrip : public QWidget {
    Q_OBJECT
public:
    LandscapeStrip(model::GraphDocument& document, model::PriceBoard& board, QWidget* parent = nullptr);
    QSize sizeHint() const override { return {400, 112}; }

    /// Places positions as `axis` does from now on; null: by their number. Call follow() again when the axis moved. The
    /// axis must outlive the strip, or be taken from it.
    void follow(const CutAxis* axis);

    /// Where a legal position lies, in widget coordinates; needs a landscape.
    QPoint point_of(std::int32_t legal) const;
    /// What the strip says of a position: its step time ("about" unless simulated), or why the cut cannot lie there.
    QString describe(std::int32_t legal) const;
    /// The step time of the plan on screen, which is simulated, how far it is from the best, and whether its operators
    /// were measured; empty while it is not known.
    QString price_text() const;
    /// The same with the best place of the cut in hand; what is not simulated is marked as about. Needs a landscape.
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
    /// The landscape, while it belongs to the model and a cut that is there.
    const price::Landscape* landscape() const;
    QRectF plot() const;
    double x_of(std::int32_t legal) const;
    double y_of(double step_s) const;
    std::int32_t legal_at(double x) const;
    /// The boundary between a position and the one before it.
    double left_of(std::int32_t legal) const;
    /// The positions that show, and one beyond each edge.
    std::pair<std::int32_t, std::int32_t> shown_positions() const;
    /// The cut in hand, where it is shown; needs a landscape.
    std::int32_t shown_at() const;
    /// The neighbouring cuts of the one in hand, or one beyond the ends.
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
    double low_s_ = 0, high_s_ = 1;  ///< of the y axis
    double first_ = 0, last_ = 1;    ///< legal positions at the ends of the x axis
    const CutAxis* axis_ = nullptr;  ///< instead of them
    QPixmap drawn_;                  ///< what only prices and size change: a drag paints it as it is
    std::int32_t hovered_ = -1;
    bool dragging_ = false;
};

}  // namespace divisi::graphview
