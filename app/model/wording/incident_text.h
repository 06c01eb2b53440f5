// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "app/model/wording/states.h"
#include "backend/control/state/incidents.h"

namespace divisi::model {

/// A phase of a recovery, from the fault until the task had caught up.
struct IncidentPhase {
    enum Kind { noticing, deciding, restoring, starting, replaying, waiting };
    Kind kind = noticing;
    double begin_s = 0, end_s = 0;  ///< since the fault
    bool lasts = false;             ///< the phase has not ended
    bool operator==(const IncidentPhase&) const = default;
};

/// Returns the known phases in order. If an intermediate time is unknown, its phase is merged. `now`, on the cluster's
/// clock, is the provisional end of an unfinished phase.
std::vector<IncidentPhase> phases_of(const control::Incident& incident, TimePoint now);

QString phase_name(IncidentPhase::Kind kind);
/// Formats a phase, such as "restoring 1.20 s".
QString phase_text(const IncidentPhase& phase);
/// Formats all phases, such as "noticing 0.10 s, deciding 0.02 s"; an unfinished one has "…".
QString phases_text(const std::vector<IncidentPhase>& phases);

StateLook look_of(const control::Incident& incident, const Colours& colours);
/// Returns the instance or node at fault; a dash if no particular one is.
QString whose_fault(const control::Incident& incident);
/// Returns the number of repeated steps; a dash if unknown.
QString replayed_text(const control::Incident& incident);
/// Returns how the task continued, such as "from step 10 as generation 2", or why it did not recover.
QString answer_text(const control::Incident& incident);

}  // namespace divisi::model
