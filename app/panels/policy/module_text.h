// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <chrono>
#include <utility>
#include <vector>

#include "app/model/wording/colours.h"
#include "backend/control/types/module_types.h"

namespace divisi::panels {

// Formats functional modules and their advice.

/// The last report about the cluster's modules, with its arrival time. As machine clocks differ, ages are computed from
/// the cluster's clock plus the time passed here since.
struct SeenModules {
    control::ModulesState state;
    std::chrono::steady_clock::time_point came{};

    /// Returns the cluster's current time.
    TimePoint time() const;
};

QString kind_text(control::AdviceKind kind);         ///< "path share"
QString target_text(const control::Advice& advice);  ///< "mg-1 → mg-2"
QString value_text(const control::Advice& advice);   ///< "40 %"; a dash of a node
/// Returns a short text of an advice: "share of the first path mg-1 → mg-2 40 %", "avoid a node mic-1/node-2".
QString short_text(const control::Advice& advice);
/// Returns "for 6 s more" while the advice applies, else the time of day at which it ended; a dash if it was refused.
QString until_text(const control::AdviceView& advice, TimePoint now);
/// Returns the step times before and after the advice was applied. Until these are known, returns what the advice
/// changed, or why it was refused or ended.
QString effect_text(const control::AdviceEcho& echo);
/// Formats a time of the cluster's clock as "3 s ago"; a dash if there is none.
QString ago_text(TimePoint then, TimePoint now);
/// Returns the response time, such as "0.4 ms"; a dash before the first answer.
QString answer_text(const control::ModuleView& module);

using Fields = std::vector<std::pair<QString, QString>>;
/// Returns everything known about a module's process and about an advice.
Fields fields_of(const control::ModuleView& module, TimePoint now, const model::Colours& colours);
Fields fields_of(const control::ModuleView& module, const control::AdviceView& advice, TimePoint now,
                 const model::Colours& colours);

}  // namespace divisi::panels
