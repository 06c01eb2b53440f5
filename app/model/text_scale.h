// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace divisi::model {

/// How large text is beside its usual size: 1, and more while somebody presents. It belongs to the program as its font
/// does; what paints text, or keeps room for it, multiplies pixels by it.
double text_scale();
/// At least 1. Painted views are to be updated after it.
void set_text_scale(double scale);

/// Pixels at the scale of now, from those at the usual size.
inline double scaled(double usual) { return usual * text_scale(); }
int scaled_px(int usual);

}  // namespace divisi::model
