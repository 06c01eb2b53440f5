// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/plan_summary.h"

#include <string_view>

namespace divisi::control::inline protocol {
namespace {

constexpr std::string_view unnamed = unnamed_task;

void name(Sid& sid, const TaskId& task) {
    const std::string& path = sid.value();
    if (path.starts_with(unnamed) && path.substr(unnamed.size(), 1) == "/")
        sid = Sid(task.value() + path.substr(unnamed.size()));
}

}  // namespace

void name_units(PlanSummary& plan, const TaskId& task) {
    for (PlannedUnit& planned : plan.units) {
        name(planned.unit.sid, task);
        for (Sid& source : planned.unit.depends_on) name(source, task);
    }
}

}  // namespace divisi::control::inline protocol
