// SPDX-License-Identifier: Apache-2.0
// divisictl alerts: shows problems that the orchestrator found, and what to do about them.
#include <cstdio>

#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/ctl/watching/alert_lines.h"

namespace divisi::ctl {

int list_alerts(const Common& common, bool standing) {
    auto session = open_session(common);
    if (!session) return print_error(session.error());
    const auto state = (*session)->snapshot();
    if (!state) return print_error(state.error());
    std::vector<std::vector<std::string>> rows;
    for (const auto& [number, alert] : state->alerts) {
        if (standing && !alert.stands()) continue;
        const control::ExceptionEntry* entry = exception_of(*state, alert.task);
        const std::uint64_t exception = entry ? entry->number : 0;
        if (common.json) print_json(alert_json(alert, exception));
        rows.push_back(alert_row(alert, exception, state->time));
    }
    if (common.json) return 0;
    if (rows.empty()) std::puts(standing ? "no open alerts" : "no alerts");
    else print_table(alert_columns(), rows);
    return 0;
}

}  // namespace divisi::ctl
