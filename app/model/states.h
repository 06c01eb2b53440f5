// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QString>
#include <chrono>

#include "app/model/colours.h"
#include "backend/control/state/state.h"
#include "backend/control/types/module_types.h"
#include "backend/mesh/registry/registration.h"

namespace divisi::model {

/// How a state reads: a sign and a word, and a colour that never stands alone.
struct StateLook {
    QString sign, word;
    QColor colour;
    QString text() const { return sign + u' ' + word; }
};

StateLook look_of(const control::TaskView& task, const Colours& colours);
/// Where the cycle of telemetry and policy (phases 3 and 4) stands beside the phase of a task's life, and how often it
/// was passed: "telemetry · 2"; empty before it begins.
QString cycle_text(const control::TaskView& task);
StateLook look_of(control::InstanceState state, const Colours& colours);
StateLook look_of(control::NodeState state, const Colours& colours);
StateLook look_of(control::LeaseState state, const Colours& colours);
/// What an instance says of itself; `stale`: the registry has not heard it for longer than its lease.
StateLook look_of(mesh::Health health, bool stale, const Colours& colours);
/// Of a gateway's or router's registration.
StateLook look_of(mesh::LeaseStanding standing, const Colours& colours);
/// Of a gateway or router.
StateLook device_look(bool up, const Colours& colours);
/// Of a functional module's process.
StateLook look_of(control::ModuleState state, const Colours& colours);
/// What became of an advice.
StateLook look_of(control::AdviceOutcome outcome, const Colours& colours);
/// Of what the cluster counts on and nobody has heard for a while.
StateLook silent_look(const Colours& colours);
/// Of what has left the cluster and is only remembered.
StateLook gone_look(const Colours& colours);

/// "3 s ago": how old what is shown is.
QString age_text(std::chrono::steady_clock::duration age);
/// "2 min 10 s", in the program's language.
QString duration_text(double milliseconds);
/// The time of day of an event.
QString clock_text(TimePoint time);
/// The same with the date, where that is not today's.
QString date_text(TimePoint time);

}  // namespace divisi::model
