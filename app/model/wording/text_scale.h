// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace divisi::model {

/// Returns the factor by which text is enlarged: 1 normally, more in presenter mode. The factor applies to the whole
/// program, like the program's font. Code that paints text, or reserves space for text, multiplies its pixels by this
/// factor.
double text_scale();
/// Sets the factor, which must be at least 1. The caller must update painted views afterwards.
void set_text_scale(double scale);

/// Scales pixels at the usual text size to the current text size.
inline double scaled(double usual) { return usual * text_scale(); }
int scaled_px(int usual);

}  // namespace divisi::model
