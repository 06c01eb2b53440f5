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

/// The last report about the cluster's modules, with its arrival time. Because machine clocks differ, ages are computed
/// from the cluster's clock at the report, plus the time that has passed since.
struct SeenModules {
    control::ModulesState state;
    std::chrono::steady_clock::time_point came{};

    /// Returns the cluster's current time.
    TimePoint time() const;
};

QString kind_text(control::AdviceKind kind);         ///< for example "drain a node"
QString target_text(const control::Advice& advice);  ///< for example "mg-1 → mg-2"
QString value_text(const control::Advice& advice);   ///< for example "40 %"; a dash for advice about a node
/// Returns a short text for a piece of advice, such as "share of the first path mg-1 → mg-2 40 %" or "avoid a node
/// mic-1/node-2".
QString short_text(const control::Advice& advice);
/// Returns a text such as "for 6 s more" while the advice applies, otherwise the time of day at which it ended. Returns
/// a dash if the advice was refused.
QString until_text(const control::AdviceView& advice, TimePoint now);
/// Returns the step times before and after the advice was applied. Until these are measured, returns the changes that
/// the advice caused, or the reason why it was refused or ended.
QString effect_text(const control::AdviceEcho& echo);
/// Formats a time of the cluster's clock as "3 s ago"; a dash if there is no time.
QString ago_text(TimePoint then, TimePoint now);
/// Returns the response time, such as "0.4 ms"; a dash before the first answer.
QString answer_text(const control::ModuleView& module);

using Fields = std::vector<std::pair<QString, QString>>;
/// These functions return all fields of a module's process and of a piece of advice.
Fields fields_of(const control::ModuleView& module, TimePoint now, const model::Colours& colours);
Fields fields_of(const control::ModuleView& module, const control::AdviceView& advice, TimePoint now,
                 const model::Colours& colours);

}  // namespace divisi::panels
