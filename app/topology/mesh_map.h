// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsScene>
#include <QGraphicsView>
#include <optional>

#include "app/model/accessible_parts.h"
#include "app/topology/mesh_layout.h"
#include "app/topology/mesh_paint.h"

namespace divisi::topology {

/// The picture of the mesh. Pointer: drag a MIC or a router to place it, drag the ground to pan, wheel to zoom at the
/// pointer, double click for details. Keys: arrows go to the next element in that direction, with Shift they move
/// what is selected; Enter asks for details, Home selects the first element, Esc none.
class MeshMap : public QGraphicsView, public model::AccessiblePicture {
    Q_OBJECT
public:
    explicit MeshMap(QWidget* parent = nullptr);

    /// `choosing`: a task is chosen, so what is not lit steps back.
    void show_picture(const MeshParts& parts, MeshPicture picture, bool choosing);
    const MeshPicture& picture() const { return picture_; }
    bool lights_task() const { return choosing_; }

    const Element& selected() const { return selected_; }
    void select(const Element& element, bool scroll_to);
    /// Where it is painted, in units of the picture; empty where it is not shown.
    QRectF place_of(const Element& element) const;
    Element element_at(QPointF scene) const;
    /// Of what is painted: the state in words, and how it is outlined.
    QString state_text(const Element& element) const;

    int part_count() const override;
    model::AccessiblePart part(int number) const override;
    int part_at(QPoint at) const override;
    void choose_part(int number) override;

    void set_shows_idle(bool shows);
    const Dragged& dragged() const { return dragged_; }
    void set_dragged(const Dragged& dragged);

public Q_SLOTS:
    void zoomIn();
    void zoomOut();
    void zoomReset();
    /// Shows everything, and goes on so until the view is moved by hand.
    void fit();
    /// Brings what is selected to the middle, readable; fit() where it is there already, or where nothing is.
    void centre();

Q_SIGNALS:
    void selectionChanged();
    void detailsRequested();
    /// The right button or the menu key on an element, or on the ground (its kind is none).
    void menuRequested(const divisi::topology::Element& element, const QPoint& global);
    void draggedChanged();

protected:
    void drawBackground(QPainter* painter, const QRectF& rect) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    enum class Gesture { none, pan, press, drag };

    static void tell_screen_readers();
    void place();
    void zoom_by(double factor, QPoint anchor);
    bool shows(const Element& element) const;
    std::vector<Element> elements() const;
    void go(QPointF direction);
    /// The MIC or router that moves when this element is dragged; kind none: nothing does.
    Element mover(const Element& element) const;
    void move(const Element& mover, QPointF centre);
    void place_links();
    void place_instances();
    void paint_selection(QPainter& painter, const PaintStyle& style) const;

    QGraphicsScene scene_;
    MeshParts parts_;
    MeshPicture picture_;
    MeshLayout arranged_, layout_;  ///< before and after what was dragged
    std::map<LinkName, LinkGeometry> links_;
    std::map<std::string, QRectF> instances_;  ///< by their ids; those that have no room are left out
    Dragged dragged_;
    Element selected_;
    bool choosing_ = false, shows_idle_ = true;
    bool fits_ = true;  ///< until the view is moved by hand
    Gesture gesture_ = Gesture::none;
    Element mover_;  ///< what the drag under way moves; kind none: nothing
    QPoint pressed_, last_;
    QPointF grip_;  ///< from the middle of what is dragged to the pointer
};

}  // namespace divisi::topology
