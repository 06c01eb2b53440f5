// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/replay/transport_track.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QStyle>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "app/model/wording/colours.h"
#include "app/model/wording/event_line.h"

namespace divisi::shell {

namespace {

constexpr int track_margin = 10, mark_size = 5, near_px = 6;
using Mark = client::RecordingMark;

int ms_of(Duration at) { return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(at).count()); }

/// Returns the text of a mark's event. Tries all marked kinds of events, because a mark stores no kind of event.
QString told_text(const Mark& mark) {
    for (const char* kind : {"task_recut", "task_recovers", "node_ended", "exception_raised"})
        if (const QString line = model::event_line(kind, mark.text); line != QString::fromStdString(mark.text))
            return line;
    return QString::fromStdString(mark.text);
}

}  // namespace

QString mark_text(Mark::Kind kind) {
    switch (kind) {
        case Mark::Kind::recut: return TransportTrack::tr("Re-cut");
        case Mark::Kind::fault: return TransportTrack::tr("Injected fault");
        case Mark::Kind::incident: return TransportTrack::tr("Incident");
        case Mark::Kind::step: break;
    }
    return TransportTrack::tr("Step");
}

TransportTrack::TransportTrack(QWidget* parent) : QSlider(Qt::Horizontal, parent) {
    setObjectName(QStringLiteral("replayTrack"));
    setSingleStep(1000);
    setPageStep(10'000);
    setFocusPolicy(Qt::StrongFocus);
}

QSize TransportTrack::sizeHint() const { return {320, 32}; }

void TransportTrack::set_marks(const std::vector<Mark>& marks) {
    marks_ = marks;
    update();
}

int TransportTrack::x_of(int value) const {
    const int room = std::max(1, width() - 2 * track_margin), length = std::max(1, maximum() - minimum());
    return track_margin + static_cast<int>(std::lround(static_cast<double>(value - minimum()) * room / length));
}

int TransportTrack::value_at(int x) const {
    return QStyle::sliderValueFromPosition(minimum(), maximum(), x - track_margin,
                                           std::max(1, width() - 2 * track_margin));
}

const Mark* TransportTrack::mark_at(QPoint position) const {
    const Mark* best = nullptr;
    int least = near_px + 1;
    for (const Mark& mark : marks_) {
        const int away = std::abs(x_of(ms_of(mark.at)) - position.x());
        if (mark.kind == Mark::Kind::step || away >= least) continue;
        best = &mark;
        least = away;
    }
    return best;
}

bool TransportTrack::go_to_mark(int direction) {
    const Mark* best = nullptr;
    for (const Mark& mark : marks_) {
        if (mark.kind == Mark::Kind::step) continue;
        const int at = ms_of(mark.at);
        if (direction > 0 ? at <= value() : at >= value()) continue;
        if (direction > 0 && best) continue;  // marks are in order of time, so the first one is the nearest
        best = &mark;
    }
    if (best) setValue(ms_of(best->at));
    return best != nullptr;
}

bool TransportTrack::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QSlider::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Mark* mark = mark_at(help->pos());
    if (!mark && !toolTip().isEmpty()) return QSlider::event(event);
    if (!mark) {
        QToolTip::hideText();
        event->ignore();
        return true;
    }
    QToolTip::showText(help->globalPos(), mark_text(mark->kind) + QStringLiteral(": ") + told_text(*mark), this);
    return true;
}

/// A click jumps to the position, or to a mark near it. A drag continues from there.
void TransportTrack::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        const Mark* mark = mark_at(event->position().toPoint());
        setValue(mark ? ms_of(mark->at) : value_at(qRound(event->position().x())));
    }
    QSlider::mousePressEvent(event);
}

void TransportTrack::paint_mark(QPainter& painter, const Mark& mark) const {
    const model::Colours& colours = model::colours_of(palette());
    const QPointF at(x_of(ms_of(mark.at)), mark_size + 2);
    painter.setPen(Qt::NoPen);
    QPainterPath path;
    if (mark.kind == Mark::Kind::recut) {  // draw a diamond
        painter.setBrush(colours.accent);
        path.addPolygon(QPolygonF{{at + QPointF(0, -mark_size), at + QPointF(mark_size, 0), at + QPointF(0, mark_size),
                                   at + QPointF(-mark_size, 0)}});
    } else if (mark.kind == Mark::Kind::fault) {  // draw a cross
        painter.setPen(QPen(colours.warning, 2));
        painter.drawLine(at + QPointF(-mark_size + 1, -mark_size + 1), at + QPointF(mark_size - 1, mark_size - 1));
        painter.drawLine(at + QPointF(-mark_size + 1, mark_size - 1), at + QPointF(mark_size - 1, -mark_size + 1));
    } else {  // draw a triangle
        painter.setBrush(colours.bad);
        path.addPolygon(QPolygonF{
            {at + QPointF(0, -mark_size), at + QPointF(mark_size, mark_size), at + QPointF(-mark_size, mark_size)}});
    }
    path.closeSubpath();
    painter.drawPath(path);
}

void TransportTrack::paintEvent(QPaintEvent*) {
    const model::Colours& colours = model::colours_of(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const int middle = height() / 2 + (marks_.empty() ? 0 : 5);
    const QRectF groove(track_margin, middle - 2, width() - 2 * track_margin, 4);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colours.line);
    painter.drawRoundedRect(groove, 2, 2);
    painter.setBrush(colours.accent);
    painter.drawRoundedRect(QRectF(groove.left(), groove.top(), x_of(value()) - groove.left(), groove.height()), 2, 2);
    painter.setPen(colours.faint);
    int last = -1;  // x of the last tick, since at most one tick is drawn per pixel
    for (const Mark& mark : marks_) {
        const int x = x_of(ms_of(mark.at));
        if (mark.kind != Mark::Kind::step || x == last) continue;
        painter.drawLine(x, middle + 5, x, middle + 8);
        last = x;
    }
    for (const Mark& mark : marks_)
        if (mark.kind != Mark::Kind::step) paint_mark(painter, mark);
    painter.setPen(hasFocus() ? QPen(colours.text, 2) : QPen(Qt::NoPen));
    painter.setBrush(colours.accent);
    painter.drawEllipse(QPointF(x_of(value()), middle), 7, 7);
}

}  // namespace divisi::shell

#include "moc_transport_track.cpp"
