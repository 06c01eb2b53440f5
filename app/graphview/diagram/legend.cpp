// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/legend.h"

#include <QEvent>

#include "app/model/wording/text_scale.h"

namespace divisi::graphview {

using model::ColourBy;

namespace {

constexpr double scale_width = 200, swatch_size = 14, legend_gap = 8;

/// Writes text at `left` and returns the x where it ends.
double write_legend(QPainter& painter, double left, const QRectF& line, const QString& text) {
    const double width = painter.fontMetrics().horizontalAdvance(text) + 1.0;
    painter.drawText(QRectF(left, line.top(), width, line.height()), Qt::AlignVCenter | Qt::AlignLeft, text);
    return left + width;
}

}  // namespace

QString Legend::title() const {
    switch (view_.colours().by()) {
        case ColourBy::segment: return tr("Segments");
        case ColourBy::time: return tr("Time of one micro-batch, forward and backward");
        case ColourBy::memory: return tr("Weights, and activations of one micro-batch");
        case ColourBy::bytes: return tr("Bytes of the outputs that later operators read");
        case ColourBy::nothing: break;
    }
    return {};
}

QString Legend::text() const {
    if (empty()) return {};
    const model::BlockFigures& figures = view_.colours().figures();
    if (view_.colours().by() == ColourBy::segment)
        return title() + QStringLiteral(": %1").arg(view_.brush().segment_count());
    if (figures.most <= 0) return title() + QStringLiteral(": ") + tr("not known");
    QString text =
        tr("%1: from %2 (dark) to %3 (bright)")
            .arg(title(), model::figure_text(figures.by, figures.least), model::figure_text(figures.by, figures.most));
    if (figures.some_unmeasured) text += QStringLiteral("; ") + tr("hatched: estimated from FLOPs and bytes");
    return text;
}

void Legend::paint(QPainter& painter, const QRectF& line, const model::Colours& colours) const {
    if (empty()) return;
    QFont font = painter.font();
    font.setPixelSize(model::scaled_px(12));
    font.setWeight(QFont::Normal);
    painter.setFont(font);
    painter.setPen(colours.text);
    const double left = write_legend(painter, line.left(), line, title()) + 2 * legend_gap;
    if (view_.colours().by() == ColourBy::segment) paint_segments(painter, left, line, colours);
    else paint_scale(painter, left, line, colours);
}

void Legend::paint_scale(QPainter& painter, double left, const QRectF& line, const model::Colours& colours) const {
    const model::BlockFigures& figures = view_.colours().figures();
    painter.setPen(colours.faint);
    if (figures.most <= 0) {
        write_legend(painter, left, line, tr("not known"));
        return;
    }
    left = write_legend(painter, left, line, model::figure_text(figures.by, figures.least)) + legend_gap;
    const QRectF bar(left, line.center().y() - swatch_size / 2, scale_width, swatch_size);
    constexpr int steps = 50;
    for (int i = 0; i < steps; ++i)
        painter.fillRect(
            QRectF(bar.left() + i * scale_width / steps, bar.top(), scale_width / steps + 0.5, swatch_size),
            model::heat_colour((i + 0.5) / steps));
    painter.setPen(colours.line);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(bar);
    painter.setPen(colours.faint);
    left = write_legend(painter, bar.right() + legend_gap, line, model::figure_text(figures.by, figures.most));
    if (!figures.some_unmeasured) return;
    const QRectF swatch(left + 2 * legend_gap, bar.top(), 20, swatch_size);
    painter.setBrush(QBrush(colours.text, model::unmeasured_pattern));
    painter.drawRect(swatch);
    write_legend(painter, swatch.right() + legend_gap, line, tr("estimated from FLOPs and bytes"));
}

void Legend::paint_segments(QPainter& painter, double left, const QRectF& line, const model::Colours& colours) const {
    for (int segment = 0; segment < view_.brush().segment_count(); ++segment) {
        const QString number = QString::number(segment + 1);
        const double wanted = swatch_size + 4 + painter.fontMetrics().horizontalAdvance(number) + 2 * legend_gap;
        painter.setPen(colours.text);
        if (left + wanted > line.right()) {
            write_legend(painter, left, line, QStringLiteral("\u2026"));
            return;
        }
        const QColor hue = model::segment_colour(segment, colours);
        const QRectF swatch(left, line.center().y() - swatch_size / 2, swatch_size, swatch_size);
        painter.setPen(hue);
        painter.setBrush(QBrush(hue, model::segment_pattern(segment)));
        painter.drawRect(swatch);
        painter.setPen(colours.text);
        left = write_legend(painter, swatch.right() + 4, line, number) + 2 * legend_gap;
    }
}

LegendBar::LegendBar(GraphView& view, QWidget* parent) : QWidget(parent), view_(view) {
    setObjectName(QStringLiteral("legend"));
    setFixedHeight(28);
    connect(&view_.colours(), &BlockColours::changed, this, &LegendBar::refresh);
    refresh();
}

void LegendBar::refresh() {
    const Legend legend(view_);
    setVisible(!legend.empty() && !view_.isHidden());
    setAccessibleName(tr("Legend of the colours"));
    setAccessibleDescription(legend.text());
    setToolTip(legend.text());
    update();
}

void LegendBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const model::Colours& colours = model::colours_of(palette());
    painter.fillRect(rect(), colours.surface);
    Legend(view_).paint(painter, QRectF(rect()).adjusted(16, 0, -16, 0), colours);
}

void LegendBar::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) refresh();
    QWidget::changeEvent(event);
}

}  // namespace divisi::graphview

#include "moc_legend.cpp"
