// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/line_legend.h"

#include <QPainter>
#include <algorithm>

#include "app/model/wording/colours.h"
#include "app/model/wording/text_scale.h"

namespace divisi::charts {

namespace {

constexpr int legend_pixels = 11;
constexpr int sample = 24;  ///< length in pixels of the line sample, enough for two dashes of a dashed line
constexpr int gap = 6, between = 14;

int legend_row() { return model::scaled_px(16); }

}  // namespace

LineLegend::LineLegend(QWidget* parent) : QWidget(parent) {
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

QFont LineLegend::small_font() const {
    QFont small = font();
    small.setPixelSize(model::scaled_px(legend_pixels));
    return small;
}

template <typename Place>
int LineLegend::arrange(int width, Place place) const {
    const QFontMetrics metrics(small_font());
    int left = 0, top = 0;
    for (const Entry& entry : entries_) {
        const int wide = sample + gap + metrics.horizontalAdvance(entry.first);
        if (left > 0 && left + wide > width) {
            left = 0;
            top += legend_row();
        }
        place(entry, left, top);
        left += wide + between;
    }
    return top + legend_row();
}

int LineLegend::heightForWidth(int width) const {
    return arrange(width, [](const Entry&, int, int) {});
}

QSize LineLegend::sizeHint() const { return {0, heightForWidth(std::max(width(), sample))}; }

void LineLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(small_font());
    const model::Colours& colours = model::colours_of(palette());
    arrange(width(), [&](const Entry& entry, int left, int top) {
        painter.setPen(entry.second);
        painter.drawLine(left, top + legend_row() / 2, left + sample, top + legend_row() / 2);
        painter.setPen(colours.text);
        const int room = std::max(0, width() - left - sample - gap);
        painter.drawText(left + sample + gap, top, room, legend_row(), Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(entry.first, Qt::ElideRight, room));
    });
}

}  // namespace divisi::charts

#include "moc_line_legend.cpp"
