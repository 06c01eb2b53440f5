// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QIcon>
#include <QPalette>
#include <Qt>

namespace divisi::model {

/// All colours of the console for one theme, besides those of QPalette. The contrast of text on its background is at
/// least 4.5 : 1 in both themes. The contrast of essential graphics is at least 3 : 1 (WCAG 2.1, 1.4.3 and 1.4.11).
struct Colours {
    QColor ground, surface, raised, line;  ///< backgrounds of views, panels and blocks; hairlines
    QColor text, faint;                    ///< running text, secondary text
    QColor accent, on_accent;              ///< background of selections and primary buttons; text and lines on it
    QColor good, warning, bad;             ///< always used with a word or a sign
    QColor edge, scope;                    ///< data flow, frames of open scopes
};

const Colours& dark_colours();
const Colours& light_colours();
/// Returns the colours of the theme of a palette, judged by the lightness of its window colour.
const Colours& colours_of(const QPalette& palette);

/// Returns the opaque colour that results if `over` is painted on `ground` with opacity `share`.
QColor mixed(const QColor& ground, const QColor& over, double share);

// Backgrounds for text, derived from other colours: a selected row, the finished part of a progress bar, a block
// painted with a segment.
QColor chosen_ground(const Colours& colours);
QColor done_ground(const Colours& colours);
QColor painted_ground(int segment, const Colours& colours);
/// Background of a row about an element selected elsewhere; every kind of text is readable on it.
QColor marked_ground(const Colours& colours);

/// Returns the colour of disabled text: weaker than other text, but readable.
QColor disabled_text(const Colours& colours);

/// Returns the colour of segment or series `index`: one of eight hues that colour-blind people can tell apart.
QColor segment_colour(int index, const Colours& colours);
/// Returns a hatch that distinguishes segments without colour.
Qt::BrushStyle segment_pattern(int index);
/// Returns a small square with the colour and the hatch.
QIcon segment_swatch(int index, const Colours& colours);

/// Returns the colour of a value from 0 (least) to 1 (most) on a scale. The luminance rises monotonically, also for
/// colour-blind people: cividis, Nunez, Anderton and Renslow, PLoS ONE 13(7), 2018.
QColor heat_colour(double place);
/// Returns black or white, whichever is more readable on a background; the contrast is at least 4.5 : 1.
QColor text_on(const QColor& ground);
/// The hatch on unmeasured values.
inline constexpr Qt::BrushStyle unmeasured_pattern = Qt::BDiagPattern;

}  // namespace divisi::model
