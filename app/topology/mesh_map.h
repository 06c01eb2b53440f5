// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsScene>
#include <QGraphicsView>
#include <optional>

#include "app/model/wording/accessible_parts.h"
#include "app/topology/mesh_layout.h"
#include "app/topology/mesh_paint.h"

namespace divisi::topology {

/// Shows the mesh as a picture.
///
/// Pointer: drag a MIC or router to place it, drag the background to pan, wheel to zoom at the pointer, double click
/// for details. Keys: an arrow key selects the next element in its direction; with Shift, an arrow key moves the
/// selected element. Enter requests details, Home selects the first element, Esc clears the selection.
class MeshMap : public QGraphicsView, public model::AccessiblePicture {
    Q_OBJECT
public:
    explicit MeshMap(QWidget* parent = nullptr);

    /// `choosing`: a task is chosen, so elements that are not highlighted are dimmed.
    void show_picture(const MeshParts& parts, MeshPicture picture, bool choosing);
    const MeshPicture& picture() const { return picture_; }
    bool lights_task() const { return choosing_; }

    const Element& selected() const { return selected_; }
    void select(const Element& element, bool scroll_to);
    /// Returns the rectangle in which an element is painted, in units of the picture; empty if it is not shown.
    QRectF place_of(const Element& element) const;
    Element element_at(QPointF scene) const;
    /// Returns the state of an element as a text. The picture shows the same state, for example by the outline.
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
    /// Fits everything into the view, and keeps doing so until the user moves the view.
    void fit();
    /// Centres the selected element at a readable zoom. If it is already centred, or nothing is selected, calls fit().
    void centre();

Q_SIGNALS:
    void selectionChanged();
    void detailsRequested();
    /// The right button or the menu key was pressed on an element, or on the background (kind none).
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
    /// Returns the MIC or router that moves when this element is dragged; kind none if nothing moves.
    Element mover(const Element& element) const;
    void move(const Element& mover, QPointF centre);
    void place_links();
    void place_instances();
    void paint_selection(QPainter& painter, const PaintStyle& style) const;

    QGraphicsScene scene_;
    MeshParts parts_;
    MeshPicture picture_;
    MeshLayout arranged_, layout_;  ///< layouts without and with the dragged positions
    std::map<LinkName, LinkGeometry> links_;
    std::map<std::string, QRectF> instances_;  ///< rectangles by instance id, without instances that do not fit into
                                               ///< their node
    Dragged dragged_;
    Element selected_;
    bool choosing_ = false, shows_idle_ = true;
    bool fits_ = true;  ///< whether the picture is kept fitted to the view; false once the user has moved the view
    Gesture gesture_ = Gesture::none;
    Element mover_;  ///< the element that the current drag moves; kind none: no element
    QPoint pressed_, last_;
    QPointF grip_;  ///< offset from the centre of the dragged element to the pointer
};

}  // namespace divisi::topology
