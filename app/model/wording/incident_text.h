// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "app/model/wording/states.h"
#include "backend/control/state/incidents.h"

namespace divisi::model {

/// A phase of a recovery. The phases cover the time from the fault until the task has caught up.
struct IncidentPhase {
    enum Kind { noticing, deciding, restoring, starting, replaying, waiting };
    Kind kind = noticing;
    double begin_s = 0, end_s = 0;  ///< start and end in seconds since the fault
    bool lasts = false;             ///< whether the phase has not ended yet
    bool operator==(const IncidentPhase&) const = default;
};

/// Returns the known phases in order. If the end of a phase is unknown, the phase is merged with the next one. `now`,
/// on the cluster's clock, is the provisional end of an unfinished phase.
std::vector<IncidentPhase> phases_of(const control::Incident& incident, TimePoint now);

QString phase_name(IncidentPhase::Kind kind);
/// Formats a phase, such as "restoring 1.20 s".
QString phase_text(const IncidentPhase& phase);
/// Formats all phases, such as "detecting 0.10 s, deciding 0.02 s"; an unfinished one has "…".
QString phases_text(const std::vector<IncidentPhase>& phases);

StateLook look_of(const control::Incident& incident, const Colours& colours);
/// Returns the instance or node that had the fault; a dash if it is not known.
QString whose_fault(const control::Incident& incident);
/// Returns the number of repeated steps; a dash if unknown.
QString replayed_text(const control::Incident& incident);
/// Returns how the task continued, such as "restart after step 10 as generation 2", or why it did not recover.
QString answer_text(const control::Incident& incident);

}  // namespace divisi::model
