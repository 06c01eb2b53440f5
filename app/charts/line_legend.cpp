// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/line_legend.h"

#include <QPainter>
#include <algorithm>

#include "app/model/colours.h"

namespace divisi::charts {

namespace {

constexpr int font_pixels = 11, row_height = 16;
constexpr int sample = 24;  ///< length of the piece of line: two dashes and more
constexpr int gap = 6, between = 14;

}  // namespace

LineLegend::LineLegend(QWidget* parent) : QWidget(parent) {
    QFont small = font();
    small.setPixelSize(font_pixels);
    setFont(small);
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void LineLegend::show_entries(std::vector<Entry> entries) {
    if (entries == entries_) return;
    entries_ = std::move(entries);
    QStringList names;
    for (const auto& [name, pen] : entries_) names << name;
    setAccessibleName(names.join(QStringLiteral(", ")));
    setVisible(entries_.size() > 1);
    updateGeometry();
    update();
}

template <typename Place>
int LineLegend::arrange(int width, Place place) const {
    int left = 0, top = 0;
    for (const Entry& entry : entries_) {
        const int wide = sample + gap + fontMetrics().horizontalAdvance(entry.first);
        if (left > 0 && left + wide > width) {
            left = 0;
            top += row_height;
        }
        place(entry, left, top);
        left += wide + between;
    }
    return top + row_height;
}

int LineLegend::heightForWidth(int width) const {
    return arrange(width, [](const Entry&, int, int) {});
}

QSize LineLegend::sizeHint() const { return {0, heightForWidth(std::max(width(), sample))}; }

void LineLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const model::Colours& colours = model::colours_of(palette());
    arrange(width(), [&](const Entry& entry, int left, int top) {
        painter.setPen(entry.second);
        painter.drawLine(left, top + row_height / 2, left + sample, top + row_height / 2);
        painter.setPen(colours.text);
        const int room = std::max(0, width() - left - sample - gap);
        painter.drawText(left + sample + gap, top, room, row_height, Qt::AlignVCenter,
                         fontMetrics().elidedText(entry.first, Qt::ElideRight, room));
    });
}

}  // namespace divisi::charts
