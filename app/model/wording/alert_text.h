// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "app/model/wording/states.h"
#include "backend/control/state/state.h"

namespace divisi::model {

/// Returns the name of the problem that the rule detects, in the program's language, such as "slow training".
QString rule_text(control::AlertRule rule);
/// Formats a measured value or a threshold of the rule with its unit: ms, seconds, tasks or bytes.
QString alert_value_text(control::AlertRule rule, double value);
StateLook look_of(const control::Alert& alert, const Colours& colours);
/// Returns what to do about an alert. For a failed task, adds the number of the task's exception. For a closed alert,
/// returns why it was closed.
QString alert_next_text(const control::Alert& alert, const control::ClusterState& state);

/// Returns the number of open alerts.
std::size_t open_alerts(const control::ClusterState& state);

}  // namespace divisi::model
