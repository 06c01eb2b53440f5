// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/task_graph/unit_view.h"

#include <QApplication>
#include <QEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "app/model/wording/colours.h"
#include "app/model/wording/text.h"
#include "app/model/wording/text_scale.h"

namespace divisi::graphview {

namespace {

constexpr double side_margin = 48;

/// Sizes in the picture. Units of low height have all their text on one line and are therefore wider.
struct Rows {
    double unit, gap, heading;
    double above, below;  ///< margins around the units
    double width, column_gap;
};
constexpr Rows high_rows{56, 40, 40, 64, 48, 176, 72}, low_rows{24, 10, 24, 32, 8, 248, 48};
/// Minimum width of the kind's name in a unit of low height, next to its state.
constexpr double least_kind = 68;
/// Below this zoom the text of high rows is unreadable.
constexpr double least_readable = 0.7;
/// Tolerance, in units of the picture, for comparing positions of the view, because the view scrolls by whole pixels.
constexpr double still = 2;
/// Minimum height of the view. It is small, because docks need the rest of a small screen.
constexpr int least_height = 110;

const Rows& rows_of(bool low) { return low ? low_rows : high_rows; }

QColor state_colour(control::UnitState state, const model::Colours& colours) {
    switch (state) {
        case control::UnitState::running: return colours.accent;
        case control::UnitState::done: return colours.good;
        case control::UnitState::failed: return colours.bad;
        case control::UnitState::waiting: break;
    }
    return colours.faint;
}

/// Returns whether the unit is running and, according to its instance, neither waits nor is idle.
bool is_at_work(const model::UnitNode& unit) {
    using Kind = model::UnitWork::Kind;
    const bool told = unit.work.kind == Kind::waits || unit.work.kind == Kind::idle;
    return unit.state == control::UnitState::running && !told;
}

QColor hue_of(const model::UnitNode& unit, const model::Colours& colours) {
    if (unit.stopped) return colours.faint;
    if (unit.state != control::UnitState::running || is_at_work(unit)) return state_colour(unit.state, colours);
    return unit.work.kind == model::UnitWork::Kind::waits ? colours.warning : colours.faint;
}

QString state_sign(const model::UnitNode& unit) {
    if (unit.stopped) return QStringLiteral("\u25a0");
    if (unit.state == control::UnitState::running && !is_at_work(unit))
        return unit.work.kind == model::UnitWork::Kind::waits ? QStringLiteral("\u25d4") : QStringLiteral("\u25cb");
    switch (unit.state) {
        case control::UnitState::running: return QStringLiteral("\u25b6");
        case control::UnitState::done: return QStringLiteral("\u2713");
        case control::UnitState::failed: return QStringLiteral("\u2715");
        case control::UnitState::waiting: break;
    }
    return QStringLiteral("\u25cb");
}

/// Returns the points where an arrow leaves one unit and reaches another: at top and bottom within a column, otherwise
/// at the sides.
std::pair<QPointF, QPointF> ends(const QRectF& from, const QRectF& to) {
    if (from.left() == to.left()) {
        const bool down = to.top() > from.top();
        return {{from.center().x(), down ? from.bottom() : from.top()},
                {to.center().x(), down ? to.top() : to.bottom()}};
    }
    const bool right = to.left() > from.left();
    return {{right ? from.right() : from.left(), from.center().y()}, {right ? to.left() : to.right(), to.center().y()}};
}

}  // namespace

UnitView::UnitView(const model::UnitGraph& units, QWidget* parent) : QGraphicsView(parent), units_(units) {
    setObjectName(QStringLiteral("unitView"));
    setScene(&scene_);
    setFrameShape(QFrame::NoFrame);
    setRenderHint(QPainter::Antialiasing);
    setDragMode(ScrollHandDrag);
    setTransformationAnchor(AnchorUnderMouse);
    connect(&units_, &model::UnitGraph::unitsChanged, this, &UnitView::rebuild);
    connect(&units_, &model::UnitGraph::statesChanged, viewport(), qOverload<>(&QWidget::update));
    connect(&units_, &model::UnitGraph::statesChanged, this, &UnitView::describe);
    tell_screen_readers();
    rebuild();
}

QRectF UnitView::place(const model::UnitNode& unit) const {
    const Rows& rows = rows_of(low_);
    return QRectF(unit.column * (rows.width + rows.column_gap), rows.heading + unit.row * (rows.unit + rows.gap),
                  rows.width, rows.unit);
}

/// Returns the minimum size. While the text is enlarged, the view has no minimum height of its own, so that all docks
/// fit and none must be hidden.
QSize UnitView::minimumSizeHint() const {
    const QSize least = QGraphicsView::minimumSizeHint();
    return model::text_scale() > 1 ? least : QSize(least.width(), std::max(least.height(), least_height));
}

QString UnitView::state_text(control::UnitState state) {
    switch (state) {
        case control::UnitState::running: return tr("running");
        case control::UnitState::done: return tr("done");
        case control::UnitState::failed: return tr("failed");
        case control::UnitState::waiting: break;
    }
    return tr("waiting");
}

QString UnitView::doing_text(const model::UnitNode& unit) const {
    using Kind = model::UnitWork::Kind;
    const Kind kind = unit.state == control::UnitState::running ? unit.work.kind : Kind::untold;
    switch (kind) {
        case Kind::works: return model::operation_text(unit.work.operation);
        case Kind::idle: return tr("idle");
        case Kind::waits: {
            QStringList names;
            for (const InstanceId& other : unit.work.waits_for) names << units_.name_of(other);
            return tr("waits for %1, %2")
                .arg(names.join(QStringLiteral(", ")), model::ms_text(static_cast<double>(unit.work.ms)));
        }
        case Kind::untold: break;
    }
    return unit.stopped ? tr("stopped") : state_text(unit.state);
}

QString UnitView::place_text(const model::UnitNode& unit) {
    return unit.column == 0 ? tr("Data") : tr("Stage %1").arg(unit.column);
}

QString UnitView::kind_text(const QString& kind) {
    if (kind == QStringLiteral("load")) return tr("Load data");
    if (kind == QStringLiteral("preprocess")) return tr("Preprocess");
    if (kind == QStringLiteral("forward")) return tr("Forward");
    if (kind == QStringLiteral("loss")) return tr("Loss");
    if (kind == QStringLiteral("backward")) return tr("Backward");
    if (kind == QStringLiteral("optimizer")) return tr("Optimizer");
    return kind;
}

/// Rebuilds the picture. A zoom chosen by the user is also kept for the units of another task, but not if there are no
/// units.
void UnitView::rebuild() {
    describe();
    zoomed_ = zoomed_ && !units_.units().empty();
    if (zoomed_) choose_rows();
    else fit();
    viewport()->update();
}

QRectF UnitView::picture() const {
    QRectF bounds;
    for (const model::UnitNode& unit : units_.units()) bounds |= place(unit);
    const Rows& rows = rows_of(low_);
    return bounds.adjusted(-side_margin, -rows.above, side_margin, rows.below);
}

/// Chooses low or high rows by the height of the view including scroll bars, because scroll bars appear and disappear
/// with the picture.
void UnitView::choose_rows() {
    low_ = false;
    low_ = height() < least_readable * picture().height();
    if (const QRectF all = picture(); all != scene_.sceneRect()) scene_.setSceneRect(all);
}

/// Describes the picture to screen readers, unit by unit.
void UnitView::describe() {
    QStringList lines;
    for (const model::UnitNode& unit : units_.units()) {
        QString line =
            place_text(unit) + QStringLiteral(", ") + kind_text(unit.kind) + QStringLiteral(": ") + doing_text(unit);
        if (is_selected(unit)) line += QStringLiteral(", ") + tr("selected");
        for (const std::size_t before : unit.depends_on)
            if (crosses_link(units_.units()[before], unit)) {
                line += QStringLiteral(", ") + tr("receives tensors over the selected link");
                break;
            }
        lines << line;
    }
    setAccessibleDescription(lines.join(u'\n'));
}

void UnitView::fit() {
    zoomed_ = false;
    choose_rows();
    const QRectF all = scene_.sceneRect();
    if (all.isEmpty()) return;
    const double scale = std::min(viewport()->width() / all.width(), viewport()->height() / all.height());
    const double target = std::clamp(scale, 0.2, 1.0);
    setTransform(QTransform::fromScale(target, target));
    viewport()->update();
}

void UnitView::centre() {
    const auto& units = units_.units();
    const auto chosen = std::ranges::find_if(units, [this](const auto& unit) { return is_selected(unit); });
    if (chosen == units.end()) return fit();
    const QPoint middle = viewport()->rect().center();
    const QPointF before = mapToScene(middle);
    const double zoom = transform().m11();
    zoomed_ = true;
    if (zoom < 1) setTransform(QTransform());
    centerOn(place(*chosen).center());
    if (zoom >= 1 && QLineF(before, mapToScene(middle)).length() < still) fit();
}

void UnitView::drawBackground(QPainter* painter, const QRectF& rect) {
    const model::Colours& colours = model::colours_of(palette());
    painter->fillRect(rect, colours.ground);
    if (units_.units().empty()) {
        painter->setPen(colours.faint);
        painter->resetTransform();
        const QString& why = units_.why_none();
        painter->drawText(viewport()->rect(), Qt::AlignCenter | Qt::TextWordWrap,
                          why.isEmpty() ? tr("The task graph appears when the task is complete and valid.") : why);
        return;
    }
    paint_headings(*painter);
    paint_edges(*painter);
    paint_units(*painter);
}

void UnitView::paint_headings(QPainter& painter) const {
    const model::Colours& colours = model::colours_of(palette());
    QFont font = painter.font();
    font.setPixelSize(model::scaled_px(13));
    font.setWeight(QFont::DemiBold);
    painter.setFont(font);
    std::int32_t columns = 0;
    for (const model::UnitNode& unit : units_.units()) columns = std::max(columns, unit.column + 1);
    for (std::int32_t column = 0; column < columns; ++column) {
        const Rows& rows = rows_of(low_);
        const QRectF box(column * (rows.width + rows.column_gap), 0, rows.width, 0.8 * rows.heading);
        painter.setPen(column == 0 ? colours.faint : model::segment_colour(column - 1, colours));
        painter.drawText(box, Qt::AlignCenter, column == 0 ? tr("Data") : tr("Stage %1").arg(column));
    }
}

void UnitView::paint_edges(QPainter& painter) const {
    for (std::size_t to = 0; to < units_.units().size(); ++to)
        for (const std::size_t from : units_.units()[to].depends_on) paint_edge(painter, from, to);
}

bool UnitView::is_awaited(std::size_t from, std::size_t to) const {
    return std::ranges::find(units_.awaited(), std::pair(from, to)) != units_.awaited().end();
}

/// Paints an arrow. It is thick if it uses the selected link. If a unit waits for its tensor, the arrow is thick and
/// dashed, with a larger head.
void UnitView::paint_edge(QPainter& painter, std::size_t from, std::size_t to) const {
    const model::Colours& colours = model::colours_of(palette());
    const model::UnitNode &sender = units_.units()[from], &taker = units_.units()[to];
    const auto [start, end] = ends(place(sender), place(taker));
    QPainterPath path(start);
    const QPointF bend =
        start.x() == end.x() ? QPointF(0, (end.y() - start.y()) / 2) : QPointF((end.x() - start.x()) / 2, 0);
    path.cubicTo(start + bend, end - bend, end);
    painter.setBrush(Qt::NoBrush);
    const bool marked = crosses_link(sender, taker), awaited = is_awaited(from, to);
    const QColor& colour = marked ? colours.accent : awaited ? colours.warning : colours.edge;
    painter.setPen(QPen(colour, marked || awaited ? 3.0 : 1.2, awaited ? Qt::DashLine : Qt::SolidLine));
    painter.drawPath(path);
    const QPointF back = bend / std::max(1.0, std::hypot(bend.x(), bend.y())) * (awaited ? 11 : 7);
    const QPointF side(back.y() / 2, back.x() / 2);
    const QPointF head[] = {end, end - back + side, end - back - side};
    painter.setBrush(colour);
    painter.setPen(Qt::NoPen);
    painter.drawPolygon(head, 3);
}

void UnitView::paint_units(QPainter& painter) const {
    const model::Colours& colours = model::colours_of(palette());
    for (const model::UnitNode& unit : units_.units()) {
        const QRectF box = place(unit);
        const QColor hue = hue_of(unit, colours);
        const bool plain = unit.stopped || unit.state == control::UnitState::waiting ||
                           (!is_at_work(unit) && unit.state == control::UnitState::running);
        painter.setPen(QPen(plain ? colours.line : hue, 1.5));
        painter.setBrush(colours.raised);
        painter.drawRoundedRect(box, 6, 6);
        if (is_selected(unit)) {
            painter.setPen(QPen(colours.text, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(box.adjusted(-4, -4, 4, 4), 8, 8);
        }
        paint_words(painter, unit, hue);
    }
}

/// Paints the unit's kind and state: the kind above the state or, if units are one line high, to the left of the state.
void UnitView::paint_words(QPainter& painter, const model::UnitNode& unit, const QColor& hue) const {
    // larger text may use some of the margin around it
    const double slack = std::max(2.0, 8 - 8 * (model::text_scale() - 1));
    QRectF inner = place(unit).adjusted(12, low_ ? 0 : slack, -12, low_ ? 0 : -slack);
    QFont font = painter.font();
    font.setPixelSize(model::scaled_px(11));
    font.setWeight(QFont::Normal);
    painter.setFont(font);
    painter.setPen(hue);
    const double room = inner.width() - (low_ ? least_kind : 0);
    const QString state = painter.fontMetrics().elidedText(state_sign(unit) + u' ' + doing_text(unit), Qt::ElideRight,
                                                           static_cast<int>(room));
    painter.drawText(inner, low_ ? Qt::AlignVCenter | Qt::AlignRight : Qt::AlignBottom | Qt::AlignLeft, state);
    if (low_) inner.setRight(inner.right() - painter.fontMetrics().horizontalAdvance(state) - 8);
    font.setPixelSize(model::scaled_px(13));
    font.setWeight(QFont::DemiBold);
    painter.setFont(font);
    painter.setPen(model::colours_of(palette()).text);
    const QString kind = painter.fontMetrics().elidedText(kind_text(unit.kind), Qt::ElideRight,
                                                          static_cast<int>(std::max(0.0, inner.width())));
    painter.drawText(inner, low_ ? Qt::AlignVCenter | Qt::AlignLeft : Qt::AlignTop | Qt::AlignLeft,
                     low_ ? kind : kind_text(unit.kind));
}

void UnitView::use(model::Selection& selection) {
    selection_ = &selection;
    connect(&selection, &model::Selection::changed, this, [this] {
        describe();
        viewport()->update();
    });
}

void UnitView::use_wires(const model::LinkWires& wires) {
    wires_ = &wires;
    connect(&wires, &model::LinkWires::changed, this, [this] {
        describe();
        viewport()->update();
    });
}

bool UnitView::crosses_link(const model::UnitNode& from, const model::UnitNode& to) const {
    return wires_ && !wires_->wires().empty() &&
           wires_->crosses(from.instance.toStdString(), to.instance.toStdString());
}

std::vector<std::pair<std::size_t, std::size_t>> UnitView::marked_edges() const {
    std::vector<std::pair<std::size_t, std::size_t>> edges;
    const auto& units = units_.units();
    for (std::size_t to = 0; to < units.size(); ++to)
        for (const std::size_t from : units[to].depends_on)
            if (crosses_link(units[from], units[to])) edges.emplace_back(from, to);
    return edges;
}

bool UnitView::is_selected(const model::UnitNode& unit) const {
    using Kind = model::Selected::Kind;
    if (!selection_) return false;
    const model::Selected& now = selection_->current();
    const QString id = QString::fromStdString(now.id);
    return (now.kind == Kind::unit && id == unit.sid) ||
           (now.kind == Kind::instance && !id.isEmpty() && id == unit.instance) ||
           (now.kind == Kind::model_block && !now.other.empty() && QString::fromStdString(now.other) == unit.instance);
}

void UnitView::mousePressEvent(QMouseEvent* event) {
    pressed_ = event->pos();
    QGraphicsView::mousePressEvent(event);
}

/// A drag moves the picture and selects nothing.
void UnitView::mouseReleaseEvent(QMouseEvent* event) {
    QGraphicsView::mouseReleaseEvent(event);
    const bool moved = (event->pos() - pressed_).manhattanLength() >= QApplication::startDragDistance();
    if (event->button() == Qt::LeftButton && !moved) select_at(event->pos());
}

void UnitView::select_at(QPoint point) {
    if (!selection_) return;
    const QPointF at = mapToScene(point);
    for (const model::UnitNode& unit : units_.units())
        if (place(unit).contains(at)) return selection_->select(model::Selected::of_unit(Sid(unit.sid.toStdString())));
    selection_->clear();
}

/// Selects the nearest unit in this direction; the first unit if none is selected.
void UnitView::go(QPointF direction) {
    const auto& units = units_.units();
    const auto from = std::ranges::find_if(units, [this](const auto& unit) { return is_selected(unit); });
    const model::UnitNode* next = from == units.end() && !units.empty() ? &units.front() : nullptr;
    double least = 0;
    for (const model::UnitNode& unit : units) {
        if (from == units.end()) break;
        const QPointF way = place(unit).center() - place(*from).center();
        const double along = QPointF::dotProduct(way, direction);
        const double aside = std::abs(way.x() * direction.y() - way.y() * direction.x());
        if (along <= 0) continue;
        const double cost = along + 3 * aside;  // a unit straight ahead is preferred to a nearer unit at the side
        if (next && cost >= least) continue;
        next = &unit;
        least = cost;
    }
    if (!next) return;
    selection_->select(model::Selected::of_unit(Sid(next->sid.toStdString())));
    ensureVisible(place(*next), 24, 24);
}

void UnitView::keyPressEvent(QKeyEvent* event) {
    if (!selection_ || event->modifiers() != Qt::NoModifier) return QGraphicsView::keyPressEvent(event);
    switch (event->key()) {
        case Qt::Key_Left: return go({-1, 0});
        case Qt::Key_Right: return go({1, 0});
        case Qt::Key_Up: return go({0, -1});
        case Qt::Key_Down: return go({0, 1});
        case Qt::Key_Escape: return selection_->clear();
        default: return QGraphicsView::keyPressEvent(event);
    }
}

void UnitView::wheelEvent(QWheelEvent* event) {
    const double steps = event->angleDelta().y() / 120.0;
    if (steps != 0) zoom_by(std::pow(1.2, steps));
    event->accept();
}

void UnitView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) describe();
    viewport()->update();
    QGraphicsView::changeEvent(event);
}

void UnitView::zoom_by(double factor) {
    zoomed_ = true;
    scale(factor, factor);
}

/// Keeps a zoom chosen by the user, although docks beside the view are shown, hidden and resized.
void UnitView::resizeEvent(QResizeEvent* event) {
    QGraphicsView::resizeEvent(event);
    if (!zoomed_) fit();
}

/// Returns everything known about a unit: which instance runs it, what it does, and for how long.
QString UnitView::tip(const model::UnitNode& unit) const {
    QString text = unit.sid + u'\n' + state_text(unit.state);
    const QString doing = doing_text(unit);
    if (unit.state == control::UnitState::running && unit.work.kind == model::UnitWork::Kind::works)
        text += QStringLiteral(": ") + tr("%1, for %2").arg(doing, model::ms_text(static_cast<double>(unit.work.ms)));
    else if (doing != state_text(unit.state)) text += QStringLiteral(": ") + doing;
    if (!unit.instance.isEmpty()) text += u'\n' + tr("Instance: %1").arg(unit.instance);
    return text;
}

bool UnitView::viewportEvent(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QGraphicsView::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QPointF point = mapToScene(help->pos());
    for (const model::UnitNode& unit : units_.units()) {
        if (!place(unit).contains(point)) continue;
        QToolTip::showText(help->globalPos(), tip(unit), this);
        return true;
    }
    QToolTip::hideText();
    return true;
}

}  // namespace divisi::graphview

#include "moc_unit_view.cpp"
