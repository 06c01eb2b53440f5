// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/control/types/module_types.h"

namespace divisi::control::inline types {

// The client's view of a module's advice: counts, and the newest advice with its outcomes.

/// Records advice that was just considered. If the same advice is renewed, or refused again for the same reason,
/// updates the existing entry.
void remember(ModuleView& view, const AdviceEcho& echo, TimePoint now);
/// Updates an entry after its effect was measured or it expired. Does nothing if the module has not given this advice
/// or the entry is no longer shown.
void update(ModuleView& view, const AdviceEcho& echo, TimePoint now);
/// Marks all valid entries of a module as expired, for the reason `why`.
void end_all(ModuleView& view, const std::string& why, TimePoint now);

/// Returns whether the advice is in effect.
inline bool holds(const AdviceEcho& echo) {
    return echo.outcome == AdviceOutcome::taken || echo.outcome == AdviceOutcome::held;
}

}  // namespace divisi::control::inline types
