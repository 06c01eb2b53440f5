// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QString>
#include <chrono>

#include "app/model/wording/colours.h"
#include "backend/control/state/state.h"
#include "backend/control/types/module_types.h"
#include "backend/mesh/registry/registration.h"

namespace divisi::model {

/// The way in which a state is shown: a sign, a word, and a colour. The colour is never the only distinction.
struct StateLook {
    QString sign, word;
    QColor colour;
    QString text() const { return sign + u' ' + word; }
};

StateLook look_of(const control::TaskView& task, const Colours& colours);
/// Returns the position in the cycle of telemetry and policy (phases 3 and 4) and the number of completed cycles, such
/// as "telemetry · 2". Views show it next to the phase of the task. Empty before the cycle begins.
QString cycle_text(const control::TaskView& task);
StateLook look_of(control::InstanceState state, const Colours& colours);
StateLook look_of(control::NodeState state, const Colours& colours);
StateLook look_of(control::LeaseState state, const Colours& colours);
/// Returns the look of an instance's own report. `stale`: the registry has received nothing from the instance for
/// longer than the instance's lease.
StateLook look_of(mesh::Health health, bool stale, const Colours& colours);
/// Returns the look of a gateway's or router's registration.
StateLook look_of(mesh::LeaseStanding standing, const Colours& colours);
/// Returns the look of a gateway or router.
StateLook device_look(bool up, const Colours& colours);
/// Returns the look of a functional module's process.
StateLook look_of(control::ModuleState state, const Colours& colours);
/// Returns the look of an advice's outcome.
StateLook look_of(control::AdviceOutcome outcome, const Colours& colours);
/// Returns the look of an element of the cluster that has been silent for a while.
StateLook silent_look(const Colours& colours);
/// Returns the look of an element that has left the cluster but is still shown.
StateLook gone_look(const Colours& colours);

/// Formats the age of data, such as "3 s ago".
QString age_text(std::chrono::steady_clock::duration age);
/// Formats a duration in the program's language, such as "2 min 10 s".
QString duration_text(double milliseconds);
/// Formats the time of day of an event.
QString clock_text(TimePoint time);
/// Formats the time of day, with the date unless it is today.
QString date_text(TimePoint time);

}  // namespace divisi::model
