// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "app/model/price_board.h"

namespace divisi::graphview {

/// The cost landscape of one cut under the graph: predicted step time at every legal position while the other cuts
/// stay (approximate), the best position, where the cut lies (by full simulation), and hatched where it cannot
/// lie. Press or drag moves the cut as in the graph: one gesture is one undo step, Esc restores.
class LandscapeStrip : public QWidget {
    Q_OBJECT
public:
    LandscapeStrip(model::GraphDocument& document, model::PriceBoard& board, QWidget* parent = nullptr);
    QSize sizeHint() const override { return {400, 112}; }

    /// Where a legal position lies, in widget coordinates; needs a landscape.
    QPoint point_of(std::int32_t legal) const;
    /// What the strip says of a position: its step time, or why the cut cannot lie there.
    QString describe(std::int32_t legal) const;

Q_SIGNALS:
    void hint(const QString& text);
    void cutTaken(int which);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    /// The landscape, while it belongs to the model and a cut that is there.
    const plan::Landscape* landscape() const;
    QRectF plot() const;
    double x_of(std::int32_t legal) const;
    double y_of(double step_s) const;
    std::int32_t legal_at(double x) const;
    void find_range();
    void move_to(std::int32_t legal);
    void draw_curve(QPainter& painter) const;
    void draw_obstacles(QPainter& painter) const;
    void draw_marks(QPainter& painter) const;
    void draw_text(QPainter& painter) const;
    void show_where_cuts_are();
    void refresh();

    model::GraphDocument& document_;
    model::PriceBoard& board_;
    double low_s_ = 0, high_s_ = 1;  ///< of the y axis
    std::int32_t hovered_ = -1;
    bool dragging_ = false;
};

}  // namespace divisi::graphview
