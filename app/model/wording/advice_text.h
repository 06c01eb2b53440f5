// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "backend/control/types/recut_advice.h"

namespace divisi::model {

/// Returns how many seconds of training by the advised cuts make up for the stall; 0 if they never do.
double payback_s(const control::RecutAdvice& advice);
/// Returns a text such as "A better cut for gpt-1: 12.0 % faster, stall about 400 ms, pays back in 90 s", or why a
/// re-cut does not pay.
QString recut_advice_text(const control::RecutAdvice& advice);

}  // namespace divisi::model
