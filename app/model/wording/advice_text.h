// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "backend/control/types/recut_advice.h"

namespace divisi::model {

/// Returns after how many seconds of training with the advised cuts the gain exceeds the stall; 0 if it never does.
double payback_s(const control::RecutAdvice& advice);
/// Returns the advice as a text, such as "A better cut for gpt-1: 12.0 % faster, stall about 400 ms, pays back in
/// 1 min 30 s (steps: 40 of 900 left)". If no re-cut pays off, the text says why.
QString recut_advice_text(const control::RecutAdvice& advice);

}  // namespace divisi::model
