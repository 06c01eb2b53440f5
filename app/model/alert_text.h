// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "app/model/states.h"
#include "backend/control/state/state.h"

namespace divisi::model {

/// What the rule watches: "slow training", in the program's language.
QString rule_text(control::AlertRule rule);
/// A measured value or a threshold of the rule, with its unit: ms, seconds, tasks or bytes.
QString alert_value_text(control::AlertRule rule, double value);
StateLook look_of(const control::Alert& alert, const Colours& colours);
/// What to do about it; of a task that failed, with where it stands; of one that is over, why.
QString alert_next_text(const control::Alert& alert, const control::ClusterState& state);

/// How many stand.
std::size_t open_alerts(const control::ClusterState& state);

}  // namespace divisi::model
