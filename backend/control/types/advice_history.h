// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/control/types/module_types.h"

namespace divisi::control::inline types {

// What clients see of a module's advice: counts, and the newest with what became of it.

/// An advice that was just considered. One that is given again as it stands, and one that is refused again for the same
/// reason, is the entry that is there.
void remember(ModuleView& view, const AdviceEcho& echo, TimePoint now);
/// Its steps were measured, or it has expired. Nothing where the module has not given it, or it is no longer shown.
void update(ModuleView& view, const AdviceEcho& echo, TimePoint now);
/// All that holds is taken back.
void end_all(ModuleView& view, const std::string& why, TimePoint now);

/// Whether it has an effect now.
inline bool holds(const AdviceEcho& echo) {
    return echo.outcome == AdviceOutcome::taken || echo.outcome == AdviceOutcome::held;
}

}  // namespace divisi::control::inline types
