// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "app/model/states.h"
#include "backend/control/state/incidents.h"

namespace divisi::model {

/// A part of the way from a fault to where the task had caught up.
struct IncidentPhase {
    enum Kind { noticing, deciding, restoring, starting, replaying, waiting };
    Kind kind = noticing;
    double begin_s = 0, end_s = 0;  ///< after the fault
    bool lasts = false;             ///< it is not over
    bool operator==(const IncidentPhase&) const = default;
};

/// The phases that are known, in order. Where times in between are not, the phase reaches over them; `now`: where one
/// that is not over ends for the time being, on the cluster's clock.
std::vector<IncidentPhase> phases_of(const control::Incident& incident, TimePoint now);

QString phase_name(IncidentPhase::Kind kind);
/// "restoring 1.20 s"
QString phase_text(const IncidentPhase& phase);
/// All of them: "noticing 0.10 s, deciding 0.02 s"; of one that is not over with "…".
QString phases_text(const std::vector<IncidentPhase>& phases);

StateLook look_of(const control::Incident& incident, const Colours& colours);
/// The instance or the node; a dash where nobody in particular is to blame.
QString whose_fault(const control::Incident& incident);
/// Steps that are done again; a dash where that is not known.
QString replayed_text(const control::Incident& incident);
/// "from step 10 as generation 2", with why the task did not get over it.
QString answer_text(const control::Incident& incident);

}  // namespace divisi::model
