// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topology/mesh_map.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "app/model/wording/states.h"
#include "app/topology/element_details.h"

namespace divisi::topology {

namespace {

constexpr double least_zoom = 0.08, most_zoom = 3, most_fitted = 1.4;
/// Margins around the picture: for panning, so that its edges can be moved to the centre, and for fitting.
constexpr double pan_room = 1200, fit_room = 28;
constexpr double key_step = 16;
/// Tolerance in units for the view's position, since it scrolls by whole pixels.
constexpr double still = 2;
/// Distance from a link's line, in screen pixels, at which the pointer hits it.
constexpr double link_reach = 9;

double distance(const QLineF& line, QPointF point) {
    const QPointF along(line.dx(), line.dy()), off = point - line.p1();
    const double length = QPointF::dotProduct(along, along);
    const double share = length > 0 ? std::clamp(QPointF::dotProduct(off, along) / length, 0.0, 1.0) : 0;
    return QLineF(point, line.pointAt(share)).length();
}

}  // namespace

MeshMap::MeshMap(QWidget* parent) : QGraphicsView(parent) {
    setObjectName(QStringLiteral("meshMap"));
    setScene(&scene_);
    setFrameShape(QFrame::NoFrame);
    setRenderHint(QPainter::Antialiasing);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setViewportUpdateMode(FullViewportUpdate);
    setFocusPolicy(Qt::StrongFocus);
    tell_screen_readers();
}

void MeshMap::show_picture(const MeshParts& parts, MeshPicture picture, bool choosing) {
    picture_ = std::move(picture);
    choosing_ = choosing;
    if (parts_ != parts) {
        parts_ = parts;
        arranged_ = arrange(parts_);
        place();
    } else {
        place_instances();
    }
    if (selected_.kind != Element::Kind::none && place_of(selected_).isEmpty()) select({}, false);
    viewport()->update();
}

void MeshMap::place() {
    layout_ = moved(arranged_, parts_, dragged_);
    place_links();
    place_instances();
    scene_.setSceneRect(layout_.bounds.adjusted(-pan_room, -pan_room, pan_room, pan_room));
    if (fits_) fit();
    viewport()->update();
}

void MeshMap::set_shows_idle(bool shows) {
    shows_idle_ = shows;
    if (place_of(selected_).isEmpty()) select({}, false);
    viewport()->update();
}

void MeshMap::set_dragged(const Dragged& dragged) {
    dragged_ = dragged;
    place();
}

bool MeshMap::shows(const Element& element) const {
    if (shows_idle_) return true;
    switch (element.kind) {
        case Element::Kind::mic: return !picture_.mics.at(element.name).idle;
        case Element::Kind::node: {
            const NodeLook& node = picture_.nodes.at(element.name);
            return !node.idle() || node.state == control::NodeState::lost;
        }
        case Element::Kind::device: return !picture_.devices.at(element.name).idle;
        case Element::Kind::link: return !picture_.links.at(element.link()).idle;
        case Element::Kind::instance:
        case Element::Kind::none: break;
    }
    return true;
}

/// Returns the elements from front to back.
std::vector<Element> MeshMap::elements() const {
    using Kind = Element::Kind;
    std::vector<Element> all;
    for (const auto& [name, node] : picture_.nodes)
        for (const InstanceLook& instance : node.instances) all.push_back({Kind::instance, instance.id, {}});
    for (const auto& [name, node] : picture_.nodes) all.push_back({Kind::node, name, {}});
    for (const auto& [name, device] : picture_.devices) all.push_back({Kind::device, name, {}});
    for (const auto& [name, link] : picture_.links) all.push_back({Kind::link, name.first, name.second});
    for (const auto& [name, mic] : picture_.mics) all.push_back({Kind::mic, name, {}});
    std::erase_if(all, [this](const Element& one) { return !shows(one) || place_of(one).isEmpty(); });
    return all;
}

void MeshMap::place_links() {
    const auto role = [this](const std::string& name) {
        return parts_.routers.contains(name) ? mesh::DeviceRole::router : mesh::DeviceRole::gateway;
    };
    links_.clear();
    for (const LinkName& link : parts_.links) {
        const auto a = layout_.devices.find(link.first), b = layout_.devices.find(link.second);
        if (a == layout_.devices.end() || b == layout_.devices.end()) continue;
        links_[link] = link_geometry(a->second, role(link.first), b->second, role(link.second));
    }
}

void MeshMap::place_instances() {
    instances_.clear();
    for (const auto& [name, node] : picture_.nodes) {
        const std::vector<QRectF> places = instance_places(layout_.nodes.at(name), node.instances.size());
        for (std::size_t i = 0; i < places.size(); ++i) instances_[node.instances[i].id] = places[i];
    }
}

QRectF MeshMap::place_of(const Element& element) const {
    const auto in = [&](const std::map<std::string, QRectF>& places) {
        const auto found = places.find(element.name);
        return found == places.end() ? QRectF() : found->second;
    };
    switch (element.kind) {
        case Element::Kind::mic: return in(layout_.mics);
        case Element::Kind::node: return in(layout_.nodes);
        case Element::Kind::device: return in(layout_.devices);
        case Element::Kind::instance: return in(instances_);
        case Element::Kind::link: {
            const auto link = links_.find(element.link());
            return link == links_.end() ? QRectF() : link->second.label;
        }
        case Element::Kind::none: break;
    }
    return {};
}

Element MeshMap::element_at(QPointF scene) const {
    for (const Element& element : elements()) {
        if (element.kind == Element::Kind::link) {
            if (distance(links_.at(element.link()).line, scene) * transform().m11() < link_reach) return element;
        } else if (place_of(element).contains(scene)) {
            return element;
        }
    }
    return {};
}

void MeshMap::select(const Element& element, bool scroll_to) {
    const bool changed = selected_ != element;
    selected_ = element;
    if (scroll_to && !place_of(element).isEmpty()) {
        const QRectF shown = mapToScene(viewport()->rect()).boundingRect();
        if (!shown.contains(place_of(element))) {
            fits_ = false;
            ensureVisible(place_of(element), 60, 60);
        }
    }
    setAccessibleDescription(
        element.kind == Element::Kind::none ? QString() : title_of(element, picture_) + u' ' + state_text(element));
    viewport()->update();
    if (changed) Q_EMIT selectionChanged();
}

QString MeshMap::state_text(const Element& element) const {
    const model::Colours& colours = model::colours_of(palette());
    switch (element.kind) {
        case Element::Kind::mic: return mic_text(picture_.mics.at(element.name));
        case Element::Kind::link: return link_text(picture_.links.at(element.link()));
        case Element::Kind::device: {
            const Presence presence = picture_.devices.at(element.name).presence;
            if (presence == Presence::gone) return model::gone_look(colours).text();
            return model::device_look(presence == Presence::here, colours).text();
        }
        case Element::Kind::node:
            return node_look(picture_.nodes.at(element.name), colours, std::chrono::steady_clock::now()).text();
        case Element::Kind::instance:
            for (const auto& [name, node] : picture_.nodes)
                for (const InstanceLook& one : node.instances)
                    if (one.id == element.name) return model::look_of(one.state, colours).text();
            break;
        case Element::Kind::none: break;
    }
    return {};
}

/// Selects the nearest element in this direction. The distance at right angles to the direction counts double. If this
/// distance is more than twice the distance along the direction, the element is ignored.
void MeshMap::go(QPointF direction) {
    const std::vector<Element> all = elements();
    if (all.empty()) return;
    // Use the position of a MIC's title, because nodes cover the middle of the MIC.
    const auto middle = [this](const Element& element) {
        const QRectF place = place_of(element);
        return element.kind == Element::Kind::mic ? QPointF(place.center().x(), place.top() + title_height / 2)
                                                  : place.center();
    };
    if (selected_.kind == Element::Kind::none) return select(all.front(), true);
    const QPointF from = middle(selected_);
    const Element* best = nullptr;
    double nearest = 0;
    for (const Element& element : all) {
        const QPointF off = middle(element) - from;
        const double ahead = QPointF::dotProduct(off, direction);
        const double aside = std::abs(off.x() * direction.y() - off.y() * direction.x());
        if (element == selected_ || ahead < 1 || aside > 2 * ahead) continue;
        const double far = ahead + 2 * aside;
        if (best && far >= nearest) continue;
        best = &element;
        nearest = far;
    }
    if (best) select(Element(*best), true);
}

Element MeshMap::mover(const Element& element) const {
    using Kind = Element::Kind;
    if (element.kind == Kind::mic) return element;
    if (element.kind == Kind::device && parts_.routers.contains(element.name)) return element;
    if (element.kind == Kind::none || element.kind == Kind::link) return {};
    const QPointF at = place_of(element).center();
    for (const auto& [name, rect] : layout_.mics)
        if (rect.contains(at)) return {Kind::mic, name, {}};
    return {};
}

void MeshMap::move(const Element& mover, QPointF centre) {
    if (place_of(mover).isEmpty()) return;  // the element has disappeared since the press
    (mover.kind == Element::Kind::mic ? dragged_.mics : dragged_.routers)[mover.name] = centre;
    fits_ = false;
    place();
}

void MeshMap::mousePressEvent(QMouseEvent* event) {
    setFocus();
    pressed_ = last_ = event->pos();
    const Element element = element_at(mapToScene(event->pos()));
    if (event->button() == Qt::MiddleButton ||
        (event->button() == Qt::LeftButton && element.kind == Element::Kind::none)) {
        gesture_ = Gesture::pan;
        if (event->button() == Qt::LeftButton) select({}, false);
        viewport()->setCursor(Qt::ClosedHandCursor);
        return;
    }
    select(element, false);
    if (event->button() != Qt::LeftButton) return;
    gesture_ = Gesture::press;
    mover_ = mover(element);
    grip_ = mapToScene(event->pos()) - place_of(mover_).center();
}

void MeshMap::mouseMoveEvent(QMouseEvent* event) {
    const QPoint by = event->pos() - last_;
    last_ = event->pos();
    if (gesture_ == Gesture::pan) {
        fits_ = false;
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() - by.x());
        verticalScrollBar()->setValue(verticalScrollBar()->value() - by.y());
        return;
    }
    const bool far = (event->pos() - pressed_).manhattanLength() >= QApplication::startDragDistance();
    // The drag continues even if the pressed element has been removed. move() ignores a mover that has disappeared.
    if (gesture_ == Gesture::press && far && mover_.kind != Element::Kind::none) gesture_ = Gesture::drag;
    if (gesture_ == Gesture::drag) move(mover_, mapToScene(event->pos()) - grip_);
}

void MeshMap::mouseReleaseEvent(QMouseEvent*) {
    viewport()->unsetCursor();
    if (std::exchange(gesture_, Gesture::none) == Gesture::drag) Q_EMIT draggedChanged();
}

void MeshMap::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && selected_.kind != Element::Kind::none) Q_EMIT detailsRequested();
}

void MeshMap::contextMenuEvent(QContextMenuEvent* event) {
    if (event->reason() == QContextMenuEvent::Keyboard) {
        const QRectF place = place_of(selected_);
        const QPoint at = place.isEmpty() ? viewport()->rect().center() : mapFromScene(place.center());
        Q_EMIT menuRequested(selected_, viewport()->mapToGlobal(at));
    } else {
        Q_EMIT menuRequested(selected_, event->globalPos());
    }
}

void MeshMap::keyPressEvent(QKeyEvent* event) {
    const auto direction = [&]() -> std::optional<QPointF> {
        switch (event->key()) {
            case Qt::Key_Left: return QPointF(-1, 0);
            case Qt::Key_Right: return QPointF(1, 0);
            case Qt::Key_Up: return QPointF(0, -1);
            case Qt::Key_Down: return QPointF(0, 1);
            default: return std::nullopt;
        }
    }();
    if (direction && event->modifiers() & Qt::ShiftModifier) {
        const Element moves = mover(selected_);
        if (moves.kind == Element::Kind::none) return;
        move(moves, place_of(moves).center() + *direction * key_step);
        Q_EMIT draggedChanged();
    } else if (direction) {
        go(*direction);
    } else if (event->key() == Qt::Key_Home) {
        if (const auto all = elements(); !all.empty()) select(all.front(), true);
    } else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) &&
               selected_.kind != Element::Kind::none) {
        Q_EMIT detailsRequested();
    } else if (event->key() == Qt::Key_Escape && selected_.kind != Element::Kind::none) {
        select({}, false);
    } else {
        QGraphicsView::keyPressEvent(event);
    }
}

void MeshMap::zoom_by(double factor, QPoint anchor) {
    const double now = transform().m11(), target = std::clamp(now * factor, least_zoom, most_zoom);
    const QPointF before = mapToScene(anchor);
    setTransform(QTransform::fromScale(target, target));
    const QPointF off = mapFromScene(before) - QPointF(anchor);
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() + static_cast<int>(std::lround(off.x())));
    verticalScrollBar()->setValue(verticalScrollBar()->value() + static_cast<int>(std::lround(off.y())));
    fits_ = false;
}

void MeshMap::zoomIn() { zoom_by(1.25, viewport()->rect().center()); }
void MeshMap::zoomOut() { zoom_by(0.8, viewport()->rect().center()); }
void MeshMap::zoomReset() { zoom_by(1 / transform().m11(), viewport()->rect().center()); }

void MeshMap::fit() {
    fits_ = true;
    if (layout_.bounds.isEmpty()) return;
    const QRectF all = layout_.bounds;
    const double across = (viewport()->width() - 2 * fit_room) / all.width();
    const double down = (viewport()->height() - 2 * fit_room) / all.height();
    const double zoom = std::clamp(std::min(across, down), least_zoom, most_fitted);
    setTransform(QTransform::fromScale(zoom, zoom));
    centerOn(all.center());
    viewport()->update();
}

void MeshMap::centre() {
    const QRectF place = place_of(selected_);
    if (place.isEmpty()) return fit();
    const QPoint middle = viewport()->rect().center();
    const QPointF before = mapToScene(middle);
    const double zoom = transform().m11();
    if (zoom < 1) setTransform(QTransform());
    centerOn(place.center());
    fits_ = false;
    const double moved = QLineF(before, mapToScene(middle)).length();
    if (zoom >= 1 && moved < still) return fit();
    viewport()->update();
}

void MeshMap::wheelEvent(QWheelEvent* event) {
    zoom_by(std::pow(1.25, event->angleDelta().y() / 120.0), event->position().toPoint());
    event->accept();
}

void MeshMap::resizeEvent(QResizeEvent* event) {
    QGraphicsView::resizeEvent(event);
    if (fits_) fit();
}

void MeshMap::focusInEvent(QFocusEvent* event) {
    QGraphicsView::focusInEvent(event);
    viewport()->update();
}

bool MeshMap::viewportEvent(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QGraphicsView::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Element element = element_at(mapToScene(help->pos()));
    if (element.kind == Element::Kind::none) QToolTip::hideText();
    else QToolTip::showText(help->globalPos(), title_of(element, picture_) + u'\n' + state_text(element), viewport());
    return true;
}

void MeshMap::paint_selection(QPainter& painter, const PaintStyle& style) const {
    QRectF place = place_of(selected_);
    if (place.isEmpty() || !shows(selected_)) return;
    if (selected_.kind == Element::Kind::link)
        place |= link_label(links_.at(selected_.link()), picture_.links.at(selected_.link()), style);
    const model::Colours& colours = model::colours_of(palette());
    painter.setPen(QPen(colours.accent, 2 / transform().m11(), hasFocus() ? Qt::SolidLine : Qt::DotLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(place.adjusted(-5, -5, 5, 5), 8, 8);
}

void MeshMap::drawBackground(QPainter* painter, const QRectF& rect) {
    const PaintStyle style{&model::colours_of(palette()), transform().m11(), choosing_,
                           std::chrono::steady_clock::now()};
    painter->fillRect(rect, style.colours->ground);
    const auto visible = [&](const QRectF& place) { return place.adjusted(-40, -40, 40, 40).intersects(rect); };
    for (const auto& [name, look] : picture_.mics)
        if (const QRectF& place = layout_.mics.at(name); visible(place) && shows({Element::Kind::mic, name, {}}))
            paint_mic(*painter, place, QString::fromStdString(name), look, style);
    for (const auto& [name, link] : links_) {
        const LinkLook& look = picture_.links.at(name);
        if (!visible(QRectF(link.line.p1(), link.line.p2()).normalized())) continue;
        if (shows({Element::Kind::link, name.first, name.second})) paint_link(*painter, link, look, style);
    }
    for (const auto& [name, look] : picture_.nodes)
        if (const QRectF& place = layout_.nodes.at(name); visible(place) && shows({Element::Kind::node, name, {}}))
            paint_node(*painter, place, node_title(name), look, style);
    for (const auto& [name, look] : picture_.devices)
        if (const QRectF& place = layout_.devices.at(name); visible(place) && shows({Element::Kind::device, name, {}}))
            paint_device(*painter, place, QString::fromStdString(name), look, style);
    paint_selection(*painter, style);
}

}  // namespace divisi::topology

#include "moc_mesh_map.cpp"
