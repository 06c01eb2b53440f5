// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "backend/control/types/recut_advice.h"

namespace divisi::model {

/// Seconds of training by the advised cuts until the stall is made up for; 0: never.
double payback_s(const control::RecutAdvice& advice);
/// "A better cut for gpt-1: 12.0 % faster, stall about 400 ms, pays back in 90 s"; where it does not pay, why.
QString recut_advice_text(const control::RecutAdvice& advice);

}  // namespace divisi::model
