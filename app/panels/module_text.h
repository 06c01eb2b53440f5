// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <chrono>
#include <utility>
#include <vector>

#include "app/model/colours.h"
#include "backend/control/types/module_types.h"

namespace divisi::panels {

// How functional modules and their advice read.

/// What the cluster said of its modules, and when that came here. Clocks of machines differ, so that ages are told from
/// its clock and the time that has passed here since.
struct SeenModules {
    control::ModulesState state;
    std::chrono::steady_clock::time_point came{};

    /// What the cluster's clock says now.
    TimePoint time() const;
};

QString kind_text(control::AdviceKind kind);         ///< "path share"
QString target_text(const control::Advice& advice);  ///< "mg-1 → mg-2"
QString value_text(const control::Advice& advice);   ///< "40 %"; a dash of a node
/// "share of the first path mg-1 → mg-2 40 %", "avoid a node mic-1/node-2".
QString short_text(const control::Advice& advice);
/// "for 6 s more" as long as it holds, else the time of day at which it ended; a dash where it was refused.
QString until_text(const control::AdviceView& advice, TimePoint now);
/// What steps took before and after; as long as that is not known what it changed, or why it was refused or is over.
QString effect_text(const control::AdviceEcho& echo);
/// "3 s ago" of a time of the cluster's clock; a dash where there is none.
QString ago_text(TimePoint then, TimePoint now);
/// "0.4 ms"; a dash before the first answer.
QString answer_text(const control::ModuleView& module);

using Fields = std::vector<std::pair<QString, QString>>;
/// All that is known of a module's process, and of an advice.
Fields fields_of(const control::ModuleView& module, TimePoint now, const model::Colours& colours);
Fields fields_of(const control::ModuleView& module, const control::AdviceView& advice, TimePoint now,
                 const model::Colours& colours);

}  // namespace divisi::panels
