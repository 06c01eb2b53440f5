// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/wording/colours.h"

#include <QPainter>
#include <QPixmap>
#include <algorithm>
#include <array>
#include <cmath>

namespace divisi::model {

const Colours& dark_colours() {
    static const Colours colours{
        .ground = "#12151a",
        .surface = "#1a1e25",
        .raised = "#252b35",
        .line = "#363e4a",
        .text = "#e6e9ee",
        .faint = "#a8b1be",
        .accent = "#5b9dff",
        .on_accent = "#0b1220",
        .good = "#4cc38a",
        .warning = "#f0b429",
        .bad = "#ff7b72",
        .edge = "#6b7788",
        .scope = "#3c4654",
    };
    return colours;
}

const Colours& light_colours() {
    static const Colours colours{
        .ground = "#f4f5f7",
        .surface = "#ffffff",
        .raised = "#ffffff",
        .line = "#d0d5dd",
        .text = "#1b2230",
        .faint = "#566173",
        .accent = "#1a66d9",
        .on_accent = "#ffffff",
        .good = "#12784a",
        .warning = "#8a5a00",
        .bad = "#c0261c",
        .edge = "#828d9d",
        .scope = "#c3cad4",
    };
    return colours;
}

const Colours& colours_of(const QPalette& palette) {
    return palette.color(QPalette::Window).lightnessF() < 0.5 ? dark_colours() : light_colours();
}

QColor mixed(const QColor& ground, const QColor& over, double share) {
    const auto part = [share](float a, float b) { return static_cast<float>(a * (1 - share) + b * share); };
    return QColor::fromRgbF(part(ground.redF(), over.redF()), part(ground.greenF(), over.greenF()),
                            part(ground.blueF(), over.blueF()));
}

QColor chosen_ground(const Colours& colours) { return mixed(colours.ground, colours.accent, 0.28); }
QColor done_ground(const Colours& colours) { return mixed(colours.ground, colours.accent, 0.55); }
QColor marked_ground(const Colours& colours) {
    return mixed(colours.ground, colours.accent, &colours == &dark_colours() ? 0.16 : 0.05);
}
QColor painted_ground(int segment, const Colours& colours) {
    return mixed(colours.raised, segment_colour(segment, colours), 0.12);
}

QColor disabled_text(const Colours& colours) {
    QColor dim = colours.faint;
    dim.setAlphaF(0.9F);
    return dim;
}

QColor segment_colour(int index, const Colours& colours) {
    // The hues of Okabe and Ito, lightened for the dark background. On the light background, hues that colour-blind
    // people may confuse also differ in darkness.
    static const std::array<QColor, 8> on_dark{"#56b4e9", "#e69f00", "#22c79a", "#e07bb5",
                                               "#f0e442", "#4d8fe0", "#f0744a", "#cdd2da"};
    static const std::array<QColor, 8> on_light{"#0074b8", "#9a6400", "#007a58", "#ad4e88",
                                                "#5d5700", "#2a45a0", "#741600", "#3d444e"};
    const auto& set = &colours == &dark_colours() ? on_dark : on_light;
    return set[static_cast<std::size_t>(index) % set.size()];
}

Qt::BrushStyle segment_pattern(int index) {
    static constexpr std::array patterns{Qt::SolidPattern,  Qt::BDiagPattern, Qt::HorPattern, Qt::DiagCrossPattern,
                                         Qt::Dense4Pattern, Qt::FDiagPattern, Qt::VerPattern, Qt::CrossPattern};
    return patterns[static_cast<std::size_t>(index) % patterns.size()];
}

QIcon segment_swatch(int index, const Colours& colours) {
    QPixmap pixmap(16, 16);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    const QColor hue = segment_colour(index, colours);
    painter.setPen(hue);
    painter.setBrush(QBrush(hue, segment_pattern(index)));
    painter.drawRect(1, 1, 13, 13);
    painter.end();
    return pixmap;
}

QColor heat_colour(double place) {
    static const std::array<QColor, 5> stops{"#00224e", "#434e6c", "#7d7c78", "#bcae6c", "#fee838"};
    const double at = std::clamp(place, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
    const std::size_t below = std::min(static_cast<std::size_t>(at), stops.size() - 2);
    return mixed(stops[below], stops[below + 1], at - static_cast<double>(below));
}

QColor text_on(const QColor& ground) {
    const auto linear = [](double part) {  // relative luminance according to WCAG 2.1
        return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    };
    const double light =
        0.2126 * linear(ground.redF()) + 0.7152 * linear(ground.greenF()) + 0.0722 * linear(ground.blueF());
    return 1.05 / (light + 0.05) >= (light + 0.05) / 0.05 ? Qt::white : Qt::black;
}

}  // namespace divisi::model
