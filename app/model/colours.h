// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QIcon>
#include <QPalette>
#include <Qt>

namespace divisi::model {

/// Every colour of the console beyond QPalette's, for one theme. Contrast of text on its ground is at least
/// 4.5 : 1 in both themes, of what is drawn and must be seen at least 3 : 1 (WCAG 2.1, 1.4.3 and 1.4.11).
struct Colours {
    QColor ground, surface, raised, line;  ///< behind views, panels, blocks; hairlines
    QColor text, faint;                    ///< running text, secondary text
    QColor accent, on_accent;              ///< selection, primary action
    QColor good, warning, bad;             ///< always with a word or a sign beside them
    QColor edge, scope;                    ///< data flow, frames of open scopes
};

const Colours& dark_colours();
const Colours& light_colours();
/// The theme that a palette belongs to, told by how light its window is.
const Colours& colours_of(const QPalette& palette);

/// `share` of `over` on top of `ground`, opaque.
QColor mixed(const QColor& ground, const QColor& over, double share);

// Grounds under text, made of the others: a selected row, the part of a progress bar that is done, a block that is
// painted with a segment.
QColor chosen_ground(const Colours& colours);
QColor done_ground(const Colours& colours);
QColor painted_ground(int segment, const Colours& colours);
/// Of a row that is about what is selected elsewhere: all kinds of text are read on it.
QColor marked_ground(const Colours& colours);

/// Text of what cannot be used now: not as strong as other text, but read.
QColor disabled_text(const Colours& colours);

/// The colour of segment or series `index`: eight hues that stay apart for colour-blind eyes.
QColor segment_colour(int index, const Colours& colours);
/// A hatch that tells segments apart without colour.
Qt::BrushStyle segment_pattern(int index);
/// Both, as a small square.
QIcon segment_swatch(int index, const Colours& colours);

/// The colour of a place from 0 (least) to 1 (most) on a scale. Its luminance rises all the way, also for eyes without
/// one kind of cone: cividis, Nunez, Anderton and Renslow, PLoS ONE 13(7), 2018.
QColor heat_colour(double place);
/// Black or white, whichever is read better on a ground; at least 4.5 : 1 on any.
QColor text_on(const QColor& ground);
/// The hatch over what was not measured.
inline constexpr Qt::BrushStyle unmeasured_pattern = Qt::BDiagPattern;

}  // namespace divisi::model
